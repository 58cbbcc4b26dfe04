// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: do stores through file mappings reach the file, and only where they are meant to?
#include "firmware/hal/page_content.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/task.h"
#include "firmware/mm/fault.h"
#include "firmware/mm/page_table.h"
#include "firmware/mm/pressure.h"
#include "firmware/mm/rmap.h"
#include "testbenches/unit/mm/cache_bench.h"

#include <gtest/gtest.h>

namespace weir::mm {
namespace {

using hal::Access;
using hal::kPageBytes;
using hal::VirtAddr;
using kernel::VmCounter;

constexpr uint64_t kFilePages = 64;

AddressSpace& space() {
    return *kernel::current().space;
}

VirtAddr map_pages(File& file, Sharing sharing, bool writable = true) {
    const auto mapped = map_file(space(), file, 0, kFilePages * kPageBytes, sharing, writable);
    EXPECT_TRUE(mapped.ok());
    return mapped.value();
}

Frame& frame_at(VirtAddr page) {
    return frame_of(find_pte(space(), page)->pfn());
}

struct FileFault : testing::Test {
    CacheBench bench{BenchConfig{.disks = {{kFilePages * kPageBytes}}}};
    File& file = bench.open();
    uint64_t block_of(uint64_t page) { return bench.disk().first_block_of(0) + 1 + page; }
    uint64_t pristine(uint64_t page) { return hal::pristine_base(0, block_of(page)); }
};

uint32_t dirtied_pages;
void note_dirtied(Mapping&, uint32_t page_count) {
    dirtied_pages += page_count;
}

TEST_F(FileFault, LoadsShowTheFile) {
    bench.in_task([&] {
        const VirtAddr begin = map_pages(file, Sharing::Shared);
        EXPECT_TRUE(user_page_is(begin + 5 * kPageBytes, pristine(5)));
        EXPECT_EQ(counter(VmCounter::PgMajFault), 1u);
        EXPECT_EQ(kernel::current().maj_faults, 1u);
        EXPECT_TRUE(user_page_is(begin + 6 * kPageBytes, pristine(6)));
        EXPECT_EQ(counter(VmCounter::PgMajFault), 1u) << "read around the first fault";
        EXPECT_EQ(counter(VmCounter::NrMapped), 2u);
        EXPECT_EQ(counter(VmCounter::NrDirty), 0u);
    });
}

TEST_F(FileFault, TheFirstStoreAfterALoadDirtiesThePageOnce) {
    pressure().page_dirtied = note_dirtied;
    dirtied_pages = 0;
    bench.in_task([&] {
        const VirtAddr page = map_pages(file, Sharing::Shared);
        user_word(page);
        EXPECT_FALSE(frame_at(page).test(kFrameDirty));
        user_store(page, 1);
        EXPECT_TRUE(frame_at(page).test(kFrameDirty));
        EXPECT_EQ(dirtied_pages, 1u);
        user_store(page, 2);
        EXPECT_EQ(dirtied_pages, 1u);
        EXPECT_EQ(counter(VmCounter::NrDirty), 1u);
    });
}

TEST_F(FileFault, SyncWritesTheStoresAndTheNextStoreIsSeenAgain) {
    bench.in_task([&] {
        const VirtAddr page = map_pages(file, Sharing::Shared);
        user_store(page, 111);
        ASSERT_TRUE(file_sync(file, 0, kFilePages).ok());
        EXPECT_EQ(bench.disk().base_of(block_of(0)), 111u);
        EXPECT_FALSE(find_pte(space(), page)->test(kPteWrite | kPteDirty));
        user_store(page, 222);
        ASSERT_TRUE(file_sync(file, 0, kFilePages).ok());
        EXPECT_EQ(bench.disk().base_of(block_of(0)), 222u);
    });
}

TEST_F(FileFault, SharedStoresAreSeenByReadAndOtherMappings) {
    bench.in_task([&] {
        const VirtAddr first = map_pages(file, Sharing::Shared);
        const VirtAddr second = map_pages(file, Sharing::Shared);
        user_store(first + kPageBytes, 77);
        EXPECT_TRUE(user_page_is(second + kPageBytes, 77));
        EXPECT_EQ(frame_at(first + kPageBytes).map_count, 2);
        const VirtAddr buffer = user_buffer(kPageBytes);
        ASSERT_TRUE(file_read(file, kPageBytes, buffer, kPageBytes).ok());
        EXPECT_TRUE(user_page_is(buffer, 77));
    });
}

TEST_F(FileFault, PrivateStoresStayInTheTask) {
    bench.in_task([&] {
        const VirtAddr mine = map_pages(file, Sharing::Private);
        const VirtAddr shared = map_pages(file, Sharing::Shared);
        EXPECT_TRUE(user_page_is(mine, pristine(0)));
        user_store(mine, 5);               // a copy of a page that is mapped
        user_store(mine + kPageBytes, 6);  // and of one that is not
        EXPECT_TRUE(user_page_is(mine, 5));
        EXPECT_TRUE(user_page_is(mine + kPageBytes, 6));
        EXPECT_TRUE(user_page_is(shared, pristine(0)));
        EXPECT_TRUE(user_page_is(shared + kPageBytes, pristine(1)));
        EXPECT_EQ(counter(VmCounter::NrDirty), 0u);
        EXPECT_EQ(counter(VmCounter::NrAnonPages), 2u);
        EXPECT_EQ(space().resident_pages, 4u);
        EXPECT_NE(frame_at(mine).anon, nullptr);
    });
}

TEST_F(FileFault, APrivateCopyKeepsTheRestOfThePage) {
    bench.in_task([&] {
        const VirtAddr mine = map_pages(file, Sharing::Private);
        void* place = hal::user_span(mine + 8, 8, Access::Write);
        ASSERT_NE(place, nullptr);
        *static_cast<uint64_t*>(place) = 42;
        EXPECT_EQ(user_word(mine), pristine(0));
        EXPECT_EQ(user_word(mine + 8), 42u);
        EXPECT_EQ(user_word(mine + 16), pristine(0) + 2 * hal::kPatternStep);
    });
}

TEST_F(FileFault, StoresToAReadOnlyMappingAndPagesBeyondTheEndAreBad) {
    bench.in_task([&] {
        const VirtAddr read_only = map_pages(file, Sharing::Shared, false);
        EXPECT_EQ(hal::user_span(read_only, 8, Access::Write), nullptr);
        EXPECT_TRUE(user_page_is(read_only, pristine(0)));
        const auto beyond =
            map_file(space(), file, kFilePages - 1, 2 * kPageBytes, Sharing::Shared, true);
        ASSERT_TRUE(beyond.ok());
        EXPECT_NE(hal::user_span(beyond.value(), 8, Access::Read), nullptr);
        EXPECT_EQ(hal::user_span(beyond.value() + kPageBytes, 8, Access::Read), nullptr);
        EXPECT_FALSE(kernel::current().flags & kernel::kTaskDying);
    });
}

TEST_F(FileFault, UnmapKeepsDirtyDataForTheFile) {
    bench.in_task([&] {
        const VirtAddr begin = map_pages(file, Sharing::Shared);
        user_store(begin, 33);
        ASSERT_TRUE(unmap(space(), begin, kFilePages * kPageBytes).ok());
        EXPECT_EQ(counter(VmCounter::NrMapped), 0u);
        ASSERT_TRUE(file_sync(file, 0, kFilePages).ok());
        EXPECT_EQ(bench.disk().base_of(block_of(0)), 33u);
    });
}

TEST_F(FileFault, TryToUnmapRemovesEveryMappingAndCarriesTheDirtyBit) {
    bench.in_task([&] {
        const VirtAddr first = map_pages(file, Sharing::Shared);
        const VirtAddr second = map_pages(file, Sharing::Shared);
        user_store(first, 9);
        user_word(second);
        Frame& f = frame_at(first);
        get_frame(f);
        lock_frame(f);
        f.clear(kFrameDirty);  // only the entry knows
        EXPECT_EQ(count_references(f).referenced, 2u);
        EXPECT_TRUE(try_to_unmap(f));
        EXPECT_EQ(f.map_count, 0);
        EXPECT_TRUE(f.test(kFrameDirty));
        unlock_frame(f);
        put_frame(f);
        EXPECT_TRUE(find_pte(space(), first)->none());
        EXPECT_TRUE(find_pte(space(), second)->none());
        EXPECT_TRUE(user_page_is(second, 9));
    });
}

TEST_F(FileFault, TryToUnmapStopsAtAMappingThatWasJustUsed) {
    bench.in_task([&] {
        const VirtAddr page = map_pages(file, Sharing::Shared);
        user_word(page);
        Frame& f = frame_at(page);
        get_frame(f);
        lock_frame(f);
        EXPECT_FALSE(try_to_unmap(f));
        EXPECT_TRUE(find_pte(space(), page)->valid());
        EXPECT_TRUE(try_to_unmap(f));
        unlock_frame(f);
        put_frame(f);
    });
}

TEST_F(FileFault, AnUnreadablePageIsAnIoErrorAndItsNeighboursAreNot) {
    bench.disk().fail_block(block_of(2));
    bench.in_task([&] {
        const VirtAddr begin = map_pages(file, Sharing::Shared);
        EXPECT_EQ(handle_fault(space(), begin + 2 * kPageBytes, Access::Read).error(),
                  hal::Error::IoError);
        EXPECT_TRUE(user_page_is(begin + 3 * kPageBytes, pristine(3)));
    });
}

TEST_F(FileFault, CleanMappingsSaysWhetherSomethingWasStored) {
    bench.in_task([&] {
        const VirtAddr page = map_pages(file, Sharing::Shared);
        user_store(page, 4);
        Frame& f = frame_at(page);
        EXPECT_TRUE(clean_mappings(f));
        EXPECT_FALSE(clean_mappings(f));
        EXPECT_TRUE(user_page_is(page, 4));
        EXPECT_FALSE(clean_mappings(f));
    });
}

}  // namespace
}  // namespace weir::mm
