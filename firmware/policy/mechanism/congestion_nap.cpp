// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "firmware/policy/mechanism/congestion_nap.h"

#include "firmware/block/block.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/timer.h"
#include "firmware/mm/writeback.h"

namespace weir::policy {

namespace {

using block::IoClass;
using kernel::NapSite;
using kernel::NapWish;

constexpr auto kAsyncDetail = static_cast<uint64_t>(IoClass::Async);

}  // namespace

void nap_allocator_on_congestion(NapSite site, const mm::Zone& zone) {
    // What the napper is after is a frame; that the queue it sleeps on knows nothing of frames is
    // what its wasted time shows.
    block::congestion_wait(site, IoClass::Async, kernel::hz_over(kAllocatorNapDivisor),
                           NapWish::FrameAvailable, retry_mark_frames(site, zone));
}

void nap_congestion(NapSite site) {
    block::congestion_wait(site, IoClass::Async, kernel::hz_over(kReclaimNapDivisor),
                           NapWish::NotCongested, kAsyncDetail);
}

void nap_until_isolation_falls(uint32_t type) {
    block::congestion_wait(NapSite::TooManyIsolated, IoClass::Async,
                           kernel::hz_over(kReclaimNapDivisor), NapWish::IsolationFell, type);
}

void throttle_vm_writeout(const ReclaimControl& control) {
    for (;;) {
        const uint64_t writeback = kernel::counter_value(kernel::VmCounter::NrWriteback);
        if (writeback == 0) return;
        if (!writeback_too_high(writeback, mm::dirty_limits().limit_pages)) return;
        block::congestion_wait(NapSite::ThrottleVmWriteout, IoClass::Async,
                               kernel::hz_over(kReclaimNapDivisor), NapWish::WritebackFell, 0);
        if (!control.may_fs() || !control.may_io()) return;
    }
}

}  // namespace weir::policy
