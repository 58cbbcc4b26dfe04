// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: are the figures computed at boot, and the tests made of them, those of the fact book?
#include "firmware/mm/zone.h"
#include "testbenches/unit/mm/core_bench.h"

#include <gtest/gtest.h>

namespace weir::mm {
namespace {

constexpr uint64_t frames_of_mib(uint64_t mib) {
    return mib * 256;
}

TEST(Watermarks, AreThoseOfTheFactBook) {
    const Watermarks big = compute_watermarks(frames_of_mib(256), 0);
    EXPECT_EQ(big.min_frames, 512u);
    EXPECT_EQ(big.low_frames, 640u);
    EXPECT_EQ(big.high_frames, 768u);
    const Watermarks small = compute_watermarks(frames_of_mib(98), 0);
    EXPECT_EQ(small.min_frames, 316u);
    EXPECT_EQ(small.low_frames, 395u);
    EXPECT_EQ(small.high_frames, 474u);
}

TEST(Watermarks, StayBetween128KibAnd64Mib) {
    EXPECT_EQ(compute_watermarks(16, 0).min_frames, 128u / 4);
    EXPECT_EQ(compute_watermarks(frames_of_mib(1024 * 1024), 0).min_frames, 65536u / 4);
}

TEST(Watermarks, FollowMinFreeKibWhenItIsSet) {
    const Watermarks marks = compute_watermarks(frames_of_mib(256), 400);
    EXPECT_EQ(marks.min_frames, 100u);
    EXPECT_EQ(marks.low_frames, 125u);
    EXPECT_EQ(marks.high_frames, 150u);
}

TEST(Watermarks, RootIsRoundedDown) {
    // sqrt(16 * 4 * frames): exactly 256 KiB at 1024 frames, just below at 1023.
    EXPECT_EQ(compute_watermarks(1024, 0).min_frames, 64u);
    EXPECT_EQ(compute_watermarks(1023, 0).min_frames, 63u);
}

TEST(PerCpuBatch, Is15With256MibAndHigh90) {
    EXPECT_EQ(compute_batch_frames(frames_of_mib(256)), 15u);
    CoreBench bench;
    EXPECT_EQ(bench.z.per_cpu[3].batch_frames, 15u);
    EXPECT_EQ(bench.z.per_cpu[3].high_frames, 90u);
}

TEST(PerCpuBatch, IsCappedAndNeverZero) {
    EXPECT_EQ(compute_batch_frames(frames_of_mib(64 * 1024)), 31u);
    EXPECT_EQ(compute_batch_frames(1), 1u);
}

TEST(StatThreshold, Is18For4HartsAnd256Mib) {
    EXPECT_EQ(compute_stat_threshold(4, frames_of_mib(256)), 18u);
    EXPECT_EQ(compute_stat_threshold(1, frames_of_mib(64)), 2u);
    EXPECT_EQ(compute_stat_threshold(4096, frames_of_mib(1024 * 1024)), 125u);
}

TEST(WatermarkTest, OrderZeroNeedsMoreThanTheMark) {
    CoreBench bench;
    bench.z.free_frames = 640;
    EXPECT_FALSE(watermark_ok(bench.z, 0, 640));
    bench.z.free_frames = 641;
    EXPECT_TRUE(watermark_ok(bench.z, 0, 640));
}

TEST(WatermarkTest, ReadsTheGlobalCountWithoutDeltas) {
    CoreBench bench;
    bench.z.free_frames = 640;
    bench.z.per_cpu[1].free_delta = 18;
    EXPECT_FALSE(watermark_ok(bench.z, 0, 640));
    EXPECT_EQ(free_frames_exact(bench.z), 658u);
}

TEST(WatermarkTest, HigherOrdersDiscountSmallBlocksAndHalveTheMark) {
    CoreBench bench;
    Zone& z = bench.z;
    FrameList singles;
    // 100 blocks of order 0 and 50 of order 1: 200 frames, 100 of them useful to order 1.
    for (FrameList& list : z.free_lists) list.reset();
    for (uint32_t i = 0; i < 100; ++i) z.free_lists[0].push_back(frame_table[30000 + 2 * i]);
    for (uint32_t i = 0; i < 50; ++i) z.free_lists[1].push_back(frame_table[40000 + 4 * i]);
    z.free_frames = 200;
    // 200 - 2 + 1 = 199 > mark, then 99 > mark / 2.
    EXPECT_TRUE(watermark_ok(z, 1, 197));
    EXPECT_FALSE(watermark_ok(z, 1, 198));
    // Order 2 finds nothing useful, whatever the mark.
    EXPECT_FALSE(watermark_ok(z, 2, 0));
}

TEST(ApproximateCount, FoldsADeltaOnlyBeyondTheThreshold) {
    CoreBench bench;
    Zone& z = bench.z;
    const int64_t before = z.free_frames;
    add_free_frames(z, 18);
    EXPECT_EQ(z.free_frames, before);
    EXPECT_EQ(z.per_cpu[0].free_delta, 18);
    add_free_frames(z, 1);
    EXPECT_EQ(z.free_frames, before + 19);
    EXPECT_EQ(z.per_cpu[0].free_delta, 0);
    add_free_frames(z, -18);
    EXPECT_EQ(z.free_frames, before + 19);
    add_free_frames(z, -1);
    EXPECT_EQ(z.free_frames, before);
}

TEST(ApproximateCount, IsPrivateToEachHart) {
    CoreBench bench;
    Zone& z = bench.z;
    const int64_t before = z.free_frames;
    for (uint32_t hart = 0; hart < 4; ++hart) {
        bench.machine.set_hart(hart);
        add_free_frames(z, 18);
    }
    EXPECT_EQ(z.free_frames, before);
    EXPECT_EQ(free_frames_exact(z), static_cast<uint64_t>(before) + 4 * 18);
}

TEST(ApproximateCount, SwitchedOffCountsAtOnce) {
    CoreBench bench;
    Zone& z = bench.z;
    const int64_t before = z.free_frames;
    z.approximate_free_count = false;
    add_free_frames(z, -1);
    EXPECT_EQ(z.free_frames, before - 1);
    EXPECT_EQ(counter(kernel::VmCounter::NrFreePages), static_cast<uint64_t>(before - 1));
}

}  // namespace
}  // namespace weir::mm
