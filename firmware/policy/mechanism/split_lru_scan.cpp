// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "firmware/policy/mechanism/split_lru_scan.h"

#include "firmware/hal/hal.h"
#include "firmware/kernel/counters.h"
#include "firmware/mm/swap.h"
#include "firmware/policy/mechanism/congestion_nap.h"
#include "firmware/policy/mechanism/scan_arithmetic.h"
#include "firmware/policy/policy.h"

namespace weir::policy {

namespace {

using mm::Lru;

constexpr uint32_t kSlabBatchObjects = 128;

bool swap_has_room() {
    return mm::swap_enabled() && mm::swap_free_slots() > 0;
}

uint64_t frames_of_type(const mm::Zone& zone, bool file) {
    return file ? mm::lru_size(zone, Lru::InactiveFile) + mm::lru_size(zone, Lru::ActiveFile)
                : mm::lru_size(zone, Lru::InactiveAnon) + mm::lru_size(zone, Lru::ActiveAnon);
}

/// Fills how much of each list this pass asks for.
void plan_scan(mm::Zone& zone, uint32_t priority, ReclaimControl& control,
               uint32_t (&want)[mm::kLruCount]) {
    const bool swap = swap_has_room();
    ScanRatio ratio{0, 100};
    if (swap) {
        ratio = scan_ratio({.anon_frames = frames_of_type(zone, false),
                            .file_frames = frames_of_type(zone, true),
                            .free_frames = mm::free_frames(zone),
                            .high_mark_frames = zone.mark.high_frames,
                            .swappiness = control.swappiness},
                           zone.reclaim_stat);
    }
    uint32_t* carry = switches().shared_scan_carry ? zone.saved_scan : control.private_carry;
    for (uint32_t l = 0; l < mm::kLruCount; ++l) {
        const auto list = static_cast<Lru>(l);
        const uint32_t pct = mm::is_file(list) ? ratio.file_pct : ratio.anon_pct;
        const uint64_t amount = scan_amount(mm::lru_size(zone, list), priority, pct, swap);
        want[l] = take_batch(carry[l], amount);
    }
}

bool active_list_may_shrink(const mm::Zone& zone, Lru list) {
    if (list == Lru::ActiveAnon) return anon_needs_rebalance(zone);
    return switches().active_file_aging == ActiveFileAging::Always ||
           inactive_file_is_low(mm::lru_size(zone, Lru::InactiveFile),
                                mm::lru_size(zone, Lru::ActiveFile));
}

uint32_t shrink_list(mm::Zone& zone, const InactiveScan& scan, ReclaimControl& control) {
    if (!mm::is_active(scan.list)) return shrink_inactive_list(zone, scan, control);
    if (active_list_may_shrink(zone, scan.list)) {
        shrink_active_list(zone, scan.list, scan.want_frames);
        return 0;
    }
    if (!switches().skipped_active_scan_takes_inactive) return 0;
    const Lru inactive = mm::is_file(scan.list) ? Lru::InactiveFile : Lru::InactiveAnon;
    return shrink_inactive_list(zone, {inactive, scan.want_frames, scan.priority}, control);
}

}  // namespace

bool anon_needs_rebalance(const mm::Zone& zone) {
    return inactive_anon_is_low(mm::lru_size(zone, Lru::InactiveAnon),
                                mm::lru_size(zone, Lru::ActiveAnon),
                                inactive_anon_ratio(zone.managed_frames));
}

void shrink_zone(mm::Zone& zone, uint32_t priority, ReclaimControl& control) {
    hal::spend(hal::Op::ReclaimPass);
    uint32_t want[mm::kLruCount];
    plan_scan(zone, priority, control, want);
    const auto index = [](Lru l) { return static_cast<uint32_t>(l); };
    bool done = false;
    // The active anonymous list alone keeps no pass going: shrinking it frees nothing.
    while (!done && (want[index(Lru::InactiveAnon)] != 0 || want[index(Lru::ActiveFile)] != 0 ||
                     want[index(Lru::InactiveFile)] != 0)) {
        for (uint32_t l = 0; l < mm::kLruCount; ++l) {
            if (want[l] == 0) continue;
            const uint32_t slice = want[l] < mm::kSwapClusterMax ? want[l] : mm::kSwapClusterMax;
            want[l] -= slice;
            control.reclaimed_pages +=
                shrink_list(zone, {static_cast<Lru>(l), slice, priority}, control);
        }
        done = leaves_zone_early(control.reclaimed_pages, priority, control.is_kswapd(),
                                 switches().kswapd_unlimited_target);
    }
    if (swap_has_room() && anon_needs_rebalance(zone)) {
        shrink_active_list(zone, Lru::ActiveAnon, mm::kSwapClusterMax);
    }
    throttle_vm_writeout(control);
}

uint32_t shrink_slab(uint64_t scanned_pages, uint64_t lru_pages) {
    // The amount owed from call to call, as each cache's shrinker keeps it.
    static uint64_t owed_objects = 0;
    const uint64_t objects = kernel::counter_value(kernel::VmCounter::NrSlab);
    owed_objects += 2 * scanned_pages * objects / (lru_pages + 1);
    if (owed_objects > 2 * objects) owed_objects = 2 * objects;
    uint32_t walked = 0;
    while (owed_objects >= kSlabBatchObjects) {
        owed_objects -= kSlabBatchObjects;
        walked += kSlabBatchObjects;
    }
    if (walked != 0) {
        hal::spend(hal::Op::ScanFrame, walked);
        kernel::count(kernel::VmCounter::SlabsScanned, walked);
    }
    return 0;
}

}  // namespace weir::policy
