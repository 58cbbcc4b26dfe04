// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The inactive lists' turn: isolate, decide, put back. Source: fact book 4.6, 4.8.
#include "firmware/hal/hal.h"
#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/sched.h"
#include "firmware/mm/lru.h"
#include "firmware/policy/mechanism/congestion_nap.h"
#include "firmware/policy/mechanism/scan_arithmetic.h"
#include "firmware/policy/mechanism/split_lru_scan.h"

namespace weir::policy {

namespace {

using kernel::VmCounter;

// flags of mm_vmscan_lru_shrink_inactive
constexpr uint32_t kFlagAnon = 1u << 0;
constexpr uint32_t kFlagFile = 1u << 1;
constexpr uint32_t kFlagAsync = 1u << 3;

uint32_t type_of(mm::Lru list) {
    return mm::is_file(list) ? 1 : 0;
}

/// Stalls a task while more is isolated than is left on the list. False: it is being killed.
bool pass_isolation_throttle(mm::Zone& zone, mm::Lru list, const ReclaimControl& control) {
    if (control.is_kswapd()) return true;
    while (too_many_isolated(zone.isolated[type_of(list)], mm::lru_size(zone, list))) {
        nap_until_isolation_falls(type_of(list));
        if (kernel::current().flags & kernel::kTaskDying) return false;
    }
    return true;
}

/// Lumpy isolation may bring active neighbours along; they are treated as inactive ones.
void deactivate_all(mm::FrameList& frames) {
    uint32_t active = 0;
    for (mm::Frame* f = frames.front(); f != nullptr; f = frames.next(*f)) {
        if (!f->test(mm::kFrameActive)) continue;
        f->clear(mm::kFrameActive);
        ++active;
    }
    if (active != 0) kernel::count(VmCounter::PgDeactivate, active);
}

PageListResult reclaim_isolated(mm::FrameList& frames, uint32_t taken, bool lumpy,
                                ReclaimControl& control) {
    PageListResult result = shrink_page_list(frames, control, Pageout::Async);
    if (!lumpy || control.is_kswapd() || result.reclaimed_pages >= taken) return result;
    // A contiguous block is wanted and some of it is being written: wait for it.
    nap_congestion(kernel::NapSite::LumpySecondPass);
    deactivate_all(frames);
    const PageListResult second = shrink_page_list(frames, control, Pageout::Sync);
    result.reclaimed_pages += second.reclaimed_pages;
    return result;
}

void count_scan(uint32_t scanned, const ReclaimControl& control) {
    kernel::count(control.is_kswapd() ? VmCounter::PgScanKswapd : VmCounter::PgScanDirect, scanned);
}

void count_steal(uint32_t reclaimed, const ReclaimControl& control) {
    if (reclaimed == 0) return;
    if (control.is_kswapd()) {
        kernel::count(VmCounter::KswapdSteal, reclaimed);
        kernel::count(VmCounter::PgStealKswapd, reclaimed);
    } else {
        kernel::count(VmCounter::PgStealDirect, reclaimed);
    }
}

}  // namespace

uint32_t shrink_inactive_list(mm::Zone& zone, const InactiveScan& scan, ReclaimControl& control) {
    if (!pass_isolation_throttle(zone, scan.list, control)) return mm::kSwapClusterMax;
    const bool lumpy = reclaims_lumpy(control.order, scan.priority);
    const uint32_t type = type_of(scan.list);
    mm::lru_add_drain();
    uint32_t scanned = 0;
    uint32_t reclaimed = 0;
    do {
        mm::FrameList frames;
        const mm::Isolated isolated =
            mm::isolate(zone, scan.list, mm::kSwapClusterMax, lumpy ? control.order : 0, frames);
        count_scan(isolated.scanned_count, control);
        if (isolated.taken_count == 0) break;
        if (lumpy) deactivate_all(frames);
        scanned += isolated.scanned_count;

        const PageListResult result =
            reclaim_isolated(frames, isolated.taken_count, lumpy, control);
        reclaimed += result.reclaimed_pages;
        count_steal(result.reclaimed_pages, control);
        mm::putback(zone, frames, scan.list, isolated.taken_count);
        hal::trace(hal::Event::ShrinkInactive, 0, 0, isolated.scanned_count, result.reclaimed_pages,
                   scan.priority, (type != 0 ? kFlagFile : kFlagAnon) | kFlagAsync);
        kernel::cond_resched();
    } while (scanned < scan.want_frames);
    return reclaimed;
}

}  // namespace weir::policy
