// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// User memory on bare RV64. satp holds the root, so that an access with MPRV goes through the MMU;
// user_span itself walks the Sv39 tables in software, because its caller wants a kernel address.
// It reads the tables afresh each time, so that no other hart has a translation to be flushed; the
// first program that uses MPRV needs tlb_flush_page and tlb_flush_asid on every hart.
// Leaves out: keeping the page in place until the caller is done with the span. Another hart may
// unmap it meanwhile; host mode has no such moment before the next synchronisation point.
// Source: RISC-V privileged specification 1.12, clauses 4.1.11 (satp) and 4.4 (Sv39).
#include "firmware/hal/boot_info.h"
#include "firmware/hal/rv64/hal_rv64.h"
#include "firmware/hal/rv64/page_table_entry.h"

namespace weir::hal {

namespace {

constexpr uint64_t kSatpSv39 = 8ull << 60;
constexpr uint32_t kSatpAsidShift = 44;
constexpr uint64_t kPteValid = 1u << 0;
constexpr uint64_t kPteRead = 1u << 1;
constexpr uint64_t kPteWrite = 1u << 2;
constexpr uint64_t kPteExecute = 1u << 3;
constexpr uint64_t kPteUser = 1u << 4;
constexpr uint64_t kPteAccessed = 1u << 6;
constexpr uint64_t kPteDirty = 1u << 7;
constexpr uint32_t kPtePpnShift = 10;
constexpr uint64_t kPtePpnMask = (1ull << 44) - 1;
// User half of the 39-bit space.
constexpr uint32_t kUserAddressBits = 38;

PhysAddr target_of(uint64_t entry) {
    return PhysAddr{(entry >> kPtePpnShift & kPtePpnMask) << kPageShift};
}

void* walk(uint64_t addr, Access access) {
    const Pfn root = rv64::hart_local().root;
    if (root == kNoPfn || addr >> kUserAddressBits != 0) return nullptr;
    const uint64_t needed = kPteValid | kPteUser | (access == Access::Write ? kPteWrite : kPteRead);
    PhysAddr table = addr_of(root);
    for (int level = 2; level >= 0; --level) {
        const uint32_t shift = kPageShift + 9u * static_cast<uint32_t>(level);
        auto* pte = static_cast<uint64_t*>(ram_ptr(table)) + (addr >> shift & 511);
        // Acquire: what the entry leads to was written before the entry.
        uint64_t entry = __atomic_load_n(pte, __ATOMIC_ACQUIRE);
        if (!(entry & kPteValid)) return nullptr;
        if (!(entry & (kPteRead | kPteWrite | kPteExecute))) {
            table = target_of(entry);
            continue;
        }
        const uint64_t marks = kPteAccessed | (access == Access::Write ? kPteDirty : 0);
        if (!rv64::mark_used(*pte, entry, needed, marks)) return nullptr;
        return ram_ptr(target_of(entry) + (addr & ((1ull << shift) - 1)));
    }
    return nullptr;
}

}  // namespace

void set_translation_root(Pfn root, uint16_t asid) {
    rv64::hart_local().root = root;
    const uint64_t satp =
        root == kNoPfn ? 0 : kSatpSv39 | uint64_t{asid} << kSatpAsidShift | root.value;
    asm volatile("csrw satp, %0" : : "r"(satp) : "memory");
}

void tlb_flush_page(VirtAddr addr, uint16_t asid) {
    asm volatile("sfence.vma %0, %1" : : "r"(addr.value), "r"(uint64_t{asid}) : "memory");
}

void tlb_flush_asid(uint16_t asid) {
    asm volatile("sfence.vma zero, %0" : : "r"(uint64_t{asid}) : "memory");
}

void* user_span(VirtAddr addr, uint32_t, Access access) {
    while (true) {
        if (void* span = walk(addr.value, access)) return span;
        if (!rv64::trap_handlers.page_fault) return nullptr;
        const bool irqs_were_on = irq_save();
        const bool retry = rv64::trap_handlers.page_fault(addr, access);
        irq_restore(irqs_were_on);
        if (!retry) return nullptr;
    }
}

}  // namespace weir::hal
