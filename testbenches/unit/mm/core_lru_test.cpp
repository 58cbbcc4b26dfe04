// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: in which order do frames leave, which become active, and is isolation accounted for?
#include "firmware/kernel/nap.h"
#include "firmware/mm/lru.h"
#include "testbenches/unit/mm/core_bench.h"

#include <gtest/gtest.h>

namespace weir::mm {
namespace {

using kernel::VmCounter;

std::vector<Frame*> drain_to_vector(FrameList& frames) {
    std::vector<Frame*> result;
    while (Frame* f = frames.pop_front()) result.push_back(f);
    return result;
}

TEST(LruBatch, FlushesAtThe14thFrame) {
    CoreBench bench;
    for (uint32_t i = 0; i < 13; ++i) lru_frame();
    EXPECT_EQ(lru_size(bench.z, Lru::InactiveFile), 0u);
    EXPECT_EQ(counter(VmCounter::NrInactiveFile), 0u);
    lru_frame();
    EXPECT_EQ(lru_size(bench.z, Lru::InactiveFile), 14u);
    EXPECT_EQ(counter(VmCounter::NrInactiveFile), 14u);
    EXPECT_EQ(bench.machine.gauge_value(hal::Gauge::InactiveFile), 14u);
}

TEST(LruBatch, IsPrivateToAHartUntilAllAreDrained) {
    CoreBench bench;
    lru_frame();
    bench.machine.set_hart(1);
    lru_frame();
    lru_add_drain();
    EXPECT_EQ(lru_size(bench.z, Lru::InactiveFile), 1u);
    lru_add_drain_all();
    EXPECT_EQ(lru_size(bench.z, Lru::InactiveFile), 2u);
}

TEST(LruBatch, AFrameFreedInItLeavesIt) {
    CoreBench bench;
    Frame& freed = lru_frame();
    Frame& kept = lru_frame();
    put_frame(freed);
    EXPECT_TRUE(freed.test(kFramePcp));
    bench.machine.set_hart(1);
    lru_add_drain_all();
    EXPECT_EQ(lru_size(bench.z, Lru::InactiveFile), 1u);
    EXPECT_EQ(bench.z.lru[2].front(), &kept);
}

TEST(LruBatch, AFrameCanBeFreedFromAnotherHartsBatch) {
    CoreBench bench;
    Frame& f = lru_frame();
    bench.machine.set_hart(3);
    put_frame(f);
    EXPECT_EQ(bench.z.per_cpu[0].lru_add[2].size(), 0u);
    EXPECT_EQ(bench.z.per_cpu[3].frames.front(), &f);
}

TEST(LruBatch, AnonymousAndActiveFramesJoinTheListsOfTheirFlags) {
    CoreBench bench;
    lru_frame(kFrameSwapBacked);
    lru_frame(kFrameSwapBacked | kFrameActive);
    lru_frame(kFrameActive);
    lru_add_drain();
    EXPECT_EQ(counter(VmCounter::NrInactiveAnon), 1u);
    EXPECT_EQ(counter(VmCounter::NrActiveAnon), 1u);
    EXPECT_EQ(counter(VmCounter::NrInactiveFile), 0u);
    EXPECT_EQ(counter(VmCounter::NrActiveFile), 1u);
}

TEST(LruUseOnce, FirstUseMarksSecondActivates) {
    CoreBench bench;
    Frame& f = lru_frame();
    lru_add_drain();
    mark_accessed(f);
    EXPECT_TRUE(f.test(kFrameReferenced));
    EXPECT_FALSE(f.test(kFrameActive));
    mark_accessed(f);
    EXPECT_TRUE(f.test(kFrameActive));
    EXPECT_FALSE(f.test(kFrameReferenced));
    EXPECT_EQ(lru_size(bench.z, Lru::ActiveFile), 1u);
    EXPECT_EQ(lru_size(bench.z, Lru::InactiveFile), 0u);
    EXPECT_EQ(counter(VmCounter::PgActivate), 1u);
    mark_accessed(f);
    EXPECT_TRUE(f.test(kFrameReferenced));
}

TEST(LruUseOnce, AFrameInABatchIsNotActivated) {
    CoreBench bench;
    Frame& f = lru_frame();
    mark_accessed(f);
    mark_accessed(f);
    EXPECT_FALSE(f.test(kFrameActive));
    lru_add_drain();
    mark_accessed(f);
    EXPECT_TRUE(f.test(kFrameActive));
}

TEST(LruUseOnce, MetadataStaysInactiveWhereThePolicySaysSo) {
    CoreBench bench;
    Frame& f = lru_frame(kFrameMeta);
    lru_add_drain();
    set_metadata_on_active_list(false);
    for (uint32_t i = 0; i < 3; ++i) mark_accessed(f);
    EXPECT_FALSE(f.test(kFrameActive));
    set_metadata_on_active_list(true);
    mark_accessed(f);
    EXPECT_TRUE(f.test(kFrameActive));
}

TEST(LruIsolation, TakesTheOldestFirst) {
    CoreBench bench;
    std::vector<Frame*> added;
    for (uint32_t i = 0; i < 40; ++i) added.push_back(&lru_frame());
    lru_add_drain();
    FrameList taken;
    const Isolated result = isolate(bench.z, Lru::InactiveFile, 32, 0, taken);
    EXPECT_EQ(result.scanned_count, 32u);
    EXPECT_EQ(result.taken_count, 32u);
    EXPECT_EQ(drain_to_vector(taken), std::vector<Frame*>(added.begin(), added.begin() + 32));
    EXPECT_EQ(lru_size(bench.z, Lru::InactiveFile), 8u);
}

TEST(LruIsolation, CountersRiseAndFallByType) {
    CoreBench bench;
    Zone& z = bench.z;
    for (uint32_t i = 0; i < 5; ++i) lru_frame();
    for (uint32_t i = 0; i < 3; ++i) lru_frame(kFrameSwapBacked);
    lru_add_drain();
    FrameList files;
    FrameList anons;
    isolate(z, Lru::InactiveFile, 32, 0, files);
    isolate(z, Lru::InactiveAnon, 32, 0, anons);
    EXPECT_EQ(z.isolated[1], 5u);
    EXPECT_EQ(z.isolated[0], 3u);
    EXPECT_EQ(counter(VmCounter::NrIsolatedFile), 5u);
    EXPECT_EQ(bench.machine.gauge_value(hal::Gauge::IsolatedAnon), 3u);
    EXPECT_EQ(z.pages_scanned, 8u);

    // Two of the files are freed by the reclaimer; all five leave the account.
    for (uint32_t i = 0; i < 2; ++i) {
        Frame* f = files.pop_front();
        put_frame(*f);  // the cache's use, as remove_mapping drops it
        put_frame(*f);
    }
    putback(z, files, Lru::InactiveFile, 5);
    EXPECT_EQ(z.isolated[1], 0u);
    EXPECT_EQ(z.isolated[0], 3u);
    EXPECT_EQ(lru_size(z, Lru::InactiveFile), 3u);
    EXPECT_EQ(counter(VmCounter::NrIsolatedFile), 0u);
    putback(z, anons, Lru::InactiveAnon, 3);
    EXPECT_EQ(z.isolated[0], 0u);
}

TEST(LruIsolation, TakesAUseThatPutbackDrops) {
    CoreBench bench;
    Frame& f = lru_frame();
    lru_add_drain();
    FrameList taken;
    isolate(bench.z, Lru::InactiveFile, 1, 0, taken);
    EXPECT_EQ(f.use_count, 2);
    EXPECT_TRUE(f.test(kFrameIsolated));
    EXPECT_FALSE(f.test(kFrameLru));
    putback(bench.z, taken, Lru::InactiveFile, 1);
    EXPECT_EQ(f.use_count, 1);
    EXPECT_FALSE(f.test(kFrameIsolated));
    EXPECT_TRUE(f.test(kFrameLru));
}

TEST(LruIsolation, PutbackFreesAFrameThatNobodyElseUsesAnyMore) {
    CoreBench bench;
    Frame& f = lru_frame();
    lru_add_drain();
    FrameList taken;
    isolate(bench.z, Lru::InactiveFile, 1, 0, taken);
    put_frame(f);
    putback(bench.z, taken, Lru::InactiveFile, 1);
    EXPECT_TRUE(f.test(kFramePcp));
    EXPECT_EQ(lru_size(bench.z, Lru::InactiveFile), 0u);
}

TEST(LruIsolation, SkipsAFrameThatIsBeingFreed) {
    CoreBench bench;
    Frame& dying = lru_frame();
    Frame& live = lru_frame();
    lru_add_drain();
    dying.use_count = 0;
    FrameList taken;
    const Isolated result = isolate(bench.z, Lru::InactiveFile, 2, 0, taken);
    EXPECT_EQ(result.scanned_count, 2u);
    EXPECT_EQ(result.taken_count, 1u);
    EXPECT_EQ(taken.front(), &live);
}

TEST(LruIsolation, AnIsolatedFrameIsNotActivated) {
    CoreBench bench;
    Frame& f = lru_frame(kFrameReferenced);
    lru_add_drain();
    FrameList taken;
    isolate(bench.z, Lru::InactiveFile, 1, 0, taken);
    mark_accessed(f);
    EXPECT_FALSE(f.test(kFrameActive));
    activate(f);
    EXPECT_FALSE(f.test(kFrameActive));
    putback(bench.z, taken, Lru::InactiveFile, 1);
}

TEST(LruIsolation, RecentCountersFollowScansAndActivePutbacks) {
    CoreBench bench;
    Zone& z = bench.z;
    for (uint32_t i = 0; i < 4; ++i) lru_frame();
    lru_add_drain();
    z.reclaim_stat = ReclaimStat{};
    FrameList taken;
    isolate(z, Lru::InactiveFile, 4, 0, taken);
    EXPECT_EQ(z.reclaim_stat.scanned[1], 4u);
    taken.front()->set(kFrameActive);
    putback(z, taken, Lru::InactiveFile, 4);
    EXPECT_EQ(z.reclaim_stat.rotated[1], 1u);
    EXPECT_EQ(lru_size(z, Lru::ActiveFile), 1u);
    EXPECT_EQ(lru_size(z, Lru::InactiveFile), 3u);
}

TEST(LruIsolation, PuttingBackMoreThanWasTakenPanics) {
    CoreBench bench;
    FrameList none;
    EXPECT_THROW(putback(bench.z, none, Lru::InactiveFile, 1), fake_hal::Panic);
}

TEST(LruIsolation, LumpyTakesTheNeighboursOfTheSameType) {
    CoreBench bench;
    Zone& z = bench.z;
    Frame* block = alloc_frame({2, kAllocUser});
    ASSERT_NE(block, nullptr);
    for (uint32_t i = 0; i < 4; ++i) block[i].use_count = 1, block[i].order = 0;
    lru_add(block[0]);
    block[1].set(kFrameActive);
    lru_add(block[1]);
    block[2].set(kFrameSwapBacked);
    lru_add(block[2]);  // anonymous: stays
    lru_add_drain();
    lru_add(block[3]);  // in a batch: stays
    FrameList taken;
    const Isolated result = isolate(z, Lru::InactiveFile, 1, 2, taken);
    EXPECT_EQ(result.taken_count, 2u);
    EXPECT_EQ(drain_to_vector(taken), (std::vector<Frame*>{&block[0], &block[1]}));
    EXPECT_FALSE(block[1].test(kFrameActive));
    EXPECT_EQ(z.isolated[1], 2u);
    EXPECT_EQ(z.isolated[0], 0u);
}

TEST(LruMove, SetsTheActiveFlagOfTheListAndLeavesIsolationAlone) {
    CoreBench bench;
    Zone& z = bench.z;
    Frame& f = lru_frame(kFrameActive);
    lru_add_drain();
    FrameList taken;
    isolate(z, Lru::ActiveFile, 1, 0, taken);
    move_to_list(z, taken, Lru::InactiveFile);
    EXPECT_FALSE(f.test(kFrameActive));
    EXPECT_EQ(lru_size(z, Lru::InactiveFile), 1u);
    EXPECT_EQ(z.isolated[1], 1u);
    putback(z, taken, Lru::ActiveFile, 1);
    EXPECT_EQ(z.isolated[1], 0u);
}

TEST(LruRotate, LeavesLockedDirtyAndActiveFramesWhereTheyAre) {
    CoreBench bench;
    lru_frame();
    Frame& f = lru_frame();
    lru_add_drain();
    for (uint32_t flag : {kFrameLocked, kFrameDirty, kFrameActive}) {
        f.set(flag);
        if (flag != kFrameActive) rotate_reclaimable(f);
        EXPECT_NE(bench.z.lru[2].front(), &f);
        f.clear(flag);
    }
    rotate_reclaimable(f);
    EXPECT_EQ(bench.z.lru[2].front(), &f);
}

}  // namespace
}  // namespace weir::mm
