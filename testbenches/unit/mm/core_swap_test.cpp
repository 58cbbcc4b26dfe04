// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: do slots lie together, are their users counted, and does what comes back in equal what
// went out - also when the device fails?
#include "firmware/hal/page_content.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/task.h"
#include "firmware/mm/page_cache.h"
#include "firmware/mm/page_table.h"
#include "firmware/mm/swap.h"
#include "testbenches/unit/mm/core_bench.h"

#include <gtest/gtest.h>

#include <cstring>

namespace weir::mm {
namespace {

using hal::Access;
using hal::kPageBytes;
using hal::VirtAddr;
using kernel::VmCounter;

constexpr CoreConfig kWithSwap{.ram_bytes = 64u << 20, .harts = 1, .swap_slots = 4096};

uint32_t take_slot() {
    return alloc_swap_slot().value;
}

TEST(SwapSlots, StartAfterTheHeaderAndFollowEachOther) {
    CoreBench bench(kWithSwap);
    EXPECT_EQ(swap_total_slots(), 4095u);
    for (uint32_t i = 1; i <= 600; ++i) ASSERT_EQ(take_slot(), i);
    EXPECT_EQ(swap_free_slots(), 4095u - 600);
    EXPECT_EQ(bench.machine.gauge_value(hal::Gauge::SwapUsed), 600u);
}

TEST(SwapSlots, AClusterGoesOnPastSlotsThatCameFree) {
    CoreBench bench(kWithSwap);
    for (uint32_t i = 1; i <= 100; ++i) take_slot();
    for (uint32_t i = 1; i <= 50; ++i) swap_put(SwapSlot{i});
    EXPECT_EQ(take_slot(), 101u);
}

TEST(SwapSlots, TheNextClusterIsTheLowestRunOf256FreeSlots) {
    CoreBench bench(kWithSwap);
    for (uint32_t i = 1; i <= 1024; ++i) take_slot();  // four clusters used up
    for (uint32_t i = 1; i <= 255; ++i) swap_put(SwapSlot{i});
    EXPECT_EQ(take_slot(), 1025u) << "255 free slots are no cluster";
    for (uint32_t i = 0; i < 255; ++i) take_slot();
    swap_put(SwapSlot{256});
    EXPECT_EQ(take_slot(), 1u) << "256 are";
}

TEST(SwapSlots, WithoutAFreeRunTheLowestFreeSlotIsTaken) {
    CoreBench bench({.ram_bytes = 64u << 20, .harts = 1, .swap_slots = 1025});
    for (uint32_t i = 1; i <= 1024; ++i) take_slot();
    for (uint32_t i = 2; i <= 1024; i += 2) swap_put(SwapSlot{i});  // 512 free, no run
    EXPECT_EQ(take_slot(), 2u);
    EXPECT_EQ(take_slot(), 4u);
}

TEST(SwapSlots, FullMeansNone) {
    CoreBench bench({.ram_bytes = 64u << 20, .harts = 1, .swap_slots = 301});
    for (uint32_t i = 1; i <= 300; ++i) ASSERT_EQ(take_slot(), i);
    EXPECT_EQ(alloc_swap_slot(), kNoSlot);
    swap_put(SwapSlot{77});
    EXPECT_EQ(take_slot(), 77u);
    EXPECT_EQ(alloc_swap_slot(), kNoSlot);
}

TEST(SwapSlots, AreFreeWhenTheLastUserGoes) {
    CoreBench bench(kWithSwap);
    const SwapSlot slot = alloc_swap_slot();
    swap_dup(slot);
    EXPECT_EQ(swap_users(slot), 2u);
    swap_put(slot);
    EXPECT_EQ(swap_free_slots(), 4094u);
    swap_put(slot);
    EXPECT_EQ(swap_free_slots(), 4095u);
    EXPECT_THROW(swap_put(slot), fake_hal::Panic);
    EXPECT_THROW(swap_dup(slot), fake_hal::Panic);
}

TEST(SwapOn, RefusesASecondDeviceAndOneThatIsTooLarge) {
    CoreBench bench(kWithSwap);
    EXPECT_THROW(swap_on(block::device(0)), fake_hal::Panic);
}

/// An anonymous frame of a space's page, isolated as reclaim would have it: locked, one extra use.
Frame& lock_page(AddressSpace& space, VirtAddr page) {
    lru_add_drain();
    Frame& f = frame_of(find_pte(space, page)->pfn());
    EXPECT_TRUE(try_lock_frame(f));
    get_frame(f);
    return f;
}

/// Reclaim's work on one page, without policy: slot, unmap, write, forget. In a task.
void swap_out(AddressSpace& space, VirtAddr page) {
    Frame& f = lock_page(space, page);
    ASSERT_TRUE(f.test(kFrameSwapCache) || add_to_swap(f));
    count_references(f);
    ASSERT_TRUE(try_to_unmap(f));
    ASSERT_EQ(write_frame_for_reclaim(f), PageoutResult::Submitted);
    wait_frame_writeback(f);
    lock_frame(f);
    const bool removed = remove_mapping(f);
    EXPECT_TRUE(removed);
    unlock_frame(f);
    put_frame(f);
}

void store_page(VirtAddr page, uint64_t base) {
    void* place = hal::user_span(page, kPageBytes, Access::Write);
    ASSERT_NE(place, nullptr);
    hal::fill_page(place, base);
}

bool page_is(VirtAddr page, uint64_t base) {
    const void* place = hal::user_span(page, kPageBytes, Access::Read);
    return place != nullptr && hal::page_matches(place, base);
}

TEST(SwapOut, AddToSwapGivesASlotAndDirtiesTheFrame) {
    CoreBench bench(kWithSwap);
    AddressSpace& space = bench.use_address_space();
    const VirtAddr page = map_anon(space, kPageBytes).value();
    store_page(page, 1);
    Frame& f = lock_page(space, page);
    f.clear(kFrameDirty);
    ASSERT_TRUE(add_to_swap(f));
    EXPECT_TRUE(f.test(kFrameSwapCache) && f.test(kFrameDirty));
    EXPECT_EQ(swap_users(SwapSlot{static_cast<uint32_t>(f.index)}), 1u);
    EXPECT_EQ(find_frame(swap_mapping(), f.index), &f);
    EXPECT_EQ(counter(VmCounter::NrSwapCached), 1u);
    EXPECT_EQ(counter(VmCounter::NrDirty), 0u) << "swap is not dirty file data";
}

TEST(SwapOut, AddToSwapFailsCleanlyWhenFull) {
    CoreBench bench({.ram_bytes = 64u << 20, .harts = 1, .swap_slots = 3});
    AddressSpace& space = bench.use_address_space();
    const VirtAddr page = map_anon(space, kPageBytes).value();
    store_page(page, 1);
    take_slot();
    take_slot();
    Frame& f = lock_page(space, page);
    const int32_t uses = f.use_count;
    EXPECT_FALSE(add_to_swap(f));
    EXPECT_FALSE(f.test(kFrameSwapCache));
    EXPECT_EQ(f.mapping, nullptr);
    EXPECT_EQ(f.use_count, uses);
}

TEST(SwapOut, UnmapLeavesTheSlotInTheEntry) {
    CoreBench bench(kWithSwap);
    AddressSpace& space = bench.use_address_space();
    const VirtAddr page = map_anon(space, kPageBytes).value();
    store_page(page, 1);
    Frame& f = lock_page(space, page);
    ASSERT_TRUE(add_to_swap(f));
    EXPECT_FALSE(try_to_unmap(f)) << "its accessed bit is set: it was just used";
    EXPECT_EQ(f.map_count, 1);
    EXPECT_TRUE(try_to_unmap(f)) << "that try has cleared it";
    const Pte pte = *find_pte(space, page);
    EXPECT_TRUE(pte.swapped());
    EXPECT_EQ(pte.slot().value, f.index);
    EXPECT_EQ(swap_users(pte.slot()), 2u);
    EXPECT_EQ(f.map_count, 0);
    EXPECT_EQ(f.use_count, 2);
    EXPECT_EQ(space.resident_pages, 0u);
    EXPECT_EQ(space.swapped_pages, 1u);
    EXPECT_EQ(counter(VmCounter::NrAnonPages), 0u);
}

TEST(SwapOut, AnAnonymousFrameWithoutASlotStaysMapped) {
    CoreBench bench(kWithSwap);
    AddressSpace& space = bench.use_address_space();
    const VirtAddr page = map_anon(space, kPageBytes).value();
    store_page(page, 1);
    Frame& f = lock_page(space, page);
    EXPECT_FALSE(try_to_unmap(f));
    EXPECT_TRUE(page_is(page, 1));
}

TEST(SwapIn, FromTheCacheIsAMinorFault) {
    CoreBench bench(kWithSwap);
    AddressSpace& space = bench.use_address_space();
    const VirtAddr page = map_anon(space, kPageBytes).value();
    store_page(page, 1);
    Frame& f = lock_page(space, page);
    ASSERT_TRUE(add_to_swap(f));
    count_references(f);
    ASSERT_TRUE(try_to_unmap(f));
    unlock_frame(f);
    put_frame(f);
    EXPECT_TRUE(page_is(page, 1));
    EXPECT_EQ(counter(VmCounter::PgMajFault), 0u);
    EXPECT_EQ(swap_users(SwapSlot{1}), 1u) << "a load leaves the copy in the cache";
    store_page(page, 2);
    EXPECT_FALSE(f.test(kFrameSwapCache)) << "a store makes the copy on the device worthless";
    EXPECT_EQ(swap_free_slots(), 4095u);
    EXPECT_EQ(space.swapped_pages, 0u);
}

TEST(SwapIn, BringsBackWhatWentOut) {
    CoreBench bench(kWithSwap);
    bench.in_task([&] {
        AddressSpace& space = *kernel::current().space;
        const VirtAddr begin = map_anon(space, 20 * kPageBytes).value();
        for (uint64_t i = 0; i < 20; ++i) store_page(begin + i * kPageBytes, 1000 + i);
        for (uint64_t i = 0; i < 20; ++i) swap_out(space, begin + i * kPageBytes);
        EXPECT_EQ(space.resident_pages, 0u);
        EXPECT_EQ(counter(VmCounter::PswpOut), 20u);
        EXPECT_EQ(bench.swap_disk().base_of(1), 1000u) << "the first page went to slot 1";
        for (uint64_t i = 0; i < 20; ++i) {
            EXPECT_TRUE(page_is(begin + i * kPageBytes, 1000 + i)) << i;
        }
        EXPECT_EQ(counter(VmCounter::PswpIn), 20u);
        EXPECT_EQ(space.swapped_pages, 0u);
    });
}

TEST(SwapIn, ReadsTheAlignedClusterAroundTheSlotAndSkipsFreeSlots) {
    CoreBench bench(kWithSwap);
    bench.machine.boot_info().swap_cluster_log2 = 3;
    bench.in_task([&] {
        AddressSpace& space = *kernel::current().space;
        const VirtAddr begin = map_anon(space, 24 * kPageBytes).value();
        for (uint64_t i = 0; i < 24; ++i) store_page(begin + i * kPageBytes, 1000 + i);
        for (uint64_t i = 0; i < 24; ++i) swap_out(space, begin + i * kPageBytes);
        // Slots 1..24 hold pages 0..23. Slot 11 (page 10) comes free.
        ASSERT_TRUE(unmap(space, begin + 10 * kPageBytes, kPageBytes).ok());
        bench.swap_disk().clear_transfers();
        EXPECT_TRUE(page_is(begin + 12 * kPageBytes, 1012));  // slot 13
        std::vector<std::pair<uint64_t, uint32_t>> reads;
        for (const auto& t : bench.swap_disk().transfers()) {
            reads.emplace_back(t.first_block, t.page_count);
        }
        using Reads = std::vector<std::pair<uint64_t, uint32_t>>;
        EXPECT_EQ(reads, (Reads{{8, 3}, {12, 4}}));
        EXPECT_EQ(counter(VmCounter::PswpIn), 7u);
        EXPECT_EQ(counter(VmCounter::PgMajFault), 1u);
        // Its neighbours are in the cache already.
        bench.swap_disk().clear_transfers();
        EXPECT_TRUE(page_is(begin + 7 * kPageBytes, 1007));
        EXPECT_TRUE(bench.swap_disk().transfers().empty());
        EXPECT_EQ(counter(VmCounter::PgMajFault), 1u);
    });
}

TEST(SwapIn, DirtiedAgainItGoesOutWithTheNewContent) {
    CoreBench bench(kWithSwap);
    bench.in_task([&] {
        AddressSpace& space = *kernel::current().space;
        const VirtAddr page = map_anon(space, kPageBytes).value();
        store_page(page, 1);
        swap_out(space, page);
        EXPECT_TRUE(page_is(page, 1));
        store_page(page, 2);
        swap_out(space, page);
        EXPECT_TRUE(page_is(page, 2));
    });
}

TEST(SwapIn, AnUnreadablePageKillsTheTaskWithAReason) {
    CoreBench bench(kWithSwap);
    bench.machine.boot_info().swap_cluster_log2 = 3;
    bench.in_task([&] {
        AddressSpace& space = *kernel::current().space;
        const VirtAddr begin = map_anon(space, 8 * kPageBytes).value();
        for (uint64_t i = 0; i < 8; ++i) store_page(begin + i * kPageBytes, 1000 + i);
        for (uint64_t i = 0; i < 8; ++i) swap_out(space, begin + i * kPageBytes);
        bench.swap_disk().fail_block(3);  // page 2
        EXPECT_TRUE(page_is(begin + 3 * kPageBytes, 1003)) << "its neighbour is read by itself";
        EXPECT_EQ(hal::user_span(begin + 2 * kPageBytes, 8, Access::Read), nullptr);
        EXPECT_TRUE(kernel::current().flags & kernel::kTaskDying);
    });
    const auto killed = bench.machine.events(hal::Event::TaskKilled);
    ASSERT_EQ(killed.size(), 1u);
    EXPECT_EQ(killed[0].args[1], static_cast<uint64_t>(hal::Error::IoError));
    bench.machine.run_for_ns(10'000'000);
    EXPECT_EQ(swap_free_slots(), 4095u) << "the dead task's slots are free";
    EXPECT_EQ(counter(VmCounter::NrSwapCached), 0u);
}

TEST(SwapIn, WithoutABioTheFaultGetsNoMemoryAndLosesNothing) {
    CoreBench bench(kWithSwap);
    bench.in_task([&] {
        AddressSpace& space = *kernel::current().space;
        const VirtAddr page = map_anon(space, kPageBytes).value();
        store_page(page, 1);
        swap_out(space, page);
        fake_block::fail_bio_allocations(100);
        EXPECT_EQ(handle_fault(space, page, Access::Read).error(), hal::Error::NoMemory);
        EXPECT_EQ(counter(VmCounter::NrSwapCached), 0u);
        fake_block::fail_bio_allocations(0);
        EXPECT_TRUE(page_is(page, 1));
    });
}

TEST(SwapExit, FreesSlotsAndCachedCopies) {
    CoreBench bench(kWithSwap);
    bench.in_task([&] {
        AddressSpace& space = *kernel::current().space;
        const VirtAddr begin = map_anon(space, 16 * kPageBytes).value();
        for (uint64_t i = 0; i < 16; ++i) store_page(begin + i * kPageBytes, i);
        for (uint64_t i = 0; i < 16; ++i) swap_out(space, begin + i * kPageBytes);
        EXPECT_TRUE(page_is(begin, 0));  // leaves neighbours in the cache, not mapped
    });
    bench.machine.run_for_ns(10'000'000);
    EXPECT_EQ(swap_free_slots(), 4095u);
    EXPECT_EQ(counter(VmCounter::NrSwapCached), 0u);
    EXPECT_EQ(counter(VmCounter::NrInactiveAnon) + counter(VmCounter::NrActiveAnon), 0u);
    EXPECT_EQ(fake_block::live_bio_count(), 0);
}

TEST(SwapExit, AFrameUnderWritebackOutlivesItsAddressSpace) {
    CoreBench bench(kWithSwap);
    bench.swap_disk().latency_ns = 100'000'000;
    bench.in_task([&] {
        AddressSpace& space = *kernel::current().space;
        const VirtAddr page = map_anon(space, kPageBytes).value();
        store_page(page, 1);
        Frame& f = lock_page(space, page);
        ASSERT_TRUE(add_to_swap(f));
        count_references(f);
        ASSERT_TRUE(try_to_unmap(f));
        ASSERT_EQ(write_frame_for_reclaim(f), PageoutResult::Submitted);
        put_frame(f);
    });
    bench.machine.run_for_ns(20'000'000);
    Frame* f = find_frame(swap_mapping(), 1);
    ASSERT_NE(f, nullptr);
    EXPECT_TRUE(f->test(kFrameWriteback));
    EXPECT_EQ(count_references(*f).referenced, 0u) << "its reverse map leads nowhere";
    bench.machine.run_for_ns(200'000'000);
    EXPECT_FALSE(f->test(kFrameWriteback));
    lock_frame(*f);
    EXPECT_TRUE(try_to_free_swap(*f));
    unlock_frame(*f);
    put_frame(*f);
    EXPECT_EQ(swap_free_slots(), 4095u);
}

TEST(ReverseMap, CountsAndClearsAccessedBits) {
    CoreBench bench;
    AddressSpace& space = bench.use_address_space();
    const VirtAddr page = map_anon(space, kPageBytes).value();
    store_page(page, 1);
    Frame& f = frame_of(find_pte(space, page)->pfn());
    const uint64_t flushes = bench.machine.tlb_flush_count();
    EXPECT_EQ(count_references(f).referenced, 1u);
    EXPECT_EQ(bench.machine.tlb_flush_count(), flushes + 1);
    EXPECT_EQ(count_references(f).referenced, 0u);
    EXPECT_EQ(bench.machine.tlb_flush_count(), flushes + 1);
    EXPECT_TRUE(page_is(page, 1));
    EXPECT_EQ(count_references(f).referenced, 1u);
}

}  // namespace
}  // namespace weir::mm
