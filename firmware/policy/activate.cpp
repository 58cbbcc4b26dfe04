// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Connects the chosen policy to the layers below and starts kswapd.
#include "firmware/block/block.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/kernel.h"
#include "firmware/mm/allocator.h"
#include "firmware/mm/lru.h"
#include "firmware/mm/page_cache.h"
#include "firmware/mm/zone.h"
#include "firmware/policy/mechanism/allocator_slow_path.h"
#include "firmware/policy/mechanism/dirty_throttle.h"
#include "firmware/policy/mechanism/kswapd_loop.h"
#include "firmware/policy/mechanism/oom.h"
#include "firmware/policy/mechanism/watermark_wait.h"
#include "firmware/policy/policy.h"

namespace weir::policy {

namespace {

bool may_read_ahead(mm::Mapping& mapping) {
    return !block::congested(*mapping.device, block::IoClass::Sync);
}

void frames_returned(mm::Zone& zone, uint32_t) {
    if (switches().watermark_wake != WatermarkWake::AfterShrinkZone) wake_watermark_waiters(zone);
}

/// Frames that boot left in per-CPU lists or private deltas would stay there for ever once the
/// switch that empties them is off.
void set_counting(mm::Zone& zone, const Switches& s) {
    if (!s.per_cpu_lists) mm::drain_per_cpu_lists(zone);
    zone.use_per_cpu_lists = s.per_cpu_lists;
    if (!s.approximate_free_count) {
        kernel::IrqSpinGuard guard(zone.lock);
        const auto exact = static_cast<int64_t>(mm::free_frames_exact(zone));
        kernel::count(kernel::VmCounter::NrFreePages, exact - zone.free_frames);
        zone.free_frames = exact;
        for (auto& lists : zone.per_cpu) lists.free_delta = 0;
    }
    zone.approximate_free_count = s.approximate_free_count;
}

}  // namespace

void activate() {
    const hal::BootInfo& info = kernel::boot_info();
    const Policy* policy = find(info.policy);
    WEIR_ASSERT(policy != nullptr, "BootInfo names no known policy", 0, policy_count());
    use_switches(apply_overrides(policy->switches, info.overrides));
    const Switches& s = switches();

    mm::set_metadata_on_active_list(s.metadata_on_active_list);
    block::set_rules({.wake_needs_below_off_mark = s.wake_needs_below_off_mark,
                      .completion_cost = s.completion_cost});
    for (uint32_t i = 0; i < mm::zone_count(); ++i) set_counting(mm::zone(i), s);
    init_watermark_wait();
    mm::pressure() = mm::Pressure{
        .out_of_frames = allocator_slow_path,
        .frames_returned = frames_returned,
        .page_dirtied = throttle_dirtier,
        .out_of_memory = kill_for_page_fault,
        .may_read_ahead = may_read_ahead,
    };
    for (uint32_t i = 0; i < mm::zone_count(); ++i) start_kswapd(mm::zone(i), i);
}

}  // namespace weir::policy
