// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The steps below add_to_page_cache and remove_mapping that readahead, file I/O and direct I/O
// share.
// - insert_locked() + count_inserted(): a batch of pages under one tree lock.
// - find_or_create_locked(): the frame of an index, whether it was there or not.
#pragma once

#include "firmware/mm/page_cache.h"

namespace weir::mm {

enum class InsertResult : uint8_t { Inserted, Taken, NoNode };

/// Inserts a locked, new frame; the caller holds tree_lock and calls count_inserted afterwards.
InsertResult insert_locked(Mapping& mapping, uint64_t index, Frame& f);
void count_inserted(const Mapping& mapping, uint32_t page_count);
/// After InsertResult::NoNode, without locks: waits for memory. False: there is none.
bool wait_for_tree_nodes();
/// The locked frame at an index, one use taken; a new one is on the LRU and not up to date.
/// Errors: NoMemory.
hal::Result<Frame*> find_or_create_locked(Mapping& mapping, uint64_t index, uint32_t alloc_flags);
/// Forgets a locked frame that is clean, unmapped and used by nobody but the cache and the caller.
bool invalidate_frame(Frame& f);

}  // namespace weir::mm
