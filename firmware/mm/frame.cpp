// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Frames: uses, locks and the waits for them.
// - Waits share 256 hashed queues; the frame's number is the key. A frame that nobody waits for
//   pays one test of a flag.
#include "firmware/mm/frame.h"

#include "firmware/block/block.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/wait_queue.h"
#include "firmware/mm/allocator.h"
#include "firmware/mm/lru.h"
#include "firmware/mm/page_cache.h"
#include "firmware/mm/rmap.h"

#include <new>

namespace weir::mm {

Frame* frame_table = nullptr;
uint32_t frame_count = 0;

namespace {

// Fewer queues make tasks walk past each other's entries; more only cost RAM (40 bytes each).
constexpr uint32_t kWaitQueueBits = 8;
constexpr uint32_t kWaitQueueCount = 1u << kWaitQueueBits;

kernel::WaitQueue* wait_queues = nullptr;

uint64_t key_of(const Frame& f) {
    return pfn_of(f).value;
}

kernel::WaitQueue& queue_of(const Frame& f) {
    // Fibonacci hashing: neighbouring frames, which are read together, spread over the queues.
    const uint32_t hash = pfn_of(f).value * 0x9E37'79B1u;
    return wait_queues[hash >> (32 - kWaitQueueBits)];
}

/// Sleeps once, or not at all if the flags are clear by then. The caller tests again.
void wait_once(Frame& f, uint32_t mask) {
    // What the frame waits for may still be held back for merging.
    if (f.mapping != nullptr && f.mapping->device != nullptr) block::unplug(*f.mapping->device);
    kernel::WaitQueue& queue = queue_of(f);
    kernel::WaitEntry entry;
    entry.key = key_of(f);
    kernel::prepare_to_wait(queue, entry, kernel::SleepKind::Uninterruptible);
    f.set(kFrameWaiters);
    if (f.test(mask)) kernel::schedule_timeout(kernel::kForever, kernel::IoWait::Yes);
    kernel::finish_wait(queue, entry);
}

void wake_waiters(Frame& f) {
    if (!f.test(kFrameWaiters)) return;
    // Those who still wait for the other flag set it again before they sleep again.
    f.clear(kFrameWaiters);
    kernel::wake_all(queue_of(f), kernel::Waker::PageUnlock, key_of(f));
}

}  // namespace

void init_frame_waits() {
    void* place = kernel::boot_alloc(sizeof(kernel::WaitQueue) * kWaitQueueCount);
    wait_queues = static_cast<kernel::WaitQueue*>(place);
    for (uint32_t i = 0; i < kWaitQueueCount; ++i) new (&wait_queues[i]) kernel::WaitQueue;
}

void put_frame(Frame& f) {
    WEIR_ASSERT(f.use_count > 0, "use of a free frame dropped", pfn_of(f).value, f.use_count);
#if defined(__riscv)
    if (__atomic_sub_fetch(&f.use_count, 1, __ATOMIC_ACQ_REL) != 0) return;
#else
    if (--f.use_count != 0) return;
#endif
    if (f.test(kFrameLru)) lru_remove(f);
    if (f.anon != nullptr) {
        put_anon_chain(*f.anon);
        f.anon = nullptr;
    }
    free_frame(f, f.order);
}

bool try_lock_frame(Frame& f) {
#if defined(__riscv)
    return (__atomic_fetch_or(&f.flags, kFrameLocked, __ATOMIC_ACQUIRE) & kFrameLocked) == 0;
#else
    if (f.test(kFrameLocked)) return false;
    f.set(kFrameLocked);
    return true;
#endif
}

void lock_frame(Frame& f) {
    while (!try_lock_frame(f)) wait_once(f, kFrameLocked);
}

void unlock_frame(Frame& f) {
    WEIR_ASSERT(f.test(kFrameLocked), "unlock of a frame that is not locked", pfn_of(f).value,
                f.flags);
    f.clear(kFrameLocked);
    wake_waiters(f);
}

void wait_frame_unlocked(Frame& f) {
    while (f.test(kFrameLocked)) wait_once(f, kFrameLocked);
}

void wait_frame_writeback(Frame& f) {
    while (f.test(kFrameWriteback)) wait_once(f, kFrameWriteback);
}

void end_frame_writeback(Frame& f) {
    WEIR_ASSERT(f.test(kFrameWriteback), "end of a write that never began", pfn_of(f).value,
                f.flags);
    if (f.test(kFrameReclaim)) {
        f.clear(kFrameReclaim);
        rotate_reclaimable(f);
    }
    f.clear(kFrameWriteback);
    wake_waiters(f);
}

}  // namespace weir::mm
