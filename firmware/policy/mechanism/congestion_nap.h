// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Naps on the asynchronous congestion queue: sleep, whatever is so, until an asynchronous request
// is freed below the off mark or the time is over. Source: fact book 4.4, 4.5.
// - nap_allocator_on_congestion(): HZ/50, allocator retry and no-fail loop.
// - nap_congestion(): HZ/10, direct reclaim and lumpy second pass.
// - nap_until_isolation_falls(), throttle_vm_writeout(): HZ/10, in a loop.
#pragma once

#include "firmware/kernel/nap.h"
#include "firmware/policy/mechanism/reclaim_control.h"

namespace weir::policy {

/// Divisors of HZ. Source: table 4.5.
inline constexpr uint32_t kAllocatorNapDivisor = 50;
inline constexpr uint32_t kReclaimNapDivisor = 10;

/// The mark that the allocation will be held against after the nap. A no-fail loop takes any frame.
constexpr uint32_t retry_mark_frames(kernel::NapSite site, const mm::Zone& zone) {
    return site == kernel::NapSite::AllocatorRetry ? zone.mark.min_frames : 0;
}

void nap_allocator_on_congestion(kernel::NapSite site, const mm::Zone& zone);
void nap_congestion(kernel::NapSite site);
/// type: 0 anonymous, 1 file.
void nap_until_isolation_falls(uint32_t type);

/// True while more is under writeback than the dirty limit and a tenth.
constexpr bool writeback_too_high(uint64_t writeback_pages, uint64_t limit_pages) {
    return writeback_pages > limit_pages + limit_pages / 10;
}
/// At the end of every shrink_zone: naps while too much is under writeback; only once where the
/// caller might hold what the writes need.
void throttle_vm_writeout(const ReclaimControl& control);

}  // namespace weir::policy
