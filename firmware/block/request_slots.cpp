// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Slot accounting.
#include "firmware/block/request_slots.h"

#include "firmware/block/param.h"
#include "firmware/hal/trace.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/timer.h"

namespace weir::block {

namespace {

/// What a task may still take without sleeping. Belongs to the task, not to a queue.
struct Batch {
    uint32_t pid;
    uint32_t requests_left;
    uint64_t started_jiffy;
};

// Keyed by pid. A task that shares an entry with another may lose its batch, which only makes it
// wait like any other.
Batch* batches;

Batch& batch_of(uint32_t pid) {
    return batches[pid & (kBatchTableEntries - 1)];
}

void start_batch(uint32_t pid) {
    batch_of(pid) = {pid, kBatchRequests, kernel::jiffies()};
}

bool in_batch(uint32_t pid) {
    const Batch& batch = batch_of(pid);
    if (batch.pid != pid || batch.requests_left == 0) return false;
    // The first request of a batch is granted however late the task comes to run.
    return batch.requests_left == kBatchRequests ||
           kernel::jiffies() < batch.started_jiffy + kernel::hz_over(kBatchHzDivisor);
}

}  // namespace

void batches_init() {
    batches = static_cast<Batch*>(kernel::boot_alloc(kBatchTableEntries * sizeof(Batch)));
}

void RequestSlots::init(uint32_t device_index, uint32_t nr_requests) {
    device_index_ = device_index;
    nr_requests_ = nr_requests < kNrRequestsMin ? kNrRequestsMin : nr_requests;
    marks_ = congestion_marks(nr_requests_);
}

bool RequestSlots::take(IoClass io_class, uint32_t pid) {
    ClassSlots& slots = of(io_class);
    const bool at_full_mark = slots.count + 1 >= nr_requests_;
    if (slots.count + 1 >= marks_.on) {
        if (at_full_mark) {
            if (!slots.full) {
                slots.full = true;
                start_batch(pid);
            } else if (!in_batch(pid)) {
                return false;
            }
        }
        if (!slots.congested) set_congested(io_class, true);
    }
    if (slots.count >= nr_requests_ + nr_requests_ / 2) return false;
    ++slots.count;
    // Below the full mark everybody may have a slot, so that it costs a batcher nothing.
    if (at_full_mark && in_batch(pid)) --batch_of(pid).requests_left;
    show_count(io_class);
    return true;
}

void RequestSlots::give(IoClass io_class) {
    ClassSlots& slots = of(io_class);
    WEIR_ASSERT(slots.count > 0, "more request slots freed than taken", device_index_, io_class);
    --slots.count;
    show_count(io_class);
    const bool below_off = slots.count < marks_.off;
    if (below_off && slots.congested) set_congested(io_class, false);
    if (below_off || !rules().wake_needs_below_off_mark) wake_congestion_sleepers(io_class);
    if (slots.count + 1 <= nr_requests_) {
        slots.full = false;
        wake_one(io_class);
        kernel::note_state(kernel::NapWish::RequestSlotFree);
    }
}

void RequestSlots::wake_one(IoClass io_class) {
    ClassSlots& slots = of(io_class);
    if (slots.waiting_tasks == 0) return;
    if (kernel::wake_some(slots.waiters, kernel::Waker::RequestFreed, 1) == 0) {
        slots.wake_missed = true;
    }
}

bool RequestSlots::wake_owed(IoClass io_class) const {
    return of(io_class).wake_missed;
}

void RequestSlots::pay_wake(IoClass io_class) {
    of(io_class).wake_missed = false;
    if (slot_free(io_class)) wake_one(io_class);
}

void RequestSlots::end_wait(IoClass io_class, uint32_t pid) {
    ClassSlots& slots = of(io_class);
    if (--slots.waiting_tasks == 0) slots.wake_missed = false;
    start_batch(pid);
}

void RequestSlots::show_count(IoClass io_class) const {
    const hal::Gauge gauge =
        io_class == IoClass::Sync ? hal::Gauge::QueueSync : hal::Gauge::QueueAsync;
    hal::gauge(gauge, device_index_, of(io_class).count);
}

void RequestSlots::set_congested(IoClass io_class, bool congested) {
    ClassSlots& slots = of(io_class);
    slots.congested = congested;
    if (congested) {
        ++slots.congested_entries;
        note_congested(io_class);
    } else {
        note_uncongested(io_class);
    }
    const hal::Gauge gauge =
        io_class == IoClass::Sync ? hal::Gauge::CongestedSync : hal::Gauge::CongestedAsync;
    hal::gauge(gauge, device_index_, congested);
}

}  // namespace weir::block
