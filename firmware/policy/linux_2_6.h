// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What the 2.6.3x policies are composed from: the base version and the patches on top.
// - linux_2_6_32(): every switch of the base, each with the place in the fact book.
// - revert_evict_once(), watermark_wait(): patches, applied to any base.
#pragma once

#include "firmware/policy/policy.h"

namespace weir::policy {

#define WEIR_POLICY(symbol) extern const Policy symbol;
#include "firmware/policy/policies.inc"
#undef WEIR_POLICY

constexpr Switches linux_2_6_32() {
    return Switches{
        .allocator_nap = AllocatorNap::CongestionQueue,        // 4.3
        .watermark_wake = WatermarkWake::AfterShrinkZone,      // nobody sleeps there
        .watermark_queue_global = true,                        // 4.12.6
        .watermark_wait_checks_first = false,                  // 5.1
        .kswapd_nap = KswapdNap::CongestionQueue,              // 4.7
        .kswapd_nap_before_exit_test = true,                   // 4.12.2
        .kswapd_tests_after_shrink = false,                    // 4.7
        .kswapd_skips_nap_below_min = false,                   // 4.5
        .kswapd_probation = false,                             // 4.7
        .kswapd_unlimited_target = false,                      // 4.6
        .active_file_aging = ActiveFileAging::OnlyWhenLarger,  // 4.6, evict-once
        .skipped_active_scan_takes_inactive = true,            // policy.h
        .shared_scan_carry = true,                             // 4.12.1
        .approximate_free_count = true,                        // 4.12.3
        .metadata_on_active_list = true,                       // 4.12.4
        .wake_needs_below_off_mark = true,                     // 4.12.7
        .completion_cost = true,                               // 4.12.9
        .per_cpu_lists = true,                                 // 4.2
    };
}

/// Always ages the active file list, as before 2.6.31. Source: 5.2.
constexpr Switches revert_evict_once(Switches base) {
    base.active_file_aging = ActiveFileAging::Always;
    return base;
}

/// Mel Gorman's three patches of March 2010. Source: 5.1; one global queue: 4.12.6.
constexpr Switches watermark_wait(Switches base) {
    base.allocator_nap = AllocatorNap::WatermarkQueue;                // 1/3
    base.watermark_wake = WatermarkWake::AfterShrinkZoneAndBulkFree;  // 2/3
    base.kswapd_nap = KswapdNap::OwnQueue;                            // 3/3
    return base;
}

}  // namespace weir::policy
