// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Address spaces: Sv39 page tables, mapped areas, faults, reverse map.
// - map_anon / map_file / unmap: the system calls' work; handle_fault: the trap's work.
// - try_to_unmap / referenced: what reclaim asks of the reverse map.
#pragma once

#include "firmware/hal/types.h"
#include "firmware/kernel/lock.h"
#include "firmware/kernel/object_cache.h"
#include "firmware/mm/frame.h"

namespace weir::mm {

struct File;

enum class Sharing : uint8_t { Private, Shared };

/// One mapped range. Anonymous where file is null.
struct Area {
    kernel::ListNode node;       // in AddressSpace::areas, by address
    kernel::ListNode file_node;  // in the mapping's list of areas (reverse map of file pages)
    struct AddressSpace* space;
    hal::VirtAddr begin;
    hal::VirtAddr end;
    File* file;
    uint64_t file_page;  // page of the file at begin
    Sharing sharing;
    bool writable;
    bool executable;
    AnonChain* anon;
};

struct AddressSpace {
    hal::Pfn root;  // Sv39 root table
    uint16_t asid;
    kernel::SpinLock page_table_lock;
    kernel::List<Area, &Area::node> areas;
    uint64_t resident_pages;
    uint64_t swapped_pages;
    uint64_t page_table_pages;
    uint64_t next_free_addr;
    AnonChain* anon;  // reverse map of all its anonymous frames; areas point to it
};

AddressSpace* create_address_space();
void destroy_address_space(AddressSpace& space);
hal::Result<hal::VirtAddr> map_anon(AddressSpace& space, uint64_t bytes);
hal::Result<hal::VirtAddr> map_file(AddressSpace& space, File& file, uint64_t first_page,
                                    uint64_t bytes, Sharing sharing, bool writable);
hal::Status unmap(AddressSpace& space, hal::VirtAddr begin, uint64_t bytes);
/// The trap's work: anonymous zero page, swap-in, file page, copy of a private page, or an error.
hal::Status handle_fault(AddressSpace& space, hal::VirtAddr addr, hal::Access access);

/// Clears accessed bits of every mapping of a frame; how many were set. executable_file: some
/// mapping is executable and file-backed.
struct ReferenceCount {
    uint32_t referenced = 0;
    bool executable_file = false;
};
ReferenceCount count_references(Frame& f);
/// Removes every mapping of a locked frame; an anonymous frame must be in the swap cache and leaves
/// its slot in the entries. Dirty bits of entries are carried to the frame. False: not possible.
bool try_to_unmap(Frame& f);

}  // namespace weir::mm
