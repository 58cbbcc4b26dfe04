// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "firmware/policy/mechanism/dirty_throttle.h"

#include "firmware/block/block.h"
#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/nap.h"
#include "firmware/kernel/task.h"
#include "firmware/kernel/timer.h"
#include "firmware/mm/page_cache.h"
#include "firmware/policy/mechanism/congestion_nap.h"

namespace weir::policy {

namespace {

using kernel::VmCounter;

/// Pages dirtied on each hart since its last check.
constinit uint64_t dirtied_on_hart[hal::kMaxHarts] = {};
/// Devices over their limit: everyone who dirties them checks often.
constinit bool device_exceeded[hal::kMaxDisks] = {};

class DeviceEffects {
  public:
    explicit DeviceEffects(block::BlockDevice& device)
        : device_(device), index_(block::device_index(device)) {}

    DirtyLevels levels() {
        const mm::DirtyLimits limits = mm::dirty_limits();
        DirtyLevels now{};
        now.background_pages = limits.background_pages;
        now.limit_pages = limits.limit_pages;
        now.device_limit_pages = mm::device_dirty_limit(device_, limits.limit_pages);
        now.dirty_pages = kernel::counter_value(VmCounter::NrDirty) +
                          kernel::counter_value(VmCounter::NrWriteback);
        now.device = mm::device_dirty(device_);
        last_ = now;
        return now;
    }
    uint64_t write(uint64_t pages) {
        return mm::write_dirty_pages(device_,
                                     {.max_pages = pages, .older_than_jiffy = 0, .sync = false});
    }
    void nap(uint32_t jiffies) {
        hal::trace(hal::Event::BalanceDirtyPages, index_, last_.limit_pages,
                   last_.device_limit_pages, last_.dirty_pages, last_.device_pages(),
                   kernel::jiffies_to_us(jiffies) / 1000);
        kernel::WaitQueue nobody_wakes;
        kernel::nap({.site = kernel::NapSite::BalanceDirtyPages,
                     .klass = kernel::NapClass::Own,
                     .timeout_jiffies = jiffies,
                     .kind = kernel::SleepKind::Interruptible,
                     .wish = kernel::NapWish::DirtyFell,
                     .wish_detail = index_},
                    nobody_wakes);
    }
    void set_exceeded(Exceeded exceeded) { device_exceeded[index_] = exceeded == Exceeded::Yes; }
    bool dying() { return (kernel::current().flags & kernel::kTaskDying) != 0; }

  private:
    block::BlockDevice& device_;
    uint32_t index_;
    DirtyLevels last_{};
};

}  // namespace

void throttle_dirtier(mm::Mapping& mapping, uint32_t page_count) {
    block::BlockDevice& device = *mapping.device;
    uint64_t& dirtied = dirtied_on_hart[hal::hart_id()];
    dirtied += page_count;
    const bool exceeded = device_exceeded[block::device_index(device)];
    if (dirtied < check_interval_pages(mm::frame_count, hal::hart_count(), exceeded)) return;
    const uint64_t duty_pages = write_duty_pages(dirtied);
    dirtied = 0;

    DeviceEffects effects(device);
    const DirtyLevels ended =
        balance_dirty(effects, duty_pages, kernel::hz_over(kReclaimNapDivisor));
    if (kernel::counter_value(VmCounter::NrDirty) > ended.background_pages) {
        mm::wake_flusher(device, 0);
    }
}

}  // namespace weir::policy
