// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Does the swap device notice when what comes back in is not what went out?
#include "sc_models/swap/swap_device.h"

#include "testbenches/unit/models_disk/controller_bench.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace weir::swap {
namespace {

using test::ControllerBench;

struct Swap {
    Swap() : device({5, 100, 1000}, recorder) {}
    void write(uint64_t slot, const void* page) {
        device.on_written(hal::Sector{(100 + slot) * 8}, 8, page, 0);
    }
    void read(uint64_t slot, const void* page) {
        device.on_read(hal::Sector{(100 + slot) * 8}, 8, page, 0);
    }
    probe::Recorder recorder;
    SwapDevice device;
};

std::vector<unsigned char> pattern_page(uint64_t base) {
    std::vector<unsigned char> page(hal::kPageBytes);
    hal::fill_page(page.data(), base);
    return page;
}

TEST(SwapProof, ContentThatComesBackUnchangedIsProven) {
    Swap swap;
    std::vector<unsigned char> odd = pattern_page(2);
    odd[2000] ^= 0x10;
    swap.write(1, pattern_page(1).data());
    swap.write(2, odd.data());
    swap.read(2, odd.data());
    swap.read(1, pattern_page(1).data());
    EXPECT_EQ(swap.device.stats().mismatches, 0u);
    EXPECT_EQ(swap.device.slot(2).reads, 1u);
    EXPECT_EQ(swap.device.slot(2).writes, 1u);
}

TEST(SwapProof, AnyOtherContentIsFound) {
    Swap swap;
    std::vector<unsigned char> odd = pattern_page(2);
    odd[2000] ^= 0x10;
    swap.write(7, odd.data());
    swap.read(7, pattern_page(2).data());  // one bit
    EXPECT_EQ(swap.device.stats().mismatches, 1u);
    EXPECT_EQ(swap.device.stats().first_mismatch_slot, 7u);
    odd[2000] ^= 0x30;
    swap.read(7, odd.data());  // another bit
    EXPECT_EQ(swap.device.stats().mismatches, 2u);
    swap.write(8, pattern_page(8).data());
    swap.write(8, pattern_page(9).data());
    swap.read(8, pattern_page(8).data());  // the generation before
    EXPECT_EQ(swap.device.stats().mismatches, 3u);
    swap.read(8, pattern_page(9).data());
    EXPECT_EQ(swap.device.stats().mismatches, 3u);
}

TEST(SwapProof, SlotNeverWrittenMustReadAsAFreshDisk) {
    Swap swap;
    swap.read(3, pattern_page(hal::pristine_base(5, 103)).data());
    EXPECT_EQ(swap.device.stats().mismatches, 0u);
    EXPECT_EQ(swap.device.stats().reads_of_unwritten_slots, 1u);
    swap.read(3, pattern_page(hal::pristine_base(5, 104)).data());
    EXPECT_EQ(swap.device.stats().mismatches, 1u);
}

TEST(SwapFragmentation, RunsAreRowsOfConsecutiveSlots) {
    Swap swap;
    const std::vector<unsigned char> page = pattern_page(0);
    for (const uint64_t slot : {10, 11, 12, 13, 20, 30, 31, 12}) swap.write(slot, page.data());
    const SwapStats& stats = swap.device.stats();
    EXPECT_EQ(stats.slots_written, 8u);
    EXPECT_EQ(stats.distinct_slots_written, 7u);
    EXPECT_EQ(stats.write_runs, 4u);
    EXPECT_DOUBLE_EQ(stats.mean_write_run_slots(), 2.0);
    EXPECT_EQ(swap.device.write_run_histogram(), (std::vector<uint64_t>{2, 1, 1}));
    std::vector<unsigned char> cluster(4 * hal::kPageBytes);
    for (uint32_t i = 0; i < 4; ++i) hal::fill_page(cluster.data() + i * hal::kPageBytes, 40 + i);
    swap.device.on_written(hal::Sector{(100 + 50) * 8}, 32, cluster.data(), 0);
    swap.device.on_read(hal::Sector{(100 + 50) * 8}, 32, cluster.data(), 0);
    EXPECT_EQ(stats.write_runs, 5u);
    EXPECT_EQ(stats.read_runs, 1u);
    EXPECT_DOUBLE_EQ(stats.mean_read_run_slots(), 4.0);
    EXPECT_EQ(stats.mismatches, 0u);
}

TEST(SwapArea, OnlyThePartitionIsWatched) {
    Swap swap;
    const std::vector<unsigned char> page = pattern_page(0);
    swap.device.on_written(hal::Sector{99 * 8}, 8, page.data(), 0);
    swap.device.on_written(hal::Sector{1100 * 8}, 8, page.data(), 0);
    EXPECT_EQ(swap.device.stats().slots_written, 0u);
    swap.device.on_written(hal::Sector{1099 * 8}, 8, page.data(), 0);
    EXPECT_EQ(swap.device.stats().slots_written, 1u);
    swap.device.on_written(hal::Sector{100 * 8 + 1}, 4, page.data(), 0);
    EXPECT_EQ(swap.device.stats().partial_accesses, 1u);
    EXPECT_EQ(swap.device.slot(0).writes, 0u);
}

TEST(SwapOnTheController, PagesSwappedOutAndInAreProvenAndDamageIsSeen) {
    ControllerBench bench;
    SwapDevice device({3, 0, 16'384}, bench.recorder);
    bench.controller.set_content_observer(&device);
    bench.run([&] {
        bench.bring_up();
        for (uint64_t slot = 1; slot <= 20; ++slot) {
            hal::fill_page(bench.ptr(ControllerBench::kData), slot * 1000);
            EXPECT_EQ(bench.write_page(slot, ControllerBench::kData), hal::nvme::kStatusSuccess);
        }
        for (uint64_t slot = 1; slot <= 20; ++slot) {
            EXPECT_EQ(bench.read_page(slot, ControllerBench::kData + 0x4000),
                      hal::nvme::kStatusSuccess);
        }
        EXPECT_EQ(device.stats().slots_written, 20u);
        EXPECT_EQ(device.stats().slots_read, 20u);
        EXPECT_EQ(device.stats().mismatches, 0u);
        // A block that changes behind the controller's back.
        std::vector<unsigned char> damaged = pattern_page(1);
        bench.controller.store().write_block(4, damaged.data());
        bench.read_page(4, ControllerBench::kData);
        EXPECT_EQ(device.stats().mismatches, 1u);
        EXPECT_EQ(device.stats().first_mismatch_slot, 4u);
    });
    EXPECT_TRUE(bench.finished);
}

}  // namespace
}  // namespace weir::swap
