// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// kswapd: one kernel task a zone that keeps free frames above the high mark. Source: fact book 4.7.
// - start_kswapd(), wake_kswapd(): from activate() and the allocator.
// - balance(): the loop of balance_pgdat over effects; rest(): when and how it sleeps.
// Leaves out: several zones under one kswapd, and so the rule that skips a zone with more than 8
// times its high mark free; Weir's machines have one zone.
#pragma once

#include "firmware/mm/zone.h"
#include "firmware/policy/mechanism/scan_arithmetic.h"
#include "firmware/policy/policy.h"

namespace weir::policy {

/// Makes the zone's kswapd and waits until it rests: a wake-up before that would be lost.
/// Timing: sleeps; needs a running scheduler.
void start_kswapd(mm::Zone& zone, uint32_t zone_index);

/// Wakes the zone's kswapd if the zone is not above its low mark and kswapd sleeps on its queue.
/// Timing: callable from any task; does not sleep.
void wake_kswapd(mm::Zone& zone, uint32_t order);

/// What one scan of the zone did.
struct ZonePass {
    uint64_t scanned_pages = 0;
    uint64_t reclaimed_pages = 0;
};

/// Effects:
///   void begin_round(), set_priority(p)
///   bool above_high(order), above_min(order)
///   bool unreclaimable()               the zone is given up; scanned at priority 12 only
///   void trickle_anon()                moves some active anonymous pages along
///   ZonePass shrink(priority)          may give the zone up
///   void nap(), count_skipped_nap(), yield()
/// Returns the order it ended with: 0 where contiguous frames were given up.
template <typename Effects>
uint32_t balance(Effects& fx, const Switches& s, uint32_t order) {
    for (;;) {
        fx.begin_round();
        uint64_t total_scanned = 0;
        uint64_t reclaimed = 0;
        for (uint32_t priority = mm::kDefaultPriority + 1; priority-- > 0;) {
            fx.set_priority(priority);
            if (fx.unreclaimable() && priority != mm::kDefaultPriority) return order;
            fx.trickle_anon();
            // Nothing to do when the zone is above its high mark before any of it is scanned.
            if (fx.above_high(order)) return order;
            const ZonePass pass = fx.shrink(priority);
            total_scanned += pass.scanned_pages;
            reclaimed += pass.reclaimed_pages;
            // Without the switch, that this pass has balanced the zone is noticed only at the top of
            // the next one, after a nap.
            if (s.kswapd_tests_after_shrink && fx.above_high(order)) return order;
            const bool round_did_enough = reclaimed >= mm::kSwapClusterMax;
            if (round_did_enough && !s.kswapd_nap_before_exit_test) break;
            if (total_scanned > 0 && naps_at(priority)) {
                if (s.kswapd_skips_nap_below_min && !fx.above_min(order)) {
                    fx.count_skipped_nap();
                } else {
                    fx.nap();
                }
            }
            if (round_did_enough) break;
        }
        fx.yield();
        if (reclaimed < mm::kSwapClusterMax) order = 0;
    }
}

/// Effects:
///   bool above_high(order)
///   uint32_t probation()     sleeps HZ/10 unless woken; jiffies left
///   void sleep()             sleeps until woken
///   void count_hit(Low/High)
enum class QuickHit : uint8_t { LowMark, HighMark };
template <typename Effects>
void rest(Effects& fx, const Switches& s, uint32_t order) {
    if (!s.kswapd_probation) {
        fx.sleep();
        return;
    }
    uint32_t left_jiffies = 0;
    if (fx.above_high(order)) left_jiffies = fx.probation();
    // Woken before its time: an allocator met the low mark. Else the zone sank below high again.
    if (left_jiffies == 0 && fx.above_high(order)) {
        fx.sleep();
    } else {
        fx.count_hit(left_jiffies != 0 ? QuickHit::LowMark : QuickHit::HighMark);
    }
}

}  // namespace weir::policy
