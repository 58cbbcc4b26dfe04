// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: does a reader get the right bytes, with the right marks, whatever fails underneath?
#include "firmware/hal/disk_image.h"
#include "firmware/hal/page_content.h"
#include "firmware/mm/allocator.h"
#include "firmware/mm/lru.h"
#include "firmware/mm/page_io.h"
#include "firmware/mm/readahead.h"
#include "testbenches/unit/mm/cache_bench.h"

#include <gtest/gtest.h>

namespace weir::mm {
namespace {

using kernel::VmCounter;

uint64_t base_of_page(CacheBench& bench, uint64_t page, uint32_t file = 0) {
    return hal::pristine_base(0, hal::data_block_of(bench.disk().first_block_of(file), page));
}

TEST(FileRead, ReturnsTheBytesOfTheFile) {
    CacheBench bench({.disks = {{64 << 10, 8ull << 20}}});
    bench.in_task([&] {
        File& file = bench.open(1);
        const hal::VirtAddr buffer = user_buffer(64 << 10);
        for (uint64_t record = 0; record < 128; ++record) {
            ASSERT_EQ(file_read(file, record << 16, buffer, 64 << 10).value(), 64u << 10);
            for (uint64_t i = 0; i < 16; ++i) {
                ASSERT_TRUE(user_page_is(buffer + i * hal::kPageBytes,
                                         base_of_page(bench, record * 16 + i, 1)))
                    << record << " " << i;
            }
        }
    });
    EXPECT_EQ(fake_block::live_bio_count(), 0);
}

TEST(FileRead, CrossesPagesAtAnyOffsetAndAnyBufferAddress) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        const hal::VirtAddr buffer = user_buffer(16 << 10);
        // 8000 bytes from byte 4088 of the file to byte 104 of the buffer.
        ASSERT_EQ(file_read(file, 4088, buffer + 104, 8000).value(), 8000u);
        EXPECT_EQ(user_word(buffer + 104), base_of_page(bench, 0) + 511 * hal::kPatternStep);
        for (uint64_t word = 0; word < 512; ++word) {
            ASSERT_EQ(user_word(buffer + 112 + word * 8),
                      base_of_page(bench, 1) + word * hal::kPatternStep);
        }
        EXPECT_EQ(user_word(buffer + 96), 0u);
        EXPECT_EQ(user_word(buffer + 104 + 8000), 0u);
    });
}

TEST(FileRead, StopsAtTheEndOfTheFile) {
    CacheBench bench({.disks = {{10'000}}});
    bench.in_task([&] {
        File& file = bench.open();
        const hal::VirtAddr buffer = user_buffer(64 << 10);
        EXPECT_EQ(file_read(file, 0, buffer, 64 << 10).value(), 10'000u);
        EXPECT_EQ(file_read(file, 9'999, buffer, 100).value(), 1u);
        EXPECT_EQ(file_read(file, 10'000, buffer, 100).value(), 0u);
    });
}

TEST(FileRead, BadBufferIsABadAddress) {
    CacheBench bench;
    bench.in_task([&] {
        EXPECT_EQ(file_read(bench.open(), 0, hal::VirtAddr{0x10}, 100).error(),
                  hal::Error::BadAddress);
    });
}

TEST(FileRead, SecondReadNeedsNoDisk) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        const hal::VirtAddr buffer = user_buffer(64 << 10);
        ASSERT_TRUE(file_read(file, 0, buffer, 64 << 10).ok());
        bench.disk().clear_transfers();
        file.readahead = ReadaheadState{};  // no marker work: pages 0..15 have none
        ASSERT_TRUE(file_read(file, 0, buffer, 64 << 10).ok());
        EXPECT_TRUE(bench.disk().transfers().empty());
    });
}

TEST(FileRead, PageReadInPiecesIsUsedOnceButReadTwiceIsUsedTwice) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        const hal::VirtAddr buffer = user_buffer(4096);
        for (uint32_t at = 0; at < 4096; at += 1024) {
            ASSERT_TRUE(file_read(file, at, buffer, 1024).ok());
        }
        lru_add_drain_all();
        Frame* f = file.mapping.pages.lookup(0);
        EXPECT_TRUE(f->test(kFrameReferenced));
        EXPECT_FALSE(f->test(kFrameActive));
        ASSERT_TRUE(file_read(file, 4096, buffer, 4096).ok());
        EXPECT_FALSE(f->test(kFrameActive));
        ASSERT_TRUE(file_read(file, 0, buffer, 4096).ok());
        EXPECT_TRUE(f->test(kFrameActive));
    });
}

TEST(FileRead, BadSectorFailsItsPageAndNoNeighbour) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        const hal::VirtAddr buffer = user_buffer(64 << 10);
        const uint64_t bad = hal::data_block_of(bench.disk().first_block_of(0), 5);
        bench.disk().fail_block(bad);
        EXPECT_EQ(file_read(file, 0, buffer, 64 << 10).value(), 5u * 4096);
        EXPECT_EQ(file_read(file, 5 * 4096, buffer, 4096).error(), hal::Error::IoError);
        EXPECT_TRUE(file.mapping.pages.lookup(5)->test(kFrameError));
        EXPECT_EQ(file_read(file, 6 * 4096, buffer, 10 * 4096).value(), 10u * 4096);
        EXPECT_TRUE(user_page_is(buffer, base_of_page(bench, 6)));
        EXPECT_FALSE(file.mapping.pages.lookup(6)->test(kFrameError));
        EXPECT_FALSE(bench.machine.events(hal::Event::BufferIoError).empty());
        bench.disk().heal_block(bad);
        EXPECT_EQ(file_read(file, 5 * 4096, buffer, 4096).value(), 4096u);
        EXPECT_FALSE(file.mapping.pages.lookup(5)->test(kFrameError));
    });
    EXPECT_EQ(fake_block::live_bio_count(), 0);
}

TEST(FileRead, SurvivesAShortageOfBios) {
    CacheBench bench;
    bench.in_task([&] {
        fake_block::fail_bio_allocations(3);
        const hal::VirtAddr buffer = user_buffer(4096);
        EXPECT_EQ(file_read(bench.open(), 0, buffer, 4096).value(), 4096u);
        EXPECT_TRUE(user_page_is(buffer, base_of_page(bench, 0)));
    });
}

TEST(FileRead, WaitsForAPageThatSomeoneElseReads) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        const hal::VirtAddr buffer = user_buffer(4096);
        user_store(buffer, 1);
        bench.disk().latency_ns = 20'000'000;
        ASSERT_TRUE(map_block(file, 0).ok());
        read_pages(file, {0, 4, 0});
        const uint64_t begin = bench.machine.now_ns();
        bench.disk().clear_transfers();
        ASSERT_EQ(file_read(file, 0, buffer, 4096).value(), 4096u);
        EXPECT_GE(bench.machine.now_ns() - begin, 19'000'000u);
        EXPECT_TRUE(bench.disk().transfers().empty());
        EXPECT_TRUE(user_page_is(buffer, base_of_page(bench, 0)));
    });
}

TEST(FaultRead, ReadsThe16AlignedPagesAround) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        const auto found = file_page_for_fault(file, 37);
        ASSERT_TRUE(found.ok());
        EXPECT_TRUE(found.value()->test(kFrameUptodate));
        EXPECT_EQ(found.value()->use_count, 2);
        put_frame(*found.value());
        EXPECT_EQ(file.mapping.pages.lookup(31), nullptr);
        EXPECT_NE(file.mapping.pages.lookup(32), nullptr);
        EXPECT_NE(file.mapping.pages.lookup(47), nullptr);
        EXPECT_EQ(file.mapping.pages.lookup(48), nullptr);
        EXPECT_EQ(file_page_for_fault(file, 4096).error(), hal::Error::OutOfRange);
    });
}

// ---- the cache itself -------------------------------------------------------------------------

TEST(PageCache, RemoveMappingNeedsTheCacheAndTheCallerAsOnlyUsers) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        const auto found = file_page_for_fault(file, 0);
        ASSERT_TRUE(found.ok());
        Frame& f = *found.value();
        lock_frame(f);
        get_frame(f);  // 3 users
        EXPECT_FALSE(remove_mapping(f));
        put_frame(f);
        f.set(kFrameDirty);
        EXPECT_FALSE(remove_mapping(f));
        f.clear(kFrameDirty);
        const uint64_t cached = counter(VmCounter::NrFilePages);
        EXPECT_TRUE(remove_mapping(f));
        EXPECT_EQ(counter(VmCounter::NrFilePages), cached - 1);
        EXPECT_EQ(f.mapping, nullptr);
        EXPECT_EQ(f.use_count, 1);
        unlock_frame(f);
        put_frame(f);
        EXPECT_EQ(file.mapping.pages.lookup(0), nullptr);
    });
}

TEST(PageCache, IndexIsTakenOnce) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        Frame* f = alloc_frame({});
        Frame* g = alloc_frame({});
        f->set(kFrameLocked);
        g->set(kFrameLocked);
        EXPECT_TRUE(add_to_page_cache(file.mapping, 9, *f));
        EXPECT_FALSE(add_to_page_cache(file.mapping, 9, *g));
        EXPECT_EQ(f->use_count, 2);
        EXPECT_EQ(g->use_count, 1);
        EXPECT_EQ(g->mapping, nullptr);
        EXPECT_EQ(find_frame(file.mapping, 9), f);
        put_frame(*f);
        EXPECT_EQ(find_frame(file.mapping, 10), nullptr);
        unlock_frame(*g);
        put_frame(*g);
        EXPECT_TRUE(remove_mapping(*f));
        unlock_frame(*f);
        put_frame(*f);
    });
}

TEST(DropCaches, ForgetsCleanPagesAndKeepsDirtyAndUsedOnes) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        const hal::VirtAddr buffer = user_buffer(64 << 10);
        ASSERT_TRUE(file_read(file, 0, buffer, 64 << 10).ok());
        for (uint64_t page = 0; page < 32; ++page) {  // the window comes in
            wait_frame_unlocked(*file.mapping.pages.lookup(page));
        }
        ASSERT_TRUE(file_write(file, 0, buffer, 4096).ok());
        Frame* used = find_frame(file.mapping, 1);
        const uint64_t cached = counter(VmCounter::NrFilePages);
        const uint64_t dropped = drop_caches();
        EXPECT_EQ(dropped, cached - 2);
        EXPECT_EQ(counter(VmCounter::NrFilePages), 2u);
        EXPECT_EQ(counter(VmCounter::NrBufferPages), 0u);
        EXPECT_NE(file.mapping.pages.lookup(0), nullptr);
        EXPECT_EQ(file.mapping.pages.lookup(1), used);
        EXPECT_EQ(file.mapping.page_count, 2u);
        put_frame(*used);
        EXPECT_EQ(drop_caches(), 1u);
    });
}

TEST(Mount, RefusesADiskWithoutAnImage) {
    CacheBench bench;
    bench.in_task([&] {
        uint8_t zeros[hal::kPageBytes] = {};
        bench.disk().write_block(0, zeros);
        drop_caches();
        EXPECT_EQ(mount(block::device(0)).error(), hal::Error::Invalid);
    });
}

TEST(Mount, RefusesAFileThatLeavesTheDisk) {
    CacheBench bench;
    bench.in_task([&] {
        hal::Inode inodes[hal::kMaxFiles] = {};
        inodes[0] = {1ull << 50, hal::kFirstDataBlock, 1ull << 38, {}};
        bench.disk().write_block(hal::kInodeTableBlock, inodes);
        EXPECT_EQ(mount(block::device(0)).error(), hal::Error::Invalid);
    });
}

}  // namespace
}  // namespace weir::mm
