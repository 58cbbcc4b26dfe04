// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The request queue of one device: slots, plug, merging, the elevator, and issuing.
// - submit(): a bio joins a queued request or becomes one; may sleep for a slot.
// - unplug(): starts what is held back.
// - complete(): the driver hands back finished requests; their bios end, their slots come free,
//   and waiting requests are issued.
// - The device behind it is an IssuePort, so the queue is tested without a driver.
// Lock: one a device, shared with its driver. Functions named _locked need it held.
#pragma once

#include "firmware/block/block.h"
#include "firmware/block/elevator.h"
#include "firmware/block/merge_index.h"
#include "firmware/block/request.h"
#include "firmware/block/request_slots.h"
#include "firmware/hal/trace.h"
#include "firmware/kernel/timer.h"

namespace weir::block {

/// The way to the device. Called with the queue lock held.
struct IssuePort {
    void* context = nullptr;
    bool (*has_room)(void* context, IoClass io_class) = nullptr;
    /// Builds the command; the device may not see it before ring().
    void (*issue)(void* context, Request& request) = nullptr;
    void (*ring)(void* context) = nullptr;
};

class RequestQueue {
  public:
    void init(uint32_t device_index, const hal::DiskInfo& info, const IssuePort& port);
    /// Largest request after merging; no more than the device's own limit.
    void set_max_request_pages(uint32_t pages) { max_request_pages_ = pages; }
    uint32_t max_request_pages() const { return max_request_pages_; }

    /// See block::submit_bio; the range has been checked.
    hal::Status submit(Bio& bio);
    void unplug();
    /// Ends the requests in order and issues what waits. Empties the list.
    void complete(RequestList& done);
    /// Issues the request again, before all others.
    void requeue_locked(Request& request);
    /// Takes out every request that has not been issued.
    void drain_locked(RequestList& drained);
    /// The device is gone: from now on every bio ends with TimedOut.
    void set_dead_locked();
    void run_locked();

    kernel::SpinLock& lock() { return lock_; }
    RequestSlots& slots() { return slots_; }
    QueueStats& stats() { return stats_; }
    const QueueStats& stats() const { return stats_; }
    bool plugged() const { return plugged_; }
    uint32_t queued_count() const { return queued_count_; }
    bool congested(IoClass io_class) const { return slots_.congested(io_class); }

  private:
    bool try_merge_locked(Bio& bio);
    bool merge_back_locked(Request& request, Bio& bio);
    bool merge_front_locked(Request& request, Bio& bio);
    void join_neighbour_locked(Request& request);
    void wait_for_slot(IoClass io_class, uint32_t pid);
    void add_locked(Bio& bio);
    void plug_locked();
    void unplug_locked(hal::Event reason);
    void remove_plug_locked();
    Request* take_next_locked();
    Request* take_with_room_locked(RequestList& list);
    void finish(Request& request);
    void give_slot_locked(IoClass io_class);
    static void plug_timer_ran(kernel::Timer& timer);
    static void wake_timer_ran(kernel::Timer& timer);

    kernel::SpinLock lock_;
    uint32_t device_index_ = 0;
    uint32_t max_request_pages_ = 0;
    IssuePort port_;

    // Guarded by lock_.
    RequestSlots slots_;
    MergeIndex merge_index_;
    const ElevatorOps* elevator_ = nullptr;
    void* elevator_state_ = nullptr;
    RequestList first_;  // requests issued before all others: retries and flushes
    Request* held_ =
        nullptr;  // a flagged write that the elevator chose while the sync ring is full
    uint32_t queued_count_ = 0;
    uint64_t next_sequence_ = 0;
    bool plugged_ = false;
    bool dead_ = false;
    uint64_t plug_until_jiffy_ = 0;
    kernel::Timer plug_timer_;
    kernel::Timer wake_timer_;
    QueueStats stats_{};
};

}  // namespace weir::block
