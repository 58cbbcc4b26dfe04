// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: does user memory hold what was stored, where it is mapped, and does all of it come
// back?
#include "firmware/hal/page_content.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/task.h"
#include "firmware/mm/address_space.h"
#include "firmware/mm/page_table.h"
#include "firmware/mm/pressure.h"
#include "testbenches/unit/mm/core_bench.h"

#include <gtest/gtest.h>

#include <cstring>

namespace weir::mm {
namespace {

using hal::Access;
using hal::kPageBytes;
using hal::VirtAddr;
using kernel::VmCounter;

bool store(VirtAddr addr, uint64_t word) {
    void* place = hal::user_span(addr, sizeof word, Access::Write);
    if (place == nullptr) return false;
    std::memcpy(place, &word, sizeof word);
    return true;
}

bool load(VirtAddr addr, uint64_t* word) {
    const void* place = hal::user_span(addr, sizeof *word, Access::Read);
    if (place == nullptr) return false;
    std::memcpy(word, place, sizeof *word);
    return true;
}

uint64_t word_at(VirtAddr addr) {
    uint64_t word = ~0ull;
    EXPECT_TRUE(load(addr, &word)) << "bad address";
    return word;
}

TEST(PageTable, LeafEntriesHoldFrameAndPermissions) {
    const Pte pte = Pte::leaf(hal::Pfn{0x80123}, kPteRead | kPteWrite);
    EXPECT_EQ(pte.bits, (0x80123ull << 10) | 0x17);  // U W R V
    EXPECT_EQ(pte.pfn().value, 0x80123u);
    EXPECT_TRUE(pte.valid());
}

TEST(PageTable, SwapEntriesAreNotValidAndHoldTheSlot) {
    const Pte pte = Pte::swap(SwapSlot{0xfedcba98});
    EXPECT_FALSE(pte.valid());
    EXPECT_TRUE(pte.swapped());
    EXPECT_FALSE(pte.none());
    EXPECT_EQ(pte.slot().value, 0xfedcba98u);
    EXPECT_TRUE(Pte{}.none());
    EXPECT_FALSE(Pte{}.swapped());
}

TEST(PageTable, TablesAreMadeOnTheWayAndFoundAgain) {
    CoreBench bench;
    AddressSpace& space = *create_address_space();
    const VirtAddr addr{0x12'3456'7000};
    EXPECT_EQ(find_pte(space, addr), nullptr);
    Pte* pte = ensure_pte(space, addr);
    ASSERT_NE(pte, nullptr);
    EXPECT_EQ(find_pte(space, addr), pte);
    EXPECT_EQ(find_pte(space, addr + kPageBytes), pte + 1);
    EXPECT_EQ(space.page_table_pages, 3u);
    // Next leaf table, next middle table, both ends of user space.
    EXPECT_NE(ensure_pte(space, VirtAddr{0}), pte);
    EXPECT_NE(ensure_pte(space, VirtAddr{kUserEnd - kPageBytes}), pte);
    EXPECT_EQ(space.page_table_pages, 7u);
    destroy_address_space(space);
}

TEST(PageTable, DestroyingASpaceGivesEveryTableBack) {
    CoreBench bench;
    // The first space makes the object caches take their frames.
    destroy_address_space(*create_address_space());
    const uint64_t used = counter(VmCounter::PgAlloc) - counter(VmCounter::PgFree);
    AddressSpace& space = *create_address_space();
    for (uint64_t i = 0; i < 20; ++i) ensure_pte(space, VirtAddr{i << 30 | i << 21});
    EXPECT_GT(counter(VmCounter::NrPageTablePages), 40u);
    destroy_address_space(space);
    EXPECT_EQ(counter(VmCounter::PgAlloc) - counter(VmCounter::PgFree), used);
    EXPECT_EQ(counter(VmCounter::NrPageTablePages), 0u);
}

TEST(AnonymousMemory, ReadsZeroUntilStored) {
    CoreBench bench;
    AddressSpace& space = bench.use_address_space();
    const VirtAddr begin = map_anon(space, 3 * kPageBytes).value();
    Frame* dirty = alloc_frame({});  // the frame that comes next is not zero by chance
    hal::fill_page(frame_bytes(*dirty), 77);
    put_frame(*dirty);
    EXPECT_EQ(word_at(begin + kPageBytes), 0u);
    EXPECT_TRUE(store(begin + kPageBytes + 8, 42));
    EXPECT_EQ(word_at(begin + kPageBytes + 8), 42u);
    EXPECT_EQ(word_at(begin + kPageBytes), 0u);
    EXPECT_EQ(space.resident_pages, 1u);
}

TEST(AnonymousMemory, TheMmuSetsAccessedAndDirty) {
    CoreBench bench;
    AddressSpace& space = bench.use_address_space();
    const VirtAddr page = map_anon(space, kPageBytes).value();
    word_at(page);
    Pte* pte = find_pte(space, page);
    ASSERT_NE(pte, nullptr);
    EXPECT_TRUE(pte->test(kPteAccessed));
    EXPECT_FALSE(pte->test(kPteDirty));
    store(page, 1);
    EXPECT_TRUE(pte->test(kPteDirty));
    EXPECT_EQ(counter(VmCounter::PgFault), 1u) << "the store needed no second fault";
}

TEST(AnonymousMemory, NewPagesStartOnTheActiveAnonList) {
    CoreBench bench;
    AddressSpace& space = bench.use_address_space();
    const VirtAddr begin = map_anon(space, 4 * kPageBytes).value();
    for (uint64_t i = 0; i < 4; ++i) store(begin + i * kPageBytes, i);
    lru_add_drain();
    EXPECT_EQ(lru_size(bench.z, Lru::ActiveAnon), 4u);
    EXPECT_EQ(counter(VmCounter::NrAnonPages), 4u);
}

TEST(AnonymousMemory, FaultsAreCountedForTheTask) {
    CoreBench bench;
    AddressSpace& space = bench.use_address_space();
    const VirtAddr begin = map_anon(space, 5 * kPageBytes).value();
    for (uint64_t i = 0; i < 5; ++i) store(begin + i * kPageBytes, i);
    EXPECT_EQ(counter(VmCounter::PgFault), 5u);
    EXPECT_EQ(counter(VmCounter::PgMajFault), 0u);
    EXPECT_EQ(kernel::current().min_faults, 5u);
    EXPECT_EQ(bench.machine.op_count(hal::Op::FaultEntry), 5u);
}

TEST(AddressSpace, AddressesOutsideEveryAreaAreBad) {
    CoreBench bench;
    AddressSpace& space = bench.use_address_space();
    const VirtAddr begin = map_anon(space, kPageBytes + 1).value();  // two pages
    uint64_t word = 0;
    EXPECT_TRUE(load(begin + kPageBytes, &word));
    EXPECT_FALSE(load(begin + 2 * kPageBytes, &word)) << "guard page";
    EXPECT_FALSE(load(VirtAddr{begin.value - 8}, &word));
    EXPECT_FALSE(load(VirtAddr{0}, &word));
    EXPECT_FALSE(load(VirtAddr{kUserEnd}, &word));
    EXPECT_FALSE(store(VirtAddr{~0ull - 7}, 1));
}

TEST(AddressSpace, RefusesImpossibleSizes) {
    CoreBench bench;
    AddressSpace& space = bench.use_address_space();
    EXPECT_EQ(map_anon(space, 0).error(), hal::Error::Invalid);
    EXPECT_EQ(map_anon(space, kUserEnd).error(), hal::Error::NoMemory);
    EXPECT_EQ(map_anon(space, ~0ull).error(), hal::Error::NoMemory);
    EXPECT_EQ(unmap(space, VirtAddr{1}, kPageBytes).error(), hal::Error::Invalid);
    EXPECT_EQ(unmap(space, VirtAddr{kPageBytes}, 0).error(), hal::Error::Invalid);
}

TEST(AddressSpace, UnmapInTheMiddleLeavesBothEnds) {
    CoreBench bench;
    AddressSpace& space = bench.use_address_space();
    const VirtAddr begin = map_anon(space, 10 * kPageBytes).value();
    for (uint64_t i = 0; i < 10; ++i) store(begin + i * kPageBytes, 100 + i);
    ASSERT_TRUE(unmap(space, begin + 3 * kPageBytes, 4 * kPageBytes).ok());
    EXPECT_EQ(space.areas.size(), 2u);
    EXPECT_EQ(space.resident_pages, 6u);
    uint64_t word = 0;
    EXPECT_EQ(word_at(begin + 2 * kPageBytes), 102u);
    EXPECT_FALSE(load(begin + 3 * kPageBytes, &word));
    EXPECT_FALSE(load(begin + 6 * kPageBytes, &word));
    EXPECT_EQ(word_at(begin + 7 * kPageBytes), 107u);
    EXPECT_EQ(counter(VmCounter::NrAnonPages), 6u);
}

TEST(AddressSpace, UnmapAcrossAreasRemovesTheirParts) {
    CoreBench bench;
    AddressSpace& space = bench.use_address_space();
    const VirtAddr first = map_anon(space, 4 * kPageBytes).value();
    const VirtAddr second = map_anon(space, 4 * kPageBytes).value();
    ASSERT_TRUE(unmap(space, first + 2 * kPageBytes, second.value - first.value).ok());
    uint64_t word = 0;
    EXPECT_TRUE(load(first + kPageBytes, &word));
    EXPECT_FALSE(load(first + 2 * kPageBytes, &word));
    EXPECT_FALSE(load(second + kPageBytes, &word));
    EXPECT_TRUE(load(second + 2 * kPageBytes, &word));
}

TEST(AddressSpace, DestroyFreesEveryFrame) {
    CoreBench bench;
    const auto use_and_destroy = [&] {
        AddressSpace& space = bench.use_address_space();
        const VirtAddr begin = map_anon(space, 3000 * uint64_t{kPageBytes}).value();
        for (uint64_t i = 0; i < 3000; i += 3) store(begin + i * kPageBytes, i);
        hal::set_translation_root(hal::kNoPfn, 0);
        kernel::current().space = nullptr;
        destroy_address_space(space);
    };
    use_and_destroy();
    const uint64_t used = counter(VmCounter::PgAlloc) - counter(VmCounter::PgFree);
    use_and_destroy();
    EXPECT_EQ(counter(VmCounter::PgAlloc) - counter(VmCounter::PgFree), used);
    EXPECT_EQ(counter(VmCounter::NrAnonPages), 0u);
    EXPECT_EQ(counter(VmCounter::NrActiveAnon), 0u);
}

TEST(AddressSpace, ExitOfATaskDestroysIt) {
    CoreBench bench;
    bench.in_task([] {
        const VirtAddr begin = map_anon(*kernel::current().space, 64 * kPageBytes).value();
        for (uint64_t i = 0; i < 64; ++i) store(begin + i * kPageBytes, i);
    });
    bench.machine.run_for_ns(10'000'000);
    EXPECT_EQ(counter(VmCounter::NrAnonPages), 0u);
    EXPECT_EQ(counter(VmCounter::NrPageTablePages), 0u);
}

TEST(AddressSpace, TasksDoNotSeeEachOthersMemory) {
    CoreBench bench({.ram_bytes = 64u << 20, .harts = 1});
    std::vector<uint64_t> seen;
    const auto body = [&] {
        const VirtAddr page = map_anon(*kernel::current().space, kPageBytes).value();
        seen.push_back(word_at(page));
        store(page, 0xabcd);
    };
    bench.in_task(body);
    bench.in_task(body);
    EXPECT_EQ(seen, (std::vector<uint64_t>{0, 0}));
}

Frame* no_frame(Zone&, const AllocRequest&) {
    return nullptr;
}
uint32_t oom_calls;
bool give_memory_at_the_third_call(uint32_t) {
    if (++oom_calls == 3) zone().free_frames += 100'000;
    return true;
}
bool no_victim(uint32_t) {
    ++oom_calls;
    return false;
}

TEST(FaultWithoutMemory, RetriesAfterTheOomPathSucceeds) {
    CoreBench bench;
    AddressSpace& space = bench.use_address_space();
    const VirtAddr page = map_anon(space, kPageBytes).value();
    oom_calls = 0;
    pressure().out_of_frames = no_frame;
    pressure().out_of_memory = give_memory_at_the_third_call;
    bench.z.free_frames = 0;
    EXPECT_TRUE(store(page, 5));
    EXPECT_EQ(oom_calls, 3u);
    EXPECT_EQ(counter(VmCounter::PgFault), 1u);
}

TEST(FaultWithoutMemory, KillsTheTaskWhereNobodyElseCanGo) {
    CoreBench bench;
    oom_calls = 0;
    pressure().out_of_frames = no_frame;
    pressure().out_of_memory = no_victim;
    bench.in_task([&] {
        const VirtAddr page = map_anon(*kernel::current().space, kPageBytes).value();
        bench.z.free_frames = 0;
        EXPECT_FALSE(store(page, 5));
        EXPECT_TRUE(kernel::current().flags & kernel::kTaskDying);
        bench.z.free_frames = 10'000;
    });
    EXPECT_EQ(oom_calls, 1u);
    const auto killed = bench.machine.events(hal::Event::TaskKilled);
    ASSERT_EQ(killed.size(), 1u);
    EXPECT_EQ(killed[0].args[1], static_cast<uint64_t>(hal::Error::NoMemory));
}

}  // namespace
}  // namespace weir::mm
