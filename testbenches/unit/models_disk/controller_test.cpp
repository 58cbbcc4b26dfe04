// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Does the controller keep the rules of NVMe that a driver relies on?
#include "testbenches/unit/models_disk/controller_bench.h"

#include <gtest/gtest.h>

namespace weir::disk {
namespace {

using test::ControllerBench;
namespace nvme = hal::nvme;
using nvme::IoOpcode;

bool holds_pristine(const ControllerBench& bench, const unsigned char* page, uint64_t block) {
    return hal::page_matches(page, hal::pristine_base(3, block)) && bench.ram.bytes.size() > 0;
}

TEST(NvmeRegisters, CapabilitiesAndVersionSayWhatIsOffered) {
    ControllerBench bench;
    bench.run([&] {
        const uint64_t cap = bench.read64(nvme::kRegCap);
        EXPECT_EQ(nvme::cap_max_queue_entries(cap), 64u);
        EXPECT_EQ(nvme::cap_doorbell_stride(cap), 0u);
        EXPECT_GT(nvme::cap_timeout_ms(cap), 0u);
        EXPECT_EQ(bench.read32(nvme::kRegCap), static_cast<uint32_t>(cap));
        EXPECT_EQ(bench.read32(nvme::kRegVs), nvme::kVersion14);
        EXPECT_EQ(bench.read32(nvme::kRegCsts), 0u);
    });
    EXPECT_TRUE(bench.finished);
}

TEST(NvmeRegisters, WrongAccessesGetTheirTlmErrors) {
    ControllerBench bench;
    bench.run([&] {
        uint64_t value = 0;
        const auto read = [&](uint64_t offset, uint32_t length, bool enables = false) {
            return bench.access(tlm::TLM_READ_COMMAND, offset, &value, length, enables);
        };
        EXPECT_EQ(read(nvme::kRegVs, 4), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(read(nvme::kRegVs, 2), tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_EQ(read(nvme::kRegVs, 8), tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_EQ(read(nvme::kRegVs, 1), tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_EQ(read(0x18, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(read(nvme::kRegVs + 1, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(read(0xf000, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(read(nvme::kRegCongestion + nvme::kCongBlockBytes, 4),
                  tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(read(nvme::sq_tail_doorbell(3, 0), 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(read(nvme::kRegVs, 4, true), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        EXPECT_EQ(read(nvme::sq_tail_doorbell(1, 0), 4), tlm::TLM_COMMAND_ERROR_RESPONSE);
        bench.write32(nvme::kRegVs, 1);
        EXPECT_EQ(bench.last_response, tlm::TLM_COMMAND_ERROR_RESPONSE);
        bench.write32(nvme::kRegCongestion + nvme::kCongStatus, 1);
        EXPECT_EQ(bench.last_response, tlm::TLM_COMMAND_ERROR_RESPONSE);
    });
}

TEST(NvmeEnable, IsReadyAfterItsTimeAndNotBefore) {
    ControllerBench bench;
    bench.run([&] {
        bench.write32(nvme::kRegAqa, nvme::make_aqa(8, 8));
        bench.write64(nvme::kRegAsq, ControllerBench::kAdminSq);
        bench.write64(nvme::kRegAcq, ControllerBench::kAdminCq);
        bench.write32(nvme::kRegCc, nvme::kCcEnabled);
        sc_core::wait(sc_core::sc_time::from_value(10'000'000 - 1));
        EXPECT_EQ(bench.read32(nvme::kRegCsts) & nvme::kCstsReady, 0u);
        sc_core::wait(sc_core::sc_time::from_value(2));
        EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady);
        bench.write32(nvme::kRegCc, 0);
        EXPECT_EQ(bench.read32(nvme::kRegCsts), 0u);
    });
}

TEST(NvmeEnable, SettingsThatCannotWorkAreFatal) {
    ControllerBench bench;
    bench.run([&] {
        bench.write32(nvme::kRegAqa, nvme::make_aqa(8, 8));
        bench.write64(nvme::kRegAsq, ControllerBench::kAdminSq + 64);  // not page aligned
        bench.write64(nvme::kRegAcq, ControllerBench::kAdminCq);
        bench.write32(nvme::kRegCc, nvme::kCcEnabled);
        bench.wait_us(20);
        EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsFatal);
        bench.write32(nvme::kRegCc, 0);
        bench.write64(nvme::kRegAsq, ControllerBench::kAdminSq);
        bench.write32(nvme::kRegCc, nvme::kCcEnabled | (1u << nvme::kCcPageSizeShift));
        bench.wait_us(20);
        EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsFatal);
        bench.write32(nvme::kRegCc, 0);
        bench.enable();
        EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady);
    });
}

TEST(NvmeEnable, ShutdownIsReportedComplete) {
    ControllerBench bench;
    bench.run([&] {
        bench.bring_up();
        bench.write32(nvme::kRegCc, nvme::kCcEnabled | (1u << nvme::kCcShutdownShift));
        EXPECT_EQ(bench.read32(nvme::kRegCsts) >> nvme::kCstsShutdownShift & 3, 2u);
    });
}

TEST(NvmeAdmin, IdentifyDescribesTheDisk) {
    ControllerBench bench;
    bench.run([&] {
        bench.enable();
        nvme::SubmissionEntry entry = ControllerBench::admin(nvme::AdminOpcode::Identify);
        entry.prp1 = ControllerBench::kData;
        entry.cdw10 = nvme::kIdentifyController;
        EXPECT_EQ(bench.do_admin(entry), nvme::kStatusSuccess);
        const unsigned char* page = bench.ptr(ControllerBench::kData);
        EXPECT_EQ(std::string(reinterpret_cast<const char*>(page) + nvme::kIdModel, 10),
                  "Weir disk0");
        EXPECT_EQ(page[nvme::kIdMaxTransferLog2], 7);  // 128 pages: 512 KiB
        entry.nsid = nvme::kNamespaceId;
        entry.cdw10 = nvme::kIdentifyNamespace;
        EXPECT_EQ(bench.do_admin(entry), nvme::kStatusSuccess);
        uint64_t blocks = 0;
        std::memcpy(&blocks, page + nvme::kIdNsSizeBlocks, sizeof blocks);
        EXPECT_EQ(blocks, 64u << 11);
        EXPECT_EQ(page[nvme::kIdNsFormat0 + 2], 9);
        entry.nsid = 2;
        EXPECT_EQ(bench.do_admin(entry), nvme::kStatusInvalidNamespace);
        entry.cdw10 = 0x7f;
        EXPECT_EQ(bench.do_admin(entry), nvme::kStatusInvalidField);
        entry.prp1 = 0x10;  // no such memory, but a page boundary is asked first
        EXPECT_EQ(bench.do_admin(entry), nvme::kStatusInvalidPrpOffset);
        entry.prp1 = 0x1000;
        entry.cdw10 = nvme::kIdentifyController;
        EXPECT_EQ(bench.do_admin(entry), nvme::kStatusDataTransferError);
    });
}

TEST(NvmeAdmin, QueuesAreCreatedAndDeletedInOrder) {
    ControllerBench bench;
    bench.run([&] {
        bench.enable();
        const uint64_t base = ControllerBench::kIoSq;
        EXPECT_EQ(bench.create_sq(1, 8, 1, base), nvme::kStatusInvalidCqId);
        EXPECT_EQ(bench.create_cq(0, 8, 0, base), nvme::kStatusInvalidQueueId);
        EXPECT_EQ(bench.create_cq(3, 8, 0, base), nvme::kStatusInvalidQueueId);
        EXPECT_EQ(bench.create_cq(1, 1, 1, base), nvme::kStatusInvalidQueueSize);
        EXPECT_EQ(bench.create_cq(1, 65, 1, base), nvme::kStatusInvalidQueueSize);
        EXPECT_EQ(bench.create_cq(1, 64, 1, base + 8), nvme::kStatusInvalidPrpOffset);
        EXPECT_EQ(bench.create_cq(1, 64, nvme::kEventVector, base), 0x108);
        EXPECT_EQ(bench.create_cq(1, 64, 1, base), nvme::kStatusSuccess);
        EXPECT_EQ(bench.create_cq(1, 64, 1, base), nvme::kStatusInvalidQueueId);
        EXPECT_EQ(bench.create_sq(1, 65, 1, base), nvme::kStatusInvalidQueueSize);
        EXPECT_EQ(bench.create_sq(1, 64, 1, base + 0x4000), nvme::kStatusSuccess);
        nvme::SubmissionEntry entry = ControllerBench::admin(nvme::AdminOpcode::DeleteCq);
        entry.cdw10 = 1;
        EXPECT_EQ(bench.do_admin(entry), 0x10C);  // its submission queue still lives
        entry = ControllerBench::admin(nvme::AdminOpcode::DeleteSq);
        entry.cdw10 = 1;
        EXPECT_EQ(bench.do_admin(entry), nvme::kStatusSuccess);
        EXPECT_EQ(bench.do_admin(entry), nvme::kStatusInvalidQueueId);
        entry = ControllerBench::admin(nvme::AdminOpcode::DeleteCq);
        entry.cdw10 = 1;
        EXPECT_EQ(bench.do_admin(entry), nvme::kStatusSuccess);
        entry = ControllerBench::admin(nvme::AdminOpcode::SetFeatures);
        entry.cdw10 = 7;
        EXPECT_EQ(bench.do_admin(entry), nvme::kStatusSuccess);
        EXPECT_EQ(bench.last_admin.result, 0x0001'0001u);
        entry.cdw10 = 0x55;
        EXPECT_EQ(bench.do_admin(entry), nvme::kStatusInvalidField);
        entry.opcode = 0xC0;
        EXPECT_EQ(bench.do_admin(entry), nvme::kStatusInvalidOpcode);
    });
}

TEST(NvmeTransfer, NeverWrittenBlocksReadAsTheirPattern) {
    ControllerBench bench;
    bench.run([&] {
        bench.bring_up();
        EXPECT_EQ(bench.read_page(17, ControllerBench::kData), nvme::kStatusSuccess);
        EXPECT_TRUE(holds_pristine(bench, bench.ptr(ControllerBench::kData), 17));
    });
}

void write_then_read_back(bool grants_direct) {
    ControllerBench bench;
    bench.ram.grants_direct = grants_direct;
    bench.run([&] {
        bench.bring_up();
        hal::fill_page(bench.ptr(ControllerBench::kData), 4711);
        std::memset(bench.ptr(ControllerBench::kData + 0x1000), 0x5a, 100);
        EXPECT_EQ(bench.write_page(5, ControllerBench::kData), nvme::kStatusSuccess);
        EXPECT_EQ(bench.write_page(6, ControllerBench::kData + 0x1000), nvme::kStatusSuccess);
        const uint64_t back = ControllerBench::kData + 0x8000;
        EXPECT_EQ(bench.read_page(5, back), nvme::kStatusSuccess);
        EXPECT_EQ(bench.read_page(6, back + 0x1000), nvme::kStatusSuccess);
        EXPECT_EQ(std::memcmp(bench.ptr(ControllerBench::kData), bench.ptr(back), 0x2000), 0);
        EXPECT_EQ(bench.ram.timed_bytes, grants_direct ? 4 * 4096u : 0u);
    });
}

TEST(NvmeTransfer, WrittenBlocksReadBackThroughDirectAccess) {
    write_then_read_back(true);
}
TEST(NvmeTransfer, WrittenBlocksReadBackWhereDirectAccessIsDenied) {
    write_then_read_back(false);
}

TEST(NvmeTransfer, PageListScattersAndNeighboursCrossInOneTransaction) {
    ControllerBench bench;
    bench.run([&] {
        bench.bring_up();
        // 16 pages: 8 in a row, then 8 backwards.
        std::vector<uint64_t> pages;
        for (uint64_t i = 0; i < 8; ++i) pages.push_back(ControllerBench::kData + i * 4096);
        for (uint64_t i = 0; i < 8; ++i) pages.push_back(ControllerBench::kData + (30 - i) * 4096);
        std::memcpy(bench.ptr(ControllerBench::kLists), pages.data() + 1, 15 * 8);
        EXPECT_EQ(bench.do_io(1, ControllerBench::io(IoOpcode::Read, 800, 128, pages[0],
                                                     ControllerBench::kLists)),
                  nvme::kStatusSuccess);
        for (uint64_t i = 0; i < 16; ++i)
            EXPECT_TRUE(holds_pristine(bench, bench.ptr(pages[i]), 100 + i)) << i;
        EXPECT_EQ(bench.ram.timed_writes, 2 + 8u);  // 16 KiB runs, then single pages
        EXPECT_EQ(bench.ram.timed_bytes, 16 * 4096u);
        // Two pages need no list: PRP2 is the second page.
        EXPECT_EQ(bench.do_io(1, ControllerBench::io(IoOpcode::Read, 8, 16, pages[9], pages[3])),
                  nvme::kStatusSuccess);
        EXPECT_TRUE(holds_pristine(bench, bench.ptr(pages[9]), 1));
        EXPECT_TRUE(holds_pristine(bench, bench.ptr(pages[3]), 2));
    });
}

TEST(NvmeTransfer, PartOfABlockAtAnOffsetInAPageLeavesTheRestAlone) {
    ControllerBench bench;
    bench.run([&] {
        bench.bring_up();
        const uint64_t data = ControllerBench::kData + 4096 - 512;  // crosses into the next page
        std::memset(bench.ptr(data), 0xab, 3 * 512);
        EXPECT_EQ(bench.do_io(2, ControllerBench::io(IoOpcode::Write, 83, 3, data,
                                                     ControllerBench::kData + 4096)),
                  nvme::kStatusSuccess);
        EXPECT_EQ(bench.read_page(10, ControllerBench::kData + 0x8000), nvme::kStatusSuccess);
        unsigned char expected[4096];
        hal::fill_page(expected, hal::pristine_base(3, 10));
        std::memset(expected + 3 * 512, 0xab, 3 * 512);
        EXPECT_EQ(std::memcmp(expected, bench.ptr(ControllerBench::kData + 0x8000), 4096), 0);
    });
}

TEST(NvmeTransfer, RingsWrapAndThePhaseBitTurns) {
    ControllerBench bench;
    bench.run([&] {
        bench.enable();
        bench.create_pairs(4);
        for (uint32_t i = 0; i < 11; ++i) {
            bench.submit(1, ControllerBench::io(IoOpcode::Read, i * 8, 8, ControllerBench::kData));
            bench.ring(1);
            const nvme::CompletionEntry entry = bench.wait_completion(1);
            EXPECT_EQ(nvme::status_of(entry.status_phase), nvme::kStatusSuccess);
            EXPECT_EQ(entry.sq_head, (i + 1) % 4);
            EXPECT_EQ(entry.sq_id, 1);
            EXPECT_EQ(nvme::phase_of(entry.status_phase), i / 4 % 2 == 0);
        }
    });
}

TEST(NvmeTransfer, FlushCompletes) {
    ControllerBench bench;
    bench.run([&] {
        bench.bring_up();
        nvme::SubmissionEntry entry{};
        entry.opcode = static_cast<uint8_t>(IoOpcode::Flush);
        entry.nsid = nvme::kNamespaceId;
        EXPECT_EQ(bench.do_io(2, entry), nvme::kStatusSuccess);
    });
}

/// Time from the doorbell until the last of `count` far apart reads is complete.
double reads_in_parallel_ms(uint32_t device_queue_depth, uint32_t count) {
    ControllerConfig config = ControllerBench::small_disk();
    config.disk.device_queue_depth = device_queue_depth;
    ControllerBench bench(config);
    double elapsed_ms = 0;
    bench.run([&] {
        bench.bring_up();
        const uint64_t begin_ps = bench.now_ps();
        for (uint32_t i = 0; i < count; ++i)
            bench.submit(1,
                         ControllerBench::io(IoOpcode::Read, i * 8192, 8, ControllerBench::kData));
        bench.ring(1);
        for (uint32_t i = 0; i < count; ++i) bench.wait_completion(1);
        elapsed_ms = static_cast<double>(bench.now_ps() - begin_ps) / 1e9;
    });
    return elapsed_ms;
}

TEST(NvmeQueueing, LunWorksOnAsManyAsTheDeviceDepth) {
    const double eight_ms = reads_in_parallel_ms(8, 8);
    EXPECT_GE(eight_ms, 6.0);
    EXPECT_LE(eight_ms, 7.0);
}

TEST(NvmeQueueing, DepthOneServesOneAfterAnother) {
    EXPECT_GE(reads_in_parallel_ms(1, 8), 8 * 6.0);
}

TEST(NvmeQueueing, PairsTakeTurns) {
    ControllerConfig config = ControllerBench::small_disk();
    config.disk.device_queue_depth = 1;
    ControllerBench bench(config);
    bench.run([&] {
        bench.bring_up();
        for (uint32_t i = 0; i < 8; ++i) {
            bench.submit(1,
                         ControllerBench::io(IoOpcode::Read, i * 8192, 8, ControllerBench::kData));
            bench.submit(2, ControllerBench::io(IoOpcode::Write, i * 8, 8, ControllerBench::kData));
        }
        bench.ring(1);
        bench.ring(2);
        for (uint32_t i = 0; i < 4; ++i) bench.wait_completion(1);
        bench.wait_us(1000);
        // After the fourth read four writes are done, and the fifth read is under way.
        EXPECT_EQ(bench.stats().commands[0], 4u);
        EXPECT_EQ(bench.stats().commands[1], 4u);
    });
}

TEST(NvmeInterrupt, LineIsHighUntilTheLastEntryIsAcknowledged) {
    ControllerBench bench;
    bench.run([&] {
        bench.bring_up();
        bench.wait_us(1);
        EXPECT_FALSE(bench.irq.read());
        bench.submit(1, ControllerBench::io(IoOpcode::Read, 0, 8, ControllerBench::kData));
        bench.submit(1, ControllerBench::io(IoOpcode::Read, 8, 8, ControllerBench::kData));
        bench.ring(1);
        bench.wait_us(20'000);
        EXPECT_TRUE(bench.irq.read());
        nvme::CompletionEntry entry{};
        EXPECT_TRUE(bench.take(1, entry));
        bench.acknowledge(1);
        bench.wait_us(1);
        EXPECT_TRUE(bench.irq.read());  // one entry is left
        bench.write32(nvme::kRegIntms, nvme::vector_bit(1));
        bench.wait_us(1);
        EXPECT_FALSE(bench.irq.read());
        EXPECT_EQ(bench.read32(nvme::kRegIntms), nvme::vector_bit(1));
        bench.write32(nvme::kRegIntmc, nvme::vector_bit(1));
        bench.wait_us(1);
        EXPECT_TRUE(bench.irq.read());
        EXPECT_TRUE(bench.take(1, entry));
        bench.acknowledge(1);
        bench.wait_us(1);
        EXPECT_FALSE(bench.irq.read());
    });
}

TEST(NvmeInterrupt, CoalescingWaitsForTheCountOrTheTime) {
    ControllerBench bench;
    bench.run([&] {
        bench.bring_up();
        nvme::SubmissionEntry feature = ControllerBench::admin(nvme::AdminOpcode::SetFeatures);
        feature.cdw10 = 8;
        feature.cdw11 = (50u << 8) | 2;  // three entries or 5 ms
        EXPECT_EQ(bench.do_admin(feature), nvme::kStatusSuccess);
        const auto write = [&](uint32_t count) {
            for (uint32_t i = 0; i < count; ++i)
                bench.submit(
                    2, ControllerBench::io(IoOpcode::Write, i * 8, 8, ControllerBench::kData));
            bench.ring(2);
            bench.wait_us(2000);
        };
        write(2);
        EXPECT_NE(bench.peek(2), nullptr);
        EXPECT_FALSE(bench.irq.read());
        write(1);
        EXPECT_TRUE(bench.irq.read());
        nvme::CompletionEntry entry{};
        while (bench.take(2, entry)) {
        }
        bench.acknowledge(2);
        write(1);
        EXPECT_FALSE(bench.irq.read());
        bench.wait_us(4000);
        EXPECT_TRUE(bench.irq.read());
    });
}

TEST(NvmeStatistics, CountWhatWasDone) {
    ControllerBench bench;
    bench.run([&] {
        bench.bring_up();
        bench.read_page(0, ControllerBench::kData);
        bench.read_page(1, ControllerBench::kData);
        bench.write_page(2, ControllerBench::kData);
        bench.wait_us(1000);
        const DeviceStats stats = bench.stats();
        EXPECT_EQ(stats.name, "disk0");
        EXPECT_EQ(stats.commands[0], 2u);
        EXPECT_EQ(stats.commands[1], 1u);
        EXPECT_EQ(stats.bytes[0], 8192u);
        EXPECT_EQ(stats.bytes[1], 4096u);
        EXPECT_EQ(stats.cache_hits, 2u);  // the second read lies on the first one's track
        EXPECT_EQ(stats.errors, 0u);
        EXPECT_EQ(stats.depth_max[0], 1u);
        // One at a time: busy is the sum of the service times, and the phases make up the run.
        EXPECT_EQ(stats.busy_ps, stats.service_ps[0] + stats.service_ps[1]);
        EXPECT_EQ(stats.busy_ps, stats.depth_integral_ps);
        EXPECT_GE(stats.service_ps[0], 6350u * 1'000'000);
        uint64_t sum_ps = 0;
        for (const uint64_t phase_ps : stats.phase_ps) sum_ps += phase_ps;
        EXPECT_EQ(sum_ps, bench.now_ps());
    });
}

}  // namespace
}  // namespace weir::disk
