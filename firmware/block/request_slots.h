// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The request slots of one queue: who may have one, who is congested, who is woken when.
// - take() at the on mark sets the class's congestion bit; at nr_requests it marks the class full
//   and makes the taker a batcher, who alone may go on, up to 1.5 x nr_requests. Its batch is spent
//   only on slots at or above that mark.
// - give() clears the bit and wakes the class's global sleepers below the off mark, on every such
//   give, whether or not the bit was set. Source: facts 4.4.
// - A task refused by take() registers with begin_wait() under the same hold of the lock, sleeps on
//   waiters(), and calls end_wait().
// All functions are called with the queue lock held.
#pragma once

#include "firmware/block/block.h"
#include "firmware/block/congestion.h"

namespace weir::block {

class RequestSlots {
  public:
    void init(uint32_t device_index, uint32_t nr_requests);
    /// False where the class is full and the task is no batcher, or at the hard cap.
    bool take(IoClass io_class, uint32_t pid);
    void give(IoClass io_class);

    void begin_wait(IoClass io_class) { ++of(io_class).waiting_tasks; }
    /// The task has been woken: it may take a batch.
    void end_wait(IoClass io_class, uint32_t pid);
    kernel::WaitQueue& waiters(IoClass io_class) { return of(io_class).waiters; }
    /// True once a wake-up has found nobody although a task has registered: that task was on its
    /// way to sleep (or is awake already and has not come back). pay_wake() repeats it.
    bool wake_owed(IoClass io_class) const;
    void pay_wake(IoClass io_class);

    bool congested(IoClass io_class) const { return of(io_class).congested; }
    bool slot_free(IoClass io_class) const { return of(io_class).count < nr_requests_; }
    uint32_t count(IoClass io_class) const { return of(io_class).count; }
    uint64_t congested_entries(IoClass io_class) const { return of(io_class).congested_entries; }

  private:
    struct ClassSlots {
        uint32_t count = 0;
        bool congested = false;
        bool full = false;
        bool wake_missed = false;
        uint32_t waiting_tasks = 0;
        uint64_t congested_entries = 0;
        kernel::WaitQueue waiters;
    };
    ClassSlots& of(IoClass io_class) { return classes_[static_cast<uint32_t>(io_class)]; }
    const ClassSlots& of(IoClass io_class) const {
        return classes_[static_cast<uint32_t>(io_class)];
    }
    void wake_one(IoClass io_class);
    void show_count(IoClass io_class) const;
    void set_congested(IoClass io_class, bool congested);

    ClassSlots classes_[kIoClassCount];
    uint32_t device_index_ = 0;
    uint32_t nr_requests_ = 0;
    CongestionMarks marks_{};
};

/// Makes the table of batchers.
void batches_init();

}  // namespace weir::block
