// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "firmware/policy/mechanism/watermark_wait.h"

#include "firmware/kernel/object_cache.h"
#include "firmware/kernel/timer.h"
#include "firmware/policy/mechanism/congestion_nap.h"
#include "firmware/policy/policy.h"

namespace weir::policy {

namespace {

constinit kernel::ObjectCache<kernel::WaitQueue> queue_cache;
constinit kernel::WaitQueue* global_queue = nullptr;

kernel::WaitQueue& queue_of(mm::Zone& zone) {
    return switches().watermark_queue_global && global_queue != nullptr ? *global_queue
                                                                        : zone.watermark_queue;
}

}  // namespace

void init_watermark_wait() {
    if (global_queue == nullptr) global_queue = queue_cache.create();
    WEIR_ASSERT(global_queue != nullptr, "no memory for the watermark queue", 0, 0);
}

void wait_for_watermark(mm::Zone& zone, uint32_t order, kernel::NapSite site) {
    const auto nap = [&](uint32_t jiffies) {
        return kernel::nap({.site = site,
                            .klass = kernel::NapClass::Watermark,
                            .timeout_jiffies = jiffies,
                            .kind = kernel::SleepKind::Interruptible,
                            .wish = kernel::NapWish::FrameAvailable,
                            .wish_detail = zone.mark.low_frames},
                           queue_of(zone));
    };
    const auto above_low = [&] { return mm::watermark_ok(zone, order, zone.mark.low_frames); };
    sleep_until_above_low(kernel::hz_over(kAllocatorNapDivisor),
                          switches().watermark_wait_checks_first, nap, above_low);
}

void wake_watermark_waiters(mm::Zone& zone) {
    kernel::WaitQueue& queue = queue_of(zone);
    if (!queue.has_sleepers() || !mm::watermark_ok(zone, 0, zone.mark.low_frames)) return;
    kernel::wake_all(queue, kernel::Waker::Watermark);
}

void wake_watermark_waiters_after_shrink(mm::Zone& zone) {
    if (switches().watermark_wake != WatermarkWake::BulkFreeOnly) wake_watermark_waiters(zone);
}

}  // namespace weir::policy
