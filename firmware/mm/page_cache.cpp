// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "firmware/mm/page_cache.h"

#include "firmware/kernel/counters.h"
#include "firmware/kernel/sched.h"
#include "firmware/mm/allocator.h"
#include "firmware/mm/cache_insert.h"
#include "firmware/mm/device_state.h"
#include "firmware/mm/lru.h"
#include "firmware/mm/page_io.h"
#include "firmware/mm/swap.h"

namespace weir::mm {

using kernel::count;
using kernel::VmCounter;

/// Takes no tree lock, as the lookup under RCU that it stands for: there is no synchronisation
/// point between finding the frame and taking the use.
Frame* find_frame(Mapping& mapping, uint64_t index) {
    Frame* f = mapping.pages.lookup(index);
    if (f) get_frame(*f);
    return f;
}

InsertResult insert_locked(Mapping& mapping, uint64_t index, Frame& f) {
    if (!mapping.pages.insert(index, f)) {
        return mapping.pages.lookup(index) ? InsertResult::Taken : InsertResult::NoNode;
    }
    f.mapping = &mapping;
    f.index = index;
    get_frame(f);
    ++mapping.page_count;
    return InsertResult::Inserted;
}

void count_inserted(const Mapping& mapping, uint32_t page_count) {
    count(VmCounter::NrFilePages, page_count);
    if (mapping.kind == MappingKind::Metadata) count(VmCounter::NrBufferPages, page_count);
}

bool wait_for_tree_nodes() {
    // The node cache may not sleep. A patient allocation reclaims until frames are there; giving it
    // back leaves one for the node cache to take.
    Frame* f = alloc_frame({.order = 0, .flags = kAllocKernel});
    if (!f) return false;
    put_frame(*f);
    return true;
}

bool add_to_page_cache(Mapping& mapping, uint64_t index, Frame& f) {
    constexpr uint32_t kTries = 8;
    for (uint32_t i = 0; i < kTries; ++i) {
        InsertResult result;
        {
            kernel::IrqSpinGuard guard(mapping.tree_lock);
            result = insert_locked(mapping, index, f);
        }
        if (result == InsertResult::Inserted) {
            count_inserted(mapping, 1);
            hal::spend(hal::Op::CacheInsert);
            return true;
        }
        if (result == InsertResult::Taken || !wait_for_tree_nodes()) return false;
    }
    return false;
}

namespace {

/// Takes a frame out of the tree. The tree lock is held; the cache's use is still to be dropped.
void detach_locked(Mapping& mapping, Frame& f) {
    Frame* removed = mapping.pages.remove(f.index);
    WEIR_ASSERT(removed == &f, "page cache: another frame at this index", f.index, pfn_of(f).value);
    --mapping.page_count;
    count(VmCounter::NrFilePages, -1);
    if (mapping.kind == MappingKind::Metadata) count(VmCounter::NrBufferPages, -1);
    f.clear(kFrameReadahead | kFrameMeta);
    f.mapping = nullptr;
}

void finish_removal(Frame& f) {
    put_frame(f);
    hal::spend(hal::Op::CacheRemove);
}

bool remove_from_swap(Mapping& mapping, Frame& f) {
    SwapSlot slot;
    {
        kernel::IrqSpinGuard guard(mapping.tree_lock);
        if (f.use_count != 2 || f.test(kFrameDirty | kFrameWriteback)) return false;
        slot = remove_from_swap_cache_locked(f);
    }
    finish_removal(f);
    swap_put(slot);
    return true;
}

}  // namespace

bool remove_mapping(Frame& f) {
    Mapping& mapping = *f.mapping;
    if (mapping.kind == MappingKind::Swap) return remove_from_swap(mapping, f);
    {
        kernel::IrqSpinGuard guard(mapping.tree_lock);
        if (f.use_count != 2 || f.test(kFrameDirty | kFrameWriteback)) return false;
        detach_locked(mapping, f);
    }
    finish_removal(f);
    return true;
}

hal::Result<Frame*> find_or_create_locked(Mapping& mapping, uint64_t index, uint32_t alloc_flags) {
    while (true) {
        if (Frame* f = find_frame(mapping, index)) {
            lock_frame(*f);
            if (f->mapping == &mapping && f->index == index) return f;
            // It was reclaimed while we waited for its lock.
            unlock_frame(*f);
            put_frame(*f);
            continue;
        }
        Frame* f = alloc_frame({.order = 0, .flags = alloc_flags});
        if (!f) return hal::Error::NoMemory;
        f->set(kFrameLocked);
        if (mapping.kind == MappingKind::Metadata) f->set(kFrameMeta);
        if (add_to_page_cache(mapping, index, *f)) {
            lru_add(*f);
            return f;
        }
        f->clear(kFrameLocked | kFrameMeta);
        put_frame(*f);
        if (!mapping.pages.lookup(index)) return hal::Error::NoMemory;
    }
}

// ---- drop_caches ------------------------------------------------------------------------------

bool invalidate_frame(Frame& f) {
    if (f.test(kFrameDirty | kFrameWriteback) || f.map_count != 0) return false;
    return remove_mapping(f);
}

namespace {

uint64_t drop_mapping(Mapping& mapping) {
    uint64_t dropped_pages = 0;
    for (uint64_t index = 0;; ++index) {
        Frame* f;
        {
            kernel::IrqSpinGuard guard(mapping.tree_lock);
            f = mapping.pages.next(index, &index);
            if (!f) return dropped_pages;
            get_frame(*f);
        }
        if (try_lock_frame(*f)) {
            if (f->mapping == &mapping && invalidate_frame(*f)) ++dropped_pages;
            unlock_frame(*f);
        }
        put_frame(*f);
        if (index % 64 == 0) kernel::cond_resched();
    }
}

}  // namespace

uint64_t drop_caches() {
    lru_add_drain_all();
    uint64_t dropped_pages = 0;
    for (uint32_t d = 0; d < block::device_count(); ++d) {
        DeviceState* state = device_state(block::device(d));
        if (!state) continue;
        for (uint32_t i = 0; i < state->file_count; ++i) {
            dropped_pages += drop_mapping(state->files[i]->mapping);
        }
        dropped_pages += drop_mapping(state->metadata);
    }
    return dropped_pages;
}

}  // namespace weir::mm
