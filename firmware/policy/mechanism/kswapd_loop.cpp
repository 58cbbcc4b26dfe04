// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "firmware/policy/mechanism/kswapd_loop.h"

#include "firmware/block/block.h"
#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/sched.h"
#include "firmware/kernel/timer.h"
#include "firmware/policy/mechanism/congestion_nap.h"
#include "firmware/policy/mechanism/split_lru_scan.h"
#include "firmware/policy/mechanism/watermark_wait.h"

namespace weir::policy {

namespace {

using kernel::NapSite;
using kernel::VmCounter;

constexpr uint32_t kMaxZones = 4;
constexpr uint32_t kProbationDivisor = 10;

/// The largest order an allocator asked for since kswapd last looked.
constinit uint32_t wanted_order[kMaxZones] = {};

uint32_t index_of(const mm::Zone& zone) {
    uint32_t index = 0;
    while (index + 1 < mm::zone_count() && &mm::zone(index) != &zone) ++index;
    return index;
}

uint32_t take_wanted_order(uint32_t zone_index) {
    const uint32_t order = wanted_order[zone_index];
    wanted_order[zone_index] = 0;
    return order;
}

kernel::SleepResult nap_on_own_queue(mm::Zone& zone, NapSite site, uint32_t timeout_jiffies) {
    return kernel::nap({.site = site,
                        .klass = kernel::NapClass::Own,
                        .timeout_jiffies = timeout_jiffies,
                        .kind = kernel::SleepKind::Interruptible,
                        .wish = kernel::NapWish::ZoneBalanced,
                        .wish_detail = zone.mark.high_frames},
                       zone.kswapd_queue);
}

/// A balanced zone or an idle disk is what the nap between two passes is for.
void nap_between_passes(mm::Zone& zone) {
    const uint32_t timeout_jiffies = kernel::hz_over(kReclaimNapDivisor);
    if (switches().kswapd_nap == KswapdNap::OwnQueue) {
        nap_on_own_queue(zone, NapSite::KswapdBalance, timeout_jiffies);
        return;
    }
    block::congestion_wait(NapSite::KswapdBalance, block::IoClass::Async, timeout_jiffies,
                           kernel::NapWish::ZoneBalanced, zone.mark.high_frames);
}

class BalanceEffects {
  public:
    BalanceEffects(mm::Zone& zone, uint32_t order) : zone_(zone) {
        control_.reclaimer = Reclaimer::Kswapd;
        control_.order = order;
        control_.swappiness = kernel::boot_info().swappiness;
    }

    void begin_round() {
        kernel::count(VmCounter::PageOutRun);
        control_.reclaimed_pages = 0;
    }
    void set_priority(uint32_t priority) { hal::gauge(hal::Gauge::KswapdPriority, 0, priority); }
    bool above_high(uint32_t order) {
        control_.order = order;
        return mm::watermark_ok(zone_, order, zone_.mark.high_frames);
    }
    bool above_min(uint32_t order) { return mm::watermark_ok(zone_, order, zone_.mark.min_frames); }
    bool unreclaimable() { return zone_.all_unreclaimable; }
    void trickle_anon() {
        if (!anon_needs_rebalance(zone_)) return;
        shrink_active_list(zone_, mm::Lru::ActiveAnon, mm::kSwapClusterMax);
    }
    ZonePass shrink(uint32_t priority) {
        control_.scanned_pages = 0;
        const uint64_t reclaimed_before = control_.reclaimed_pages;
        shrink_zone(zone_, priority, control_);
        wake_watermark_waiters_after_shrink(zone_);
        const uint64_t reclaimable = mm::reclaimable_frames(zone_);
        const uint32_t slab = shrink_slab(control_.scanned_pages, reclaimable);
        if (!zone_.all_unreclaimable && slab == 0 &&
            looks_unreclaimable(zone_.pages_scanned, reclaimable)) {
            zone_.all_unreclaimable = true;
        }
        return {control_.scanned_pages, control_.reclaimed_pages - reclaimed_before};
    }
    void nap() { nap_between_passes(zone_); }
    void count_skipped_nap() { kernel::count(VmCounter::KswapdSkipCongestionWait); }
    void yield() { kernel::cond_resched(); }

  private:
    mm::Zone& zone_;
    ReclaimControl control_;
};

class RestEffects {
  public:
    explicit RestEffects(mm::Zone& zone) : zone_(zone) {}

    bool above_high(uint32_t order) {
        return mm::watermark_ok(zone_, order, zone_.mark.high_frames);
    }
    uint32_t probation() {
        return nap_on_own_queue(zone_, NapSite::KswapdProbation, kernel::hz_over(kProbationDivisor))
            .jiffies_left;
    }
    void sleep() {
        kernel::WaitEntry entry;
        kernel::prepare_to_wait(zone_.kswapd_queue, entry, kernel::SleepKind::Interruptible);
        hal::trace(hal::Event::KswapdSleep, 0);
        kernel::schedule_timeout(kernel::kForever);
        kernel::finish_wait(zone_.kswapd_queue, entry);
    }
    void count_hit(QuickHit hit) {
        kernel::count(hit == QuickHit::LowMark ? VmCounter::KswapdLowWmarkHitQuickly
                                               : VmCounter::KswapdHighWmarkHitQuickly);
    }

  private:
    mm::Zone& zone_;
};

int kswapd_main(void* argument) {
    mm::Zone& zone = *static_cast<mm::Zone*>(argument);
    const uint32_t zone_index = index_of(zone);
    kernel::current().flags |= kernel::kTaskMemAlloc;
    uint32_t order = 0;
    for (;;) {
        hal::gauge(hal::Gauge::KswapdPriority, 0, mm::kDefaultPriority);
        const uint32_t new_order = take_wanted_order(zone_index);
        if (order < new_order) {
            // Somebody wants a larger block than the one just balanced for: no sleep.
            order = new_order;
        } else {
            RestEffects effects(zone);
            rest(effects, switches(), order);
            order = wanted_order[zone_index];
        }
        hal::trace(hal::Event::KswapdWake, 0, order);
        BalanceEffects effects(zone, order);
        order = balance(effects, switches(), order);
    }
    return 0;
}

}  // namespace

void start_kswapd(mm::Zone& zone, uint32_t zone_index) {
    WEIR_ASSERT(zone_index < kMaxZones, "too many zones", zone_index, kMaxZones);
    char name[] = "kswapd0";
    name[sizeof(name) - 2] = static_cast<char>('0' + zone_index);
    zone.kswapd = kernel::create_task(name, kernel::TaskKind::Kswapd, kswapd_main, &zone);
    WEIR_ASSERT(zone.kswapd != nullptr, "no memory for kswapd", zone_index, 0);
    kernel::WaitQueue nobody_wakes;
    while (!zone.kswapd_queue.has_sleepers()) {
        kernel::sleep_for(nobody_wakes, 1, kernel::SleepKind::Uninterruptible, kernel::IoWait::No);
    }
}

void wake_kswapd(mm::Zone& zone, uint32_t order) {
    if (mm::watermark_ok(zone, order, zone.mark.low_frames)) return;
    const uint32_t zone_index = index_of(zone);
    if (wanted_order[zone_index] < order) wanted_order[zone_index] = order;
    if (zone.kswapd_queue.has_sleepers()) {
        hal::trace(hal::Event::WakeupKswapd, 0, zone_index, order);
        kernel::wake_all(zone.kswapd_queue, kernel::Waker::Kswapd);
    }
}

}  // namespace weir::policy
