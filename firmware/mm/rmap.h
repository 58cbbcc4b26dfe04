// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Reverse map: from a frame to the page-table entries that point to it.
// - Anonymous frames: Frame::anon and anon_page name one address space and one page (no fork).
// - File frames: the mapping's list of areas.
// - What reclaim asks (count_references, try_to_unmap) is declared in address_space.h.
#pragma once

#include "firmware/hal/types.h"
#include "firmware/kernel/lock.h"
#include "firmware/mm/frame.h"

namespace weir::mm {

struct AddressSpace;

/// Leads from anonymous frames to their address space. Outlives the space while frames still
/// under I/O point here: users = the space + frames.
struct AnonChain {
    kernel::SpinLock lock;  // guards space; taken before the space's page_table_lock
    AddressSpace* space;
    uint32_t users;
};

/// Errors: null if no memory is left for one. One user, the caller.
AnonChain* create_anon_chain(AddressSpace& space);
void get_anon_chain(AnonChain& chain);
void put_anon_chain(AnonChain& chain);
/// The space is about to go: nobody reaches it through the chain any more.
void detach_anon_chain(AnonChain& chain);

/// Makes a frame that nobody else knows yet, or a locked one, anonymous memory of a page.
void set_anon(Frame& f, AnonChain& chain, hal::VirtAddr addr);

/// Counts of frames that are mapped at all, and of mappings of a frame.
void add_mapping_count(Frame& f);
void drop_mapping_count(Frame& f);

/// Write-protects every mapping of a file frame and clears their dirty bits, so that the next
/// store faults and dirties the frame anew. True if one was dirty. For clear_dirty_for_io.
bool clean_mappings(Frame& f);

}  // namespace weir::mm
