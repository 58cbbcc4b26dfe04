// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Start of the memory layer.
#include "firmware/mm/mm.h"

#include "firmware/block/block.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/nap.h"
#include "firmware/kernel/object_cache.h"
#include "firmware/kernel/task.h"
#include "firmware/mm/address_space_internal.h"
#include "firmware/mm/allocator.h"
#include "firmware/mm/fault.h"
#include "firmware/mm/lru.h"
#include "firmware/mm/page_cache.h"
#include "firmware/mm/swap.h"
#include "firmware/mm/writeback.h"

namespace weir::mm {

namespace {

// ---- what naps and wishes see -------------------------------------------------------------------

uint64_t observed_free_frames() {
    return free_frames(zone());
}
uint64_t observed_pcp_frames() {
    return pcp_frames(zone());
}

bool observed_congestion(kernel::NapClass klass) {
    switch (klass) {
        case kernel::NapClass::Async:
            return block::any_congested(block::IoClass::Async);
        case kernel::NapClass::Sync:
            return block::any_congested(block::IoClass::Sync);
        case kernel::NapClass::Watermark:
        case kernel::NapClass::Own:
            break;
    }
    return block::any_congested(block::IoClass::Async) ||
           block::any_congested(block::IoClass::Sync);
}

/// detail: the mark that the allocation must pass, in frames.
bool frame_available(uint64_t mark_frames) {
    return watermark_ok(zone(), 0, static_cast<uint32_t>(mark_frames));
}

/// kswapd waits for its zone, or for congestion to end. detail: the high mark, in frames.
bool zone_balanced(uint64_t mark_frames) {
    return frame_available(mark_frames) || !block::any_congested(block::IoClass::Async);
}

/// detail: 0 anonymous, 1 file.
bool isolation_fell(uint64_t type) {
    const Zone& z = zone();
    const Lru inactive = type == 0 ? Lru::InactiveAnon : Lru::InactiveFile;
    return z.isolated[type == 0 ? 0 : 1] <= lru_size(z, inactive);
}

// ---- address spaces of tasks --------------------------------------------------------------------

void on_task_exit(kernel::Task& task) {
    if (task.space == nullptr) return;
    if (&task == &kernel::current()) hal::set_translation_root(hal::kNoPfn, 0);
    AddressSpace* space = task.space;
    task.space = nullptr;
    destroy_address_space(*space);
}

void on_task_switch(kernel::Task& next) {
    if (next.space == nullptr) {
        hal::set_translation_root(hal::kNoPfn, 0);
    } else {
        hal::set_translation_root(next.space->root, next.space->asid);
    }
}

/// Room for the slots of the largest swap device: there may be one only, found in start().
uint64_t swap_slots_of_machine() {
    const hal::BootInfo& info = kernel::boot_info();
    uint64_t slots = 0;
    for (uint32_t i = 0; i < info.disk_count; ++i) {
        const hal::DiskInfo& disk = info.disks[i];
        if (disk.role != hal::DiskRole::Swap) continue;
        const uint64_t disk_slots = disk.sectors / hal::kSectorsPerPage;
        if (disk_slots > slots) slots = disk_slots;
    }
    return slots;
}

}  // namespace

void init() {
    init_frame_waits();
    init_zones();
    init_lru();
    init_address_spaces();
    init_swap(swap_slots_of_machine());
    init_frames();  // last: boot memory ends here

    kernel::set_frame_source(alloc_object_frame);
    kernel::set_page_fault_handler(on_page_fault);
    kernel::set_task_exit_hook(on_task_exit);
    kernel::set_task_switch_hook(on_task_switch);
    kernel::set_nap_observer({.free_frames = observed_free_frames,
                              .pcp_frames = observed_pcp_frames,
                              .any_congested = observed_congestion});
    kernel::set_wish_test(kernel::NapWish::FrameAvailable, frame_available);
    kernel::set_wish_test(kernel::NapWish::ZoneBalanced, zone_balanced);
    kernel::set_wish_test(kernel::NapWish::IsolationFell, isolation_fell);
}

void start() {
    for (uint32_t i = 0; i < block::device_count(); ++i) {
        block::BlockDevice& device = block::device(i);
        if (block::disk_info(device).role == hal::DiskRole::Swap) {
            swap_on(device);
            continue;
        }
        const hal::Status status = mount(device);
        WEIR_ASSERT(status.ok(), "a data disk cannot be mounted", i, status.error());
    }
    start_flushers();
}

}  // namespace weir::mm
