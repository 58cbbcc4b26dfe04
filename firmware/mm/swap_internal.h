// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What swap_map.cpp and swap_cache.cpp share.
#pragma once

#include "firmware/kernel/lock.h"
#include "firmware/mm/page_cache.h"
#include "firmware/mm/swap.h"

namespace weir::mm {

/// In boot memory.
struct SwapState {
    block::BlockDevice* device;
    uint64_t capacity;  // slots that `users` has room for
    uint32_t slot_end;  // one past the last slot

    // Guarded by `lock`.
    kernel::SpinLock lock;
    uint16_t* users;  // page-table entries of the slot, plus one for the swap cache
    uint32_t free_slots;
    uint32_t lowest_free;  // no slot below it is free
    uint32_t next_slot;    // where the cluster goes on
    uint32_t cluster_left;

    // The swap cache: slot -> frame. Guarded by its tree_lock.
    Mapping mapping;
};

SwapState& swap_globals();

}  // namespace weir::mm
