// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Reverse map.
#include "firmware/mm/rmap.h"

#include "firmware/kernel/counters.h"
#include "firmware/kernel/object_cache.h"
#include "firmware/mm/address_space_internal.h"
#include "firmware/mm/page_cache.h"
#include "firmware/mm/page_table.h"
#include "firmware/mm/swap.h"

namespace weir::mm {

using kernel::count;
using kernel::VmCounter;

namespace {

kernel::ObjectCache<AnonChain> chain_cache;

/// Calls visit(space, addr, entry, area) for every entry that maps the frame, with the space's
/// page_table_lock held; area is null for anonymous frames. Ends when visit returns false.
template <typename Visit>
void visit_anon(Frame& f, Visit& visit) {
    kernel::SpinGuard chain_guard(f.anon->lock);
    AddressSpace* space = f.anon->space;
    if (space == nullptr) return;
    const hal::VirtAddr addr{static_cast<uint64_t>(f.anon_page) << hal::kPageShift};
    kernel::SpinGuard guard(space->page_table_lock);
    hal::spend(hal::Op::RmapStep);
    Pte* pte = find_pte(*space, addr);
    if (pte != nullptr && pte->valid() && pte->pfn() == pfn_of(f)) {
        visit(*space, addr, *pte, static_cast<const Area*>(nullptr));
    }
}

template <typename Visit>
void visit_file(Frame& f, Visit& visit) {
    if (f.mapping == nullptr) return;
    Mapping& mapping = *f.mapping;
    kernel::IrqSpinGuard tree_guard(mapping.tree_lock);
    for (Area* area = mapping.areas.front(); area != nullptr; area = mapping.areas.next(*area)) {
        const uint64_t area_pages = (area->end.value - area->begin.value) >> hal::kPageShift;
        if (f.index < area->file_page || f.index - area->file_page >= area_pages) continue;
        const hal::VirtAddr addr = area->begin + ((f.index - area->file_page) << hal::kPageShift);
        AddressSpace& space = *area->space;
        kernel::SpinGuard guard(space.page_table_lock);
        hal::spend(hal::Op::RmapStep);
        Pte* pte = find_pte(space, addr);
        if (pte == nullptr || !pte->valid() || pte->pfn() != pfn_of(f)) continue;
        if (!visit(space, addr, *pte, static_cast<const Area*>(area))) return;
    }
}

template <typename Visit>
void visit_mappings(Frame& f, Visit visit) {
    if (f.map_count == 0) return;
    if (f.anon != nullptr) {
        visit_anon(f, visit);
    } else {
        visit_file(f, visit);
    }
}

}  // namespace

AnonChain* create_anon_chain(AddressSpace& space) {
    AnonChain* chain = chain_cache.create();
    if (chain == nullptr) return nullptr;
    chain->space = &space;
    chain->users = 1;
    return chain;
}

void get_anon_chain(AnonChain& chain) {
    ++chain.users;
}

void put_anon_chain(AnonChain& chain) {
    WEIR_ASSERT(chain.users > 0, "use of a dead reverse map dropped", 0, 0);
    if (--chain.users == 0) chain_cache.destroy(chain);
}

void detach_anon_chain(AnonChain& chain) {
    kernel::SpinGuard guard(chain.lock);
    chain.space = nullptr;
}

void set_anon(Frame& f, AnonChain& chain, hal::VirtAddr addr) {
    f.set(kFrameSwapBacked);
    f.anon_page = page_number(addr);
    if (f.anon == &chain) return;
    WEIR_ASSERT(f.anon == nullptr, "anonymous frame changes its address space", pfn_of(f).value,
                f.flags);
    get_anon_chain(chain);
    f.anon = &chain;
}

void add_mapping_count(Frame& f) {
    if (f.map_count++ != 0) return;
    count(f.anon != nullptr ? VmCounter::NrAnonPages : VmCounter::NrMapped);
}

void drop_mapping_count(Frame& f) {
    WEIR_ASSERT(f.map_count > 0, "frame unmapped more often than mapped", pfn_of(f).value, f.flags);
    if (--f.map_count != 0) return;
    count(f.anon != nullptr ? VmCounter::NrAnonPages : VmCounter::NrMapped, -1);
}

ReferenceCount count_references(Frame& f) {
    ReferenceCount result;
    visit_mappings(f, [&](AddressSpace& space, hal::VirtAddr addr, Pte& pte, const Area* area) {
        if (area != nullptr && area->executable) result.executable_file = true;
        if (pte.test(kPteAccessed)) {
            pte.bits &= ~kPteAccessed;
            flush_page(space, addr);
            ++result.referenced;
        }
        return true;
    });
    return result;
}

bool try_to_unmap(Frame& f) {
    WEIR_ASSERT(f.test(kFrameLocked), "unmapping a frame that is not locked", pfn_of(f).value,
                f.flags);
    if (f.anon != nullptr && !f.test(kFrameSwapCache)) return f.map_count == 0;
    bool possible = true;
    bool dirty = false;
    visit_mappings(f, [&](AddressSpace& space, hal::VirtAddr addr, Pte& pte, const Area*) {
        if (pte.test(kPteAccessed)) {  // used since it was looked at: it may stay
            pte.bits &= ~kPteAccessed;
            flush_page(space, addr);
            possible = false;
            return false;
        }
        dirty = dirty || pte.test(kPteDirty);
        if (f.anon != nullptr) {
            const SwapSlot slot{static_cast<uint32_t>(f.index)};
            swap_dup(slot);
            pte = Pte::swap(slot);
            ++space.swapped_pages;
        } else {
            pte = Pte{};
        }
        --space.resident_pages;
        flush_page(space, addr);
        drop_mapping_count(f);
        put_frame(f);
        return true;
    });
    // Outside the locks: accounting for a dirty file page takes the tree lock.
    if (dirty) set_frame_dirty(f);
    return possible && f.map_count == 0;
}

bool clean_mappings(Frame& f) {
    bool dirty = false;
    if (f.anon != nullptr) return dirty;
    visit_mappings(f, [&](AddressSpace& space, hal::VirtAddr addr, Pte& pte, const Area*) {
        if (pte.test(kPteDirty | kPteWrite)) {
            dirty = dirty || pte.test(kPteDirty);
            pte.bits &= ~(kPteDirty | kPteWrite);
            flush_page(space, addr);
        }
        return true;
    });
    return dirty;
}

}  // namespace weir::mm
