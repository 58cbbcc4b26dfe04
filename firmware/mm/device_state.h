// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What the memory layer keeps for each data disk: its files, metadata pages, dirty accounting and
// flusher. Hangs on block::mm_state(device).
#pragma once

#include "firmware/block/block.h"
#include "firmware/hal/disk_image.h"
#include "firmware/kernel/task.h"
#include "firmware/kernel/wait_queue.h"
#include "firmware/mm/page_cache.h"

namespace weir::mm {

using DirtyMappings = kernel::List<Mapping, &Mapping::dirty_node>;

/// Writeout events of one device, halved each time the machine as a whole has written half a
/// period: a floating share of recent writeout.
struct WriteoutShare {
    uint64_t event_count;
    uint64_t period;  // the machine's period number when last halved
};

/// Allocated by mount, never freed.
struct DeviceState {
    block::BlockDevice* device;
    Mapping metadata;  // block-device pages: superblock, inode table, indirect blocks
    uint32_t file_count;
    File* files[hal::kMaxFiles];

    // Guarded by dirty_lock. Taken inside a mapping's tree_lock and from interrupts.
    kernel::SpinLock dirty_lock;
    DirtyMappings dirty_mappings;  // in the order in which they turned dirty or were visited last
    uint64_t dirty_pages;
    uint64_t writeback_pages;
    WriteoutShare writeout;

    // Orders to the flusher; set by anyone, taken by the flusher.
    kernel::Task* flusher;
    kernel::WaitQueue flusher_queue;
    uint64_t ordered_pages;
    bool background_ordered;
    uint64_t last_periodic_jiffy;
};
static_assert(sizeof(DeviceState) <= 2048, "comes from an ObjectCache");

/// Null for a swap device and before mount.
DeviceState* device_state(block::BlockDevice& device);
inline bool has_dirty_pages(const DeviceState& state) {
    return !state.dirty_mappings.empty();
}

/// Boot: from the dirty limit.
void init_writeout_period();
/// Adds to the device's and the machine's recent writeout.
void note_writeout(DeviceState& state, uint32_t page_count);
/// One round of the flusher: orders, background, periodic. Returns pages written.
uint64_t flusher_round(DeviceState& state);
/// The up-to-date page of a metadata block, one use taken, not locked.
hal::Result<Frame*> read_metadata(DeviceState& state, uint64_t device_block);
/// Reports the levels of dirty pages and writeback to the waveform.
void report_dirty_gauges();

}  // namespace weir::mm
