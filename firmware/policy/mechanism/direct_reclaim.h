// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Direct reclaim: an allocating task frees pages itself. Source: fact book 4.6.
// - direct_reclaim(): the call of the allocator, with its yield points.
// - reclaim_by_priority(): the loop itself over effects, so that its order is tested without a
//   machine.
#pragma once

#include "firmware/mm/allocator.h"
#include "firmware/policy/mechanism/scan_arithmetic.h"

namespace weir::policy {

struct DirectReclaimResult {
    uint64_t reclaimed_pages = 0;
    /// Every zone was given up in the last pass.
    bool all_unreclaimable = false;

    /// What the allocator hears. Less than the target counts as success only while some zone is
    /// worth scanning; nothing at all never does, whatever the state of the zones.
    uint64_t progress_pages() const {
        return reclaimed_pages < mm::kSwapClusterMax && all_unreclaimable ? 0 : reclaimed_pages;
    }
};

/// Frees about 32 pages. Returns what counts as progress; 0 sends the allocator to the OOM path.
uint64_t direct_reclaim(const mm::AllocRequest& request);

/// Effects:
///   PassResult shrink_zones(priority)   scanned in this pass, reclaimed in this pass
///   void wake_flushers(pages)
///   void nap()                          HZ/10 on the congestion queue
struct PassResult {
    uint64_t scanned_pages = 0;
    uint64_t reclaimed_pages = 0;
    bool all_unreclaimable = false;
};
template <typename Effects>
DirectReclaimResult reclaim_by_priority(Effects& effects) {
    DirectReclaimResult result;
    uint64_t total_scanned = 0;
    for (uint32_t priority = mm::kDefaultPriority + 1; priority-- > 0;) {
        const PassResult pass = effects.shrink_zones(priority);
        total_scanned += pass.scanned_pages;
        result.reclaimed_pages += pass.reclaimed_pages;
        result.all_unreclaimable = pass.all_unreclaimable;
        if (result.reclaimed_pages >= mm::kSwapClusterMax) break;
        if (total_scanned > mm::kSwapClusterMax + mm::kSwapClusterMax / 2) {
            effects.wake_flushers(total_scanned);
        }
        if (pass.scanned_pages > 0 && naps_at(priority)) effects.nap();
    }
    return result;
}

}  // namespace weir::policy
