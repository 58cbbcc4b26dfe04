// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: are the readahead windows those of 2.6.33, and does each become the right bios?
#include "firmware/hal/disk_image.h"
#include "firmware/mm/pressure.h"
#include "firmware/mm/readahead.h"
#include "firmware/mm/zone.h"
#include "testbenches/unit/mm/cache_bench.h"

#include <gtest/gtest.h>

namespace weir::mm {
namespace {

struct Window {
    uint64_t start;
    uint64_t size;
    uint64_t async_size;
    friend bool operator==(const Window&, const Window&) = default;
    friend void PrintTo(const Window& w, std::ostream* out) {
        *out << "{" << w.start << ", " << w.size << ", " << w.async_size << "}";
    }
};

std::vector<Window> windows(const CacheBench& bench) {
    std::vector<Window> found;
    for (const auto& record : bench.machine.events(hal::Event::Readahead)) {
        found.push_back({record.args[2], record.args[3], record.args[4]});
    }
    return found;
}

/// Reads a file from its start in records; drops what was recorded before.
void read_sequentially(CacheBench& bench, uint64_t record_bytes, uint64_t total_bytes) {
    bench.in_task([&] {
        bench.machine.clear_records();
        File& file = bench.open();
        const hal::VirtAddr buffer = user_buffer(record_bytes);
        for (uint64_t at = 0; at < total_bytes; at += record_bytes) {
            const auto got = file_read(file, at, buffer, record_bytes);
            ASSERT_TRUE(got.ok());
            ASSERT_EQ(got.value(), record_bytes);
        }
    });
}

TEST(ReadaheadWindow, FirstGrowsFourfoldUpToOne32ndTwofoldUpToOneQuarterElseIsTheMaximum) {
    EXPECT_EQ(initial_window_pages(1, 128), 4u);
    EXPECT_EQ(initial_window_pages(4, 128), 16u);   // t: 4 == 128 / 32
    EXPECT_EQ(initial_window_pages(5, 128), 16u);   // rounds to 8: twofold
    EXPECT_EQ(initial_window_pages(32, 128), 64u);  // t: 32 == 128 / 4
    EXPECT_EQ(initial_window_pages(33, 128), 128u);
    EXPECT_EQ(initial_window_pages(1, 32), 4u);
    EXPECT_EQ(initial_window_pages(16, 32), 32u);
}

TEST(ReadaheadWindow, NextGrowsFourfoldBelowOne16thElseTwofoldUpToTheMaximum) {
    EXPECT_EQ(next_window_pages(7, 128), 28u);  // t - 1
    EXPECT_EQ(next_window_pages(8, 128), 16u);  // t: 128 / 16
    EXPECT_EQ(next_window_pages(63, 128), 126u);
    EXPECT_EQ(next_window_pages(64, 128), 128u);
    EXPECT_EQ(next_window_pages(128, 128), 128u);
}

TEST(ReadaheadPlan, SequentialReaderOf64KibGetsFullWindowsAtOnce) {
    CacheBench bench;
    read_sequentially(bench, 64 << 10, 512 << 10);
    const std::vector<Window> expected{
        {0, 32, 16}, {32, 32, 32}, {64, 32, 32}, {96, 32, 32}, {128, 32, 32}};
    EXPECT_EQ(windows(bench), expected);
}

TEST(ReadaheadPlan, SequentialReaderOf4KibRampsUp) {
    CacheBench bench;
    read_sequentially(bench, 4 << 10, 64 * 4096);
    const std::vector<Window> expected{{0, 4, 3},    {4, 8, 8},    {12, 16, 16},
                                       {28, 32, 32}, {60, 32, 32}, {92, 32, 32}};
    EXPECT_EQ(windows(bench), expected);
}

TEST(ReadaheadPlan, LoneRandomReadTakesWhatWasAskedAndKeepsTheState) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        ReadaheadState state;
        state.start_page = 64;
        state.size_pages = 32;
        state.async_size_pages = 32;
        state.prev_page = 70;
        const auto w = plan_readahead(file.mapping, state, {1000, 16, ReadaheadCause::Miss}, 32);
        EXPECT_EQ(w.start_page, 1000u);
        EXPECT_EQ(w.size_pages, 16u);
        EXPECT_EQ(w.async_size_pages, 0u);
        EXPECT_EQ(state.start_page, 64u);
        EXPECT_EQ(state.size_pages, 32u);
    });
}

TEST(ReadaheadPlan, MissRightBehindTheLastPageIsSequentialAndTwoBehindIsNot) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        ReadaheadState state;
        state.prev_page = 99;
        auto w = plan_readahead(file.mapping, state, {100, 1, ReadaheadCause::Miss}, 32);
        EXPECT_EQ(w.size_pages, 4u);
        EXPECT_EQ(w.async_size_pages, 3u);
        state = {};
        state.prev_page = 99;
        w = plan_readahead(file.mapping, state, {101, 1, ReadaheadCause::Miss}, 32);
        EXPECT_EQ(w.size_pages, 1u);
        EXPECT_EQ(w.async_size_pages, 0u);
    });
}

TEST(ReadaheadPlan, CachedHistoryBeforeAMissShowsAStream) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        read_pages(file, {990, 10, 0});
        ReadaheadState state;
        const auto w = plan_readahead(file.mapping, state, {1000, 2, ReadaheadCause::Miss}, 128);
        // 10 + 2 pages round up to 16: twofold. The reader is at its start, so the next comes too.
        EXPECT_EQ(w.start_page, 1000u);
        EXPECT_EQ(w.size_pages, 32u + 64u);
        EXPECT_EQ(w.async_size_pages, 64u);
    });
}

TEST(ReadaheadPlan, MarkerOfAnotherStreamContinuesBehindWhatIsCached) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        read_pages(file, {100, 8, 8});
        ReadaheadState state;  // of a reader that came from elsewhere
        state.start_page = 5000;
        state.size_pages = 32;
        state.async_size_pages = 32;
        const auto w = plan_readahead(file.mapping, state, {100, 1, ReadaheadCause::Marker}, 32);
        EXPECT_EQ(w.start_page, 108u);
        EXPECT_EQ(w.size_pages, 18u);  // twice (7 + 1 cached + 1 asked)
    });
}

TEST(ReadaheadPlan, MarkerWithAFullWindowCachedReadsNothing) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        read_pages(file, {100, 33, 0});
        ReadaheadState state;
        state.start_page = 5000;
        auto w = plan_readahead(file.mapping, state, {100, 1, ReadaheadCause::Marker}, 32);
        EXPECT_EQ(w.size_pages, 0u);
        w = plan_readahead(file.mapping, state, {101, 1, ReadaheadCause::Marker}, 32);
        EXPECT_EQ(w.start_page, 133u);
    });
}

TEST(ReadaheadPages, MarkerLiesWhereTheAsynchronousPartBegins) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        EXPECT_EQ(read_pages(file, {40, 32, 12}), 32u);
        for (uint64_t page = 40; page < 72; ++page) {
            Frame* f = file.mapping.pages.lookup(page);
            ASSERT_NE(f, nullptr);
            EXPECT_EQ(f->test(kFrameReadahead), page == 60) << page;
        }
    });
}

TEST(ReadaheadPages, WindowIsOneBioAndSkipsWhatIsCached) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        read_pages(file, {0, 32, 0});
        auto reads = bench.disk().data_transfers(block::Direction::Read);
        ASSERT_EQ(reads.size(), 1u);
        EXPECT_EQ(reads[0].page_count, 32u);
        EXPECT_EQ(reads[0].first_block, hal::data_block_of(bench.disk().first_block_of(0), 0));
        EXPECT_EQ(read_pages(file, {24, 16, 0}), 8u);
        reads = bench.disk().data_transfers(block::Direction::Read);
        ASSERT_EQ(reads.size(), 2u);
        EXPECT_EQ(reads[1].first_block, hal::data_block_of(bench.disk().first_block_of(0), 32));
        EXPECT_EQ(reads[1].page_count, 8u);
    });
}

TEST(ReadaheadPages, WindowEndsWithTheFile) {
    CacheBench bench({.disks = {{10 * 4096 + 1}}});
    bench.in_task([&] { EXPECT_EQ(read_pages(bench.open(), {8, 32, 0}), 3u); });
}

TEST(ReadaheadPages, WindowAcrossAGroupBoundaryIsTwoBiosAndOneIndirectBlockEach) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        const uint64_t first = bench.disk().first_block_of(0);
        read_pages(file, {1016, 16, 0});
        const auto reads = bench.disk().data_transfers(block::Direction::Read);
        ASSERT_EQ(reads.size(), 2u);
        EXPECT_EQ(reads[0].first_block, hal::data_block_of(first, 1016));
        EXPECT_EQ(reads[0].page_count, 8u);
        EXPECT_EQ(reads[1].first_block, hal::data_block_of(first, 1024));
        EXPECT_EQ(reads[1].page_count, 8u);
        EXPECT_EQ(bench.disk().transfers().size(), 4u);
    });
}

TEST(ReadaheadAsync, IsSkippedWhileTheDeviceIsReadCongested) {
    CacheBench bench;
    static bool may = false;
    pressure().may_read_ahead = [](Mapping&) { return may; };
    may = false;
    read_sequentially(bench, 64 << 10, 128 << 10);
    // The first window is synchronous; the marker on page 16 starts nothing and is gone.
    EXPECT_EQ(windows(bench), (std::vector<Window>{{0, 32, 16}}));
    EXPECT_FALSE(bench.open().mapping.pages.lookup(16)->test(kFrameReadahead));
}

TEST(ReadaheadSane, WindowIsAtMostHalfOfFreeAndInactiveFile) {
    // A window of 64 Mi pages asked for: far less is free.
    CacheBench bench({.ram_bytes = 32ull << 20, .readahead_pages = 1u << 26});
    uint64_t half = 0;
    bench.in_task([&] {
        const Zone& z = zone();
        half = (lru_size(z, Lru::InactiveFile) + free_frames(z)) / 2;
    });
    read_sequentially(bench, 4096, 4096);
    // A request of one page against so large a maximum: fourfold, not clipped.
    EXPECT_EQ(windows(bench), (std::vector<Window>{{0, 4, 3}}));
    bench.in_task([&] {
        bench.machine.clear_records();
        File& file = bench.open();
        file.readahead.prev_page = 999;
        sync_readahead(file, 1000, 1u << 20);
        const auto found = windows(bench);
        ASSERT_EQ(found.size(), 1u);
        EXPECT_LE(found[0].size, 2 * half);
        EXPECT_GE(found[0].size, half / 2);
    });
}

TEST(BlockMap, RunEndsAtTheGroupAndAtTheFile) {
    CacheBench bench({.disks = {{2000 * 4096ull}}});
    bench.in_task([&] {
        File& file = bench.open();
        const uint64_t first = bench.disk().first_block_of(0);
        uint32_t run = 0;
        auto at = map_blocks(file, 1000, 100, &run);
        ASSERT_TRUE(at.ok());
        EXPECT_EQ(at.value(), hal::data_block_of(first, 1000));
        EXPECT_EQ(run, 24u);
        at = map_blocks(file, 1990, 100, &run);
        ASSERT_TRUE(at.ok());
        EXPECT_EQ(run, 10u);
        EXPECT_EQ(map_block(file, 1023).value() + 2, map_block(file, 1024).value());
        EXPECT_EQ(map_block(file, 2000).error(), hal::Error::OutOfRange);
    });
}

TEST(BlockMap, IndirectBlockIsReadOnceAndBecomesActive) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        for (uint64_t page = 0; page < 4; ++page) ASSERT_TRUE(map_block(file, page).ok());
        EXPECT_EQ(bench.disk().transfers().size(), 1u);
        EXPECT_EQ(bench.disk().transfers()[0].flags & block::kBioMeta, block::kBioMeta);
        Frame* f = bench.state().metadata.pages.lookup(bench.disk().first_block_of(0));
        ASSERT_NE(f, nullptr);
        EXPECT_TRUE(f->test(kFrameMeta));
        EXPECT_TRUE(f->test(kFrameReferenced | kFrameActive));
    });
}

TEST(BlockMap, UnreadableIndirectBlockIsAnIoErrorAndIsTriedAgain) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        bench.disk().fail_block(bench.disk().first_block_of(0));
        EXPECT_EQ(map_block(file, 0).error(), hal::Error::IoError);
        bench.disk().heal_block(bench.disk().first_block_of(0));
        EXPECT_TRUE(map_block(file, 0).ok());
    });
}

}  // namespace
}  // namespace weir::mm
