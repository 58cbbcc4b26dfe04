// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The sums of the LRU scan, free of any machine, so that each edge can be tested.
// - scan_ratio(): how pressure is shared between anonymous and file pages.
// - scan_amount(), take_batch(): how much of a list one pass asks for, and the carry.
// - inactive_*_is_low(), too_many_isolated(), looks_unreclaimable(): the comparisons of reclaim.
// Source: fact book 4.6, 4.7, 4.8.
#pragma once

#include "firmware/mm/zone.h"

#include <cstdint>

namespace weir::policy {

/// Priorities 12..10 never nap; from the fourth pass on (9..0) the reclaimer does. Source: 4.5.
inline constexpr uint32_t kNapBelowPriority = mm::kDefaultPriority - 2;
constexpr bool naps_at(uint32_t priority) {
    return priority < kNapBelowPriority;
}

/// Orders up to this one are retried for ever (PAGE_ALLOC_COSTLY_ORDER). Source: 4.3.
inline constexpr uint32_t kCostlyOrder = 3;

struct ScanRatio {
    uint32_t anon_pct;
    uint32_t file_pct;
};

struct ScanLevels {
    uint64_t anon_frames;
    uint64_t file_frames;
    uint64_t free_frames;
    uint64_t high_mark_frames;
    uint32_t swappiness;
};

/// Shares pressure by what recent scans found rotated back; halves the recent counters of a type
/// once they exceed a quarter of its pages, so that old times fade. Source: 4.6.
inline ScanRatio scan_ratio(const ScanLevels& level, mm::ReclaimStat& recent) {
    if (level.file_frames + level.free_frames <= level.high_mark_frames) return {100, 0};
    const uint64_t frames[2] = {level.anon_frames, level.file_frames};
    for (uint32_t type = 0; type < 2; ++type) {
        if (recent.scanned[type] > frames[type] / 4) {
            recent.scanned[type] /= 2;
            recent.rotated[type] /= 2;
        }
    }
    const uint64_t anon_priority = level.swappiness;
    const uint64_t file_priority = 200 - level.swappiness;
    const uint64_t anon = (anon_priority + 1) * (recent.scanned[0] + 1) / (recent.rotated[0] + 1);
    const uint64_t file = (file_priority + 1) * (recent.scanned[1] + 1) / (recent.rotated[1] + 1);
    const auto anon_pct = static_cast<uint32_t>(100 * anon / (anon + file + 1));
    return {anon_pct, 100 - anon_pct};
}

/// Frames of a list that a pass at this priority wants. The last pass takes whole lists, whatever
/// the ratio, unless there is no swap for anonymous pages to go to.
constexpr uint64_t scan_amount(uint64_t list_frames, uint32_t priority, uint32_t pct, bool swap) {
    if (priority == 0 && swap) return list_frames;
    return (list_frames >> priority) * pct / 100;
}

/// Adds an amount to the carry; hands the whole out once it makes a batch of 32, else nothing.
constexpr uint32_t take_batch(uint32_t& saved_frames, uint64_t amount) {
    saved_frames += static_cast<uint32_t>(amount);
    if (saved_frames < mm::kSwapClusterMax) return 0;
    const uint32_t batch = saved_frames;
    saved_frames = 0;
    return batch;
}

/// Active frames an inactive anonymous frame may stand against: sqrt(10 * GiB), 1 below 1 GiB.
constexpr uint32_t inactive_anon_ratio(uint64_t managed_frames) {
    const uint64_t ten_gib = (managed_frames >> (30 - hal::kPageShift)) * 10;
    uint32_t root = 1;
    while (static_cast<uint64_t>(root + 1) * (root + 1) <= ten_gib) ++root;
    return root;
}

constexpr bool inactive_anon_is_low(uint64_t inactive, uint64_t active, uint32_t ratio) {
    return inactive * ratio < active;
}
constexpr bool inactive_file_is_low(uint64_t inactive, uint64_t active) {
    return active > inactive;
}
constexpr bool too_many_isolated(uint64_t isolated, uint64_t inactive) {
    return isolated > inactive;
}
/// Six times round every page without a bulk free in between: give the zone up.
constexpr bool looks_unreclaimable(uint64_t pages_scanned, uint64_t reclaimable_frames) {
    return pages_scanned >= reclaimable_frames * 6;
}

/// Lumpy reclaim takes aligned blocks. Source: 4.6.
constexpr bool reclaims_lumpy(uint32_t order, uint32_t priority) {
    return order > kCostlyOrder || (order > 0 && naps_at(priority));
}

/// Whether a reclaimer leaves a zone early. 2.6.32: past 32, and never kswapd; 2.6.33: at 32, and
/// kswapd's target is unlimited. Source: 4.6.
constexpr bool leaves_zone_early(uint64_t reclaimed, uint32_t priority, bool kswapd,
                                 bool unlimited_target_rule) {
    if (kswapd || priority >= mm::kDefaultPriority) return false;
    return unlimited_target_rule ? reclaimed >= mm::kSwapClusterMax
                                 : reclaimed > mm::kSwapClusterMax;
}

}  // namespace weir::policy
