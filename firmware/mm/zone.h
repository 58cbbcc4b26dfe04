// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A zone: frames, buddy lists, watermarks, per-CPU lists, LRU lists and reclaim state.
// Source: facts book chapters 4.1, 4.2, 4.6, 4.8 (Linux 2.6.29..2.6.33).
#pragma once

#include "firmware/hal/boot_info.h"
#include "firmware/kernel/lock.h"
#include "firmware/kernel/wait_queue.h"
#include "firmware/mm/frame.h"

namespace weir::mm {

inline constexpr uint32_t kMaxOrder = 11;        // orders 0..10
inline constexpr uint32_t kSwapClusterMax = 32;  // frames a reclaimer aims for and takes at once
inline constexpr uint32_t kDefaultPriority = 12;

enum class Lru : uint8_t { InactiveAnon, ActiveAnon, InactiveFile, ActiveFile };
inline constexpr uint32_t kLruCount = 4;
constexpr bool is_active(Lru l) {
    return (static_cast<uint32_t>(l) & 1) != 0;
}
constexpr bool is_file(Lru l) {
    return static_cast<uint32_t>(l) >= 2;
}

struct Watermarks {
    uint32_t min_frames, low_frames, high_frames;
};
/// Source: 4.1. min_free_kib 0: sqrt(16 * lowmem_kB), 128..65536.
Watermarks compute_watermarks(uint64_t managed_frames, uint32_t min_free_kib);

/// Source: 4.2. Frames moved between a zone and a per-CPU list at once; the list's high is 6 of it.
uint32_t compute_batch_frames(uint64_t zone_frames);
/// Source: 4.12.3, the formula of 2.6.32: 2 * bits(harts) * (1 + bits(zone in units of 128 MiB)),
/// at most 125. 18 for 4 harts and 256 MiB.
uint32_t compute_stat_threshold(uint32_t harts, uint64_t zone_frames);

struct PerCpuLists {
    FrameList frames;              // hot at the front, cold at the back
    uint32_t batch_frames;         // moved between zone and list at once
    uint32_t high_frames;          // one batch goes back when reached
    int32_t free_delta;            // NR_FREE changes not yet folded in (approximate counter)
    FrameList lru_add[kLruCount];  // pagevec: frames on their way to the LRU
};

struct ReclaimStat {  // "recent" counters per type: [0] anon, [1] file
    uint64_t scanned[2];
    uint64_t rotated[2];
};

struct Zone {
    // Guarded by `lock`.
    kernel::SpinLock lock;
    FrameList free_lists[kMaxOrder];
    int64_t free_frames;                  // global NR_FREE_PAGES, per-CPU deltas not folded in
    PerCpuLists per_cpu[hal::kMaxHarts];  // each touched by its own hart only
    uint32_t stat_threshold_frames;       // fold a delta beyond this (0: exact counting)
    bool approximate_free_count;
    bool use_per_cpu_lists;

    // Fixed after boot.
    uint64_t present_frames;  // RAM, what marks, batch and threshold are computed from
    uint64_t managed_frames;  // of these, the allocator's (RAM less kernel_reserved)
    Watermarks mark;

    // Guarded by `lru_lock`.
    kernel::SpinLock lru_lock;
    FrameList lru[kLruCount];
    ReclaimStat reclaim_stat;
    uint32_t saved_scan[kLruCount];  // amounts saved up until >= 32, shared by all reclaimers
    uint64_t pages_scanned;          // since the last bulk free
    bool all_unreclaimable;
    uint32_t isolated[2];  // [0] anon, [1] file

    kernel::WaitQueue watermark_queue;  // Mel's pressure_wq
    kernel::WaitQueue kswapd_queue;
    kernel::Task* kswapd;
};

/// The zones of the machine; Weir's machines have one.
uint32_t zone_count();
Zone& zone(uint32_t index = 0);

/// Boot: makes the zones (empty), with marks, batches and threshold as BootInfo says.
void init_zones();

/// What the watermark test reads: the global counter, without the private deltas.
inline uint64_t free_frames(const Zone& z) {
    return static_cast<uint64_t>(z.free_frames);
}
uint64_t free_frames_exact(const Zone& z);
uint64_t pcp_frames(const Zone& z);
/// Source: 4.1. order 0: free > mark. Higher orders discount smaller blocks and halve the mark.
bool watermark_ok(const Zone& z, uint32_t order, uint32_t mark_frames);
uint32_t lru_size(const Zone& z, Lru list);
/// Frames that reclaim could free: file lists, and anon lists when there is swap left.
uint64_t reclaimable_frames(const Zone& z);
/// Adds to NR_FREE: through this hart's delta, or at once when counting is exact. Interrupts off,
/// zone lock held.
void add_free_frames(Zone& z, int64_t delta_frames);
/// Sets the gauges of free and per-CPU frames; called where batches move, not per page.
void show_free_levels(Zone& z);

}  // namespace weir::mm
