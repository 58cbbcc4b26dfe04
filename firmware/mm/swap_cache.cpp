// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The swap cache: anonymous frames that have a slot, found by it.
// - While a frame is in the cache, its index is its slot and the cache is one user of the slot.
#include "firmware/kernel/counters.h"
#include "firmware/kernel/kernel.h"
#include "firmware/mm/allocator.h"
#include "firmware/mm/cache_insert.h"
#include "firmware/mm/lru.h"
#include "firmware/mm/page_io.h"
#include "firmware/mm/swap_internal.h"

namespace weir::mm {

using kernel::count;
using kernel::VmCounter;

namespace {

// Read-around never exceeds this, whatever page_cluster says; also the size of arrays on the stack.
constexpr uint32_t kClusterLog2Max = 5;
constexpr uint32_t kClusterMax = 1u << kClusterLog2Max;

/// Puts a locked frame into the cache; the caller has given the slot its use for the cache.
bool insert(SwapSlot slot, Frame& f) {
    Mapping& mapping = swap_mapping();
    {
        kernel::IrqSpinGuard guard(mapping.tree_lock);
        if (insert_locked(mapping, slot.value, f) != InsertResult::Inserted) return false;
        f.set(kFrameSwapCache);
    }
    count_inserted(mapping, 1);
    count(VmCounter::NrSwapCached);
    hal::spend(hal::Op::CacheInsert);
    return true;
}

/// Takes a locked frame out of the cache.
void remove(Frame& f) {
    SwapSlot slot = kNoSlot;
    {
        kernel::IrqSpinGuard guard(swap_mapping().tree_lock);
        slot = remove_from_swap_cache_locked(f);
    }
    put_frame(f);
    swap_put(slot);
    hal::spend(hal::Op::CacheRemove);
}

enum class NewCopy : uint8_t { Made, NotWanted, NoMemory };

/// A locked frame in the cache, to be read from a slot. NotWanted: the slot is free or cached.
NewCopy make_copy(SwapSlot slot, Frame** made) {
    Mapping& mapping = swap_mapping();
    if (mapping.pages.lookup(slot.value) != nullptr) return NewCopy::NotWanted;
    Frame* f = alloc_frame({0, kAllocUser});
    if (f == nullptr) return NewCopy::NoMemory;
    f->set(kFrameLocked | kFrameSwapBacked);
    if (!swap_dup_if_used(slot)) {
        unlock_frame(*f);
        put_frame(*f);
        return NewCopy::NotWanted;
    }
    if (!insert(slot, *f)) {
        const bool taken = mapping.pages.lookup(slot.value) != nullptr;
        swap_put(slot);
        unlock_frame(*f);
        put_frame(*f);
        return taken ? NewCopy::NotWanted : NewCopy::NoMemory;
    }
    lru_add(*f);
    *made = f;
    return NewCopy::Made;
}

/// Gives up a copy whose read was never submitted.
void abandon_copy(Frame& f) {
    remove(f);
    unlock_frame(f);
    put_frame(f);
}

/// Starts to read a slot and its neighbours in the aligned cluster, where they are in use and not
/// cached yet. Source: facts 7, page_cluster.
/// Errors: NoMemory if there is none for the wanted slot itself.
hal::Status read_cluster(SwapSlot wanted) {
    uint32_t log2 = kernel::boot_info().swap_cluster_log2;
    if (log2 > kClusterLog2Max) log2 = kClusterLog2Max;
    const uint32_t first = wanted.value & ~((1u << log2) - 1);
    Frame* copies[kClusterMax] = {};
    hal::Status status;
    for (uint32_t i = 0; i < (1u << log2); ++i) {
        const SwapSlot slot{first + i};
        if (slot != wanted && swap_users(slot) == 0) continue;
        const NewCopy made = make_copy(slot, &copies[i]);
        if (made == NewCopy::NoMemory && slot == wanted) status = hal::Error::NoMemory;
    }
    BioRun run{.device = &swap_device(),
               .direction = block::Direction::Read,
               .flags = block::kBioSync,
               .end = end_read};
    for (uint32_t i = 0; i < (1u << log2); ++i) {
        if (copies[i] == nullptr) continue;
        const SwapSlot slot{first + i};
        const uint64_t device_block = swap_sector(slot).value / hal::kSectorsPerPage;
        if (!run.add(device_block, pfn_of(*copies[i])).ok()) {
            if (slot == wanted) status = hal::Error::NoMemory;
            abandon_copy(*copies[i]);
            continue;
        }
        count(VmCounter::PswpIn);
        put_frame(*copies[i]);  // the cache's use keeps it, its lock keeps it there
    }
    run.submit();
    return status;
}

/// Reads a copy by itself whose read failed together with others. True: it is up to date.
hal::Status read_again(SwapSlot slot, Frame& f) {
    lock_frame(f);
    const bool still_copy = f.test(kFrameSwapCache) && f.index == slot.value;
    if (!still_copy || f.test(kFrameUptodate)) {
        unlock_frame(f);
        return {};
    }
    return read_frame_and_wait(swap_device(), swap_sector(slot).value / hal::kSectorsPerPage, f,
                               block::kBioSync);
}

}  // namespace

SwapSlot remove_from_swap_cache_locked(Frame& f) {
    Mapping& mapping = swap_mapping();
    const SwapSlot slot{static_cast<uint32_t>(f.index)};
    Frame* removed = mapping.pages.remove(slot.value);
    WEIR_ASSERT(removed == &f, "swap cache: another frame at this slot", slot.value,
                pfn_of(f).value);
    --mapping.page_count;
    f.clear(kFrameSwapCache);
    f.mapping = nullptr;
    count(VmCounter::NrFilePages, -1);
    count(VmCounter::NrSwapCached, -1);
    return slot;
}

bool add_to_swap(Frame& f) {
    WEIR_ASSERT(f.test(kFrameLocked) && f.test(kFrameSwapBacked) && f.mapping == nullptr,
                "frame cannot be swapped", pfn_of(f).value, f.flags);
    const SwapSlot slot = alloc_swap_slot();
    if (slot == kNoSlot) return false;
    if (!insert(slot, f)) {
        swap_put(slot);
        return false;
    }
    f.set(kFrameDirty | kFrameUptodate);
    return true;
}

hal::Result<Frame*> swap_in(SwapSlot slot) {
    Mapping& mapping = swap_mapping();
    for (;;) {
        Frame* f = find_frame(mapping, slot.value);
        if (f == nullptr) {
            if (swap_users(slot) == 0) return hal::Error::Again;
            const hal::Status status = read_cluster(slot);
            if (!status.ok()) return status.error();
            continue;
        }
        wait_frame_unlocked(*f);
        hal::Status status;
        if (!f->test(kFrameUptodate)) status = read_again(slot, *f);
        if (!status.ok()) {
            put_frame(*f);
            return status.error();
        }
        if (f->mapping == &mapping && f->index == slot.value && f->test(kFrameUptodate)) return f;
        put_frame(*f);  // it left the cache while we waited
    }
}

bool try_to_free_swap(Frame& f) {
    WEIR_ASSERT(f.test(kFrameLocked), "swap of a frame that is not locked", pfn_of(f).value,
                f.flags);
    if (!f.test(kFrameSwapCache) || f.test(kFrameWriteback)) return false;
    if (swap_users(SwapSlot{static_cast<uint32_t>(f.index)}) != 1) return false;
    remove(f);
    f.set(kFrameDirty);  // the frame is the only copy now
    return true;
}

void free_swap_entry(SwapSlot slot) {
    swap_put(slot);
    if (swap_users(slot) != 1) return;
    Frame* f = find_frame(swap_mapping(), slot.value);
    if (f == nullptr) return;
    if (try_lock_frame(*f)) {
        if (f->test(kFrameSwapCache) && f->index == slot.value) try_to_free_swap(*f);
        unlock_frame(*f);
    }
    put_frame(*f);
}

}  // namespace weir::mm
