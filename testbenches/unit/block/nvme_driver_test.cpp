// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Does the driver make the right register accesses in the right order when all goes well?
#include "firmware/block/nvme_driver.h"

#include "testbenches/unit/block/driver_rig.h"

#include <gtest/gtest.h>

namespace weir::block_test {
namespace {

TEST(NvmeInit, MakesTwoPairsOfTheAskedSizeAndProgramsTheMarks) {
    DriverRig rig([](hal::DiskInfo& info) {
        info.ring_entries = 32;
        info.nr_requests = 64;
    });
    EXPECT_EQ(rig.ring(1).entries(), 32u);
    EXPECT_EQ(rig.ring(2).entries(), 32u);
    EXPECT_TRUE(rig.machine.irq_enabled(rig.info->irq_source));
    EXPECT_EQ(block::device_count(), 1u);
    EXPECT_EQ(block::sector_count(rig.disk()), kDiskSectors);
}

TEST(NvmeInit, AsksForNoMoreEntriesThanTheControllerHas) {
    DriverRig rig([](hal::DiskInfo& info) { info.ring_entries = 4000; });
    EXPECT_EQ(rig.ring(1).entries(), 1024u);
}

TEST(NvmeInit, PanicsOnADiskSmallerThanBootInfoSays) {
    EXPECT_THROW(DriverRig rig([](hal::DiskInfo& info) { info.sectors = kDiskSectors + 1; }),
                 fake_hal::Panic);
}

TEST(NvmeRead, TravelsFromDoorbellToInterrupt) {
    DriverRig rig;
    rig.read(5);
    rig.bus.expect_write(kSq1, 1);
    block::unplug(rig.disk());
    rig.bus.verify();
    const nvme::SubmissionEntry command = rig.ring(1).fetch();
    EXPECT_EQ(command.opcode, static_cast<uint8_t>(nvme::IoOpcode::Read));
    EXPECT_EQ(command.nsid, nvme::kNamespaceId);
    EXPECT_EQ(nvme::start_lba(command).value, 40u);
    EXPECT_EQ(nvme::block_count(command), 8u);
    EXPECT_EQ(command.prp1, 0x8010'0000u);
    EXPECT_EQ(command.prp2, 0u);
    EXPECT_EQ(ended_bios, kNothing);
    rig.complete(1, command.command_id, 1);
    rig.bus.verify();
    EXPECT_EQ(ended_bios, one_end(5, hal::Error::None));
    EXPECT_EQ(rig.stats().requests[0], 1u);
    EXPECT_EQ(rig.stats().pages[0], 1u);
}

TEST(NvmeRead, TwoPagesTakeBothPointersAndMoreTakeAList) {
    DriverRig rig;
    const nvme::SubmissionEntry two = rig.issue_read(10, 2, 1);
    EXPECT_EQ(two.prp1, 0x8010'0000u);
    EXPECT_EQ(two.prp2, 0x8010'1000u);
    const nvme::SubmissionEntry three = rig.issue_read(20, 3, 2);
    const auto* list = static_cast<uint64_t*>(hal::ram_ptr(hal::PhysAddr{three.prp2}));
    EXPECT_EQ(list[0], 0x8010'1000u);
    EXPECT_EQ(list[1], 0x8010'2000u);
}

TEST(NvmeRead, AHundredAndTwentyEightPagesOfSeveralBiosFillOneList) {
    DriverRig rig;
    rig.submit(rig.bio(100, 100, Direction::Read, 0, 0x80200));
    rig.submit(rig.bio(200, 28, Direction::Read, 0, 0x80500));
    rig.bus.expect_write(kSq1, 1);
    block::unplug(rig.disk());
    const nvme::SubmissionEntry command = rig.ring(1).fetch();
    EXPECT_EQ(nvme::start_lba(command).value, 800u);
    EXPECT_EQ(nvme::block_count(command), 1024u);
    EXPECT_EQ(command.prp1, 0x8020'0000u);
    const auto* list = static_cast<uint64_t*>(hal::ram_ptr(hal::PhysAddr{command.prp2}));
    EXPECT_LE(command.prp2 % hal::kPageBytes + 127 * 8, hal::kPageBytes) << "within one page";
    for (uint32_t i = 1; i < 128; ++i) {
        const uint64_t pfn = i < 100 ? 0x80200 + i : 0x80500 + i - 100;
        ASSERT_EQ(list[i - 1], pfn << 12) << "page " << i;
    }
    rig.complete(1, command.command_id, 1);
    EXPECT_EQ(ended_bios.size(), 2u);
    EXPECT_EQ(rig.machine.op_count(hal::Op::DriverSubmitPage), 128u);
    EXPECT_EQ(rig.machine.op_count(hal::Op::CompletePage), 128u);
}

TEST(NvmeRead, ALargerBioThanOneCommandHoldsTakesSeveralInTurn) {
    DriverRig rig(nullptr, 5);  // the controller takes 2^5 pages
    rig.read(64, 80);
    rig.bus.expect_write(kSq1, 1);
    block::unplug(rig.disk());
    const uint32_t part_pages[] = {32, 32, 16};
    for (uint32_t part = 0; part < 3; ++part) {
        EXPECT_EQ(ended_bios, kNothing);
        const nvme::SubmissionEntry command = rig.ring(1).fetch();
        EXPECT_EQ(nvme::start_lba(command).value, (64 + part * 32) * kSectors);
        EXPECT_EQ(nvme::block_count(command), part_pages[part] * kSectors);
        EXPECT_EQ(command.prp1, uint64_t{0x80100 + part * 32} << 12);
        rig.ring(1).post(command.command_id);
        rig.bus.expect_write(kCq1, part + 1);
        if (part < 2) rig.bus.expect_write(kSq1, part + 2);
        rig.interrupt();
        rig.bus.verify();
    }
    EXPECT_EQ(ended_bios, one_end(64, hal::Error::None));
}

TEST(NvmeWrite, PlainWritebackGoesToTheAsyncPairAndFlaggedWritesToTheSyncPair) {
    DriverRig rig;
    rig.submit(rig.bio(10, 1, Direction::Write));
    rig.submit(rig.bio(50, 1, Direction::Write, block::kBioSync));
    rig.bus.expect_write(kSq2, 1);
    rig.bus.expect_write(kSq1, 1);
    block::unplug(rig.disk());
    rig.bus.verify();
    const nvme::SubmissionEntry async = rig.ring(2).fetch();
    const nvme::SubmissionEntry flagged = rig.ring(1).fetch();
    EXPECT_EQ(nvme::start_lba(async).value, 10u * kSectors);
    EXPECT_EQ(nvme::start_lba(flagged).value, 50u * kSectors);
    EXPECT_EQ(async.opcode, static_cast<uint8_t>(nvme::IoOpcode::Write));
    // Both rings are drained in one interrupt.
    rig.ring(2).post(async.command_id);
    rig.ring(1).post(flagged.command_id);
    rig.bus.expect_write(kCq1, 1);
    rig.bus.expect_write(kCq2, 1);
    rig.interrupt();
    rig.bus.verify();
    EXPECT_EQ(ended_bios.size(), 2u);
}

TEST(NvmeWrite, AFlushCarriesNoPages) {
    DriverRig rig;
    rig.submit(rig.bio(0, 0, Direction::Write, block::kBioFlush | block::kBioSync));
    rig.bus.expect_write(kSq1, 1);
    block::unplug(rig.disk());
    const nvme::SubmissionEntry command = rig.ring(1).fetch();
    EXPECT_EQ(command.opcode, static_cast<uint8_t>(nvme::IoOpcode::Flush));
    EXPECT_EQ(command.prp1, 0u);
    rig.complete(1, command.command_id, 1);
    EXPECT_EQ(ended_bios, one_end(0, hal::Error::None));
}

TEST(NvmeRing, PhaseAndIndicesSurviveManyRounds) {
    DriverRig rig([](hal::DiskInfo& info) { info.ring_entries = 4; });
    for (uint32_t i = 1; i <= 23; ++i) {
        const nvme::SubmissionEntry command = rig.issue_read(i * 10, 1, i % 4);
        rig.complete(1, command.command_id, i % 4);
        rig.bus.verify();
        ASSERT_EQ(ended_bios.size(), i);
    }
}

TEST(NvmeRing, AStaleEntryOfTheRoundBeforeIsNotTakenForACompletion) {
    DriverRig rig([](hal::DiskInfo& info) { info.ring_entries = 2; });
    for (uint32_t i = 1; i <= 2; ++i) {
        const nvme::SubmissionEntry command = rig.issue_read(i * 10, 1, i % 2);
        rig.complete(1, command.command_id, i % 2);
    }
    rig.issue_read(30, 1, 1);
    rig.bus.expect_read(kCong + nvme::kCongEvent, kEvents);
    rig.interrupt();  // nothing posted: the old entry in this place has the other phase
    EXPECT_EQ(ended_bios.size(), 2u);
    EXPECT_EQ(rig.stats().spurious_interrupts, 1u);
}

TEST(NvmeRing, AFullRingKeepsRequestsInTheElevatorUntilACompletion) {
    DriverRig rig([](hal::DiskInfo& info) { info.ring_entries = 4; });
    rig.bus.expect_write(kSq1, 3);  // three commands, one doorbell
    for (uint32_t i = 0; i < 6; ++i) rig.read(i * 10);
    rig.bus.verify();
    EXPECT_EQ(rig.disk().queue.queued_count(), 3u);
    const uint16_t first = rig.ring(1).fetch().command_id;
    rig.ring(1).post(first);
    rig.ring(1).post(rig.ring(1).fetch().command_id);
    rig.bus.expect_write(kCq1, 2);  // two completions, one doorbell
    rig.bus.expect_write(kSq1, 1);  // two more commands, one doorbell, past the end of the ring
    rig.interrupt();
    rig.bus.verify();
    EXPECT_EQ(rig.disk().queue.queued_count(), 1u);
    EXPECT_EQ(ended_bios.size(), 2u);
}

TEST(SubmitBio, RefusesWhatLiesBeyondTheEnd) {
    DriverRig rig;
    const uint64_t pages = kDiskSectors / kSectors;
    block::Bio& outside = rig.bio(pages - 1, 2, Direction::Read);
    EXPECT_EQ(block::submit_bio(outside).error(), hal::Error::OutOfRange);
    block::Bio& far_away = rig.bio(1ull << 58, 1, Direction::Read);
    EXPECT_EQ(block::submit_bio(far_away).error(), hal::Error::OutOfRange);
    block::Bio& last = rig.bio(pages - 1, 1, Direction::Read);
    EXPECT_TRUE(block::submit_bio(last).ok());
    block::Bio& empty = rig.bio(0, 0, Direction::Read);
    EXPECT_EQ(block::submit_bio(empty).error(), hal::Error::Invalid);
    EXPECT_EQ(ended_bios, kNothing);
}

}  // namespace
}  // namespace weir::block_test
