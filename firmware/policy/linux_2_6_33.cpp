// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Linux 2.6.33: what changed in reclaim since 2.6.32, and the reverted evict-once.
// Source: 4.6, 4.7.
#include "firmware/policy/linux_2_6.h"

namespace weir::policy {

namespace {

constexpr Switches linux_2_6_33() {
    Switches s = linux_2_6_32();
    s.kswapd_tests_after_shrink = true;
    s.kswapd_skips_nap_below_min = true;
    s.kswapd_probation = true;
    s.kswapd_unlimited_target = true;
    s.skipped_active_scan_takes_inactive = false;
    return s;
}

}  // namespace

constexpr Policy kLinux2633{
    .name = "2.6.33",
    .story = "kswapd sleeps on probation first and skips its nap below the min watermark",
    .switches = linux_2_6_33(),
};

constexpr Policy kLinux2633RevertEvict{
    .name = "2.6.33-revertevict",
    .story = "2.6.33 with evict-once reverted: the active file list always ages",
    .switches = revert_evict_once(linux_2_6_33()),
};

}  // namespace weir::policy
