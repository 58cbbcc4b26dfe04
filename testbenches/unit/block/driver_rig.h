// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A booted driver on the ordered mock bus, with the sequences that its start and its reset must
// make.
#pragma once

#include "firmware/block/block_device.h"
#include "firmware/block/param.h"
#include "firmware/kernel/counters.h"
#include "testbenches/unit/block/block_rig.h"
#include "testbenches/unit/block/mock_bus.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <vector>

namespace weir::block_test {

namespace nvme = hal::nvme;
using block::Direction;
using kernel::VmCounter;

inline constexpr uint64_t kDiskSectors = 1 << 20;
inline constexpr uint64_t kCap = nvme::make_cap(1023, 1, 0);  // ready within 500 ms
inline constexpr uint64_t kSq1 = nvme::sq_tail_doorbell(1, 0);
inline constexpr uint64_t kCq1 = nvme::cq_head_doorbell(1, 0);
inline constexpr uint64_t kSq2 = nvme::sq_tail_doorbell(2, 0);
inline constexpr uint64_t kCq2 = nvme::cq_head_doorbell(2, 0);
inline constexpr uint64_t kCong = nvme::kRegCongestion;
inline constexpr uint32_t kIoVectors = (1u << 1) | (1u << 2) | (1u << 31);
inline constexpr uint32_t kEvents = (nvme::kEventOffRd | nvme::kEventOffWr)
                                    << nvme::kEventEnableShift;
inline constexpr uint64_t kMs = 1'000'000;

/// Dear registers keep the number of polls, and so the time that a test takes, small.
inline fake_hal::Config slow_registers() {
    fake_hal::Config config;
    config.mmio_cost_ns = 2000;
    return config;
}

/// A booted driver on a mock bus that plays the controller.
struct DriverRig {
    explicit DriverRig(const std::function<void(hal::DiskInfo&)>& change = nullptr,
                       uint32_t max_transfer_log2 = 0)
        : machine(slow_registers()), transfer_log2(max_transfer_log2) {
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
        machine.advance_ns(100'000);
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

inline const std::vector<Ended> kNothing;
inline std::vector<Ended> one_end(uint64_t page, hal::Error error) {
    return {{page * kSectors, error}};
}

}  // namespace weir::block_test
