// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// In which order do requests leave the elevators?
#include "firmware/block/elevator.h"

#include "firmware/block/param.h"
#include "testbenches/unit/block/block_rig.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace weir::block_test {
namespace {

using block::Direction;
using block::DispatchRoom;
using block::Request;

constexpr DispatchRoom kAllRoom{true, true};
constexpr uint64_t kTickNs = 10'000'000;  // HZ 100

struct ElevatorRig {
    explicit ElevatorRig(hal::ElevatorKind kind) : ops(block::elevator_ops(kind)) {
        kernel::init();
        state = ops.create();
    }
    Request& add(uint64_t sector, Direction direction) {
        requests.push_back(std::make_unique<Request>());
        Request& request = *requests.back();
        request.sector = hal::Sector{sector};
        request.page_count = 1;
        request.direction = direction;
        request.sequence = requests.size();
        ops.insert(state, request);
        return request;
    }
    /// Sector of the next request, writes negative; 0 if none.
    int64_t take(DispatchRoom room = kAllRoom) {
        Request* request = ops.take(state, room);
        if (!request) return 0;
        const auto sector = static_cast<int64_t>(request->sector.value);
        return request->direction == Direction::Write ? -sector : sector;
    }
    std::vector<int64_t> take_all() {
        std::vector<int64_t> order;
        while (const int64_t sector = take()) order.push_back(sector);
        return order;
    }
    void to_jiffy(uint64_t jiffy) {
        while (kernel::jiffies() < jiffy) machine.advance_ns(kTickNs / 10);
        ASSERT_EQ(kernel::jiffies(), jiffy);
    }

    fake_hal::Machine machine{fake_hal::Config{}};
    const block::ElevatorOps& ops;
    void* state = nullptr;
    std::vector<std::unique_ptr<Request>> requests;
};

TEST(NoopElevator, ServesInOrderOfArrivalWhateverTheDirection) {
    ElevatorRig rig(hal::ElevatorKind::Noop);
    rig.add(50, Direction::Read);
    rig.add(10, Direction::Write);
    rig.add(30, Direction::Read);
    rig.add(20, Direction::Write);
    EXPECT_EQ(rig.take_all(), (std::vector<int64_t>{50, -10, 30, -20}));
}

TEST(NoopElevator, PassesOverADirectionThatHasNoRoom) {
    ElevatorRig rig(hal::ElevatorKind::Noop);
    rig.add(50, Direction::Read);
    rig.add(10, Direction::Write);
    EXPECT_EQ(rig.take({false, true}), -10);
    EXPECT_EQ(rig.take({false, true}), 0);
    EXPECT_EQ(rig.take(), 50);
}

TEST(DeadlineElevator, StartsAtTheOldestAndGoesOnAscending) {
    ElevatorRig rig(hal::ElevatorKind::Deadline);
    for (const uint64_t sector : {40, 10, 50, 20, 60}) rig.add(sector, Direction::Read);
    // 40 is the oldest; then upward; at the top nothing follows, so the oldest again.
    EXPECT_EQ(rig.take_all(), (std::vector<int64_t>{40, 50, 60, 10, 20}));
}

TEST(DeadlineElevator, PassesWritesOverTwiceAndThenServesABatch) {
    ElevatorRig rig(hal::ElevatorKind::Deadline);
    // Descending arrivals: every batch of reads is one request long, as nothing follows in order.
    for (uint64_t i = 0; i < 6; ++i) rig.add(900 - i * 10, Direction::Read);
    rig.add(500, Direction::Write);
    rig.add(510, Direction::Write);
    EXPECT_EQ(rig.take(), 900);
    EXPECT_EQ(rig.take(), 890);
    EXPECT_EQ(rig.take(), -500);
    EXPECT_EQ(rig.take(), -510) << "the batch of writes goes on in order";
    EXPECT_EQ(rig.take(), 880);
    rig.add(300, Direction::Write);
    EXPECT_EQ(rig.take(), 870) << "the count of passes starts anew";
    EXPECT_EQ(rig.take(), 860);
    EXPECT_EQ(rig.take(), -300);
}

TEST(DeadlineElevator, EndsABatchAfterSixteenRequests) {
    ElevatorRig rig(hal::ElevatorKind::Deadline);
    for (uint64_t i = 1; i <= 60; ++i) rig.add(i * 8, Direction::Read);
    rig.add(8000, Direction::Write);
    std::vector<int64_t> order = rig.take_all();
    ASSERT_EQ(order.size(), 61u);
    // Two batches of reads pass the write over; the third batch is the write's.
    for (size_t i = 0; i < 32; ++i) EXPECT_EQ(order[i], static_cast<int64_t>(i + 1) * 8);
    EXPECT_EQ(order[32], -8000);
    EXPECT_EQ(order[33], 33 * 8);
}

TEST(DeadlineElevator, JumpsToAReadThatHasExpiredAndNotATickEarlier) {
    for (const uint64_t late : {0u, 1u}) {
        ElevatorRig rig(hal::ElevatorKind::Deadline);
        const uint64_t start = kernel::jiffies();
        rig.add(500, Direction::Read);
        rig.add(100, Direction::Read);  // the oldest once 500 has gone
        for (uint64_t i = 0; i < 30; ++i) rig.add(600 + i * 8, Direction::Read);
        for (uint32_t i = 0; i < block::kFifoBatch; ++i) EXPECT_GE(rig.take(), 500);
        rig.to_jiffy(start + 50 + late);  // read expire is HZ/2
        // The batch is over; a new one goes on in order unless the oldest has expired.
        EXPECT_EQ(rig.take(), late ? 100 : 600 + 15 * 8);
    }
}

TEST(DeadlineElevator, GivesWritesFiveSeconds) {
    ElevatorRig rig(hal::ElevatorKind::Deadline);
    const uint64_t start = kernel::jiffies();
    EXPECT_EQ(rig.add(8, Direction::Write).fifo_expires_jiffy, start + 500);
    EXPECT_EQ(rig.add(8, Direction::Read).fifo_expires_jiffy, start + 50);
}

TEST(DeadlineElevator, KeepsOrderAfterAFrontMerge) {
    ElevatorRig rig(hal::ElevatorKind::Deadline);
    rig.add(10, Direction::Read);
    Request& grown = rig.add(100, Direction::Read);
    rig.add(50, Direction::Read);
    rig.ops.before_front_merge(rig.state, grown);
    grown.sector = hal::Sector{40};
    rig.ops.after_front_merge(rig.state, grown);
    EXPECT_EQ(rig.take_all(), (std::vector<int64_t>{10, 40, 50}));
}

TEST(DeadlineElevator, AJoinedRequestInheritsTheEarlierExpiry) {
    ElevatorRig rig(hal::ElevatorKind::Deadline);
    const uint64_t start = kernel::jiffies();
    Request& older = rig.add(200, Direction::Read);
    rig.to_jiffy(start + 3);
    Request& between = rig.add(300, Direction::Read);
    Request& younger = rig.add(100, Direction::Read);
    rig.ops.joined(rig.state, younger, older);
    EXPECT_EQ(younger.fifo_expires_jiffy, start + 50);
    EXPECT_GT(between.fifo_expires_jiffy, younger.fifo_expires_jiffy);
    // Now the oldest promise is at sector 100, so that is where service starts.
    EXPECT_EQ(rig.take_all(), (std::vector<int64_t>{100, 300}));
}

TEST(DeadlineElevator, LeavesABatchWhoseDirectionHasNoRoom) {
    ElevatorRig rig(hal::ElevatorKind::Deadline);
    rig.add(10, Direction::Read);
    rig.add(20, Direction::Read);
    rig.add(30, Direction::Write);
    EXPECT_EQ(rig.take(), 10);
    EXPECT_EQ(rig.take({false, true}), -30);
    EXPECT_EQ(rig.take({false, true}), 0);
    EXPECT_EQ(rig.take(), 20);
}

}  // namespace
}  // namespace weir::block_test
