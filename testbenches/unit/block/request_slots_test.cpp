// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// When does a class turn congested or full, and who may go on?
#include "firmware/block/request_slots.h"

#include "firmware/block/param.h"
#include "testbenches/unit/block/block_rig.h"

#include <gtest/gtest.h>

#include <memory>

namespace weir::block_test {
namespace {

using block::IoClass;
using block::RequestSlots;

struct SlotsRig {
    explicit SlotsRig(uint32_t nr_requests) {
        kernel::init();
        block::congestion_init();
        block::batches_init();
        slots = std::make_unique<RequestSlots>();
        slots->init(0, nr_requests);
    }
    void take_until(uint32_t count, uint32_t pid = 1) {
        while (slots->count(IoClass::Async) < count) {
            ASSERT_TRUE(slots->take(IoClass::Async, pid));
        }
    }
    void give_until(uint32_t count) {
        while (slots->count(IoClass::Async) > count) slots->give(IoClass::Async);
    }

    fake_hal::Machine machine{fake_hal::Config{}};
    std::unique_ptr<RequestSlots> slots;
};

struct Marks {
    uint32_t nr;
    uint32_t on;
    uint32_t off;
};

class CongestionMarksTest : public testing::TestWithParam<Marks> {};
INSTANTIATE_TEST_SUITE_P(BySlots, CongestionMarksTest,
                         testing::Values(Marks{64, 57, 51}, Marks{128, 113, 103},
                                         Marks{256, 225, 207}));

TEST_P(CongestionMarksTest, BitTurnsOnAtOnAndOffBelowOff) {
    const Marks marks = GetParam();
    SlotsRig rig(marks.nr);
    rig.take_until(marks.on - 1);
    EXPECT_FALSE(rig.slots->congested(IoClass::Async));
    EXPECT_FALSE(block::any_congested(IoClass::Async));
    rig.take_until(marks.on);
    EXPECT_TRUE(rig.slots->congested(IoClass::Async));
    EXPECT_TRUE(block::any_congested(IoClass::Async));
    EXPECT_FALSE(block::any_congested(IoClass::Sync)) << "classes are apart";
    rig.give_until(marks.off);
    EXPECT_TRUE(rig.slots->congested(IoClass::Async));
    rig.give_until(marks.off - 1);
    EXPECT_FALSE(rig.slots->congested(IoClass::Async));
    EXPECT_FALSE(block::any_congested(IoClass::Async));
    EXPECT_EQ(rig.slots->congested_entries(IoClass::Async), 1u);
}

TEST_P(CongestionMarksTest, BitIsNotSetAgainBetweenTheMarks) {
    const Marks marks = GetParam();
    SlotsRig rig(marks.nr);
    rig.take_until(marks.on);
    rig.give_until(marks.off - 1);
    rig.take_until(marks.on - 1);
    EXPECT_FALSE(rig.slots->congested(IoClass::Async));
    rig.take_until(marks.on);
    EXPECT_TRUE(rig.slots->congested(IoClass::Async));
    EXPECT_EQ(rig.slots->congested_entries(IoClass::Async), 2u);
}

TEST(CongestionMarksFormula, StaysWithinTheSlots) {
    for (uint32_t nr = 1; nr <= 1024; ++nr) {
        const block::CongestionMarks marks = block::congestion_marks(nr);
        EXPECT_LE(marks.on, nr);
        EXPECT_GE(marks.off, 1u);
        EXPECT_LE(marks.off, marks.on);
    }
}

TEST(CongestionGauges, FollowCountAndBit) {
    SlotsRig rig(128);
    rig.take_until(113);
    EXPECT_EQ(rig.machine.gauge_value(hal::Gauge::QueueAsync), 113u);
    EXPECT_EQ(rig.machine.gauge_value(hal::Gauge::CongestedAsync), 1u);
    rig.give_until(102);
    EXPECT_EQ(rig.machine.gauge_value(hal::Gauge::QueueAsync), 102u);
    EXPECT_EQ(rig.machine.gauge_value(hal::Gauge::CongestedAsync), 0u);
    EXPECT_EQ(rig.machine.gauge_value(hal::Gauge::QueueSync), 0u);
}

TEST(RequestBatch, TheTaskThatFillsTheQueueMayGoOnToTheHardCap) {
    SlotsRig rig(32);  // cap 48: reached before the batch of 32 ends
    rig.take_until(32);
    EXPECT_FALSE(rig.slots->take(IoClass::Async, 2)) << "another task finds the queue full";
    rig.take_until(48);
    EXPECT_FALSE(rig.slots->take(IoClass::Async, 1)) << "1.5 x nr_requests is the end for all";
}

TEST(RequestBatch, EndsAfterThirtyTwoRequests) {
    SlotsRig rig(128);
    rig.take_until(127);
    // The 128th makes the task a batcher and is the first of its 32.
    rig.take_until(127 + 32);
    EXPECT_FALSE(rig.slots->take(IoClass::Async, 1));
}

TEST(RequestBatch, IsNotSpentOnSlotsBelowTheFullMark) {
    SlotsRig rig(128);
    rig.take_until(128);     // the first of the 32
    rig.give_until(100);
    rig.take_until(127);     // free for all: 27 slots that cost nothing
    rig.take_until(128, 2);  // another task meets the full mark first
    rig.take_until(128 + 31);
    EXPECT_FALSE(rig.slots->take(IoClass::Async, 1)) << "31 were left, and all were there to take";
}

TEST(RequestBatch, OfAWokenTaskIsNotSpentBelowTheFullMark) {
    SlotsRig rig(128);
    rig.take_until(128);
    rig.slots->begin_wait(IoClass::Async);
    rig.give_until(90);
    rig.slots->end_wait(IoClass::Async, 2);
    rig.take_until(127, 2);
    rig.take_until(128, 3);
    rig.take_until(128 + 32, 2);
    EXPECT_FALSE(rig.slots->take(IoClass::Async, 2));
}

TEST(RequestBatch, EndsAfterHzOver50AndNotATickEarlier) {
    for (const uint32_t elapsed_jiffies : {1u, 2u}) {
        SlotsRig rig(128);
        rig.take_until(128);
        const uint64_t start = kernel::jiffies();
        while (kernel::jiffies() < start + elapsed_jiffies) rig.machine.advance_ns(1'000'000);
        EXPECT_EQ(rig.slots->take(IoClass::Async, 1), elapsed_jiffies < 2);
    }
}

TEST(RequestBatch, AWokenTaskMayTakeAtLeastOneHoweverLate) {
    SlotsRig rig(128);
    rig.take_until(128);
    rig.slots->begin_wait(IoClass::Async);
    rig.slots->end_wait(IoClass::Async, 2);
    const uint64_t start = kernel::jiffies();
    while (kernel::jiffies() < start + 10) rig.machine.advance_ns(1'000'000);
    EXPECT_TRUE(rig.slots->take(IoClass::Async, 2));
    EXPECT_FALSE(rig.slots->take(IoClass::Async, 2)) << "the rest of the batch has run out";
}

TEST(RequestBatch, FullIsClearedOnceCountFallsBelowTheSlots) {
    SlotsRig rig(128);
    rig.take_until(140);
    EXPECT_FALSE(rig.slots->take(IoClass::Async, 2));
    rig.give_until(128);
    EXPECT_FALSE(rig.slots->take(IoClass::Async, 2)) << "still full at 128";
    rig.give_until(127);
    EXPECT_TRUE(rig.slots->take(IoClass::Async, 2));
}

TEST(RequestSlots, ClassesDoNotShareSlots) {
    SlotsRig rig(128);
    rig.take_until(128);
    EXPECT_FALSE(rig.slots->take(IoClass::Async, 2));
    EXPECT_TRUE(rig.slots->take(IoClass::Sync, 2));
}

TEST(RequestSlots, RemembersAWakeUpThatFoundNobody) {
    SlotsRig rig(128);
    rig.take_until(128);
    rig.slots->begin_wait(IoClass::Async);  // registered, not yet asleep
    rig.slots->give(IoClass::Async);
    EXPECT_TRUE(rig.slots->wake_owed(IoClass::Async));
    rig.slots->end_wait(IoClass::Async, 2);
    EXPECT_FALSE(rig.slots->wake_owed(IoClass::Async));
}

}  // namespace
}  // namespace weir::block_test
