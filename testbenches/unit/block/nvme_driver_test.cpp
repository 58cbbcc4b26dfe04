// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Does the driver make the right register accesses in the right order, and does every request come
// to a defined end whatever the controller does?
#include "firmware/block/nvme_driver.h"

#include "firmware/block/block_device.h"
#include "firmware/block/param.h"
#include "firmware/kernel/counters.h"
#include "testbenches/unit/block/block_rig.h"
#include "testbenches/unit/block/mock_bus.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace weir::block_test {
namespace {

namespace nvme = hal::nvme;
using block::Direction;
using kernel::VmCounter;

constexpr uint64_t kDiskSectors = 1 << 20;
constexpr uint64_t kCap = nvme::make_cap(1023, 4, 0);  // ready within 2 s
constexpr uint64_t kSq1 = nvme::sq_tail_doorbell(1, 0);
constexpr uint64_t kCq1 = nvme::cq_head_doorbell(1, 0);
constexpr uint64_t kSq2 = nvme::sq_tail_doorbell(2, 0);
constexpr uint64_t kCq2 = nvme::cq_head_doorbell(2, 0);
constexpr uint64_t kCong = nvme::kRegCongestion;
constexpr uint32_t kIoVectors = (1u << 1) | (1u << 2) | (1u << 31);
constexpr uint32_t kEvents = (nvme::kEventOffRd | nvme::kEventOffWr) << nvme::kEventEnableShift;
constexpr uint64_t kMs = 1'000'000;

/// A booted driver on a mock bus that plays the controller.
struct DriverRig {
    explicit DriverRig(const std::function<void(hal::DiskInfo&)>& change = nullptr,
                       uint32_t max_transfer_log2 = 0)
        : machine(fake_hal::Config{}), transfer_log2(max_transfer_log2) {
        ended_bios.clear();
        info = &machine.add_disk(bus, kDiskSectors);
        if (change) change(*info);
        kernel::init();
        bus.expect_read(nvme::kRegCap, kCap, 8);
        expect_bring_up();
        expect_identify();
        expect_io_queues();
        expect_congestion_block();
        bus.expect_write(nvme::kRegIntmc, kIoVectors);
        block::init();
        bus.verify();
        bus.tolerate(nvme::kRegCsts, nvme::kCstsReady);
    }

    // ---- the expected sequences ----------------------------------------------------------------
    void expect_bring_up() {
        bus.expect_write(nvme::kRegCc, 0);
        bus.expect_read(nvme::kRegCsts, 0);
        bus.expect_write(nvme::kRegIntms, 0xffff'ffff);
        bus.expect_write(nvme::kRegAqa,
                         nvme::make_aqa(block::kAdminRingEntries, block::kAdminRingEntries));
        bus.expect_any_write(
            nvme::kRegAsq, [this](uint64_t base) { admin_sq = base; }, 8);
        bus.expect_any_write(
            nvme::kRegAcq,
            [this](uint64_t base) { admin.place(admin_sq, base, block::kAdminRingEntries); }, 8);
        bus.expect_write(nvme::kRegCc, nvme::kCcEnabled);
        bus.expect_read(nvme::kRegCsts, nvme::kCstsReady);
        admin_index = 0;
    }
    using Serve = std::function<uint16_t(const nvme::SubmissionEntry&)>;
    void expect_admin(nvme::AdminOpcode opcode, const Serve& serve) {
        admin_index = (admin_index + 1) % block::kAdminRingEntries;
        bus.expect_write(nvme::sq_tail_doorbell(0, 0), admin_index,
                         [this, opcode, serve](uint64_t) {
                             const nvme::SubmissionEntry command = admin.fetch();
                             EXPECT_EQ(command.opcode, static_cast<uint8_t>(opcode));
                             admin.post(command.command_id, serve(command));
                         });
        bus.expect_write(nvme::cq_head_doorbell(0, 0), admin_index);
    }
    void expect_identify() {
        expect_admin(nvme::AdminOpcode::Identify, [this](const nvme::SubmissionEntry& command) {
            EXPECT_EQ(command.cdw10, nvme::kIdentifyController);
            auto* page = static_cast<uint8_t*>(hal::ram_ptr(hal::PhysAddr{command.prp1}));
            page[nvme::kIdMaxTransferLog2] = static_cast<uint8_t>(transfer_log2);
            return nvme::kStatusSuccess;
        });
        expect_admin(nvme::AdminOpcode::Identify, [](const nvme::SubmissionEntry& command) {
            EXPECT_EQ(command.cdw10, nvme::kIdentifyNamespace);
            EXPECT_EQ(command.nsid, nvme::kNamespaceId);
            std::memcpy(hal::ram_ptr(hal::PhysAddr{command.prp1}), &kDiskSectors,
                        sizeof kDiskSectors);
            return nvme::kStatusSuccess;
        });
    }
    void expect_io_queues() {
        for (const uint32_t qid : {1u, 2u}) {
            expect_admin(nvme::AdminOpcode::CreateCq,
                         [this, qid](const nvme::SubmissionEntry& command) {
                             EXPECT_EQ(nvme::cdw10_queue_id(command.cdw10), qid);
                             EXPECT_EQ(command.cdw11, nvme::create_cq_cdw11(qid));
                             EXPECT_EQ(command.prp1 % hal::kPageBytes, 0u);
                             io_cq[qid] = command.prp1;
                             return nvme::kStatusSuccess;
                         });
            expect_admin(nvme::AdminOpcode::CreateSq, [this,
                                                       qid](const nvme::SubmissionEntry& command) {
                EXPECT_EQ(nvme::cdw10_queue_id(command.cdw10), qid);
                EXPECT_EQ(command.cdw11, nvme::create_sq_cdw11(qid));
                ring(qid).place(command.prp1, io_cq[qid], nvme::cdw10_queue_entries(command.cdw10));
                return nvme::kStatusSuccess;
            });
        }
    }
    void expect_congestion_block() {
        const block::CongestionMarks marks = block::congestion_marks(info->nr_requests);
        bus.expect_write(kCong + nvme::kCongOn, marks.on);
        bus.expect_write(kCong + nvme::kCongOff, marks.off);
        bus.expect_write(kCong + nvme::kCongNrRequests, info->nr_requests);
        bus.expect_write(kCong + nvme::kCongEvent, kEvents | nvme::kEventMask);
    }
    /// A reset of the controller and its making ready again.
    void expect_reset() {
        expect_bring_up();
        expect_io_queues();
        expect_congestion_block();
        bus.expect_write(nvme::kRegIntmc, kIoVectors);
    }

    // ---- doing things --------------------------------------------------------------------------
    RingSide& ring(uint32_t qid) { return rings[qid]; }
    block::BlockDevice& disk() { return block::device(0); }
    block::Bio& bio(uint64_t page, uint32_t page_count, Direction direction, uint32_t flags = 0,
                    uint32_t first_pfn = 0x80100) {
        block::Bio& made = make_bio(page, page_count, direction, flags, first_pfn);
        made.device = &disk();
        return made;
    }
    void submit(block::Bio& one) { ASSERT_TRUE(block::submit_bio(one).ok()); }
    void read(uint64_t page, uint32_t page_count = 1) {
        submit(bio(page, page_count, Direction::Read));
    }
    void interrupt() {
        machine.raise(info->irq_source);
        machine.advance_ns(1000);
    }
    /// The device ends the command and says so.
    void complete(uint32_t qid, uint16_t id, uint32_t head_after, uint16_t status = 0) {
        ring(qid).post(id, status);
        bus.expect_write(nvme::cq_head_doorbell(qid, 0), head_after);
        interrupt();
    }
    /// One read from submission to command; returns the entry.
    nvme::SubmissionEntry issue_read(uint64_t page, uint32_t page_count, uint32_t tail) {
        read(page, page_count);
        bus.expect_write(kSq1, tail);
        block::unplug(disk());
        bus.verify();
        return ring(1).fetch();
    }
    const block::QueueStats& stats() { return block::queue_stats(disk()); }
    static uint64_t counter(VmCounter which) { return kernel::counter_value(which); }

    MockBus bus;
    fake_hal::Machine machine;
    hal::DiskInfo* info = nullptr;
    uint32_t transfer_log2;
    uint32_t admin_index = 0;
    uint64_t admin_sq = 0;
    uint64_t io_cq[nvme::kQueuePairs] = {};
    RingSide admin;
    RingSide rings[nvme::kQueuePairs];
};

const std::vector<Ended> kNothing;
std::vector<Ended> one_end(uint64_t page, hal::Error error) {
    return {{page * kSectors, error}};
}

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

TEST(NvmeError, ARetryableStatusIsTriedThreeTimesMoreAndThenReported) {
    for (const uint16_t status : {nvme::kStatusUnrecoveredRead, nvme::kStatusInternalError,
                                  nvme::kStatusDataTransferError}) {
        DriverRig rig;
        nvme::SubmissionEntry command = rig.issue_read(7, 1, 1);
        for (uint32_t attempt = 1; attempt <= 3; ++attempt) {
            rig.ring(1).post(command.command_id, status);
            rig.bus.expect_write(kCq1, attempt);
            rig.bus.expect_write(kSq1, attempt + 1);
            rig.interrupt();
            rig.bus.verify();
            EXPECT_EQ(ended_bios, kNothing);
            command = rig.ring(1).fetch();
            EXPECT_EQ(nvme::start_lba(command).value, 7u * kSectors);
        }
        rig.complete(1, command.command_id, 4, status);
        EXPECT_EQ(ended_bios, one_end(7, hal::Error::IoError));
        EXPECT_EQ(rig.counter(VmCounter::IoRetries), 3u);
        EXPECT_EQ(rig.counter(VmCounter::IoErrors), 1u);
    }
}

TEST(NvmeError, ASuccessfulRetryIsNoError) {
    DriverRig rig;
    nvme::SubmissionEntry command = rig.issue_read(7, 1, 1);
    rig.ring(1).post(command.command_id, nvme::kStatusUnrecoveredRead);
    rig.bus.expect_write(kCq1, 1);
    rig.bus.expect_write(kSq1, 2);
    rig.interrupt();
    command = rig.ring(1).fetch();
    rig.complete(1, command.command_id, 2);
    EXPECT_EQ(ended_bios, one_end(7, hal::Error::None));
    EXPECT_EQ(rig.counter(VmCounter::IoErrors), 0u);
}

TEST(NvmeError, AStatusThatARetryCannotHelpIsReportedAtOnce) {
    const uint16_t no_retry = nvme::kStatusUnrecoveredRead | nvme::kStatusDoNotRetry;
    for (const uint16_t status : {nvme::kStatusLbaOutOfRange, nvme::kStatusInvalidField,
                                  nvme::kStatusInvalidOpcode, no_retry}) {
        DriverRig rig;
        const nvme::SubmissionEntry command = rig.issue_read(7, 1, 1);
        rig.complete(1, command.command_id, 1, status);
        rig.bus.verify();
        EXPECT_EQ(ended_bios, one_end(7, hal::Error::IoError));
        EXPECT_EQ(rig.counter(VmCounter::IoRetries), 0u);
    }
}

TEST(NvmeError, ACompletionOfNoKnownCommandIsCountedAndNothingElse) {
    DriverRig rig;
    const nvme::SubmissionEntry command = rig.issue_read(7, 1, 1);
    rig.ring(1).post(30);
    rig.ring(1).post(0xffff);
    rig.bus.expect_write(kCq1, 2);
    rig.interrupt();
    EXPECT_EQ(rig.stats().stray_completions, 2u);
    EXPECT_EQ(ended_bios, kNothing);
    rig.complete(1, command.command_id, 3);
    EXPECT_EQ(ended_bios, one_end(7, hal::Error::None));
}

TEST(NvmeInterrupt, WithoutACauseIsCounted) {
    DriverRig rig;
    rig.bus.expect_read(kCong + nvme::kCongEvent, kEvents);
    rig.bus.expect_read(nvme::kRegCsts, nvme::kCstsReady);
    rig.interrupt();
    rig.bus.verify();
    EXPECT_EQ(rig.stats().spurious_interrupts, 1u);
}

TEST(NvmeInterrupt, OfTheCongestionBlockIsAcknowledgedWithItsEnablesKept) {
    DriverRig rig;
    rig.bus.expect_read(kCong + nvme::kCongEvent, kEvents | nvme::kEventOffWr);
    rig.bus.expect_write(kCong + nvme::kCongEvent, kEvents | nvme::kEventOffWr);
    rig.interrupt();
    rig.bus.verify();
    EXPECT_EQ(rig.stats().congestion_events, 1u);
    EXPECT_EQ(rig.stats().spurious_interrupts, 0u);
}

TEST(NvmeInterrupt, ThatIsLostIsMadeUpForAfterASecond) {
    DriverRig rig;
    const nvme::SubmissionEntry command = rig.issue_read(7, 1, 1);
    rig.ring(1).post(command.command_id);
    rig.machine.advance_ns(980 * kMs);
    EXPECT_EQ(ended_bios, kNothing);
    rig.bus.expect_write(kCq1, 1);
    rig.machine.advance_ns(600 * kMs);
    rig.bus.verify();
    EXPECT_EQ(ended_bios, one_end(7, hal::Error::None));
    EXPECT_EQ(rig.stats().lost_interrupts, 1u);
    EXPECT_EQ(rig.stats().resets, 0u);
}

TEST(NvmeTimeout, ResetsTheControllerAndIssuesTheCommandAgain) {
    DriverRig rig([](hal::DiskInfo& info) { info.request_timeout_ms = 2000; });
    rig.issue_read(7, 1, 1);
    rig.machine.advance_ns(1980 * kMs);
    rig.bus.verify();
    EXPECT_EQ(rig.stats().resets, 0u);
    rig.expect_reset();
    rig.bus.expect_write(kSq1, 1);
    rig.machine.advance_ns(520 * kMs);
    rig.bus.verify();
    EXPECT_EQ(rig.stats().resets, 1u);
    EXPECT_EQ(rig.counter(VmCounter::IoTimeouts), 1u);
    EXPECT_EQ(rig.machine.events(hal::Event::RequestTimeout).size(), 1u);
    EXPECT_EQ(ended_bios, kNothing);
    const nvme::SubmissionEntry again = rig.ring(1).fetch();
    EXPECT_EQ(nvme::start_lba(again).value, 7u * kSectors);
    rig.complete(1, again.command_id, 1);
    EXPECT_EQ(ended_bios, one_end(7, hal::Error::None));
}

TEST(NvmeTimeout, AfterThreeResetsTheRequestIsGivenUpAndOthersGoOn) {
    DriverRig rig([](hal::DiskInfo& info) { info.request_timeout_ms = 2000; });
    rig.issue_read(7, 1, 1);
    for (uint32_t reset = 1; reset <= 4; ++reset) {
        rig.expect_reset();
        if (reset <= 3) rig.bus.expect_write(kSq1, 1);
        rig.machine.advance_ns(2600 * kMs);
        rig.bus.verify();
        EXPECT_EQ(rig.stats().resets, reset);
    }
    EXPECT_EQ(ended_bios, one_end(7, hal::Error::TimedOut));
    EXPECT_EQ(rig.counter(VmCounter::IoErrors), 1u);
    const nvme::SubmissionEntry next = rig.issue_read(20, 1, 1);
    rig.complete(1, next.command_id, 1);
    EXPECT_EQ(ended_bios.size(), 2u);
    EXPECT_EQ(ended_bios.back().error, hal::Error::None);
}

TEST(NvmeTimeout, ACommandThatIsNotOverdueDoesNotPayForAnothersReset) {
    DriverRig rig([](hal::DiskInfo& info) { info.request_timeout_ms = 2000; });
    rig.issue_read(7, 1, 1);
    rig.machine.advance_ns(1000 * kMs);
    rig.issue_read(90, 1, 2);
    rig.expect_reset();
    rig.bus.expect_write(kSq1, 2);  // both again
    rig.machine.advance_ns(1500 * kMs);
    rig.bus.verify();
    rig.ring(1).fetch();
    const nvme::SubmissionEntry young = rig.ring(1).fetch();
    EXPECT_EQ(nvme::start_lba(young).value, 90u * kSectors);
    EXPECT_EQ(rig.counter(VmCounter::IoTimeouts), 1u);
}

TEST(NvmeFatal, AStatusOfFatalResetsAtOnce) {
    DriverRig rig;
    rig.issue_read(7, 1, 1);
    rig.bus.expect_read(kCong + nvme::kCongEvent, kEvents);
    rig.bus.expect_read(nvme::kRegCsts, nvme::kCstsReady | nvme::kCstsFatal);
    rig.expect_reset();
    rig.bus.expect_write(kSq1, 1);
    rig.interrupt();
    rig.machine.advance_ns(kMs);
    rig.bus.verify();
    EXPECT_EQ(rig.stats().resets, 1u);
    const nvme::SubmissionEntry again = rig.ring(1).fetch();
    rig.complete(1, again.command_id, 1);
    EXPECT_EQ(ended_bios, one_end(7, hal::Error::None));
}

TEST(NvmeFatal, AControllerThatDoesNotComeBackEndsEveryBio) {
    DriverRig rig([](hal::DiskInfo& info) { info.ring_entries = 2; });
    rig.bus.expect_write(kSq1, 1);
    for (const uint64_t page : {10, 20, 30, 40}) rig.read(page);
    rig.bus.expect_read(kCong + nvme::kCongEvent, kEvents);
    rig.bus.expect_read(nvme::kRegCsts, nvme::kCstsReady | nvme::kCstsFatal);
    rig.bus.expect_write(nvme::kRegCc, 0);
    rig.bus.expect_write(nvme::kRegIntms, 0xffff'ffff);  // after 2 s of CSTS.RDY = 1
    rig.interrupt();
    rig.bus.verify();
    ASSERT_EQ(ended_bios.size(), 4u);
    for (const Ended& one : ended_bios) EXPECT_EQ(one.error, hal::Error::TimedOut);
    rig.read(50);
    EXPECT_EQ(ended_bios.size(), 5u) << "a dead device answers at once";
    rig.machine.advance_ns(3000 * kMs);
    rig.bus.verify();
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
