// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Dirty accounting, limits and flusher threads. Who sleeps for the dirty limit is a policy's matter
// (policy/mechanism/dirty_throttle); this is what it measures and what does the writing.
#pragma once

#include "firmware/hal/types.h"

#include <cstdint>

namespace weir::block {
struct BlockDevice;
}

namespace weir::mm {

struct Mapping;

struct DirtyLimits {
    uint64_t background_pages;
    uint64_t limit_pages;
};
/// Source: 4.9; ratios of BootInfo, the dirty ratio at least 5 %. dirtyable = free + file LRU (+
/// anon LRU while swap space remains).
DirtyLimits dirty_limits();
uint64_t dirtyable_pages();
/// This device's share of the limit, by its share of recent writeout.
uint64_t device_dirty_limit(block::BlockDevice& device, uint64_t limit_pages);
struct DeviceDirty {
    uint64_t reclaimable_pages;  // dirty, not yet being written
    uint64_t writeback_pages;
};
DeviceDirty device_dirty(block::BlockDevice& device);

/// The running task dirtied pages of a mapping: the policy may make it sleep (balance_dirty_pages).
void dirtied_ratelimited(Mapping& mapping, uint32_t page_count);

// Wish details of NapWish::DirtyFell: a device index, or this for the global limit alone.
inline constexpr uint64_t kDirtyWishGlobal = ~0ull;

struct WriteTarget {
    uint64_t max_pages;         // write at most so many
    uint64_t older_than_jiffy;  // only mappings dirty since before this; 0: all
    bool sync;                  // flagged sync (fsync): requests are sync class
};
/// Writes dirty pages of a device from where it left off; does not wait for them. Returns pages.
uint64_t write_dirty_pages(block::BlockDevice& device, const WriteTarget& target);
uint64_t write_mapping(Mapping& mapping, uint64_t first_page, uint64_t page_count,
                       const WriteTarget& target);

/// One flusher thread a data device, as 2.6.32: chunks of 1024 pages, 5 s / 30 s periodic
/// writeback. Also sets the tests of NapWish::WritebackFell and NapWish::DirtyFell.
void start_flushers();
/// Asks the device's flusher to write so many pages (0: until below the background limit).
void wake_flusher(block::BlockDevice& device, uint64_t pages);
/// Asks every flusher for so many pages each (0: as many as are dirty now).
void wake_all_flushers(uint64_t pages);

}  // namespace weir::mm
