// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The block layer: what mm asks of disks.
// - Bio: one contiguous run of pages to read or write; submit_bio() queues it.
// - plug()/unplug(): hold requests back so that they merge; unplug at 4, after 3 ms, or by a
// waiter.
// - Queue slots 128 + 128 by class, batching, congestion marks 113/103. Source: facts 4.4 and 7.
#pragma once

#include "firmware/hal/boot_info.h"
#include "firmware/hal/types.h"
#include "firmware/kernel/list.h"
#include "firmware/kernel/lock.h"
#include "firmware/kernel/nap.h"
#include "firmware/kernel/wait_queue.h"

namespace weir::block {

struct BlockDevice;

enum class Direction : uint8_t { Read, Write };

/// Congestion class: a request is Sync if it is a read or flagged sync; plain writeback is Async.
enum class IoClass : uint8_t { Async = 0, Sync = 1 };
inline constexpr uint32_t kIoClassCount = 2;
inline constexpr IoClass kIoClasses[kIoClassCount] = {IoClass::Sync, IoClass::Async};

inline constexpr uint32_t kMaxBioPages = 128;

// Bio::flags
inline constexpr uint32_t kBioSync = 1u << 0;   // flagged write, or a read someone waits for
inline constexpr uint32_t kBioAhead = 1u << 1;  // readahead: may be dropped when no slot is free
inline constexpr uint32_t kBioMeta = 1u << 2;
inline constexpr uint32_t kBioFlush = 1u << 3;  // flush the device's cache; no pages

/// One transfer of whole pages, contiguous on the device. Made by alloc_bio, owned by the block
/// layer from submit_bio until end() is called, which must free_bio() it.
struct Bio {
    BlockDevice* device;
    hal::Sector sector;
    Direction direction;
    uint32_t flags;
    uint32_t page_count;
    hal::Pfn pages[kMaxBioPages];
    /// Called once, from the completion interrupt; error None, IoError or TimedOut.
    void (*end)(Bio& bio, hal::Error error);
    void* context;
    Bio* next;  // chain inside a request
};

inline IoClass class_of(Direction direction, uint32_t flags) {
    return direction == Direction::Read || (flags & kBioSync) ? IoClass::Sync : IoClass::Async;
}

/// Errors: null when no memory is left for one.
Bio* alloc_bio();
void free_bio(Bio& bio);
/// Queues a bio: merges it, or takes a request slot (may sleep unless kBioAhead).
/// A bio larger than disk_info().max_request_pages is transferred by several commands in turn.
/// Errors: Again if kBioAhead and no slot was free, OutOfRange beyond the end of the device,
/// Invalid for a wrong page count; then end() is not called and the bio is the caller's. Where the
/// device is dead, end() is called with TimedOut before this returns.
hal::Status submit_bio(Bio& bio);
/// Starts what is held back (unplug). Called by anyone about to wait for I/O.
void unplug(BlockDevice& device);
void unplug_all();

bool congested(const BlockDevice& device, IoClass io_class);
bool any_congested(IoClass io_class);
/// The global queue of congestion_wait for a class.
kernel::WaitQueue& congestion_queue(IoClass io_class);
/// Sleeps on the class's global queue whatever is so; the congestion_wait of 2.6. Source: 4.4.
kernel::SleepResult congestion_wait(kernel::NapSite site, IoClass io_class,
                                    uint32_t timeout_jiffies, kernel::NapWish wish,
                                    uint64_t wish_detail);

uint32_t device_count();
BlockDevice& device(uint32_t index);
uint32_t device_index(const BlockDevice& device);
uint64_t sector_count(const BlockDevice& device);
const hal::DiskInfo& disk_info(const BlockDevice& device);
/// Room on a device for the memory layer's own per-device state (flusher, dirty lists, files).
void*& mm_state(BlockDevice& device);

/// The details of the block layer that policies may switch (facts 4.12.7 and 4.12.9).
struct Rules {
    bool wake_needs_below_off_mark = true;  // else: every freed request of the class wakes
    bool completion_cost = true;            // else: completion work costs no CPU time
};
void set_rules(const Rules& rules);

struct QueueStats {
    uint64_t requests[2];  // completed, by Direction
    uint64_t pages[2];
    uint64_t merges;
    uint64_t slot_waits;
    uint64_t congested_entries[kIoClassCount];
    // What went wrong in the device, and how often.
    uint64_t spurious_interrupts;
    uint64_t lost_interrupts;    // completions found by the check timer
    uint64_t stray_completions;  // of commands that were not in flight
    uint64_t resets;
    uint64_t congestion_events;  // interrupts of the controller's congestion block
};
const QueueStats& queue_stats(const BlockDevice& device);

/// Probes every controller of BootInfo, makes its queues and registers its interrupt.
void init();

}  // namespace weir::block
