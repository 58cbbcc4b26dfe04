// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The frame table: one 64-byte Frame for each page of RAM, itself in RAM.
// - frame(pfn) and pfn(frame) convert; frame_bytes(frame) is where its content lies.
// - Flags are changed with set/clear/test; content bytes only through hal::copy_bytes, user_span,
// DMA.
#pragma once

#include "firmware/hal/hal.h"
#include "firmware/kernel/list.h"

namespace weir::mm {

struct Mapping;
struct AnonChain;

enum FrameFlag : uint32_t {
    kFrameLocked = 1u << 0,      // I/O in flight or someone works on it: lock_frame/unlock_frame
    kFrameReferenced = 1u << 1,  // used since the last scan
    kFrameUptodate = 1u << 2,    // content is valid
    kFrameDirty = 1u << 3,
    kFrameWriteback = 1u << 4,   // being written
    kFrameLru = 1u << 5,         // on an LRU list (or in a per-CPU add batch)
    kFrameActive = 1u << 6,      // on (or bound for) an active list
    kFrameSwapBacked = 1u << 7,  // anonymous: counts as anon on the LRU
    kFrameSwapCache = 1u << 8,   // has a swap slot and is findable by it
    kFrameReclaim = 1u << 9,     // rotate to the inactive tail when its write ends
    kFrameReadahead = 1u << 10,  // marker: reaching it starts the next window
    kFrameMeta = 1u << 11,       // block-device metadata (indirect blocks)
    kFrameError = 1u << 12,      // its read failed
    kFrameBuddy = 1u << 13,      // free, head of a buddy block
    kFramePcp = 1u << 14,        // free, on a per-CPU list
    kFrameReserved = 1u << 15,   // kernel text, tables: never allocated
    kFrameUnevictable = 1u << 16,
    kFrameWaiters = 1u << 17,   // someone sleeps for Locked or Writeback to clear
    kFrameIsolated = 1u << 18,  // off the LRU in a reclaimer's hands; freed from there it is cold
};

/// Shapes: 64 bytes, so that one frame is one or a part of one cache line.
struct alignas(64) Frame {
    kernel::ListNode lru;  // LRU, per-CPU or buddy list
    Mapping* mapping;      // page cache or swap cache this frame is in, or null
    uint64_t index;        // page index in the mapping; swap slot in the swap cache
    uint32_t flags;
    int32_t use_count;   // 0: free
    int32_t map_count;   // page-table entries that point here
    uint32_t order;      // of a buddy block
    AnonChain* anon;     // reverse map of an anonymous frame, or null
    uint32_t anon_page;  // virtual page number of an anonymous frame (Sv39: 26 bits)
    uint32_t add_batch;  // hart + 1 in whose LRU add batch it sits; 0: in none

    bool test(uint32_t mask) const { return (flags & mask) != 0; }
#if defined(__riscv)  // Harts really run at once there; host mode switches at known points only.
    void set(uint32_t mask) {
        __atomic_fetch_or(&flags, mask, __ATOMIC_RELAXED);
    }
    void clear(uint32_t mask) {
        __atomic_fetch_and(&flags, ~mask, __ATOMIC_RELAXED);
    }
#else
    void set(uint32_t mask) {
        flags |= mask;
    }
    void clear(uint32_t mask) {
        flags &= ~mask;
    }
#endif
};
static_assert(sizeof(Frame) == 64);

using FrameList = kernel::List<Frame, &Frame::lru>;

/// The table; set by mm::init.
extern Frame* frame_table;
extern uint32_t frame_count;

inline hal::Pfn pfn_of(const Frame& f) {
    constexpr uint32_t kRamFirstPfn = 0x80000;  // kRamBase >> kPageShift
    return hal::Pfn{static_cast<uint32_t>(&f - frame_table) + kRamFirstPfn};
}
inline Frame& frame_of(hal::Pfn pfn) {
    constexpr uint32_t kRamFirstPfn = 0x80000;
    return frame_table[pfn.value - kRamFirstPfn];
}
inline void* frame_bytes(const Frame& f) {
    return hal::ram_ptr(hal::addr_of(pfn_of(f)));
}

/// Takes and drops a use. The last drop takes the frame off the LRU, leaves its reverse map and
/// frees it to the per-CPU list. Callable from interrupts.
#if defined(__riscv)
inline void get_frame(Frame& f) {
    __atomic_fetch_add(&f.use_count, 1, __ATOMIC_RELAXED);
}
#else
inline void get_frame(Frame& f) {
    ++f.use_count;
}
#endif
void put_frame(Frame& f);

bool try_lock_frame(Frame& f);
void lock_frame(Frame& f);            // sleeps until it can; first unplugs the device of its mapping
void unlock_frame(Frame& f);          // wakes sleepers; callable from interrupts
void wait_frame_unlocked(Frame& f);   // iowait; unplugs too
void wait_frame_writeback(Frame& f);  // iowait; unplugs too
/// Callable from interrupts: clears Writeback, rotates a frame marked Reclaim, wakes sleepers. The
/// caller has cleared the mapping's tag and counted NrWriteback down.
void end_frame_writeback(Frame& f);
/// Boot: the hashed wait queues behind the waits above.
void init_frame_waits();

}  // namespace weir::mm
