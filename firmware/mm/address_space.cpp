// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Address spaces: making, mapping, unmapping. Faults are in fault.cpp, the reverse map in rmap.cpp.
// One thread uses an address space; only the reverse map comes from other harts, under
// page_table_lock and the locks that lead to it.
#include "firmware/mm/address_space.h"

#include "firmware/kernel/counters.h"
#include "firmware/kernel/sched.h"
#include "firmware/mm/address_space_internal.h"
#include "firmware/mm/lru.h"
#include "firmware/mm/page_cache.h"
#include "firmware/mm/page_table.h"
#include "firmware/mm/rmap.h"
#include "firmware/mm/swap.h"

namespace weir::mm {

namespace {

// Addresses start above the range where real programs have their text; nothing depends on it.
constexpr uint64_t kFirstMapAddr = 0x1000'0000;
// An unmapped page between areas, so that running over the end of one is a fault.
constexpr uint64_t kGuardBytes = hal::kPageBytes;
// Entries removed under one hold of page_table_lock; larger would keep reclaimers waiting longer.
constexpr uint32_t kZapBatch = 32;

kernel::ObjectCache<AddressSpace> space_cache;
kernel::ObjectCache<Area> area_cache;
uint16_t next_asid = 1;

uint64_t round_up_to_page(uint64_t bytes) {
    return (bytes + hal::kPageBytes - 1) & ~static_cast<uint64_t>(hal::kPageBytes - 1);
}

/// Links an area into its space and, for a file, into the reverse map of the file.
void link_area(Area& area) {
    AddressSpace& space = *area.space;
    Area* after = space.areas.front();
    while (after != nullptr && after->begin < area.begin) after = space.areas.next(*after);
    space.areas.insert_before(after, area);
    if (area.file == nullptr) return;
    kernel::IrqSpinGuard guard(area.file->mapping.tree_lock);
    area.file->mapping.areas.push_back(area);
}

void unlink_area(Area& area) {
    area.space->areas.remove(area);
    if (area.file == nullptr) return;
    kernel::IrqSpinGuard guard(area.file->mapping.tree_lock);
    area.file->mapping.areas.remove(area);
}

hal::Result<hal::VirtAddr> map_area(AddressSpace& space, uint64_t bytes, const Area& like) {
    if (bytes == 0) return hal::Error::Invalid;
    const uint64_t length = round_up_to_page(bytes);
    if (length < bytes || length > kUserEnd ||
        space.next_free_addr + length + kGuardBytes > kUserEnd) {
        return hal::Error::NoMemory;
    }
    Area* area = area_cache.create();
    if (area == nullptr) return hal::Error::NoMemory;
    area->space = &space;
    area->begin = hal::VirtAddr{space.next_free_addr};
    area->end = area->begin + length;
    area->file = like.file;
    area->file_page = like.file_page;
    area->sharing = like.sharing;
    area->writable = like.writable;
    area->executable = like.executable;
    area->anon = like.anon;
    space.next_free_addr += length + kGuardBytes;
    link_area(*area);
    return area->begin;
}

/// Cuts an area in two at an address inside it. False: no memory for the second.
bool split_area(Area& area, hal::VirtAddr at) {
    Area* upper = area_cache.create();
    if (upper == nullptr) return false;
    upper->space = area.space;
    upper->begin = at;
    upper->end = area.end;
    upper->file = area.file;
    upper->file_page = file_page_of(area, at);
    upper->sharing = area.sharing;
    upper->writable = area.writable;
    upper->executable = area.executable;
    upper->anon = area.anon;
    {
        // The reverse map must not see both cover the same pages, nor neither.
        kernel::SpinGuard guard(area.space->page_table_lock);
        area.end = at;
    }
    link_area(*upper);
    return true;
}

// ---- removing entries -------------------------------------------------------------------------

struct ZapBatch {
    Pte old[kZapBatch];
    uint32_t entry_count = 0;
};

/// Clears entries from addr on until the batch is full. Returns where to go on.
hal::VirtAddr collect(AddressSpace& space, hal::VirtAddr addr, hal::VirtAddr end, ZapBatch& batch) {
    kernel::SpinGuard guard(space.page_table_lock);
    uint32_t visited = 0;
    while (addr < end && batch.entry_count < kZapBatch) {
        const uint64_t next_table = (addr.value & ~(kLeafTableBytes - 1)) + kLeafTableBytes;
        const hal::VirtAddr stop = next_table < end.value ? hal::VirtAddr{next_table} : end;
        Pte* pte = find_pte(space, addr);
        if (pte == nullptr) {
            addr = stop;
            continue;
        }
        for (; addr < stop && batch.entry_count < kZapBatch; addr += hal::kPageBytes, ++pte) {
            ++visited;
            if (pte->none()) continue;
            batch.old[batch.entry_count++] = *pte;
            if (pte->valid()) {
                --space.resident_pages;
            } else {
                --space.swapped_pages;
            }
            *pte = Pte{};
        }
    }
    if (visited != 0) hal::spend(hal::Op::WalkPte, visited);
    return addr;
}

/// What an entry that is gone leaves to its frame.
void release_mapped(Pte old) {
    Frame& f = frame_of(old.pfn());
    if (f.anon == nullptr) {
        if (old.test(kPteDirty)) set_frame_dirty(f);
        if (old.test(kPteAccessed)) mark_accessed(f);
    } else if (old.test(kPteDirty)) {
        f.set(kFrameDirty);
    }
    drop_mapping_count(f);
    if (f.test(kFrameSwapCache) && try_lock_frame(f)) {
        try_to_free_swap(f);
        unlock_frame(f);
    }
    put_frame(f);
}

}  // namespace

void init_address_spaces() {
    next_asid = 1;
}

void flush_page(const AddressSpace& space, hal::VirtAddr addr) {
    hal::tlb_flush_page(addr, space.asid);
    hal::spend(hal::Op::TlbFlush);
}

void zap_range(AddressSpace& space, hal::VirtAddr begin, hal::VirtAddr end) {
    for (hal::VirtAddr addr = begin; addr < end;) {
        ZapBatch batch;
        addr = collect(space, addr, end, batch);
        if (batch.entry_count == 0) continue;
        // Before the frames can be given to anyone else.
        hal::tlb_flush_asid(space.asid);
        hal::spend(hal::Op::TlbFlush);
        for (uint32_t i = 0; i < batch.entry_count; ++i) {
            if (batch.old[i].valid()) {
                release_mapped(batch.old[i]);
            } else {
                free_swap_entry(batch.old[i].slot());
            }
        }
        kernel::cond_resched();
    }
}

Area* area_at(AddressSpace& space, hal::VirtAddr addr) {
    for (Area* area = space.areas.front(); area != nullptr; area = space.areas.next(*area)) {
        if (addr < area->begin) return nullptr;
        if (addr < area->end) return area;
    }
    return nullptr;
}

AddressSpace* create_address_space() {
    WEIR_ASSERT(next_asid != 0, "address space identifiers are used up", next_asid, 0);
    AddressSpace* space = space_cache.create();
    if (space == nullptr) return nullptr;
    space->root = alloc_table();
    space->anon = space->root == hal::kNoPfn ? nullptr : create_anon_chain(*space);
    if (space->anon == nullptr) {
        if (space->root != hal::kNoPfn) free_tables(*space);
        space_cache.destroy(*space);
        return nullptr;
    }
    space->asid = next_asid++;
    space->page_table_pages = 1;
    space->next_free_addr = kFirstMapAddr;
    return space;
}

void destroy_address_space(AddressSpace& space) {
    while (Area* area = space.areas.front()) {
        zap_range(space, area->begin, area->end);
        unlink_area(*area);
        area_cache.destroy(*area);
    }
    WEIR_ASSERT(space.resident_pages == 0 && space.swapped_pages == 0,
                "address space destroyed with pages left", space.resident_pages,
                space.swapped_pages);
    detach_anon_chain(*space.anon);
    put_anon_chain(*space.anon);
    hal::tlb_flush_asid(space.asid);
    free_tables(space);
    space_cache.destroy(space);
}

hal::Result<hal::VirtAddr> map_anon(AddressSpace& space, uint64_t bytes) {
    Area like{};
    like.sharing = Sharing::Private;
    like.writable = true;
    like.anon = space.anon;
    return map_area(space, bytes, like);
}

hal::Result<hal::VirtAddr> map_file(AddressSpace& space, File& file, uint64_t first_page,
                                    uint64_t bytes, Sharing sharing, bool writable) {
    Area like{};
    like.file = &file;
    like.file_page = first_page;
    like.sharing = sharing;
    like.writable = writable;
    like.anon = sharing == Sharing::Private ? space.anon : nullptr;
    return map_area(space, bytes, like);
}

hal::Status unmap(AddressSpace& space, hal::VirtAddr begin, uint64_t bytes) {
    const hal::VirtAddr end = begin + round_up_to_page(bytes);
    if (page_begin(begin) != begin || bytes == 0 || end < begin || end.value > kUserEnd) {
        return hal::Error::Invalid;
    }
    Area* next = nullptr;
    for (Area* area = space.areas.front(); area != nullptr; area = next) {
        next = space.areas.next(*area);
        if (area->end <= begin || end <= area->begin) continue;
        if (area->begin < begin) {
            if (!split_area(*area, begin)) return hal::Error::NoMemory;
            next = space.areas.next(*area);  // the upper part is looked at next
            continue;
        }
        if (end < area->end && !split_area(*area, end)) return hal::Error::NoMemory;
        zap_range(space, area->begin, area->end);
        unlink_area(*area);
        area_cache.destroy(*area);
    }
    return {};
}

}  // namespace weir::mm
