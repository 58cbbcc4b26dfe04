// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Wait queues: where tasks sleep until something is so.
// - sleep_until(queue, condition, arg): loops over a condition, no wake-up is lost.
// - sleep_for(queue, jiffies): the shape of congestion_wait: sleep once, whatever is so.
// - wake_all / wake_some: from tasks or interrupts; the sleeper learns who woke it.
#pragma once

#include "firmware/kernel/list.h"
#include "firmware/kernel/lock.h"
#include "firmware/kernel/task.h"

namespace weir::kernel {

enum class Waker : uint8_t {
    None,
    Timer,            // its time ran out
    AsyncCompletion,  // a write request was freed below the off mark
    SyncCompletion,   // the same for a read or flagged write
    Watermark,        // frames came back and the mark is met
    Kswapd,           // kswapd's progress, or an allocator that wakes kswapd
    Isolation,        // isolated pages were put back
    PageUnlock,       // I/O on a page ended
    RequestFreed,     // a request slot came free
    Event,            // anything else
    Kill,
};
inline constexpr const char* kWakerNames[] = {
    "none",      "timer",       "async_completion", "sync_completion", "watermark", "kswapd",
    "isolation", "page_unlock", "request_freed",    "event",           "kill"};

enum class SleepKind : uint8_t { Interruptible, Uninterruptible };
enum class IoWait : uint8_t { No, Yes };
enum class Exclusive : uint8_t { No, Yes };

struct WaitEntry {
    ListNode node;
    Task* task = nullptr;
    Waker waker = Waker::None;
    bool exclusive = false;
    uint64_t key = 0;  // for hashed queues: only a waker with the same key wakes it (0: any)
};

struct WaitQueue {
    SpinLock lock;
    List<WaitEntry, &WaitEntry::node> entries;
    bool has_sleepers() const { return !entries.empty(); }
};

struct SleepResult {
    Waker waker = Waker::None;
    uint64_t slept_ns = 0;
    uint32_t jiffies_left = 0;
};

inline constexpr uint32_t kForever = 0xffffffffu;

/// Joins the queue and marks the task as sleeping; it still runs until schedule_timeout().
/// Between the two the caller tests its condition: a waker in between makes it runnable again.
void prepare_to_wait(WaitQueue& queue, WaitEntry& entry, SleepKind kind,
                     Exclusive exclusive = Exclusive::No);
/// Gives the hart away until woken or the time is over (kForever: no time). Returns jiffies left.
uint32_t schedule_timeout(uint32_t timeout_jiffies, IoWait io_wait = IoWait::No);
void finish_wait(WaitQueue& queue, WaitEntry& entry);

/// Sleeps once. Source: the shape of congestion_wait and io_schedule_timeout in 2.6.
SleepResult sleep_for(WaitQueue& queue, uint32_t timeout_jiffies, SleepKind kind, IoWait io_wait,
                      Exclusive exclusive = Exclusive::No);
/// Sleeps until condition(context) holds. Waker::Kill if the task is being killed and kind allows.
SleepResult sleep_until(WaitQueue& queue, bool (*condition)(void*), void* context, SleepKind kind,
                        IoWait io_wait);

/// Wakes every non-exclusive sleeper and up to `exclusive_count` exclusive ones whose key fits.
/// Returns how many were made runnable.
uint32_t wake_some(WaitQueue& queue, Waker waker, uint32_t exclusive_count, uint64_t key = 0);
inline uint32_t wake_all(WaitQueue& queue, Waker waker, uint64_t key = 0) {
    return wake_some(queue, waker, kForever, key);
}

}  // namespace weir::kernel
