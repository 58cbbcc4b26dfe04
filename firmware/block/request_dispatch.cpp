// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Plugging, merging and issuing: what happens to requests between submit and the device.
#include "firmware/block/param.h"
#include "firmware/block/request_queue.h"
#include "firmware/hal/trace.h"
#include "firmware/kernel/task.h"

namespace weir::block {

namespace {

void trace_merge(hal::Event event, uint32_t device_index, const Bio& bio) {
    hal::trace(event, device_index, rwbs_of(bio.direction, bio.flags), bio.sector.value,
               uint64_t{bio.page_count} * hal::kSectorsPerPage, kernel::current().pid);
}

}  // namespace

// ---- plug -------------------------------------------------------------------------------------

void RequestQueue::plug_locked() {
    plugged_ = true;
    const uint32_t delay_jiffies = kernel::ms_to_jiffies(kUnplugDelayMs);
    plug_until_jiffy_ = kernel::jiffies() + (delay_jiffies < 1 ? 1 : delay_jiffies);
    if (!plug_timer_.pending()) kernel::timer_start(plug_timer_, plug_until_jiffy_);
    hal::trace(hal::Event::BlockPlug, device_index_, kernel::current().pid);
}

void RequestQueue::remove_plug_locked() {
    plugged_ = false;
    kernel::timer_cancel(plug_timer_);
}

void RequestQueue::unplug_locked(hal::Event reason) {
    hal::trace(reason, device_index_, kernel::current().pid, queued_count_);
    run_locked();
}

void RequestQueue::unplug() {
    if (!plugged_) return;
    kernel::IrqSpinGuard guard(lock_);
    if (plugged_) unplug_locked(hal::Event::BlockUnplugIo);
}

void RequestQueue::plug_timer_ran(kernel::Timer& timer) {
    RequestQueue& queue = *static_cast<RequestQueue*>(timer.context);
    kernel::IrqSpinGuard guard(queue.lock_);
    if (!queue.plugged_) return;
    // The plug may be a younger one than the one this timer was started for.
    if (kernel::jiffies() >= queue.plug_until_jiffy_) {
        queue.unplug_locked(hal::Event::BlockUnplugTimer);
    } else if (!timer.pending()) {
        kernel::timer_start(timer, queue.plug_until_jiffy_);
    }
}

// ---- merging ----------------------------------------------------------------------------------

bool RequestQueue::try_merge_locked(Bio& bio) {
    if (queued_count_ == 0) return false;
    const IoClass io_class = class_of(bio.direction, bio.flags);
    const hal::Sector end = bio.sector + uint64_t{bio.page_count} * hal::kSectorsPerPage;
    Request* ahead = merge_index_.ending_at(bio.sector, bio.direction, io_class);
    if (ahead && merge_back_locked(*ahead, bio)) return true;
    Request* behind = merge_index_.starting_at(end, bio.direction, io_class);
    return behind && merge_front_locked(*behind, bio);
}

bool RequestQueue::merge_back_locked(Request& request, Bio& bio) {
    if (request.page_count + bio.page_count > max_request_pages_) return false;
    merge_index_.remove(request);
    append_bio(request, bio);
    trace_merge(hal::Event::BlockBackmerge, device_index_, bio);
    ++stats_.merges;
    join_neighbour_locked(request);
    merge_index_.insert(request);
    return true;
}

bool RequestQueue::merge_front_locked(Request& request, Bio& bio) {
    if (request.page_count + bio.page_count > max_request_pages_) return false;
    merge_index_.remove(request);
    elevator_->before_front_merge(elevator_state_, request);
    prepend_bio(request, bio);
    elevator_->after_front_merge(elevator_state_, request);
    trace_merge(hal::Event::BlockFrontmerge, device_index_, bio);
    ++stats_.merges;
    merge_index_.insert(request);
    return true;
}

/// A bio has closed the gap between this request (out of the index) and one behind it.
void RequestQueue::join_neighbour_locked(Request& request) {
    Request* behind =
        merge_index_.starting_at(request.end_sector(), request.direction, request.io_class);
    if (!behind || request.page_count + behind->page_count > max_request_pages_) return;
    merge_index_.remove(*behind);
    elevator_->joined(elevator_state_, request, *behind);
    append_request(request, *behind);
    ++stats_.merges;
    --queued_count_;
    give_slot_locked(request.io_class);
}

// ---- issuing ----------------------------------------------------------------------------------

void RequestQueue::requeue_locked(Request& request) {
    first_.push_back(request);
    ++queued_count_;
}

/// The oldest of a list that its ring has room for.
Request* RequestQueue::take_with_room_locked(RequestList& list) {
    for (Request* request = list.front(); request; request = list.next(*request)) {
        if (!port_.has_room(port_.context, request->io_class)) continue;
        list.remove(*request);
        return request;
    }
    return nullptr;
}

Request* RequestQueue::take_next_locked() {
    if (Request* request = take_with_room_locked(first_)) return request;
    const bool sync_room = port_.has_room(port_.context, IoClass::Sync);
    const bool async_room = port_.has_room(port_.context, IoClass::Async);
    if (held_ && sync_room) {
        Request* request = held_;
        held_ = nullptr;
        return request;
    }
    // The elevator does not know the class of the write it will choose. A flagged one that finds
    // the sync ring full is held, and no further write is asked for until it has gone.
    const DispatchRoom room{sync_room, async_room && !held_};
    if (!room.reads && !room.writes) return nullptr;
    Request* request = elevator_->take(elevator_state_, room);
    if (!request) return nullptr;
    if (merge_index_.contains(*request)) merge_index_.remove(*request);
    if (request->io_class == IoClass::Async || sync_room) return request;
    held_ = request;
    return nullptr;
}

void RequestQueue::run_locked() {
    if (plugged_) remove_plug_locked();
    if (queued_count_ == 0 || dead_) return;
    bool issued = false;
    while (Request* request = take_next_locked()) {
        --queued_count_;
        port_.issue(port_.context, *request);
        issued = true;
    }
    if (issued) port_.ring(port_.context);
}

/// Nobody will ever free a slot again: every sleeper must look and see that.
void RequestQueue::set_dead_locked() {
    dead_ = true;
    for (const IoClass io_class : kIoClasses)
        kernel::wake_all(slots_.waiters(io_class), kernel::Waker::Event);
}

void RequestQueue::drain_locked(RequestList& drained) {
    if (plugged_) remove_plug_locked();
    drained.splice_back(first_);
    if (held_) drained.push_back(*held_);
    held_ = nullptr;
    while (Request* request = elevator_->take(elevator_state_, {true, true})) {
        if (merge_index_.contains(*request)) merge_index_.remove(*request);
        drained.push_back(*request);
    }
    queued_count_ = 0;
}

}  // namespace weir::block
