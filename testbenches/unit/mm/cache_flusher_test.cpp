// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: what do the flushers write, and when; what are the limits?
#include "firmware/hal/page_content.h"
#include "firmware/kernel/timer.h"
#include "firmware/mm/swap.h"
#include "firmware/mm/writeback.h"
#include "firmware/mm/zone.h"
#include "testbenches/unit/mm/cache_bench.h"

#include <gtest/gtest.h>

namespace weir::mm {
namespace {

using kernel::VmCounter;

constexpr uint64_t kHz = 100;

void dirty_page(File& file, hal::VirtAddr buffer, uint64_t page) {
    ASSERT_TRUE(file_write(file, page * hal::kPageBytes, buffer, hal::kPageBytes).ok());
}

TEST(FlusherPeriodic, WritesDataThatIs30SecondsOldAndNotOneJiffyEarlier) {
    CacheBench bench;
    bench.pass_ms(32'000);
    bench.in_task([&] {
        File& file = bench.open();
        dirty_page(file, user_buffer(4096), 0);
        DeviceState& state = bench.state();
        state.last_periodic_jiffy = 0;
        file.mapping.dirty_since_jiffy = kernel::jiffies() - 30 * kHz + 1;
        EXPECT_EQ(flusher_round(state), 0u);
        state.last_periodic_jiffy = 0;
        file.mapping.dirty_since_jiffy = kernel::jiffies() - 30 * kHz;
        EXPECT_EQ(flusher_round(state), 1u);
    });
}

TEST(FlusherPeriodic, LooksEvery5SecondsAndNotOneJiffyEarlier) {
    CacheBench bench;
    bench.pass_ms(41'000);
    bench.in_task([&] {
        File& file = bench.open();
        dirty_page(file, user_buffer(4096), 0);
        DeviceState& state = bench.state();
        file.mapping.dirty_since_jiffy = 1;
        state.last_periodic_jiffy = kernel::jiffies() - 5 * kHz + 1;
        EXPECT_EQ(flusher_round(state), 0u);
        state.last_periodic_jiffy = kernel::jiffies() - 5 * kHz;
        EXPECT_EQ(flusher_round(state), 1u);
    });
}

TEST(FlusherPeriodic, ThreadWritesByItself) {
    CacheBench bench;
    bench.in_task([&] { dirty_page(bench.open(), user_buffer(4096), 0); });
    bench.pass_ms(29'000);
    EXPECT_EQ(bench.disk().data_transfers(block::Direction::Write).size(), 0u);
    bench.pass_ms(7'000);  // its first look after the 30 s is at most 5 s later
    EXPECT_EQ(bench.disk().data_transfers(block::Direction::Write).size(), 1u);
    EXPECT_EQ(counter(VmCounter::NrDirty), 0u);
}

TEST(FlusherOrders, BackgroundWritesFromTheLimitOnAndNotOnePageBelow) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        const hal::VirtAddr buffer = user_buffer(4096);
        DeviceState& state = bench.state();
        uint64_t page = 0;
        while (counter(VmCounter::NrDirty) + 1 < dirty_limits().background_pages) {
            dirty_page(file, buffer, page++);
        }
        ASSERT_EQ(counter(VmCounter::NrDirty) + 1, dirty_limits().background_pages);
        state.background_ordered = true;
        EXPECT_EQ(flusher_round(state), 0u);
        EXPECT_FALSE(state.background_ordered);
        while (counter(VmCounter::NrDirty) < dirty_limits().background_pages) {
            dirty_page(file, buffer, page++);
        }
        state.background_ordered = true;
        EXPECT_EQ(flusher_round(state), 1024u);  // one chunk is enough
        EXPECT_LT(counter(VmCounter::NrDirty), dirty_limits().background_pages);
    });
}

TEST(FlusherOrders, WritesAtLeastWhatWasOrderedInChunks) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        const hal::VirtAddr buffer = user_buffer(4096);
        for (uint64_t page = 0; page < 1500; ++page) dirty_page(file, buffer, page);
        wake_flusher(block::device(0), 5);
    });
    bench.pass_ms(1'000);
    EXPECT_EQ(counter(VmCounter::NrDirty), 1500u - 1024u);
    bench.in_task([&] { wake_all_flushers(0); });
    bench.pass_ms(1'000);
    EXPECT_EQ(counter(VmCounter::NrDirty), 0u);
}

TEST(FlusherOrders, EachDiskHasItsOwnThread) {
    CacheBench bench({.disks = {{1 << 20}, {1 << 20}}});
    bench.in_task([&] {
        const hal::VirtAddr buffer = user_buffer(4096);
        dirty_page(bench.open(0, 0), buffer, 0);
        dirty_page(bench.open(0, 1), buffer, 0);
        wake_flusher(block::device(1), 1);
    });
    bench.pass_ms(100);
    EXPECT_EQ(bench.disk(0).data_transfers(block::Direction::Write).size(), 0u);
    EXPECT_EQ(bench.disk(1).data_transfers(block::Direction::Write).size(), 1u);
    EXPECT_STREQ(bench.state(0).flusher->name, "flush-0");
    EXPECT_STREQ(bench.state(1).flusher->name, "flush-1");
    EXPECT_EQ(bench.state(1).flusher->kind, kernel::TaskKind::Flusher);
}

TEST(DirtyLimits, FollowTheRatiosWithAFloorOf5Percent) {
    CacheBench bench({.dirty_ratio_pct = 20, .dirty_background_pct = 10});
    const uint64_t dirtyable = dirtyable_pages() + 1;
    EXPECT_EQ(dirty_limits().limit_pages, dirtyable * 20 / 100);
    EXPECT_EQ(dirty_limits().background_pages, dirtyable * 10 / 100);
    const uint64_t free_and_file = free_frames(zone()) + lru_size(zone(), Lru::InactiveFile) +
                                   lru_size(zone(), Lru::ActiveFile);
    EXPECT_EQ(dirtyable_pages(), free_and_file);
}

TEST(DirtyLimits, RatioBelowTheFloorAndBackgroundAboveTheLimitAreCorrected) {
    CacheBench bench({.dirty_ratio_pct = 4, .dirty_background_pct = 10});
    const uint64_t dirtyable = dirtyable_pages() + 1;
    EXPECT_EQ(dirty_limits().limit_pages, dirtyable * 5 / 100);
    EXPECT_EQ(dirty_limits().background_pages, dirty_limits().limit_pages / 2);
}

TEST(DeviceShare, FollowsRecentWriteout) {
    CacheBench bench({.disks = {{1 << 20}, {1 << 20}}});
    const uint64_t limit = dirty_limits().limit_pages;
    EXPECT_EQ(device_dirty_limit(block::device(0), limit), 0u);  // nothing written yet
    const auto write = [&](uint32_t device, uint64_t pages) {
        for (uint64_t i = 0; i < pages; i += 32) note_writeout(bench.state(device), 32);
    };
    write(0, 40 * limit);
    EXPECT_GE(device_dirty_limit(block::device(0), limit), limit * 95 / 100);
    EXPECT_EQ(device_dirty_limit(block::device(1), limit), 0u);
    for (int i = 0; i < 2000; ++i) {
        write(0, limit / 50);
        write(1, limit / 50);
    }
    EXPECT_NEAR(static_cast<double>(device_dirty_limit(block::device(0), limit)),
                static_cast<double>(limit) / 2, static_cast<double>(limit) / 10);
    EXPECT_NEAR(static_cast<double>(device_dirty_limit(block::device(1), limit)),
                static_cast<double>(limit) / 2, static_cast<double>(limit) / 10);
}

TEST(DeviceShare, LeavesNoRoomThatOthersHaveFilled) {
    CacheBench bench({.disks = {{4 << 20}, {4 << 20}}});
    bench.in_task([&] {
        const hal::VirtAddr buffer = user_buffer(4096);
        for (uint64_t page = 0; page < 100; ++page) dirty_page(bench.open(0, 1), buffer, page);
        // Only disk 0 has written lately: all of the limit is its share.
        for (uint32_t i = 0; i < 10'000; ++i) note_writeout(bench.state(0), 32);
        EXPECT_EQ(device_dirty_limit(block::device(0), 110), 10u);
        EXPECT_EQ(device_dirty_limit(block::device(0), 100), 0u);
    });
}

}  // namespace
}  // namespace weir::mm
