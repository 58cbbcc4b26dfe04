// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The scan of a zone's four LRU lists, from the zone down to the page. Source: fact book 4.6.
// - shrink_zone(): one pass at one priority; what direct reclaim and kswapd call.
// - shrink_active_list(), shrink_inactive_list(): one list's turn.
// - shrink_page_list(): the fate of each isolated page.
// - shrink_slab(): proportional pressure on kernel objects.
#pragma once

#include "firmware/policy/mechanism/reclaim_control.h"

namespace weir::policy {

/// Scans every list of the zone by its share at this priority, then rebalances the active
/// anonymous list and waits while too much is under writeback.
void shrink_zone(mm::Zone& zone, uint32_t priority, ReclaimControl& control);

/// Moves up to `want` frames from an active list to the inactive one; executable file pages in use
/// go round again.
void shrink_active_list(mm::Zone& zone, mm::Lru list, uint32_t want);

struct InactiveScan {
    mm::Lru list;
    uint32_t want_frames;
    uint32_t priority;
};
/// Isolates, reclaims and puts back, 32 frames at a time, until `want_frames` were looked at.
/// Returns pages freed. A task stalls here first while too much is isolated.
uint32_t shrink_inactive_list(mm::Zone& zone, const InactiveScan& scan, ReclaimControl& control);

enum class Pageout : uint8_t { Async, Sync };
struct PageListResult {
    uint32_t reclaimed_pages = 0;
    uint32_t activated_pages = 0;
};
/// Decides about each frame of an isolated list. Freed frames leave it; survivors stay, unlocked,
/// with the flags of the list they must go back to.
PageListResult shrink_page_list(mm::FrameList& frames, ReclaimControl& control, Pageout pageout);

/// Asks the caches of kernel objects for a share of what was scanned. Returns objects freed: none,
/// for Weir's kernel holds no object that may be dropped under pressure; the walk is charged and
/// counted (slabs_scanned).
uint32_t shrink_slab(uint64_t scanned_pages, uint64_t lru_pages);

/// True while the zone's anonymous lists need pages moved to the inactive side.
bool anon_needs_rebalance(const mm::Zone& zone);

}  // namespace weir::policy
