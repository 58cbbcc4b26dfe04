// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Naps and their books. While a task naps, a record on its stack is in the list of its wish; the
// owner of the state calls note_state(), which stamps the first moment at which the wish held.
#include "firmware/kernel/nap.h"

#include "firmware/hal/trace.h"
#include "firmware/kernel/hart.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/timer.h"

#include <new>

namespace weir::kernel {

namespace {

struct ActiveNap {
    ListNode node;
    uint64_t wish_detail = 0;
    uint64_t true_ns = 0;  // 0: has not held yet
};

enum class Sleepers : uint8_t { Allocator, Reclaim, Kswapd, Other };
constexpr uint32_t kSleepersCount = 4;

struct NapBook {
    SpinLock lock;
    List<ActiveNap, &ActiveNap::node> unfulfilled[kNapWishCount];
    uint32_t sleepers[kSleepersCount] = {};
};

NapBook* book = nullptr;
WishTest wish_tests[kNapWishCount];
NapObserver observer;

constexpr bool gauge_names_agree() {
    for (uint32_t site = 0; site < kNapSiteCount; ++site) {
        const char* a = kNapSiteNames[site];
        const char* b = hal::kNapSiteGaugeNames[site + 1];
        while (*a && *a == *b) ++a, ++b;
        if (*a != *b) return false;
    }
    return true;
}
static_assert(gauge_names_agree());
static_assert(sizeof(hal::kNapSiteGaugeNames) / sizeof(hal::kNapSiteGaugeNames[0]) ==
              kNapSiteCount + 1);

constexpr Sleepers sleepers_of(NapSite site) {
    switch (site) {
        case NapSite::AllocatorRetry:
        case NapSite::AllocatorNoFail:
        case NapSite::OomLockBusy:
            return Sleepers::Allocator;
        case NapSite::DirectReclaim:
        case NapSite::TooManyIsolated:
        case NapSite::LumpySecondPass:
        case NapSite::ThrottleVmWriteout:
            return Sleepers::Reclaim;
        case NapSite::KswapdBalance:
        case NapSite::KswapdProbation:
            return Sleepers::Kswapd;
        default:
            return Sleepers::Other;
    }
}

constexpr hal::Gauge kSleepersGauge[kSleepersCount] = {
    hal::Gauge::NapsAllocator, hal::Gauge::NapsReclaim, hal::Gauge::NapsKswapd,
    hal::Gauge::NapsOther};

/// Sleeps that wait for no I/O, as Linux accounts them.
constexpr IoWait io_wait_of(NapSite site) {
    switch (site) {
        case NapSite::OomLockBusy:
        case NapSite::KswapdProbation:
        case NapSite::FlusherIdle:
            return IoWait::No;
        default:
            return IoWait::Yes;
    }
}

void trace_begin(const NapRequest& request, uint64_t timeout_us) {
    const Task& self = current();
    const auto site = static_cast<uint64_t>(request.site);
    const bool congested = observer.any_congested && observer.any_congested(request.klass);
    hal::trace(hal::Event::NapBegin, site, self.pid, timeout_us,
               static_cast<uint64_t>(request.klass), congested ? 1 : 0,
               observer.free_frames ? observer.free_frames() : 0);
    hal::trace(hal::Event::NapBegin2, site, self.pid,
               observer.pcp_frames ? observer.pcp_frames() : 0, self.reclaimed_pages_last);
}

void count_sleeper(NapSite site, int32_t delta) {
    const auto kind = static_cast<uint32_t>(sleepers_of(site));
    book->sleepers[kind] += static_cast<uint32_t>(delta);
    hal::gauge(kSleepersGauge[kind], 0, book->sleepers[kind]);
}

/// Opens the books of a nap that begins at begin_ns.
void enter(const NapRequest& request, ActiveNap& active, uint64_t begin_ns) {
    active.wish_detail = request.wish_detail;
    const auto wish = static_cast<uint32_t>(request.wish);
    IrqSpinGuard guard(book->lock);
    count_sleeper(request.site, 1);
    if (request.wish == NapWish::None) return;
    const WishTest test = wish_tests[wish];
    if (test && test(request.wish_detail)) {
        active.true_ns = begin_ns;
    } else {
        book->unfulfilled[wish].push_back(active);
    }
}

void leave(const NapRequest& request, ActiveNap& active) {
    IrqSpinGuard guard(book->lock);
    count_sleeper(request.site, -1);
    if (active.node.linked()) {
        book->unfulfilled[static_cast<uint32_t>(request.wish)].remove(active);
    }
}

}  // namespace

void nap_init() {
    book = new (boot_alloc(sizeof(NapBook), alignof(NapBook))) NapBook;
    for (WishTest& test : wish_tests) test = nullptr;
    observer = NapObserver{};
}

void set_wish_test(NapWish wish, WishTest test) {
    wish_tests[static_cast<uint32_t>(wish)] = test;
}
void set_nap_observer(const NapObserver& seen) {
    observer = seen;
}

void note_state(NapWish wish) {
    const auto index = static_cast<uint32_t>(wish);
    auto& waiting = book->unfulfilled[index];
    if (waiting.empty()) return;
    const WishTest test = wish_tests[index];
    if (!test) return;
    IrqSpinGuard guard(book->lock);
    ActiveNap* next = nullptr;
    for (ActiveNap* active = waiting.front(); active; active = next) {
        next = waiting.next(*active);
        if (!test(active->wish_detail)) continue;
        active->true_ns = hal::now_ns();
        waiting.remove(*active);
    }
}

SleepResult nap(const NapRequest& request, WaitQueue& queue) {
    const Task& self = current();
    const auto site = static_cast<uint64_t>(request.site);
    const bool is_congestion_wait =
        request.klass == NapClass::Async || request.klass == NapClass::Sync;
    // A sleep without a time limit is shown with timeout 0.
    const uint64_t timeout_us =
        request.timeout_jiffies == kForever ? 0 : jiffies_to_us(request.timeout_jiffies);
    const uint64_t begin_ns = hal::now_ns();
    trace_begin(request, timeout_us);
    hal::gauge(hal::Gauge::TaskNap, self.pid, site + 1);
    ActiveNap active;
    enter(request, active, begin_ns);
    SleepResult result = sleep_for(queue, request.timeout_jiffies, request.kind,
                                   io_wait_of(request.site), request.exclusive);
    leave(request, active);
    result.slept_ns = hal::now_ns() - begin_ns;
    const uint64_t slept_us = result.slept_ns / 1000;
    hal::gauge(hal::Gauge::TaskNap, self.pid, 0);
    hal::trace(hal::Event::NapEnd, site, self.pid, begin_ns, static_cast<uint64_t>(result.waker),
               active.true_ns, slept_us);
    if (is_congestion_wait) hal::trace(hal::Event::CongestionWait, timeout_us, slept_us);
    return result;
}

}  // namespace weir::kernel
