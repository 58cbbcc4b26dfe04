// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The hart's MMU: Sv39 as the RISC-V privileged specification has it, for user accesses.
// A and D are set by hardware, as with Svadu. Larger pages are cut into 4 KiB entries of the TLB.
#include "sc_models/common/check.h"
#include "sc_models/cpu/platform.h"

#include <cstring>

namespace weir::cpu {

using hal::Access;

namespace {

constexpr uint64_t kPteValid = 1u << 0;
constexpr uint64_t kPteRead = 1u << 1;
constexpr uint64_t kPteWrite = 1u << 2;
constexpr uint64_t kPteExecute = 1u << 3;
constexpr uint64_t kPteUser = 1u << 4;
constexpr uint64_t kPteAccessed = 1u << 6;
constexpr uint64_t kPteDirty = 1u << 7;
constexpr uint32_t kPtePpnShift = 10;
constexpr uint64_t kPtePpnMask = (uint64_t{1} << 44) - 1;
constexpr uint32_t kLevelBits = 9;
constexpr uint64_t kUserEnd = uint64_t{1} << 38;  // Sv39's lower half

}  // namespace

void Hart::set_translation_root(hal::Pfn root, uint16_t asid) {
    root_ = root;
    asid_ = asid;
    forget_last();
}

void Hart::forget_last() {
    last_[0] = {};
    last_[1] = {};
}

void Hart::flush_page(hal::VirtAddr addr, uint16_t asid) {
    tlb_.flush_page(TlbKey::of(addr, asid));
    const uint64_t page = addr.value >> hal::kPageShift;
    if (asid == asid_)
        for (LastTranslation& last : last_)
            if (last.page == page) last = {};
}

void Hart::flush_asid(uint16_t asid) {
    tlb_.flush_asid(asid);
    if (asid == asid_) forget_last();
}

uint8_t* Hart::page_table_entry(uint64_t table_pfn, uint64_t index, uint64_t& ram_offset) {
    const uint64_t addr = (table_pfn << hal::kPageShift) + index * 8;
    ram_offset = addr - platform_.ram_base.value;
    WEIR_CHECK(ram_offset < platform_.ram_bytes, *this,
               "a page table lies outside RAM (address, pid)", addr, pid_);
    return platform_.ram + ram_offset;
}

bool Hart::walk(hal::VirtAddr addr, Access access) {
    ++stats_.tlb_misses;
    local_ps_ += walk_ps_;
    if (root_ == hal::kNoPfn || addr.value >= kUserEnd) return false;
    uint64_t pfn = root_.value;
    for (uint32_t level = 3; level-- > 0;) {
        const uint32_t shift = hal::kPageShift + kLevelBits * level;
        uint64_t pte_offset = 0;
        uint8_t* const place =
            page_table_entry(pfn, addr.value >> shift & ((1u << kLevelBits) - 1), pte_offset);
        charge_access(pte_offset, 8, Access::Read);
        uint64_t pte = 0;
        std::memcpy(&pte, place, sizeof pte);
        if (!(pte & kPteValid)) return false;
        pfn = pte >> kPtePpnShift & kPtePpnMask;
        if (!(pte & (kPteRead | kPteWrite | kPteExecute))) continue;
        const uint64_t needed = access == Access::Write ? kPteWrite : kPteRead;
        if (!(pte & kPteUser) || !(pte & needed)) return false;
        const uint64_t marks = access == Access::Write ? kPteAccessed | kPteDirty : kPteAccessed;
        if ((pte & marks) != marks) {
            pte |= marks;
            std::memcpy(place, &pte, sizeof pte);
            charge_access(pte_offset, 8, Access::Write);
        }
        pfn += addr.value >> hal::kPageShift & ((uint64_t{1} << (kLevelBits * level)) - 1);
        const uint64_t page_offset = (pfn << hal::kPageShift) - platform_.ram_base.value;
        WEIR_CHECK(page_offset < platform_.ram_bytes, *this,
                   "a page table entry points outside RAM (entry, virtual address)", pte,
                   addr.value);
        const TlbKey key = TlbKey::of(addr, asid_);
        TlbEntry* entry = tlb_.find(key);
        if (!entry) entry = &tlb_.insert(key);
        entry->ram_offset = page_offset;
        entry->readable = pte & kPteRead;
        entry->writable = (pte & kPteWrite) && (pte & kPteDirty);
        return true;
    }
    return false;
}

Hart::Translation Hart::translate(hal::VirtAddr addr, Access access) {
    const uint64_t page = addr.value >> hal::kPageShift;
    const uint64_t in_page = addr.value & (hal::kPageBytes - 1);
    LastTranslation& last = last_[static_cast<size_t>(access)];
    if (last.page == page) [[likely]]
        return {true, last.ram_offset + in_page};
    const TlbKey key = TlbKey::of(addr, asid_);
    TlbEntry* entry = tlb_.find(key);
    if (!entry || !(access == Access::Write ? entry->writable : entry->readable)) {
        if (!walk(addr, access)) return {};
        entry = tlb_.find(key);
    }
    last = {page, entry->ram_offset};
    return {true, entry->ram_offset + in_page};
}

}  // namespace weir::cpu
