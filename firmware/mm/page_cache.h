// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The page cache: frames found by (mapping, page index), files and their operations.
// - Mapping: a file's pages, a block device's metadata pages, or the swap cache.
// - file_read / file_write / file_sync / direct_io / drop_caches: the system calls' work.
#pragma once

#include "firmware/hal/types.h"
#include "firmware/kernel/list.h"
#include "firmware/kernel/lock.h"
#include "firmware/mm/address_space.h"
#include "firmware/mm/frame.h"
#include "firmware/mm/radix_tree.h"

namespace weir::block {
struct BlockDevice;
}

namespace weir::mm {

struct DeviceState;

enum class MappingKind : uint8_t { File, Metadata, Swap };

struct Mapping {
    MappingKind kind;
    block::BlockDevice* device;
    File* file;  // owner where kind is File
    kernel::SpinLock tree_lock;
    RadixTree pages;  // index -> Frame*, with tags Dirty and Writeback
    uint64_t page_count;
    uint64_t writeback_index;    // where the flusher goes on
    uint64_t dirty_since_jiffy;  // when its first dirty page turned dirty; 0: clean
    kernel::List<Area, &Area::file_node> areas;
    kernel::ListNode dirty_node;  // in the device's list of dirty mappings
    DeviceState* device_state;    // dirty accounting of its device; null for the swap cache
    hal::Error io_error;          // of a write that lost data; told once, by file_sync
    bool write_retry;             // pages of a failed bio are dirty again, to go one by one
    bool writeback_busy;          // a flusher or dirtier is writing it (I_SYNC)
};

/// State of one reader of one file (file_ra_state). Units: pages.
struct ReadaheadState {
    uint64_t start_page = 0;
    uint32_t size_pages = 0;
    uint32_t async_size_pages = 0;
    uint32_t max_pages = 0;
    uint64_t prev_page = ~0ull;
    uint32_t prev_offset_bytes = ~0u;  // in prev_page, where the last read ended
};

/// A file of the disk image (docs/models/file_system.md): preallocated, found by number.
struct File {
    Mapping mapping;
    uint32_t number;
    uint64_t size_bytes;
    uint64_t first_block;      // page-sized block on the device where the file's extent begins
    ReadaheadState readahead;  // Weir opens a file once per task
};

/// Looks a page up; takes a use. Null if absent.
Frame* find_frame(Mapping& mapping, uint64_t index);
/// Inserts a locked, new frame; takes a use for the cache. False if the index is taken.
bool add_to_page_cache(Mapping& mapping, uint64_t index, Frame& f);
/// Removes a locked frame whose only users are the cache and the caller, unless it turned dirty.
/// Source: __remove_mapping. Drops the cache's use; in the swap cache also the cache's hold on the
/// slot (swap_put), kFrameSwapCache and its count. The frame stays locked.
bool remove_mapping(Frame& f);
/// Starts a write of one locked dirty frame, for reclaim (pageout). Submitted: the frame is
/// unlocked and under writeback, or already written. Any other result: the frame is still locked.
/// Works for file, metadata and swap-cache frames; counts pswpout, leaves nr_vmscan_write to the
/// caller.
enum class PageoutResult : uint8_t { Submitted, Clean, Busy, Error };
PageoutResult write_frame_for_reclaim(Frame& f);

/// Marks the frame, tags it in its mapping and accounts for it. Callable from interrupts. A frame
/// without a mapping, or in the swap cache, only gets the flag.
void set_frame_dirty(Frame& f);
/// Clears dirty for a write about to start; true if it was dirty.
bool clear_dirty_for_io(Frame& f);

hal::Result<uint64_t> file_read(File& file, uint64_t offset_bytes, hal::VirtAddr to,
                                uint64_t bytes);
hal::Result<uint64_t> file_write(File& file, uint64_t offset_bytes, hal::VirtAddr from,
                                 uint64_t bytes);
hal::Result<uint64_t> direct_io(File& file, uint64_t offset_bytes, hal::VirtAddr buffer,
                                uint64_t bytes, hal::Access access);
/// The page for a fault on a mapped file: up to date, one use taken, not locked. On a miss reads
/// the 16 aligned pages around it. Errors: NoMemory, IoError, OutOfRange, Killed.
hal::Result<Frame*> file_page_for_fault(File& file, uint64_t page);
/// Writes every dirty page in the range and waits for it (fsync, msync(MS_SYNC)).
/// Errors: what an earlier write of this file lost, once.
hal::Status file_sync(File& file, uint64_t first_page, uint64_t page_count);
/// Forgets every clean, unused page of every file and device (drop_caches = 1). Returns pages.
uint64_t drop_caches();

/// Files of a device, read from its image at boot.
hal::Status mount(block::BlockDevice& device);
File* open_file(block::BlockDevice& device, uint32_t number);
/// Device block (page-sized) of a file page; reads the indirect block through the page cache.
hal::Result<uint64_t> map_block(File& file, uint64_t page);
/// The same for a run: *run_pages (1..want_pages) pages from `page` on are contiguous on the
/// device. One use of the indirect block, as get_blocks of ext2; a run never crosses a group.
hal::Result<uint64_t> map_blocks(File& file, uint64_t page, uint32_t want_pages,
                                 uint32_t* run_pages);

}  // namespace weir::mm
