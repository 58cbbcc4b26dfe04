// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: who gets which frame, when do frames come back to the zone, and does none get lost?
#include "firmware/kernel/task.h"
#include "firmware/mm/allocator.h"
#include "firmware/mm/pressure.h"
#include "testbenches/unit/mm/core_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace weir::mm {
namespace {

using kernel::VmCounter;

uint32_t slow_path_calls;
Frame* count_slow_path(Zone&, const AllocRequest&) {
    ++slow_path_calls;
    return nullptr;
}

std::vector<uint32_t> returned_batches;
void note_returned(Zone& z, uint32_t frames) {
    EXPECT_FALSE(z.lock.held());
    returned_batches.push_back(frames);
}

TEST(AllocatorFastPath, AsksThePolicyAtTheLowMarkAndNotAboveIt) {
    CoreBench bench;
    slow_path_calls = 0;
    pressure().out_of_frames = count_slow_path;
    bench.z.free_frames = bench.z.mark.low_frames;
    EXPECT_EQ(alloc_frame({}), nullptr);
    EXPECT_EQ(slow_path_calls, 1u);
    bench.z.free_frames = bench.z.mark.low_frames + 1;
    EXPECT_NE(alloc_frame({}), nullptr);
    EXPECT_EQ(slow_path_calls, 1u);
}

TEST(AllocatorFastPath, TestsTheMarkBeforeThePerCpuList) {
    CoreBench bench;
    slow_path_calls = 0;
    pressure().out_of_frames = count_slow_path;
    ASSERT_NE(alloc_frame({}), nullptr);
    ASSERT_GT(bench.z.per_cpu[0].frames.size(), 0u);
    bench.z.free_frames = bench.z.mark.low_frames;
    EXPECT_EQ(alloc_frame({}), nullptr) << "a frame on the list must not bypass the mark";
    EXPECT_EQ(slow_path_calls, 1u);
}

TEST(AllocatorFastPath, DoesNotLowerTheMarkForAtomicRequests) {
    CoreBench bench;
    slow_path_calls = 0;
    pressure().out_of_frames = count_slow_path;
    bench.z.free_frames = bench.z.mark.low_frames;
    EXPECT_EQ(alloc_frame({0, kAllocAtomic}), nullptr);
    EXPECT_EQ(slow_path_calls, 1u);
}

TEST(AllocatorMarks, HighRequestsHalveAndAtomicOnesTakeAQuarterMore) {
    CoreBench bench;
    Zone& z = bench.z;
    const AllocRequest atomic{0, kAllocAtomic};
    const AllocRequest high{0, kAllocHigh | kAllocKernel};
    z.free_frames = 192;  // (512 - 256) - 64
    EXPECT_EQ(try_alloc(z, atomic, 512, Marks::Respect), nullptr);
    z.free_frames = 193;
    EXPECT_NE(try_alloc(z, atomic, 512, Marks::Respect), nullptr);
    z.free_frames = 256;
    EXPECT_EQ(try_alloc(z, high, 512, Marks::Respect), nullptr);
    z.free_frames = 257;
    EXPECT_NE(try_alloc(z, high, 512, Marks::Respect), nullptr);
}

TEST(AllocatorMarks, IgnoredTakesTheLastFrame) {
    CoreBench bench({.ram_bytes = 16u << 20, .harts = 1});
    Zone& z = bench.z;
    std::vector<Frame*> all;
    while (Frame* f = try_alloc(z, {}, 0, Marks::Ignore)) all.push_back(f);
    EXPECT_EQ(all.size(), z.managed_frames);
    EXPECT_EQ(free_frames_exact(z), 0u);
    EXPECT_EQ(pcp_frames(z), 0u);
    EXPECT_EQ(std::set<Frame*>(all.begin(), all.end()).size(), all.size());
    put_frames(all);
    drain_per_cpu_lists(z);
    EXPECT_EQ(free_frames_exact(z), z.managed_frames);
}

TEST(AllocatorBoot, NeverGivesOutReservedFrames) {
    CoreBench bench({.ram_bytes = 32u << 20, .harts = 1, .kernel_reserved_bytes = 8u << 20});
    EXPECT_LT(bench.z.managed_frames, (24u << 20) / hal::kPageBytes);
    const uint32_t first_frame_past_kernel = (8u << 20) / hal::kPageBytes;
    while (Frame* f = try_alloc(bench.z, {}, 0, Marks::Ignore)) {
        ASSERT_FALSE(f->test(kFrameReserved));
        ASSERT_GE(f - frame_table, first_frame_past_kernel);
    }
}

TEST(AllocatorBoot, PanicsWhenHardlyAFrameIsLeft) {
    EXPECT_THROW(CoreBench({.ram_bytes = 8u << 20, .harts = 1, .kernel_reserved_bytes = 7u << 20}),
                 fake_hal::Panic);
}

TEST(PerCpuList, RefillsByOneBatch) {
    CoreBench bench;
    Zone& z = bench.z;
    const uint64_t before = free_frames_exact(z);
    ASSERT_NE(alloc_frame({}), nullptr);
    EXPECT_EQ(free_frames_exact(z), before - 15);
    EXPECT_EQ(z.per_cpu[0].frames.size(), 14u);
    std::vector<Frame*> rest = take_frames(14);
    EXPECT_EQ(free_frames_exact(z), before - 15);
    ASSERT_NE(alloc_frame({}), nullptr);
    EXPECT_EQ(free_frames_exact(z), before - 30);
}

TEST(PerCpuList, Keeps89FramesAndReturnsABatchAt90) {
    CoreBench bench;
    Zone& z = bench.z;
    z.approximate_free_count = false;
    std::vector<Frame*> frames = take_frames(90);  // six batches, so the list is empty now
    ASSERT_EQ(z.per_cpu[0].frames.size(), 0u);
    returned_batches.clear();
    pressure().frames_returned = note_returned;
    const int64_t before = z.free_frames;
    for (uint32_t i = 0; i < 89; ++i) put_frame(*frames[i]);
    EXPECT_EQ(z.per_cpu[0].frames.size(), 89u);
    EXPECT_EQ(z.free_frames, before);
    EXPECT_TRUE(returned_batches.empty());
    put_frame(*frames[89]);
    EXPECT_EQ(z.per_cpu[0].frames.size(), 75u);
    EXPECT_EQ(z.free_frames, before + 15);
    EXPECT_EQ(returned_batches, std::vector<uint32_t>{15});
}

TEST(PerCpuList, BelongsToTheHartThatFrees) {
    CoreBench bench;
    std::vector<Frame*> frames = take_frames(15);
    bench.machine.set_hart(2);
    put_frames(frames);
    EXPECT_EQ(bench.z.per_cpu[2].frames.size(), 15u);
    EXPECT_EQ(bench.z.per_cpu[0].frames.size(), 0u);
    EXPECT_EQ(pcp_frames(bench.z), 15u);
}

TEST(PerCpuList, GivesTheFrameFreedLastToHotAndTheOldestToColdRequests) {
    CoreBench bench;
    std::vector<Frame*> frames = take_frames(15);
    Frame* first = frames.front();
    Frame* last = frames.back();
    put_frames(frames);
    EXPECT_EQ(alloc_frame({0, kAllocUser}), last);
    EXPECT_EQ(alloc_frame({0, kAllocUser | kAllocCold}), first);
}

TEST(PerCpuList, TreatsFramesFreedByReclaimAsCold) {
    CoreBench bench;
    std::vector<Frame*> frames = take_frames(15);
    Frame* reclaimed = frames.back();
    reclaimed->set(kFrameIsolated);
    put_frames(frames);
    EXPECT_EQ(alloc_frame({0, kAllocUser | kAllocCold}), reclaimed);
}

TEST(PerCpuList, ABulkFreeMakesTheZoneReclaimableAgain) {
    CoreBench bench;
    Zone& z = bench.z;
    std::vector<Frame*> frames = take_frames(90);
    z.all_unreclaimable = true;
    z.pages_scanned = 7;
    Frame* last = frames.back();
    frames.pop_back();
    put_frames(frames);
    EXPECT_TRUE(z.all_unreclaimable);
    EXPECT_EQ(z.pages_scanned, 7u);
    put_frame(*last);
    EXPECT_FALSE(z.all_unreclaimable);
    EXPECT_EQ(z.pages_scanned, 0u);
}

TEST(PerCpuList, SwitchedOffFramesGoStraightToTheZone) {
    CoreBench bench;
    Zone& z = bench.z;
    z.use_per_cpu_lists = false;
    z.approximate_free_count = false;
    returned_batches.clear();
    pressure().frames_returned = note_returned;
    const int64_t before = z.free_frames;
    Frame* f = alloc_frame({});
    EXPECT_EQ(z.free_frames, before - 1);
    put_frame(*f);
    EXPECT_EQ(z.free_frames, before);
    EXPECT_EQ(pcp_frames(z), 0u);
    EXPECT_EQ(returned_batches, std::vector<uint32_t>{1});
}

TEST(PerCpuList, DrainEmptiesTheListsOfAllHarts) {
    CoreBench bench;
    Zone& z = bench.z;
    for (uint32_t hart = 0; hart < 4; ++hart) {
        bench.machine.set_hart(hart);
        ASSERT_NE(alloc_frame({}), nullptr);
    }
    EXPECT_EQ(pcp_frames(z), 4u * 14);
    drain_per_cpu_lists(z);
    EXPECT_EQ(pcp_frames(z), 0u);
    EXPECT_EQ(free_frames_exact(z), z.managed_frames - 4);
}

TEST(PerCpuList, GaugesMoveWithBatchesOnly) {
    CoreBench bench;
    ASSERT_NE(alloc_frame({}), nullptr);
    bench.machine.clear_records();
    std::vector<Frame*> frames = take_frames(14);
    EXPECT_TRUE(bench.machine.gauges().empty());
    ASSERT_NE(alloc_frame({}), nullptr);
    EXPECT_EQ(bench.machine.gauge_value(hal::Gauge::ZonePcp), 15u);
}

TEST(Buddy, SplitsAndJoinsBackToTheSameBlocks) {
    const uint64_t seed = fake_hal::test_seed(7);
    std::mt19937_64 random(seed);
    CoreBench bench({.ram_bytes = 64u << 20, .harts = 1});
    Zone& z = bench.z;
    std::vector<uint32_t> blocks_at_boot;
    for (FrameList& list : z.free_lists) blocks_at_boot.push_back(list.size());

    std::vector<std::pair<Frame*, uint32_t>> held;
    std::set<const Frame*> owned;
    for (uint32_t round = 0; round < 5000; ++round) {
        if (random() % 2 == 0 || held.empty()) {
            const auto order = static_cast<uint32_t>(random() % kMaxOrder);
            Frame* f = try_alloc(z, {order, kAllocKernel}, 0, Marks::Ignore);
            if (f == nullptr) continue;
            ASSERT_EQ((f - frame_table) & ((1 << order) - 1), 0) << "block not aligned";
            for (uint32_t i = 0; i < (1u << order); ++i) {
                ASSERT_TRUE(owned.insert(f + i).second) << "frame given out twice";
            }
            held.emplace_back(f, order);
        } else {
            std::swap(held[random() % held.size()], held.back());
            const auto [f, order] = held.back();
            held.pop_back();
            for (uint32_t i = 0; i < (1u << order); ++i) owned.erase(f + i);
            put_frame(*f);
        }
        ASSERT_EQ(free_frames_exact(z) + pcp_frames(z) + owned.size(), z.managed_frames);
    }
    for (const auto& [f, order] : held) put_frame(*f);
    drain_per_cpu_lists(z);
    for (uint32_t order = 0; order < kMaxOrder; ++order) {
        EXPECT_EQ(z.free_lists[order].size(), blocks_at_boot[order]) << "order " << order;
    }
}

TEST(Buddy, DoesNotJoinABuddyOfAnotherOrder) {
    CoreBench bench({.ram_bytes = 64u << 20, .harts = 1});
    Zone& z = bench.z;
    z.use_per_cpu_lists = false;
    Frame* pair = alloc_frame({2, kAllocKernel});  // four frames
    ASSERT_NE(pair, nullptr);
    const uint32_t singles = z.free_lists[0].size();
    const uint32_t pairs = z.free_lists[1].size();
    // The four are given back one by one: 0, 2, 3, 1. Only the last joins all of them.
    for (uint32_t i : {0u, 1u, 2u, 3u}) pair[i].use_count = 1, pair[i].order = 0;
    put_frame(pair[0]);
    EXPECT_EQ(z.free_lists[0].size(), singles + 1);
    put_frame(pair[2]);
    EXPECT_EQ(z.free_lists[0].size(), singles + 2);
    put_frame(pair[3]);
    EXPECT_EQ(z.free_lists[0].size(), singles + 1) << "2 and 3 are one block now";
    EXPECT_EQ(z.free_lists[1].size(), pairs + 1);
    put_frame(pair[1]);
    EXPECT_EQ(z.free_lists[0].size(), singles);
    EXPECT_EQ(z.free_lists[1].size(), pairs);
}

TEST(Allocator, FreeingTwicePanics) {
    CoreBench bench;
    Frame* f = alloc_frame({});
    put_frame(*f);
    EXPECT_THROW(put_frame(*f), fake_hal::Panic);
    EXPECT_THROW(free_frame(*f), fake_hal::Panic);
}

TEST(Allocator, FreeingALockedFramePanics) {
    CoreBench bench;
    Frame* f = alloc_frame({});
    ASSERT_TRUE(try_lock_frame(*f));
    EXPECT_THROW(put_frame(*f), fake_hal::Panic);
}

TEST(Allocator, CountsWhatItGivesAndTakes) {
    CoreBench bench;
    const uint64_t allocs = counter(VmCounter::PgAlloc);
    const uint64_t frees = counter(VmCounter::PgFree);
    Frame* f = alloc_frame({3, kAllocKernel});
    EXPECT_EQ(counter(VmCounter::PgAlloc), allocs + 8);
    put_frame(*f);
    EXPECT_EQ(counter(VmCounter::PgFree), frees + 8);
}

TEST(ObjectFrames, ATaskInsideReclaimIgnoresTheMarks) {
    CoreBench bench;
    bench.z.free_frames = 192;
    EXPECT_EQ(alloc_object_frame(), hal::kNoPfn);
    kernel::current().flags |= kernel::kTaskMemAlloc;
    EXPECT_NE(alloc_object_frame(), hal::kNoPfn);
}

}  // namespace
}  // namespace weir::mm
