// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "firmware/policy/mechanism/direct_reclaim.h"

#include "firmware/block/block.h"
#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/sched.h"
#include "firmware/mm/writeback.h"
#include "firmware/policy/mechanism/congestion_nap.h"
#include "firmware/policy/mechanism/split_lru_scan.h"
#include "firmware/policy/mechanism/watermark_wait.h"

namespace weir::policy {

namespace {

class TaskEffects {
  public:
    explicit TaskEffects(const mm::AllocRequest& request) {
        control_.reclaimer = Reclaimer::DirectTask;
        control_.order = request.order;
        control_.alloc_flags = request.flags;
        control_.swappiness = kernel::boot_info().swappiness;
    }

    PassResult shrink_zones(uint32_t priority) {
        control_.scanned_pages = 0;
        const uint64_t reclaimed_before = control_.reclaimed_pages;
        PassResult pass{.all_unreclaimable = true};
        uint64_t lru_pages = 0;
        for (uint32_t i = 0; i < mm::zone_count(); ++i) {
            mm::Zone& zone = mm::zone(i);
            if (zone.all_unreclaimable && priority != mm::kDefaultPriority) continue;
            pass.all_unreclaimable = false;
            lru_pages += mm::reclaimable_frames(zone);
            shrink_zone(zone, priority, control_);
            wake_watermark_waiters_after_shrink(zone);
        }
        shrink_slab(control_.scanned_pages, lru_pages);
        pass.scanned_pages = control_.scanned_pages;
        pass.reclaimed_pages = control_.reclaimed_pages - reclaimed_before;
        return pass;
    }

    void wake_flushers(uint64_t pages) {
        // A device without dirty pages has nothing to be woken for.
        for (uint32_t d = 0; d < block::device_count(); ++d) {
            block::BlockDevice& device = block::device(d);
            if (mm::device_dirty(device).reclaimable_pages > 0) mm::wake_flusher(device, pages);
        }
    }

    void nap() { nap_congestion(kernel::NapSite::DirectReclaim); }

  private:
    ReclaimControl control_;
};

}  // namespace

uint64_t direct_reclaim(const mm::AllocRequest& request) {
    kernel::cond_resched();
    kernel::Task& task = kernel::current();
    task.flags |= kernel::kTaskMemAlloc;
    kernel::count(kernel::VmCounter::AllocStall);
    hal::trace(hal::Event::DirectReclaimBegin, request.order, 1, request.flags);

    TaskEffects effects(request);
    const DirectReclaimResult result = reclaim_by_priority(effects);

    hal::trace(hal::Event::DirectReclaimEnd, result.reclaimed_pages);
    task.reclaimed_pages_last = static_cast<uint32_t>(result.reclaimed_pages);
    task.flags &= ~kernel::kTaskMemAlloc;
    kernel::cond_resched();
    return result.progress_pages();
}

}  // namespace weir::policy
