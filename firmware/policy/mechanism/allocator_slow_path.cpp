// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "firmware/policy/mechanism/allocator_slow_path.h"

#include "firmware/kernel/task.h"
#include "firmware/policy/mechanism/congestion_nap.h"
#include "firmware/policy/mechanism/direct_reclaim.h"
#include "firmware/policy/mechanism/kswapd_loop.h"
#include "firmware/policy/mechanism/oom.h"
#include "firmware/policy/mechanism/watermark_wait.h"
#include "firmware/policy/policy.h"

namespace weir::policy {

namespace {

class MachineEffects {
  public:
    MachineEffects(mm::Zone& zone, const mm::AllocRequest& request)
        : zone_(zone), request_(request) {}

    void wake_kswapd() {
        for (uint32_t i = 0; i < mm::zone_count(); ++i) {
            policy::wake_kswapd(mm::zone(i), request_.order);
        }
    }
    mm::Frame* try_min() {
        return mm::try_alloc(zone_, request_, zone_.mark.min_frames, mm::Marks::Respect);
    }
    mm::Frame* take_anything() { return mm::try_alloc(zone_, request_, 0, mm::Marks::Ignore); }
    bool may_ignore_marks() {
        return (kernel::current().flags & (kernel::kTaskMemAlloc | kernel::kTaskDying)) != 0;
    }
    bool reclaiming() { return (kernel::current().flags & kernel::kTaskMemAlloc) != 0; }
    bool dying() { return (kernel::current().flags & kernel::kTaskDying) != 0; }
    uint64_t reclaim() { return direct_reclaim(request_); }
    void drain_lists() { mm::drain_per_cpu_lists(zone_); }
    OomOutcome last_resort() { return allocate_or_kill(zone_, request_); }
    void nap(kernel::NapSite site) {
        if (switches().allocator_nap == AllocatorNap::WatermarkQueue) {
            wait_for_watermark(zone_, request_.order, site);
        } else {
            nap_allocator_on_congestion(site, zone_);
        }
    }

  private:
    mm::Zone& zone_;
    const mm::AllocRequest& request_;
};

}  // namespace

mm::Frame* allocator_slow_path(mm::Zone& zone, const mm::AllocRequest& request) {
    MachineEffects effects(zone, request);
    return climb_slow_path(effects, request);
}

}  // namespace weir::policy
