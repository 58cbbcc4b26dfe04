// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Sv39 page tables.
#include "firmware/mm/page_table.h"

#include "firmware/kernel/counters.h"
#include "firmware/mm/allocator.h"

namespace weir::mm {

using kernel::count;
using kernel::VmCounter;

namespace {

Pte* entries_of(hal::Pfn table) {
    return static_cast<Pte*>(hal::ram_ptr(hal::addr_of(table)));
}

/// Index into a table of a level: 0 is the leaf level, 2 the root.
uint32_t index_at(hal::VirtAddr addr, uint32_t level) {
    const uint64_t page = addr.value >> hal::kPageShift;
    return static_cast<uint32_t>(page >> (kPteIndexBits * level)) & (kPtesPerTable - 1);
}

void free_table(hal::Pfn table) {
    count(VmCounter::NrPageTablePages, -1);
    put_frame(frame_of(table));
}

}  // namespace

hal::Pfn alloc_table() {
    Frame* f = alloc_frame({0, kAllocKernel});
    if (f == nullptr) return hal::kNoPfn;
    hal::clear_bytes(frame_bytes(*f), hal::kPageBytes);
    count(VmCounter::NrPageTablePages);
    return pfn_of(*f);
}

Pte* find_pte(const AddressSpace& space, hal::VirtAddr addr) {
    hal::Pfn table = space.root;
    for (uint32_t level = kPageTableLevels - 1; level > 0; --level) {
        const Pte entry = entries_of(table)[index_at(addr, level)];
        if (!entry.valid()) return nullptr;
        table = entry.pfn();
    }
    return &entries_of(table)[index_at(addr, 0)];
}

Pte* ensure_pte(AddressSpace& space, hal::VirtAddr addr) {
    hal::Pfn table = space.root;
    for (uint32_t level = kPageTableLevels - 1; level > 0; --level) {
        Pte& entry = entries_of(table)[index_at(addr, level)];
        if (!entry.valid()) {
            const hal::Pfn made = alloc_table();
            if (made == hal::kNoPfn) return nullptr;
            bool used = false;
            {
                kernel::SpinGuard guard(space.page_table_lock);
                // The allocation may have slept: another fault may have made the table.
                if (!entry.valid()) {
                    entry = Pte::table(made);
                    ++space.page_table_pages;
                    used = true;
                }
            }
            if (!used) free_table(made);
        }
        table = entry.pfn();
    }
    return &entries_of(table)[index_at(addr, 0)];
}

void free_tables(AddressSpace& space) {
    Pte* root = entries_of(space.root);
    for (uint32_t i = 0; i < kPtesPerTable; ++i) {
        if (!root[i].valid()) continue;
        Pte* middle = entries_of(root[i].pfn());
        for (uint32_t k = 0; k < kPtesPerTable; ++k) {
            if (middle[k].valid()) free_table(middle[k].pfn());
        }
        free_table(root[i].pfn());
    }
    free_table(space.root);
    space.root = hal::kNoPfn;
    space.page_table_pages = 0;
}

}  // namespace weir::mm
