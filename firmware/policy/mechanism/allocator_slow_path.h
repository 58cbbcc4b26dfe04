// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What an allocation does when the fast try at the low mark failed. Source: fact book 4.3.
// - allocator_slow_path(): mm::pressure().out_of_frames.
// - climb_slow_path(): the order of its steps over effects, tested without a machine.
#pragma once

#include "firmware/kernel/nap.h"
#include "firmware/mm/allocator.h"
#include "firmware/policy/mechanism/scan_arithmetic.h"

namespace weir::policy {

mm::Frame* allocator_slow_path(mm::Zone& zone, const mm::AllocRequest& request);

/// How the last resort ended.
struct OomOutcome {
    mm::Frame* frame = nullptr;  // the last try at the high mark succeeded
    bool may_retry = true;       // false: killing would not help
};

/// Effects:
///   void wake_kswapd()
///   Frame* try_min()              one attempt at the min mark
///   Frame* take_anything()        ignoring marks
///   bool may_ignore_marks()       reclaiming (and not waiting for itself) or being killed
///   bool reclaiming(), dying()
///   uint64_t reclaim()            direct reclaim, its yield points included; progress
///   void drain_lists()
///   OomOutcome last_resort()
///   void nap(NapSite)
template <typename Effects>
mm::Frame* climb_slow_path(Effects& fx, const mm::AllocRequest& request) {
    const bool no_fail = (request.flags & mm::kAllocNoFail) != 0;
    const bool no_retry = (request.flags & mm::kAllocNoRetry) != 0 && !no_fail;
    constexpr uint32_t kIoAndFs = mm::kAllocMayIo | mm::kAllocMayFs;
    const bool may_kill = (request.flags & kIoAndFs) == kIoAndFs && !no_retry;
    for (;;) {
        fx.wake_kswapd();
        if (mm::Frame* f = fx.try_min()) return f;
        for (bool restart = false; !restart;) {
            while (fx.may_ignore_marks()) {
                if (mm::Frame* f = fx.take_anything()) return f;
                if (!no_fail) break;
                fx.nap(kernel::NapSite::AllocatorNoFail);
            }
            if ((request.flags & mm::kAllocMayWait) == 0) return nullptr;
            if (fx.reclaiming() || (fx.dying() && !no_fail)) return nullptr;

            const uint64_t progress = fx.reclaim();
            if (request.order > 0) fx.drain_lists();
            if (progress > 0) {
                if (mm::Frame* f = fx.try_min()) return f;
            } else if (may_kill) {
                const OomOutcome outcome = fx.last_resort();
                if (outcome.frame != nullptr) return outcome.frame;
                if (!outcome.may_retry && !no_fail) return nullptr;
                restart = true;
                continue;
            }
            if (!no_fail && (no_retry || request.order > kCostlyOrder)) return nullptr;
            fx.nap(kernel::NapSite::AllocatorRetry);
        }
    }
}

}  // namespace weir::policy
