// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What happens when the host, the memory or the disk does something wrong: never a hang, never a
// silent loss.
#include "testbenches/unit/models_disk/controller_bench.h"

#include <gtest/gtest.h>

namespace weir::disk {
namespace {

using test::ControllerBench;
namespace nvme = hal::nvme;
using nvme::IoOpcode;

constexpr uint64_t kData = ControllerBench::kData;
constexpr uint64_t kDiskSectors = 64u << 11;

TEST(NvmeErrors, BadCommandsGetTheirStatus) {
    ControllerBench bench;
    bench.run([&] {
        bench.bring_up();
        const auto status = [&](const nvme::SubmissionEntry& entry) {
            return bench.do_io(1, entry);
        };
        nvme::SubmissionEntry entry = ControllerBench::io(IoOpcode::Read, 0, 8, kData);
        entry.opcode = 0x7f;
        EXPECT_EQ(status(entry), nvme::kStatusInvalidOpcode);
        entry = ControllerBench::io(IoOpcode::Read, 0, 8, kData);
        entry.nsid = 0;
        EXPECT_EQ(status(entry), nvme::kStatusInvalidNamespace);
        EXPECT_EQ(status(ControllerBench::io(IoOpcode::Read, kDiskSectors - 8, 8, kData)),
                  nvme::kStatusSuccess);
        EXPECT_EQ(status(ControllerBench::io(IoOpcode::Read, kDiskSectors - 7, 8, kData)),
                  nvme::kStatusLbaOutOfRange);
        EXPECT_EQ(status(ControllerBench::io(IoOpcode::Write, ~0ull - 3, 8, kData)),
                  nvme::kStatusLbaOutOfRange);
        EXPECT_EQ(
            status(ControllerBench::io(IoOpcode::Read, 0, 1025, kData, ControllerBench::kLists)),
            nvme::kStatusInvalidField);  // beyond 512 KiB
        EXPECT_EQ(bench.stats().errors, 5u);
    });
    EXPECT_TRUE(bench.finished);
}

TEST(NvmeErrors, PagePointersMustBeAligned) {
    ControllerBench bench;
    bench.run([&] {
        bench.bring_up();
        const auto read = [&](uint32_t sectors, uint64_t prp1, uint64_t prp2) {
            return bench.do_io(1, ControllerBench::io(IoOpcode::Read, 0, sectors, prp1, prp2));
        };
        EXPECT_EQ(read(8, kData + 2, 0), nvme::kStatusInvalidPrpOffset);
        EXPECT_EQ(read(8, kData + 4, kData + 0x1000), nvme::kStatusSuccess);
        EXPECT_EQ(read(16, kData, kData + 0x1004), nvme::kStatusInvalidPrpOffset);
        EXPECT_EQ(read(24, kData, ControllerBench::kLists + 4), nvme::kStatusInvalidPrpOffset);
        const uint64_t list[2] = {kData + 0x1000, kData + 0x2008};
        std::memcpy(bench.ptr(ControllerBench::kLists), list, sizeof list);
        EXPECT_EQ(read(24, kData, ControllerBench::kLists), nvme::kStatusInvalidPrpOffset);
        // A list that begins eight bytes before its page ends has room for one entry only.
        EXPECT_EQ(read(24, kData, ControllerBench::kLists + 0xff8), nvme::kStatusInvalidField);
    });
}

TEST(NvmeErrors, MemoryThatIsNotThereIsADataTransferError) {
    ControllerBench bench;
    bench.run([&] {
        bench.bring_up();
        const uint64_t nowhere = test::kRamBase + test::kRamBytes;
        EXPECT_EQ(bench.read_page(0, nowhere), nvme::kStatusDataTransferError);
        EXPECT_EQ(bench.write_page(0, nowhere), nvme::kStatusDataTransferError);
        EXPECT_EQ(bench.do_io(1, ControllerBench::io(IoOpcode::Read, 0, 24, kData, nowhere)),
                  nvme::kStatusDataTransferError);
        // The disk still holds what it held, and goes on working.
        EXPECT_EQ(bench.read_page(0, kData), nvme::kStatusSuccess);
        EXPECT_TRUE(hal::page_matches(bench.ptr(kData), hal::pristine_base(3, 0)));
    });
}

TEST(NvmeErrors, RunThatLeavesMemoryHalfWayIsADataTransferError) {
    ControllerBench bench;
    bench.run([&] {
        bench.bring_up();
        const uint64_t last_page = test::kRamBase + test::kRamBytes - 4096;
        EXPECT_EQ(
            bench.do_io(1, ControllerBench::io(IoOpcode::Read, 0, 16, last_page, last_page + 4096)),
            nvme::kStatusDataTransferError);
    });
}

/// Breaks the protocol, then looks whether the controller says so and can be brought back.
void expect_fatal(const std::function<void(ControllerBench&)>& break_protocol) {
    ControllerBench bench;
    bench.run([&] {
        bench.enable();
        bench.create_pairs(8);
        break_protocol(bench);
        bench.wait_us(10);
        EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsFatal | nvme::kCstsReady);
        EXPECT_GE(bench.stats().errors, 1u);
        // Nothing is done any more...
        bench.submit(1, ControllerBench::io(IoOpcode::Read, 0, 8, kData));
        bench.ring(1);
        bench.wait_us(20'000);
        EXPECT_EQ(bench.peek(1), nullptr);
        // ...until the controller is reset.
        bench.write32(nvme::kRegCc, 0);
        EXPECT_EQ(bench.read32(nvme::kRegCsts), 0u);
        bench.enable();
        bench.create_pairs(8);
        EXPECT_EQ(bench.read_page(0, kData), nvme::kStatusSuccess);
    });
    EXPECT_TRUE(bench.finished);
}

TEST(NvmeFatal, TailDoorbellBeyondTheRing) {
    expect_fatal([](ControllerBench& bench) { bench.write32(nvme::sq_tail_doorbell(1, 0), 8); });
}
TEST(NvmeFatal, HeadDoorbellBeyondTheRing) {
    expect_fatal([](ControllerBench& bench) { bench.write32(nvme::cq_head_doorbell(1, 0), 8); });
}
TEST(NvmeFatal, HeadDoorbellPastTheEntriesPosted) {
    expect_fatal([](ControllerBench& bench) { bench.write32(nvme::cq_head_doorbell(1, 0), 1); });
}
TEST(NvmeFatal, TailDoorbellThatOverrunsUnfetchedEntries) {
    expect_fatal([](ControllerBench& bench) {
        // Seven commands fill the ring of eight; before any is fetched the tail moves on.
        bench.write32(nvme::sq_tail_doorbell(1, 0), 7);
        bench.write32(nvme::sq_tail_doorbell(1, 0), 2);
    });
}
TEST(NvmeFatal, SubmissionRingOutsideMemory) {
    expect_fatal([](ControllerBench& bench) {
        nvme::SubmissionEntry entry = ControllerBench::admin(nvme::AdminOpcode::DeleteSq);
        entry.cdw10 = 1;
        bench.do_admin(entry);
        bench.create_sq(1, 8, 1, 0x4000'0000);
        bench.write32(nvme::sq_tail_doorbell(1, 0), 1);
    });
}

TEST(NvmeFatal, DoorbellOfAQueueThatDoesNotExist) {
    ControllerBench bench;
    bench.run([&] {
        bench.enable();
        bench.write32(nvme::sq_tail_doorbell(1, 0), 1);
        EXPECT_EQ(bench.last_response, tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsFatal | nvme::kCstsReady);
    });
}

TEST(NvmeErrors, DoorbellWhileDisabledIsCountedAndIgnored) {
    ControllerBench bench;
    bench.run([&] {
        bench.write32(nvme::sq_tail_doorbell(0, 0), 1);
        bench.wait_us(100);
        EXPECT_EQ(bench.read32(nvme::kRegCsts), 0u);
        EXPECT_EQ(bench.stats().errors, 1u);
        bench.bring_up();
        EXPECT_EQ(bench.read_page(0, kData), nvme::kStatusSuccess);
    });
}

TEST(NvmeErrors, AdminRegistersAreLockedWhileEnabled) {
    ControllerBench bench;
    bench.run([&] {
        bench.enable();
        bench.write64(nvme::kRegAsq, 0x1234'5000);
        EXPECT_EQ(bench.read64(nvme::kRegAsq), ControllerBench::kAdminSq);
        EXPECT_EQ(bench.stats().errors, 1u);
    });
}

TEST(NvmeErrors, CompletionsThatFindTheirRingFullWaitForRoom) {
    ControllerBench bench;
    bench.run([&] {
        bench.enable();
        bench.create_pairs(16, 4);
        for (uint32_t i = 0; i < 8; ++i)
            bench.submit(1, ControllerBench::io(IoOpcode::Read, i * 8, 8, kData + i * 4096));
        bench.ring(1);
        bench.wait_us(50'000);
        EXPECT_EQ(bench.stats().commands[0], 3u);  // a ring of four holds three
        EXPECT_EQ(bench.cong(nvme::kCongDepthRd), 5u);
        for (uint32_t i = 0; i < 8; ++i) {
            EXPECT_EQ(nvme::status_of(bench.wait_completion(1).status_phase), nvme::kStatusSuccess);
            EXPECT_TRUE(hal::page_matches(bench.ptr(kData + i * 4096), hal::pristine_base(3, i)));
        }
        EXPECT_EQ(bench.stats().commands[0], 8u);
        EXPECT_EQ(bench.cong(nvme::kCongDepthRd), 0u);
    });
}

TEST(NvmeReset, CompletionsOfCommandsInFlightAreDropped) {
    ControllerBench bench;
    bench.run([&] {
        bench.bring_up();
        for (uint32_t i = 0; i < 8; ++i)
            bench.submit(1, ControllerBench::io(IoOpcode::Read, i * 8192, 8, kData));
        bench.ring(1);
        bench.wait_us(1000);
        EXPECT_EQ(bench.cong(nvme::kCongDepthRd), 8u);
        bench.write32(nvme::kRegCc, 0);
        EXPECT_EQ(bench.cong(nvme::kCongDepthRd), 0u);
        const uint32_t writes = bench.ram.writes;
        bench.wait_us(50'000);
        EXPECT_EQ(bench.ram.writes, writes);
        EXPECT_EQ(bench.ram.timed_writes, 0u);
        EXPECT_EQ(bench.stats().commands[0], 0u);
        EXPECT_FALSE(bench.irq.read());
        bench.bring_up();
        EXPECT_EQ(bench.read_page(9, kData), nvme::kStatusSuccess);
        EXPECT_TRUE(hal::page_matches(bench.ptr(kData), hal::pristine_base(3, 9)));
    });
}

TEST(NvmeFault, UnreadableSectorFailsEveryReadThatTouchesIt) {
    ControllerConfig config = ControllerBench::small_disk();
    config.disk.fault.unreadable_sectors = {100};
    ControllerBench bench(config);
    bench.run([&] {
        bench.bring_up();
        std::memset(bench.ptr(kData), 0x11, 4096);
        EXPECT_EQ(bench.read_page(12, kData), nvme::kStatusUnrecoveredRead);  // 96 to 103
        EXPECT_EQ(bench.read_page(12, kData), nvme::kStatusUnrecoveredRead);
        EXPECT_EQ(bench.ptr(kData)[0], 0x11);  // no bytes came
        EXPECT_EQ(bench.read_page(11, kData), nvme::kStatusSuccess);
        EXPECT_EQ(bench.read_page(13, kData), nvme::kStatusSuccess);
        EXPECT_EQ(bench.write_page(12, kData), nvme::kStatusSuccess);
    });
}

TEST(NvmeFault, EveryNthCommandFailsOnceAndMayBeRetried) {
    ControllerConfig config = ControllerBench::small_disk();
    config.disk.fault.error_every_commands = 3;
    ControllerBench bench(config);
    bench.run([&] {
        bench.bring_up();
        for (uint32_t i = 1; i <= 9; ++i) {
            EXPECT_EQ(bench.read_page(i, kData),
                      i % 3 == 0 ? nvme::kStatusInternalError : nvme::kStatusSuccess);
        }
    });
}

TEST(NvmeFault, DroppedInterruptLeavesTheEntryForAPollToFind) {
    ControllerConfig config = ControllerBench::small_disk();
    config.disk.fault.drop_interrupt_every = 2;
    ControllerBench bench(config);
    bench.run([&] {
        bench.bring_up();
        for (uint32_t i = 1; i <= 4; ++i) {
            bench.submit(1, ControllerBench::io(IoOpcode::Read, 0, 8, kData));
            bench.ring(1);
            bench.wait_us(20'000);
            EXPECT_NE(bench.peek(1), nullptr);
            EXPECT_EQ(bench.irq.read(), i % 2 == 1) << i;
            nvme::CompletionEntry entry{};
            bench.take(1, entry);
            bench.acknowledge(1);
        }
        EXPECT_EQ(bench.controller.dropped_interrupts(), 2u);
    });
}

TEST(NvmeFault, HungDeviceAnswersNothingMoreNotEvenAfterAReset) {
    ControllerConfig config = ControllerBench::small_disk();
    config.disk.fault.hang_after_commands = 2;
    ControllerBench bench(config);
    bench.run([&] {
        bench.bring_up();
        EXPECT_EQ(bench.read_page(0, kData), nvme::kStatusSuccess);
        EXPECT_EQ(bench.read_page(1, kData), nvme::kStatusSuccess);
        bench.submit(1, ControllerBench::io(IoOpcode::Read, 0, 8, kData));
        bench.ring(1);
        bench.wait_us(1'000'000);
        EXPECT_EQ(bench.peek(1), nullptr);
        EXPECT_EQ(bench.cong(nvme::kCongDepthRd), 1u);
        bench.write32(nvme::kRegCc, 0);
        bench.enable();
        EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady);
        nvme::SubmissionEntry entry = ControllerBench::admin(nvme::AdminOpcode::Identify);
        entry.prp1 = kData;
        entry.cdw10 = nvme::kIdentifyController;
        bench.submit(0, entry);
        bench.ring(0);
        bench.wait_us(100'000);
        EXPECT_EQ(bench.peek(0), nullptr);
    });
}

TEST(NvmeFault, AbortEndsACommandThatIsInside) {
    ControllerBench bench;
    bench.run([&] {
        bench.bring_up();
        const uint16_t id = bench.submit(1, ControllerBench::io(IoOpcode::Read, 80'000, 8, kData));
        bench.ring(1);
        bench.wait_us(100);
        nvme::SubmissionEntry entry{};
        entry.opcode = 0x08;
        entry.cdw10 = 1u | static_cast<uint32_t>(id) << 16;
        EXPECT_EQ(bench.do_admin(entry), nvme::kStatusSuccess);
        EXPECT_EQ(bench.last_admin.result, 0u);
        const nvme::CompletionEntry aborted = bench.wait_completion(1);
        EXPECT_EQ(aborted.command_id, id);
        EXPECT_EQ(nvme::status_of(aborted.status_phase), nvme::kStatusAborted);
        bench.wait_us(20'000);
        EXPECT_EQ(bench.peek(1), nullptr);  // and it does not end twice
        EXPECT_EQ(bench.do_admin(entry), nvme::kStatusSuccess);
        EXPECT_EQ(bench.last_admin.result, 1u);
    });
}

TEST(NvmeConfig, SettingsThatCannotBeNameTheirKey) {
    const auto refuses = [](const ControllerConfig& config) -> std::string {
        try {
            ControllerBench bench(config);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "";
    };
    ControllerConfig config = ControllerBench::small_disk();
    config.disk.ring_entries = 1;
    EXPECT_NE(refuses(config).find("ring_entries"), std::string::npos);
}

}  // namespace
}  // namespace weir::disk
