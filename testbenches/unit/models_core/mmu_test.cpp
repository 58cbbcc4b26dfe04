// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: does a user access translate as Sv39 says, with TLB, A and D bits, flushes and faults?
#include "testbenches/unit/models_core/rig.h"

#include <gtest/gtest.h>

namespace weir::test {
namespace {

using hal::Access;
using hal::Pfn;
using hal::VirtAddr;

constexpr uint64_t kV = 1, kR = 2, kW = 4, kU = 16, kA = 64, kD = 128;
constexpr uint64_t kRootPage = 0x100;  // frames of the tables, from the start of RAM
constexpr uint64_t kBasePfn = hal::kRamBase.value >> hal::kPageShift;
constexpr VirtAddr kUser{0x1'0000'0000};

uint64_t* table(uint64_t page) {
    return reinterpret_cast<uint64_t*>(ram(page << 12));
}
uint64_t pte_of(uint64_t page, uint64_t flags) {
    return (kBasePfn + page) << 10 | flags;
}

/// Tables for pages from kUser on: root, middle, leaf table in three frames.
uint64_t& leaf(uint64_t index) {
    table(kRootPage)[kUser.value >> 30 & 511] = pte_of(kRootPage + 1, kV);
    table(kRootPage + 1)[kUser.value >> 21 & 511] = pte_of(kRootPage + 2, kV);
    return table(kRootPage + 2)[index];
}
void use_tables(uint16_t asid = 1) {
    hal::set_translation_root(Pfn{static_cast<uint32_t>(kBasePfn + kRootPage)}, asid);
}
uint64_t misses() {
    return cpu::current_hart->stats().tlb_misses;
}
VirtAddr page_at(uint64_t index, uint64_t offset = 0) {
    return kUser + (index * hal::kPageBytes + offset);
}

TEST(Mmu, TranslatesThroughThreeLevelsToTheRightByte) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        leaf(3) = pte_of(0x200, kV | kR | kW | kU);
        use_tables();
        EXPECT_EQ(hal::user_span(page_at(3, 100), 8, Access::Read), ram(0x200 * 4096 + 100));
        EXPECT_EQ(misses(), 1u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(Mmu, SetsAOnReadAndDOnTheFirstWriteOnly) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        uint64_t& pte = leaf(0);
        pte = pte_of(0x200, kV | kR | kW | kU);
        use_tables();
        hal::user_span(page_at(0), 8, Access::Read);
        EXPECT_EQ(pte & (kA | kD), kA);
        hal::user_span(page_at(0), 8, Access::Write);
        EXPECT_EQ(pte & (kA | kD), kA | kD);
        EXPECT_EQ(misses(), 2u);
        hal::user_span(page_at(0), 8, Access::Write);
        EXPECT_EQ(misses(), 2u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(Mmu, AnEntryInTheTlbHidesTheTableUntilItIsFlushed) {
    Rig rig(rig_config(2));
    rig.firmware[0] = [] {
        uint64_t& pte = leaf(0);
        pte = pte_of(0x200, kV | kR | kU);
        use_tables();
        hal::user_span(page_at(0), 8, Access::Read);
        pte &= ~kA;
        hal::user_span(page_at(0), 8, Access::Read);
        EXPECT_EQ(pte & kA, 0u);
        hal::tlb_flush_page(page_at(0), 2);  // another address space
        hal::user_span(page_at(0), 8, Access::Read);
        EXPECT_EQ(pte & kA, 0u);
        hal::tlb_flush_page(page_at(0), 1);
        hal::user_span(page_at(0), 8, Access::Read);
        EXPECT_EQ(pte & kA, kA);
        pte &= ~kA;
        hal::tlb_flush_asid(1);
        hal::user_span(page_at(0), 8, Access::Read);
        EXPECT_EQ(pte & kA, kA);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(Mmu, AFlushReachesEveryHart) {
    Rig rig(rig_config(2));
    rig.firmware[0] = [] {
        leaf(0) = pte_of(0x200, kV | kR | kU);
        use_tables();
        hal::user_span(page_at(0), 8, Access::Read);
        hal::spend(hal::Op::ScanFrame, 200);  // hart 1 flushes meanwhile
        EXPECT_EQ(hal::user_span(page_at(0), 8, Access::Read), ram(0x300 * 4096));
        hal::power_off(0);
    };
    rig.firmware[1] = [] {
        leaf(0) = pte_of(0x300, kV | kR | kU);
        hal::tlb_flush_page(page_at(0), 1);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(Mmu, KeepsAddressSpacesApart) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        leaf(0) = pte_of(0x200, kV | kR | kU);
        use_tables(1);
        hal::user_span(page_at(0), 8, Access::Read);
        use_tables(2);
        hal::user_span(page_at(0), 8, Access::Read);
        EXPECT_EQ(misses(), 2u);
        use_tables(1);
        hal::user_span(page_at(0), 8, Access::Read);
        EXPECT_EQ(misses(), 2u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(Mmu, EvictsTheLeastRecentlyUsedEntryOfASet) {
    Rig rig(rig_config(1));  // 4 sets of 2 ways
    rig.firmware[0] = [] {
        for (uint64_t i : {0, 4, 8}) leaf(i) = pte_of(0x200 + i, kV | kR | kU);
        use_tables();
        hal::user_span(page_at(0), 8, Access::Read);
        hal::user_span(page_at(4), 8, Access::Read);
        hal::user_span(page_at(0), 8, Access::Read);
        hal::user_span(page_at(8), 8, Access::Read);  // page 4 has to leave
        EXPECT_EQ(misses(), 3u);
        hal::user_span(page_at(0), 8, Access::Read);
        EXPECT_EQ(misses(), 3u);
        hal::user_span(page_at(4), 8, Access::Read);
        EXPECT_EQ(misses(), 4u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(Mmu, AWalkCostsItsCyclesAndItsMemoryAccesses) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        leaf(0) = pte_of(0x200, kV | kR | kU | kA);
        use_tables();
        hal::user_span(page_at(0), 0, Access::Read);
        // 60 cycles; three tables in one row of SDRAM would be two row hits, but 8 KiB rows put
        // frames 0x100 and 0x101 in one row and 0x102 in the next bank: miss, hit, miss.
        EXPECT_EQ(now_ps(), (60 + 64 + 49 + 64) * 1'000u);
        const uint64_t before_ps = now_ps();
        hal::user_span(page_at(0), 0, Access::Read);
        EXPECT_EQ(now_ps(), before_ps);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(Mmu, CutsLargePagesIntoSmallOnes) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        leaf(0) = 0;
        table(kRootPage + 1)[kUser.value >> 21 & 511] = pte_of(0x200, kV | kR | kU);  // 2 MiB
        use_tables();
        EXPECT_EQ(hal::user_span(page_at(5, 16), 8, Access::Read), ram(0x205 * 4096 + 16));
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

// ---- faults -------------------------------------------------------------------------------------

std::vector<std::pair<uint64_t, Access>>* faults;

TEST(MmuFault, CallsTheKernelAndRetries) {
    Rig rig(rig_config(1));
    std::vector<std::pair<uint64_t, Access>> seen;
    faults = &seen;
    rig.firmware[0] = [] {
        hal::TrapHandlers traps;
        traps.page_fault = [](VirtAddr addr, Access access) {
            EXPECT_FALSE(hal::irq_save());  // a trap disables interrupts
            faults->push_back({addr.value, access});
            const bool first = faults->size() == 1;
            leaf(1) = pte_of(0x201, first ? kV | kR | kU : kV | kR | kW | kU);
            hal::tlb_flush_page(page_at(1), 1);
            return true;
        };
        hal::set_trap_handlers(traps);
        hal::irq_restore(true);
        leaf(0) = 0;
        use_tables();
        EXPECT_EQ(hal::user_span(page_at(1, 8), 8, Access::Write), ram(0x201 * 4096 + 8));
        EXPECT_TRUE(hal::irq_save());
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
    ASSERT_EQ(seen.size(), 2u);  // not there, then not writable
    EXPECT_EQ(seen[0], std::make_pair(page_at(1, 8).value, Access::Write));
}

TEST(MmuFault, ReturnsNullIfTheKernelRefuses) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        hal::TrapHandlers traps;
        traps.page_fault = [](VirtAddr, Access) { return false; };
        hal::set_trap_handlers(traps);
        EXPECT_EQ(hal::user_span(page_at(0), 8, Access::Read), nullptr);  // no root
        leaf(0) = pte_of(0x200, kV | kR | kW);                            // not a user page
        use_tables();
        EXPECT_EQ(hal::user_span(page_at(0), 8, Access::Read), nullptr);
        EXPECT_EQ(hal::user_span(VirtAddr{uint64_t{1} << 38}, 8, Access::Read), nullptr);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(MmuFault, APageTableOutsideRamStopsTheMachine) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        leaf(0) = 0;
        table(kRootPage)[kUser.value >> 30 & 511] = uint64_t{0x123} << 10 | kV;
        use_tables();
        hal::user_span(page_at(0), 8, Access::Read);
    };
    EXPECT_FALSE(rig.run());
    EXPECT_NE(rig.failure.find("page table lies outside RAM"), std::string::npos) << rig.failure;
}

}  // namespace
}  // namespace weir::test
