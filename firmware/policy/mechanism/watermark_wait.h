// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The watermark wait of March 2010: a stalled allocator sleeps until its zone is above the low
// mark, not until some device is less busy. Source: fact book 5.1, 4.12.6.
// - wait_for_watermark(): the sleep, at most HZ/50, with re-sleep for the time that remains.
// - wake_watermark_waiters(): called after each shrink_zone and, with patch 2/3, each bulk free.
#pragma once

#include "firmware/kernel/nap.h"
#include "firmware/mm/zone.h"

namespace weir::policy {

/// Makes the global queue. Called once at boot.
void init_watermark_wait();

/// Sleeps until free frames exceed the low mark for the order, at most HZ/50. Each sleep of it is
/// one nap record.
void wait_for_watermark(mm::Zone& zone, uint32_t order, kernel::NapSite site);

/// Wakes every sleeper of the zone's queue if order-0 free frames exceed the low mark.
void wake_watermark_waiters(mm::Zone& zone);
/// wake_watermark_waiters where the policy wakes after shrink_zone.
void wake_watermark_waiters_after_shrink(mm::Zone& zone);

/// The rule of the wait, with its effects as callables: `nap(jiffies)` sleeps once and returns a
/// kernel::SleepResult; `above_low()` tests the mark.
template <typename Nap, typename AboveLow>
void sleep_until_above_low(uint32_t timeout_jiffies, bool checks_first, Nap&& nap,
                           AboveLow&& above_low) {
    if (checks_first && above_low()) return;
    uint32_t remaining_jiffies = timeout_jiffies;
    while (remaining_jiffies > 0) {
        const kernel::SleepResult slept = nap(remaining_jiffies);
        if (slept.jiffies_left == 0 || slept.waker == kernel::Waker::Kill || above_low()) return;
        remaining_jiffies = slept.jiffies_left;
    }
}

}  // namespace weir::policy
