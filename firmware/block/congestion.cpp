// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The global side of congestion.
#include "firmware/block/congestion.h"

#include "firmware/kernel/kernel.h"

#include <new>

namespace weir::block {

namespace {

struct CongestionState {
    kernel::WaitQueue sleepers[kIoClassCount];
    uint32_t congested_devices[kIoClassCount] = {};
};

CongestionState* state;
Rules current_rules;

constexpr uint32_t index_of(IoClass io_class) {
    return static_cast<uint32_t>(io_class);
}

bool not_congested(uint64_t detail) {
    return !any_congested(static_cast<IoClass>(detail));
}

}  // namespace

void congestion_init() {
    state = new (kernel::boot_alloc(sizeof(CongestionState))) CongestionState;
    current_rules = Rules{};
    kernel::set_wish_test(kernel::NapWish::NotCongested, not_congested);
}

const Rules& rules() {
    return current_rules;
}

void set_rules(const Rules& new_rules) {
    current_rules = new_rules;
}

void note_congested(IoClass io_class) {
    ++state->congested_devices[index_of(io_class)];
}

void note_uncongested(IoClass io_class) {
    if (--state->congested_devices[index_of(io_class)] > 0) return;
    kernel::note_state(kernel::NapWish::NotCongested);
    kernel::note_state(kernel::NapWish::ZoneBalanced);  // holds, too, where nothing is congested
}

void wake_congestion_sleepers(IoClass io_class) {
    kernel::WaitQueue& queue = state->sleepers[index_of(io_class)];
    if (!queue.has_sleepers()) return;
    kernel::wake_all(queue, io_class == IoClass::Async ? kernel::Waker::AsyncCompletion
                                                       : kernel::Waker::SyncCompletion);
}

bool any_congested(IoClass io_class) {
    return state->congested_devices[index_of(io_class)] > 0;
}

kernel::WaitQueue& congestion_queue(IoClass io_class) {
    return state->sleepers[index_of(io_class)];
}

kernel::SleepResult congestion_wait(kernel::NapSite site, IoClass io_class,
                                    uint32_t timeout_jiffies, kernel::NapWish wish,
                                    uint64_t wish_detail) {
    kernel::NapRequest request{};
    request.site = site;
    request.klass = io_class == IoClass::Async ? kernel::NapClass::Async : kernel::NapClass::Sync;
    request.timeout_jiffies = timeout_jiffies;
    request.wish = wish;
    request.wish_detail = wish_detail;
    return kernel::nap(request, congestion_queue(io_class));
}

}  // namespace weir::block
