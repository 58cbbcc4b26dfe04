// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: does what is written reach the cache and the disk, counted, exactly once?
#include "firmware/hal/disk_image.h"
#include "firmware/hal/page_content.h"
#include "firmware/mm/pressure.h"
#include "firmware/mm/writeback.h"
#include "testbenches/unit/mm/cache_bench.h"

#include <gtest/gtest.h>

namespace weir::mm {
namespace {

using kernel::VmCounter;

uint64_t block_of_page(CacheBench& bench, uint64_t page) {
    return hal::data_block_of(bench.disk().first_block_of(0), page);
}

/// Writes whole pages with patterns base + page.
void write_pages(File& file, hal::VirtAddr buffer, uint64_t first, uint64_t count, uint64_t base) {
    for (uint64_t page = first; page < first + count; ++page) {
        user_store(buffer, base + page);
        ASSERT_EQ(file_write(file, page * hal::kPageBytes, buffer, hal::kPageBytes).value(),
                  hal::kPageBytes);
    }
}

TEST(FileWrite, WholePageNeedsNoReadAndReachesTheDiskBySync) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        write_pages(file, user_buffer(4096), 3, 10, 0x1000);
        EXPECT_TRUE(bench.disk().transfers().empty());
        ASSERT_TRUE(file_sync(file, 0, ~0ull).ok());
        const auto writes = bench.disk().data_transfers(block::Direction::Write);
        ASSERT_EQ(writes.size(), 1u);
        EXPECT_EQ(writes[0].first_block, block_of_page(bench, 3));
        EXPECT_EQ(writes[0].page_count, 10u);
        EXPECT_EQ(writes[0].flags, block::kBioSync);
        for (uint64_t page = 3; page < 13; ++page) {
            EXPECT_EQ(bench.disk().base_of(block_of_page(bench, page)), 0x1000 + page);
        }
    });
    EXPECT_EQ(fake_block::live_bio_count(), 0);
}

TEST(FileWrite, PartialPageKeepsTheOtherBytes) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        const hal::VirtAddr buffer = user_buffer(8192);
        user_store(buffer, 0x77);
        // 16 bytes over the boundary of pages 0 and 1.
        ASSERT_EQ(file_write(file, 4088, buffer + 8, 16).value(), 16u);
        ASSERT_EQ(file_read(file, 0, buffer, 8192).value(), 8192u);
        const uint64_t base0 = hal::pristine_base(0, block_of_page(bench, 0));
        const uint64_t base1 = hal::pristine_base(0, block_of_page(bench, 1));
        EXPECT_EQ(user_word(buffer + 4080), base0 + 510 * hal::kPatternStep);
        EXPECT_EQ(user_word(buffer + 4088), 0x77 + hal::kPatternStep);
        EXPECT_EQ(user_word(buffer + 4096), 0x77 + 2 * hal::kPatternStep);
        EXPECT_EQ(user_word(buffer + 4104), base1 + hal::kPatternStep);
    });
}

TEST(FileWrite, SourceMayCrossAPage) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        const hal::VirtAddr buffer = user_buffer(8192);
        user_store(buffer, 0x10);
        user_store(buffer + 4096, 0x20);
        ASSERT_EQ(file_write(file, 0, buffer + 2048, 4096).value(), 4096u);
        EXPECT_TRUE(bench.disk().transfers().empty());  // a whole page of the file
        ASSERT_EQ(file_read(file, 0, buffer, 4096).value(), 4096u);
        EXPECT_EQ(user_word(buffer), 0x10 + 256 * hal::kPatternStep);
        EXPECT_EQ(user_word(buffer + 2048), 0x20u);
    });
}

TEST(FileWrite, EndsAtThePreallocatedSize) {
    CacheBench bench({.disks = {{8192}}});
    bench.in_task([&] {
        File& file = bench.open();
        const hal::VirtAddr buffer = user_buffer(8192);
        EXPECT_EQ(file_write(file, 4096, buffer, 4096).value(), 4096u);
        EXPECT_EQ(file_write(file, 4097, buffer, 4096).error(), hal::Error::OutOfRange);
        EXPECT_EQ(file_write(file, 8193, buffer, 0).error(), hal::Error::OutOfRange);
        EXPECT_EQ(file_write(file, 0, hal::VirtAddr{0x10}, 10).error(), hal::Error::BadAddress);
    });
}

TEST(FileWrite, PartialWriteToAnUnreadablePageIsAnIoError) {
    CacheBench bench;
    bench.in_task([&] {
        bench.disk().fail_block(block_of_page(bench, 2));
        EXPECT_EQ(file_write(bench.open(), 2 * 4096 + 8, user_buffer(4096), 8).error(),
                  hal::Error::IoError);
        EXPECT_EQ(counter(VmCounter::NrDirty), 0u);
    });
}

// ---- dirty accounting -------------------------------------------------------------------------

TEST(DirtyAccounting, PageCountsOnceHoweverOftenWritten) {
    CacheBench bench;
    static uint32_t reported;
    reported = 0;
    pressure().page_dirtied = [](Mapping&, uint32_t pages) { reported += pages; };
    bench.in_task([&] {
        File& file = bench.open();
        const hal::VirtAddr buffer = user_buffer(4096);
        write_pages(file, buffer, 0, 5, 1);
        write_pages(file, buffer, 0, 5, 2);
        EXPECT_EQ(counter(VmCounter::NrDirty), 5u);
        EXPECT_EQ(device_dirty(block::device(0)).reclaimable_pages, 5u);
        EXPECT_EQ(bench.state().dirty_mappings.size(), 1u);
        EXPECT_NE(file.mapping.dirty_since_jiffy, 0u);
        EXPECT_EQ(reported, 10u);
        ASSERT_TRUE(map_block(file, 0).ok());
        bench.disk().hold();
        const WriteTarget all{.max_pages = 100, .older_than_jiffy = 0, .sync = false};
        EXPECT_EQ(write_dirty_pages(block::device(0), all), 5u);
        EXPECT_EQ(counter(VmCounter::NrDirty), 0u);
        EXPECT_EQ(counter(VmCounter::NrWriteback), 5u);
        EXPECT_EQ(device_dirty(block::device(0)).reclaimable_pages, 0u);
        EXPECT_EQ(device_dirty(block::device(0)).writeback_pages, 5u);
        EXPECT_EQ(bench.state().dirty_mappings.size(), 0u);
        EXPECT_EQ(file.mapping.dirty_since_jiffy, 0u);
        EXPECT_TRUE(file.mapping.pages.any_tagged(Tag::Writeback));
        bench.disk().release();
        ASSERT_TRUE(file_sync(file, 0, ~0ull).ok());
        EXPECT_EQ(counter(VmCounter::NrWriteback), 0u);
        EXPECT_EQ(device_dirty(block::device(0)).writeback_pages, 0u);
        EXPECT_FALSE(file.mapping.pages.any_tagged(Tag::Writeback));
        EXPECT_FALSE(file.mapping.pages.any_tagged(Tag::Dirty));
    });
}

TEST(DirtyAccounting, PageDirtiedUnderWritebackIsWrittenAgain) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        const hal::VirtAddr buffer = user_buffer(4096);
        write_pages(file, buffer, 0, 1, 0x100);
        ASSERT_TRUE(map_block(file, 0).ok());
        bench.disk().hold();
        const WriteTarget all{.max_pages = 100, .older_than_jiffy = 0, .sync = false};
        EXPECT_EQ(write_dirty_pages(block::device(0), all), 1u);
        write_pages(file, buffer, 0, 1, 0x200);
        EXPECT_EQ(counter(VmCounter::NrDirty), 1u);
        EXPECT_EQ(write_dirty_pages(block::device(0), all), 0u);  // not twice at once
        bench.disk().release();
        ASSERT_TRUE(file_sync(file, 0, ~0ull).ok());
        EXPECT_EQ(bench.disk().base_of(block_of_page(bench, 0)), 0x200u);
        EXPECT_EQ(bench.disk().data_transfers(block::Direction::Write).size(), 2u);
    });
}

TEST(Writeback, BiosAreContiguousAndSplitAtGaps) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        const hal::VirtAddr buffer = user_buffer(4096);
        write_pages(file, buffer, 0, 200, 1);
        write_pages(file, buffer, 300, 2, 1);
        write_pages(file, buffer, 1023, 2, 1);  // over the group boundary
        const WriteTarget all{.max_pages = 10'000, .older_than_jiffy = 0, .sync = false};
        EXPECT_EQ(write_mapping(file.mapping, 0, ~0ull, all), 204u);
        const auto writes = bench.disk().data_transfers(block::Direction::Write);
        ASSERT_EQ(writes.size(), 5u);
        EXPECT_EQ(writes[0].page_count, 128u);
        EXPECT_EQ(writes[1].page_count, 72u);
        EXPECT_EQ(writes[2].page_count, 2u);
        EXPECT_EQ(writes[3].page_count, 1u);
        EXPECT_EQ(writes[4].page_count, 1u);
        for (const auto& w : writes) EXPECT_EQ(w.flags, 0u);
    });
}

TEST(Writeback, GoesOnWhereItLeftOffAndComesRound) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        const hal::VirtAddr buffer = user_buffer(4096);
        write_pages(file, buffer, 0, 30, 1);
        const WriteTarget ten{.max_pages = 10, .older_than_jiffy = 0, .sync = false};
        EXPECT_EQ(write_dirty_pages(block::device(0), ten), 10u);
        EXPECT_EQ(file.mapping.writeback_index, 10u);
        write_pages(file, buffer, 0, 1, 2);
        EXPECT_EQ(write_dirty_pages(block::device(0), ten), 10u);
        const auto writes = bench.disk().data_transfers(block::Direction::Write);
        ASSERT_EQ(writes.size(), 2u);
        EXPECT_EQ(writes[1].first_block, block_of_page(bench, 10));
        wait_frame_writeback(*file.mapping.pages.lookup(0));
        const WriteTarget all{.max_pages = 1000, .older_than_jiffy = 0, .sync = false};
        EXPECT_EQ(write_dirty_pages(block::device(0), all), 11u);
    });
}

TEST(Writeback, MappingsTakeTurns) {
    CacheBench bench({.disks = {{1 << 20, 1 << 20}}});
    bench.in_task([&] {
        const hal::VirtAddr buffer = user_buffer(4096);
        write_pages(bench.open(0), buffer, 0, 20, 1);
        write_pages(bench.open(1), buffer, 0, 20, 1);
        const WriteTarget ten{.max_pages = 10, .older_than_jiffy = 0, .sync = false};
        write_dirty_pages(block::device(0), ten);
        write_dirty_pages(block::device(0), ten);
        EXPECT_EQ(bench.open(0).mapping.writeback_index, 10u);
        EXPECT_EQ(bench.open(1).mapping.writeback_index, 10u);
    });
}

// ---- fsync and errors -------------------------------------------------------------------------

TEST(FileSync, WaitsUntilTheDeviceHasTheData) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        write_pages(file, user_buffer(4096), 0, 1, 5);
        ASSERT_TRUE(map_block(file, 0).ok());
        bench.disk().latency_ns = 30'000'000;
        const uint64_t begin = bench.machine.now_ns();
        ASSERT_TRUE(file_sync(file, 0, ~0ull).ok());
        EXPECT_GE(bench.machine.now_ns() - begin, 29'900'000u);  // clocks of a quantum
        EXPECT_EQ(bench.disk().base_of(block_of_page(bench, 0)), 5u);
    });
}

TEST(FileSync, WritesItsRangeOnly) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        write_pages(file, user_buffer(4096), 0, 10, 5);
        ASSERT_TRUE(file_sync(file, 2, 3).ok());
        EXPECT_EQ(counter(VmCounter::NrDirty), 7u);
        EXPECT_FALSE(file.mapping.pages.lookup(4)->test(kFrameDirty));
        EXPECT_TRUE(file.mapping.pages.lookup(5)->test(kFrameDirty));
    });
}

TEST(FileSync, TellsALostPageOnceAndSavesItsNeighbours) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        write_pages(file, user_buffer(4096), 0, 10, 0x50);
        bench.disk().fail_block(block_of_page(bench, 3));
        EXPECT_EQ(file_sync(file, 0, ~0ull).error(), hal::Error::IoError);
        EXPECT_EQ(counter(VmCounter::LostWrites), 1u);
        for (uint64_t page = 0; page < 10; ++page) {
            const bool arrived = bench.disk().base_of(block_of_page(bench, page)) == 0x50 + page;
            EXPECT_EQ(arrived, page != 3) << page;
        }
        EXPECT_FALSE(bench.machine.events(hal::Event::BufferIoError).empty());
        EXPECT_EQ(counter(VmCounter::NrDirty), 0u);
        EXPECT_EQ(counter(VmCounter::NrWriteback), 0u);
        EXPECT_TRUE(file_sync(file, 0, ~0ull).ok());
    });
}

TEST(FileSync, TellsWhatAnUnreadableIndirectBlockLost) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        write_pages(file, user_buffer(4096), 0, 2, 0x50);
        bench.disk().fail_block(bench.disk().first_block_of(0));
        EXPECT_EQ(file_sync(file, 0, ~0ull).error(), hal::Error::IoError);
        EXPECT_EQ(counter(VmCounter::LostWrites), 2u);
        EXPECT_EQ(counter(VmCounter::NrDirty), 0u);
        EXPECT_FALSE(file.mapping.pages.any_tagged(Tag::Dirty));
    });
}

// ---- pageout ----------------------------------------------------------------------------------

TEST(Pageout, WritesOnePageAsAsyncAndUnlocksIt) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        write_pages(file, user_buffer(4096), 0, 3, 0x50);
        Frame& f = *find_frame(file.mapping, 1);
        lock_frame(f);
        EXPECT_EQ(write_frame_for_reclaim(f), PageoutResult::Submitted);
        wait_frame_writeback(f);
        EXPECT_FALSE(f.test(kFrameLocked | kFrameDirty | kFrameWriteback));
        const auto writes = bench.disk().data_transfers(block::Direction::Write);
        ASSERT_EQ(writes.size(), 1u);
        EXPECT_EQ(writes[0].page_count, 1u);
        EXPECT_EQ(writes[0].flags, 0u);
        EXPECT_EQ(bench.disk().base_of(block_of_page(bench, 1)), 0x51u);
        lock_frame(f);
        EXPECT_EQ(write_frame_for_reclaim(f), PageoutResult::Clean);
        get_frame(f);
        set_frame_dirty(f);
        EXPECT_EQ(write_frame_for_reclaim(f), PageoutResult::Busy);
        EXPECT_TRUE(f.test(kFrameDirty));
        put_frame(f);
        unlock_frame(f);
        put_frame(f);
    });
}

// ---- direct I/O -------------------------------------------------------------------------------

TEST(DirectIo, ReadSeesWhatIsDirtyInTheCache) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        const hal::VirtAddr buffer = user_buffer(64 << 10);
        write_pages(file, buffer, 2, 1, 0x90);
        ASSERT_EQ(direct_io(file, 0, buffer, 64 << 10, hal::Access::Read).value(), 64u << 10);
        EXPECT_TRUE(user_page_is(buffer + 2 * 4096, 0x92));
        EXPECT_TRUE(
            user_page_is(buffer + 3 * 4096, hal::pristine_base(0, block_of_page(bench, 3))));
        EXPECT_EQ(file.mapping.pages.lookup(2), nullptr);
        const auto reads = bench.disk().data_transfers(block::Direction::Read);
        ASSERT_EQ(reads.size(), 1u);
        EXPECT_EQ(reads[0].page_count, 16u);
    });
}

TEST(DirectIo, WriteReplacesWhatIsCached) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        const hal::VirtAddr buffer = user_buffer(8192);
        ASSERT_TRUE(file_read(file, 0, buffer, 8192).ok());
        user_store(buffer, 0xa0);
        user_store(buffer + 4096, 0xa1);
        ASSERT_EQ(direct_io(file, 0, buffer, 8192, hal::Access::Write).value(), 8192u);
        EXPECT_EQ(bench.disk().base_of(block_of_page(bench, 1)), 0xa1u);
        const hal::VirtAddr other = user_buffer(8192);
        ASSERT_TRUE(file_read(file, 0, other, 8192).ok());
        EXPECT_TRUE(user_page_is(other, 0xa0));
        EXPECT_TRUE(user_page_is(other + 4096, 0xa1));
    });
}

TEST(DirectIo, BatchIsInFlightAtOnceInBiosOf128Pages) {
    CacheBench bench;
    bench.in_task([&] {
        File& file = bench.open();
        const hal::VirtAddr buffer = user_buffer(300 * 4096);
        for (uint64_t i = 0; i < 300; ++i) user_store(buffer + i * 4096, i);
        ASSERT_TRUE(map_block(file, 0).ok());
        bench.disk().latency_ns = 10'000'000;
        ASSERT_TRUE(direct_io(file, 0, buffer, 300 * 4096, hal::Access::Write).ok());
        const auto writes = bench.disk().data_transfers(block::Direction::Write);
        ASSERT_EQ(writes.size(), 3u);
        EXPECT_EQ(writes[0].page_count, 128u);
        EXPECT_EQ(writes[1].page_count, 128u);
        EXPECT_EQ(writes[2].page_count, 44u);
        EXPECT_LT(writes[1].time_ns - writes[0].time_ns, 5'000'000u);
        EXPECT_EQ(writes[0].flags, block::kBioSync);
    });
}

TEST(DirectIo, RefusesPartsOfPagesAndTellsErrors) {
    CacheBench bench({.disks = {{64 << 10}}});
    bench.in_task([&] {
        File& file = bench.open();
        const hal::VirtAddr buffer = user_buffer(128 << 10);
        EXPECT_EQ(direct_io(file, 512, buffer, 4096, hal::Access::Read).error(),
                  hal::Error::Invalid);
        EXPECT_EQ(direct_io(file, 0, buffer, 100, hal::Access::Read).error(), hal::Error::Invalid);
        EXPECT_EQ(direct_io(file, 0, buffer, 128 << 10, hal::Access::Read).value(), 64u << 10);
        EXPECT_EQ(direct_io(file, 0, buffer, 128 << 10, hal::Access::Write).error(),
                  hal::Error::OutOfRange);
        bench.disk().fail_block(block_of_page(bench, 4));
        EXPECT_EQ(direct_io(file, 0, buffer, 64 << 10, hal::Access::Read).error(),
                  hal::Error::IoError);
        EXPECT_EQ(direct_io(file, 0, buffer, 4 * 4096, hal::Access::Read).value(), 4u * 4096);
    });
    EXPECT_EQ(fake_block::live_bio_count(), 0);
}

}  // namespace
}  // namespace weir::mm
