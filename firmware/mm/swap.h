// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Swap: slots on the swap device and the swap cache.
// - add_to_swap(): gives an anonymous frame a slot (clusters of consecutive slots).
// - swap_in(): finds or reads a slot's page, with page-cluster read-around.
#pragma once

#include "firmware/hal/types.h"
#include "firmware/mm/frame.h"

namespace weir::block {
struct BlockDevice;
}

namespace weir::mm {

struct Mapping;

/// Slot number on the swap device: one page each. Slot 0 is the header and is never used.
using SwapSlot = hal::Strong<struct SwapSlotTag, uint32_t>;
inline constexpr SwapSlot kNoSlot{0};

/// Boot: room for the counts of `slot_count` slots, in boot memory. 0: no swap.
void init_swap(uint64_t slot_count);
/// Starts to swap to a device. One device is supported; panics on a second, and on a device larger
/// than init_swap made room for.
void swap_on(block::BlockDevice& device);
block::BlockDevice& swap_device();
/// Where a slot lies on the swap device.
inline hal::Sector swap_sector(SwapSlot slot) {
    return hal::Sector{static_cast<uint64_t>(slot.value) * hal::kSectorsPerPage};
}
bool swap_enabled();
uint64_t swap_total_slots();
uint64_t swap_free_slots();
Mapping& swap_mapping();

/// A free slot with one user (the cache), or kNoSlot: clusters of 256 consecutive slots first.
SwapSlot alloc_swap_slot();
/// Allocates a slot, puts the locked frame into the swap cache and marks it dirty. False: full.
bool add_to_swap(Frame& f);
/// Takes a use of a slot unless it is free. For those who hold no use that keeps it.
bool swap_dup_if_used(SwapSlot slot);
/// Counts of users of a slot: page-table entries plus one for the swap cache.
void swap_dup(SwapSlot slot);
void swap_put(SwapSlot slot);
uint32_t swap_users(SwapSlot slot);
/// The frame with the slot's content, up to date, one use taken; reads the cluster if needed.
/// Errors: NoMemory; IoError when the device cannot give the page back; Again if the slot came
/// free.
hal::Result<Frame*> swap_in(SwapSlot slot);
/// remove_mapping's part for the swap cache: the caller holds swap_mapping().tree_lock. Takes the
/// frame out of the tree and clears its mapping and SwapCache flag; the caller then drops the
/// cache's use of the frame and, outside the lock, its use of the returned slot (swap_put).
SwapSlot remove_from_swap_cache_locked(Frame& f);
/// Drops the swap cache's hold when a locked frame's slot has no other user. True if dropped.
bool try_to_free_swap(Frame& f);
/// Drops a page-table entry's use of a slot; also frees a cached copy that nobody else wants.
void free_swap_entry(SwapSlot slot);
/// More than half of the slots are in use: then swapped-in frames give their slots back.
bool swap_mostly_full();

}  // namespace weir::mm
