// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Does the queue hold back, merge and issue as it says?
#include "firmware/block/request_queue.h"

#include "firmware/block/param.h"
#include "firmware/kernel/counters.h"
#include "testbenches/unit/block/block_rig.h"

#include <gtest/gtest.h>

#include <vector>

namespace weir::block_test {
namespace {

using block::Direction;
using block::IoClass;

// ---- plug -------------------------------------------------------------------------------------

TEST(RequestPlug, ThreeRequestsAreHeldAndTheFourthStartsThem) {
    QueueRig rig;
    for (const uint64_t page : {10, 20, 30}) ASSERT_TRUE(rig.read(page).ok());
    EXPECT_TRUE(rig.queue->plugged());
    EXPECT_TRUE(rig.device.issued.empty());
    ASSERT_TRUE(rig.read(40).ok());
    EXPECT_FALSE(rig.queue->plugged());
    EXPECT_EQ(rig.device.issued_pages(), (std::vector<uint64_t>{10, 20, 30, 40}));
    EXPECT_EQ(rig.device.rings, 1u) << "one doorbell for the batch";
}

TEST(RequestPlug, AMergedBioIsNoFurtherRequest) {
    QueueRig rig;
    for (const uint64_t page : {10, 20, 30, 31, 32, 21}) ASSERT_TRUE(rig.read(page).ok());
    EXPECT_TRUE(rig.device.issued.empty());
    EXPECT_EQ(rig.queue->queued_count(), 3u);
}

TEST(RequestPlug, AWaiterStartsWhatIsHeld) {
    QueueRig rig;
    ASSERT_TRUE(rig.read(10).ok());
    EXPECT_TRUE(rig.device.issued.empty());
    rig.queue->unplug();
    EXPECT_EQ(rig.device.issued.size(), 1u);
    EXPECT_EQ(rig.machine.events(hal::Event::BlockPlug).size(), 1u);
    const auto unplugs = rig.machine.events(hal::Event::BlockUnplugIo);
    ASSERT_EQ(unplugs.size(), 1u);
    EXPECT_EQ(unplugs[0].args[2], 1u) << "count";
    rig.queue->unplug();
    EXPECT_EQ(rig.machine.events(hal::Event::BlockUnplugIo).size(), 1u) << "nothing is plugged now";
}

TEST(RequestPlug, TheTimerStartsThemAtThreeMillisecondsAndNotATickEarlier) {
    fake_hal::Config config;
    config.tick_hz = 1000;
    QueueRig rig({}, config);
    rig.machine.advance_ns(1'500'000);
    const uint64_t start = kernel::jiffies();
    ASSERT_TRUE(rig.read(10).ok());
    while (kernel::jiffies() < start + 2) rig.machine.advance_ns(100'000);
    rig.machine.advance_ns(800'000);
    ASSERT_EQ(kernel::jiffies(), start + 2);
    EXPECT_TRUE(rig.device.issued.empty());
    while (kernel::jiffies() < start + 3) rig.machine.advance_ns(100'000);
    EXPECT_EQ(rig.device.issued.size(), 1u);
    EXPECT_EQ(rig.machine.events(hal::Event::BlockUnplugTimer).size(), 1u);
}

TEST(RequestPlug, ASecondPlugGetsItsWholeDelay) {
    fake_hal::Config config;
    config.tick_hz = 1000;
    QueueRig rig({}, config);
    ASSERT_TRUE(rig.read(10).ok());
    const uint64_t start = kernel::jiffies();
    while (kernel::jiffies() < start + 2) rig.machine.advance_ns(100'000);
    rig.queue->unplug();
    ASSERT_TRUE(rig.read(50).ok());
    while (kernel::jiffies() < start + 4) rig.machine.advance_ns(100'000);
    EXPECT_EQ(rig.device.issued.size(), 1u) << "the first plug's timer does not end the second";
    while (kernel::jiffies() < start + 5) rig.machine.advance_ns(100'000);
    EXPECT_EQ(rig.device.issued.size(), 2u);
}

TEST(RequestPlug, ACompletionStartsWhatIsHeld) {
    QueueRig rig;
    ASSERT_TRUE(rig.read(10).ok());
    rig.queue->unplug();
    ASSERT_TRUE(rig.read(20).ok());
    EXPECT_EQ(rig.device.issued.size(), 1u);
    rig.finish();
    EXPECT_EQ(rig.device.issued.size(), 2u);
}

TEST(RequestPlug, AQueueThatWaitsForAFullDeviceIsNotPlugged) {
    QueueRig rig;
    rig.device.room[static_cast<uint32_t>(IoClass::Async)] = 1;
    for (const uint64_t page : {10, 20, 30, 40}) ASSERT_TRUE(rig.write(page).ok());
    ASSERT_EQ(rig.device.issued.size(), 1u);
    // Writes wait for their ring; a read finds its own free and goes at once.
    ASSERT_TRUE(rig.read(90).ok());
    EXPECT_EQ(rig.device.issued_pages(), (std::vector<uint64_t>{10, 90}));
}

// ---- merging ----------------------------------------------------------------------------------

TEST(RequestMerge, BackAndFrontAndTheGapBetween) {
    QueueRig rig;
    ASSERT_TRUE(rig.read(10, 2).ok());
    ASSERT_TRUE(rig.read(12, 2).ok());  // back
    ASSERT_TRUE(rig.read(8, 2).ok());   // front
    ASSERT_TRUE(rig.read(20, 2).ok());  // apart
    EXPECT_EQ(rig.queue->queued_count(), 2u);
    EXPECT_EQ(rig.count(IoClass::Sync), 2u);
    ASSERT_TRUE(rig.read(14, 6).ok());  // closes the gap: two requests become one
    EXPECT_EQ(rig.queue->queued_count(), 1u);
    EXPECT_EQ(rig.count(IoClass::Sync), 1u) << "the joined request gives its slot back";
    rig.queue->unplug();
    ASSERT_EQ(rig.device.issued.size(), 1u);
    EXPECT_EQ(rig.device.issued[0], (Issued{8, 14, Direction::Read}));
    EXPECT_EQ(rig.queue->stats().merges, 4u);
    EXPECT_EQ(rig.machine.events(hal::Event::BlockBackmerge).size(), 2u);
    EXPECT_EQ(rig.machine.events(hal::Event::BlockFrontmerge).size(), 1u);
    rig.finish();
    // Every bio ends once, in order of sector.
    const std::vector<Ended> expected = {{8 * kSectors, hal::Error::None},
                                         {10 * kSectors, hal::Error::None},
                                         {12 * kSectors, hal::Error::None},
                                         {14 * kSectors, hal::Error::None},
                                         {20 * kSectors, hal::Error::None}};
    EXPECT_EQ(ended_bios, expected);
    EXPECT_EQ(rig.count(IoClass::Sync), 0u);
}

TEST(RequestMerge, StopsAtTheLargestRequest) {
    QueueRig rig(disk_with(128, 8));
    ASSERT_TRUE(rig.read(10, 4).ok());
    ASSERT_TRUE(rig.read(14, 4).ok());  // exactly 8: fits
    ASSERT_TRUE(rig.read(18, 1).ok());  // 9: does not
    ASSERT_TRUE(rig.read(9, 1).ok());   // nor at the front
    EXPECT_EQ(rig.queue->queued_count(), 3u);
    rig.queue->unplug();
    EXPECT_EQ(rig.device.issued[0], (Issued{10, 8, Direction::Read}));
}

TEST(RequestMerge, DoesNotJoinNeighboursIntoMoreThanTheLargestRequest) {
    QueueRig rig(disk_with(128, 8));
    ASSERT_TRUE(rig.read(10, 3).ok());
    ASSERT_TRUE(rig.read(14, 5).ok());
    ASSERT_TRUE(rig.read(13, 1).ok());
    EXPECT_EQ(rig.queue->queued_count(), 2u);
}

TEST(RequestMerge, KeepsDirectionsAndClassesApart) {
    QueueRig rig;
    ASSERT_TRUE(rig.read(10).ok());
    ASSERT_TRUE(rig.write(11).ok());
    ASSERT_TRUE(rig.write(12, 1, block::kBioSync).ok());
    EXPECT_EQ(rig.queue->queued_count(), 3u);
    EXPECT_EQ(rig.count(IoClass::Sync), 2u) << "a flagged write is of the sync class";
    EXPECT_EQ(rig.count(IoClass::Async), 1u);
}

TEST(RequestMerge, DoesNotTouchARequestThatWasIssued) {
    QueueRig rig;
    ASSERT_TRUE(rig.read(10).ok());
    rig.queue->unplug();
    ASSERT_TRUE(rig.read(11).ok());
    EXPECT_EQ(rig.queue->queued_count(), 1u);
    EXPECT_EQ(rig.queue->stats().merges, 0u);
}

TEST(RequestMerge, WorksUnderTheDeadlineElevatorToo) {
    QueueRig rig(disk_with(128, 128, hal::ElevatorKind::Deadline));
    ASSERT_TRUE(rig.read(50).ok());
    ASSERT_TRUE(rig.read(20).ok());
    ASSERT_TRUE(rig.read(19).ok());
    ASSERT_TRUE(rig.read(51).ok());
    ASSERT_TRUE(rig.read(52, 3).ok());
    ASSERT_TRUE(rig.read(56).ok());
    ASSERT_TRUE(rig.read(55).ok());
    rig.queue->unplug();
    const std::vector<Issued> expected = {{50, 7, Direction::Read}, {19, 2, Direction::Read}};
    EXPECT_EQ(rig.device.issued, expected);
}

// ---- issuing and completing -------------------------------------------------------------------

TEST(RequestIssue, AFlushGoesAheadOfWhatWaits) {
    QueueRig rig;
    ASSERT_TRUE(rig.write(10).ok());
    ASSERT_TRUE(rig.write(0, 0, block::kBioFlush | block::kBioSync).ok());
    rig.queue->unplug();
    ASSERT_EQ(rig.device.issued.size(), 2u);
    EXPECT_EQ(rig.device.issued[0].page_count, 0u);
}

TEST(RequestIssue, AFlaggedWriteThatFindsTheSyncRingFullIsHeldAndNotLost) {
    QueueRig rig;
    rig.device.room[static_cast<uint32_t>(IoClass::Sync)] = 1;
    ASSERT_TRUE(rig.read(10).ok());
    ASSERT_TRUE(rig.write(20, 1, block::kBioSync).ok());
    ASSERT_TRUE(rig.write(30).ok());
    ASSERT_TRUE(rig.read(40).ok());
    EXPECT_EQ(rig.device.issued_pages(), (std::vector<uint64_t>{10}));
    rig.finish();
    EXPECT_EQ(rig.device.issued_pages(), (std::vector<uint64_t>{10, 20, 30}));
    rig.finish(2);
    EXPECT_EQ(rig.device.issued_pages(), (std::vector<uint64_t>{10, 20, 30, 40}));
}

TEST(RequestIssue, ARequeuedRequestIsIssuedBeforeAllOthers) {
    QueueRig rig;
    rig.device.room[static_cast<uint32_t>(IoClass::Sync)] = 1;
    ASSERT_TRUE(rig.read(10).ok());
    ASSERT_TRUE(rig.read(20).ok());
    rig.queue->unplug();
    block::Request* request = rig.device.inside.front();
    rig.device.inside.clear();
    rig.device.room[static_cast<uint32_t>(IoClass::Sync)] = 1;
    rig.queue->requeue_locked(*request);
    block::RequestList none;
    rig.queue->complete(none);
    EXPECT_EQ(rig.device.issued_pages(), (std::vector<uint64_t>{10, 10}));
    rig.finish(2);
    rig.finish(1);
    EXPECT_EQ(ended_bios.size(), 2u);
}

TEST(RequestComplete, AnErrorReachesEveryBioOfTheRequest) {
    QueueRig rig;
    ASSERT_TRUE(rig.read(10).ok());
    ASSERT_TRUE(rig.read(11).ok());
    rig.queue->unplug();
    rig.finish(1, hal::Error::IoError);
    ASSERT_EQ(ended_bios.size(), 2u);
    for (const Ended& one : ended_bios) EXPECT_EQ(one.error, hal::Error::IoError);
    EXPECT_EQ(rig.machine.events(hal::Event::BufferIoError).size(), 2u);
}

TEST(RequestComplete, ChargesEachPageUnlessTheRuleSaysNot) {
    for (const bool cost : {true, false}) {
        QueueRig rig;
        block::set_rules({.wake_needs_below_off_mark = true, .completion_cost = cost});
        ASSERT_TRUE(rig.read(10, 5).ok());
        rig.queue->unplug();
        rig.finish();
        EXPECT_EQ(rig.machine.op_count(hal::Op::CompletePage), cost ? 5u : 0u);
    }
}

TEST(RequestCounters, CountKibibytesByDirectionMergedOrNot) {
    QueueRig rig;
    ASSERT_TRUE(rig.read(10, 3).ok());
    ASSERT_TRUE(rig.read(13, 2).ok());
    ASSERT_TRUE(rig.write(90, 4).ok());
    EXPECT_EQ(kernel::counter_value(kernel::VmCounter::PgPgIn), 20u);
    EXPECT_EQ(kernel::counter_value(kernel::VmCounter::PgPgOut), 16u);
}

TEST(RequestTrace, TellsDeviceKindPlaceAndSize) {
    QueueRig rig;
    ASSERT_TRUE(rig.write(10, 3, block::kBioSync | block::kBioMeta).ok());
    const auto inserts = rig.machine.events(hal::Event::BlockRqInsert);
    ASSERT_EQ(inserts.size(), 1u);
    EXPECT_EQ(inserts[0].args[0], 0u);
    EXPECT_EQ(inserts[0].args[1], hal::kRwbsWrite | hal::kRwbsSync | hal::kRwbsMeta);
    EXPECT_EQ(inserts[0].args[2], 3u * hal::kPageBytes);
    EXPECT_EQ(inserts[0].args[3], 10u * kSectors);
    EXPECT_EQ(inserts[0].args[4], 3u * kSectors);
    EXPECT_EQ(rig.machine.events(hal::Event::BlockBioQueue).size(), 1u);
    EXPECT_EQ(rig.machine.events(hal::Event::BlockGetrq).size(), 1u);
}

TEST(RequestReadahead, IsRefusedWithoutASlotAndStaysTheCallers) {
    QueueRig rig(disk_with(8));
    rig.device.room[static_cast<uint32_t>(IoClass::Sync)] = 0;
    // 12 is the hard cap of 8 slots; this task is the batcher that gets there.
    for (uint64_t page = 0; page < 12; ++page) ASSERT_TRUE(rig.read(page * 10).ok());
    block::Bio& bio = make_bio(990, 1, Direction::Read, block::kBioAhead);
    EXPECT_EQ(rig.queue->submit(bio).error(), hal::Error::Again);
    EXPECT_TRUE(ended_bios.empty());
    EXPECT_EQ(kernel::counter_value(kernel::VmCounter::PgPgIn), 48u) << "a refused bio is no I/O";
    block::free_bio(bio);
    block::Bio& fitting = make_bio(1, 1, Direction::Read, block::kBioAhead);
    EXPECT_TRUE(rig.queue->submit(fitting).ok()) << "a merge needs no slot";
}

TEST(DeadQueue, EndsEveryBioAtOnce) {
    QueueRig rig;
    rig.queue->set_dead_locked();
    EXPECT_TRUE(rig.read(10).ok());
    ASSERT_EQ(ended_bios.size(), 1u);
    EXPECT_EQ(ended_bios[0].error, hal::Error::TimedOut);
}

}  // namespace
}  // namespace weir::block_test
