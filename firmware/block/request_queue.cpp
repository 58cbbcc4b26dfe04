// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Submitting and completing. Plugging, merging and issuing are in request_dispatch.cpp.
#include "firmware/block/request_queue.h"

#include "firmware/block/param.h"
#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/task.h"

namespace weir::block {

namespace {

constexpr uint64_t kKibPerPage = hal::kPageBytes / 1024;

void trace_bio(hal::Event event, uint32_t device_index, const Bio& bio) {
    hal::trace(event, device_index, rwbs_of(bio.direction, bio.flags), bio.sector.value,
               uint64_t{bio.page_count} * hal::kSectorsPerPage, kernel::current().pid);
}

}  // namespace

void RequestQueue::init(uint32_t device_index, const hal::DiskInfo& info, const IssuePort& port) {
    device_index_ = device_index;
    port_ = port;
    max_request_pages_ = info.max_request_pages < 1 ? 1 : info.max_request_pages;
    slots_.init(device_index, info.nr_requests);
    elevator_ = &elevator_ops(info.elevator);
    elevator_state_ = elevator_->create();
    plug_timer_.run = plug_timer_ran;
    plug_timer_.context = this;
    wake_timer_.run = wake_timer_ran;
    wake_timer_.context = this;
}

hal::Status RequestQueue::submit(Bio& bio) {
    const uint32_t pid = kernel::current().pid;
    const IoClass io_class = class_of(bio.direction, bio.flags);
    if (bio.page_count > 0) hal::spend(hal::Op::BioPage, bio.page_count);
    trace_bio(hal::Event::BlockBioQueue, device_index_, bio);
    const kernel::VmCounter counter =
        bio.direction == Direction::Read ? kernel::VmCounter::PgPgIn : kernel::VmCounter::PgPgOut;
    bool may_merge = (bio.flags & kBioFlush) == 0;
    for (;;) {
        {
            kernel::IrqSpinGuard guard(lock_);
            hal::spend(hal::Op::RequestQueue);
            if (dead_) break;
            const bool merged = may_merge && try_merge_locked(bio);
            if (merged || slots_.take(io_class, pid)) {
                kernel::count(counter, static_cast<int64_t>(bio.page_count * kKibPerPage));
                if (!merged) add_locked(bio);
                return {};
            }
            if (bio.flags & kBioAhead) return hal::Error::Again;
            ++stats_.slot_waits;
            trace_bio(hal::Event::BlockSleeprq, device_index_, bio);
            if (plugged_) unplug_locked(hal::Event::BlockUnplugIo);
            slots_.begin_wait(io_class);
        }
        wait_for_slot(io_class, pid);
        may_merge = false;  // as in 2.6: a bio that slept for a slot gets a request of its own
    }
    bio.end(bio, hal::Error::TimedOut);
    return {};
}

void RequestQueue::wait_for_slot(IoClass io_class, uint32_t pid) {
    kernel::NapRequest request{};
    request.site = kernel::NapSite::RequestSlot;
    request.klass = kernel::NapClass::Own;
    request.timeout_jiffies = kernel::kForever;
    request.wish = kernel::NapWish::RequestSlotFree;
    request.wish_detail = uint64_t{device_index_} * kIoClassCount + static_cast<uint32_t>(io_class);
    request.exclusive = kernel::Exclusive::Yes;
    kernel::nap(request, slots_.waiters(io_class));
    kernel::IrqSpinGuard guard(lock_);
    slots_.end_wait(io_class, pid);
}

void RequestQueue::add_locked(Bio& bio) {
    trace_bio(hal::Event::BlockGetrq, device_index_, bio);
    Request& request = make_request(bio);
    request.sequence = next_sequence_++;
    hal::trace(hal::Event::BlockRqInsert, device_index_, rwbs_of(bio.direction, bio.flags),
               uint64_t{bio.page_count} * hal::kPageBytes, bio.sector.value,
               uint64_t{bio.page_count} * hal::kSectorsPerPage, kernel::current().pid);
    if (queued_count_ == 0) plug_locked();
    ++queued_count_;
    if (request.flush()) {
        first_.push_back(request);
    } else {
        elevator_->insert(elevator_state_, request);
        if (request.page_count < max_request_pages_) merge_index_.insert(request);
    }
    if (!plugged_) {
        run_locked();
    } else if (queued_count_ >= kUnplugThreshold) {
        unplug_locked(hal::Event::BlockUnplugIo);
    }
}

void RequestQueue::complete(RequestList& done) {
    uint32_t freed_count[kIoClassCount] = {};
    // The bios end first and without the lock: whoever waits for a page is made runnable before
    // those who wait for a slot, and end() may take locks that order before this one.
    while (Request* request = done.pop_front()) {
        ++freed_count[static_cast<uint32_t>(request->io_class)];
        finish(*request);
    }
    kernel::IrqSpinGuard guard(lock_);
    for (const IoClass io_class : kIoClasses) {
        for (uint32_t i = freed_count[static_cast<uint32_t>(io_class)]; i > 0; --i) {
            give_slot_locked(io_class);
        }
    }
    run_locked();
}

void RequestQueue::finish(Request& request) {
    const hal::Error error = request.error;
    hal::trace(hal::Event::BlockRqComplete, device_index_,
               rwbs_of(request.direction, request.flags), request.sector.value,
               uint64_t{request.page_count} * hal::kSectorsPerPage, static_cast<uint64_t>(error));
    if (rules().completion_cost && request.page_count > 0) {
        hal::spend(hal::Op::CompletePage, request.page_count);
    }
    // The request lives in one of these bios: it is not looked at after the first end().
    for (Bio* bio = request.first_bio; bio;) {
        Bio* next = bio->next;
        if (error != hal::Error::None) {
            hal::trace(hal::Event::BufferIoError, device_index_, bio->sector.value,
                       static_cast<uint64_t>(error));
        }
        bio->end(*bio, error);
        bio = next;
    }
}

void RequestQueue::give_slot_locked(IoClass io_class) {
    slots_.give(io_class);
    if (slots_.wake_owed(io_class) && !wake_timer_.pending()) {
        kernel::timer_start(wake_timer_, kernel::jiffies() + 1);
    }
}

/// Repeats a wake-up that came between a task's registering and its falling asleep.
void RequestQueue::wake_timer_ran(kernel::Timer& timer) {
    RequestQueue& queue = *static_cast<RequestQueue*>(timer.context);
    kernel::IrqSpinGuard guard(queue.lock_);
    bool owed = false;
    for (const IoClass io_class : kIoClasses) {
        if (queue.slots_.wake_owed(io_class)) queue.slots_.pay_wake(io_class);
        owed = owed || queue.slots_.wake_owed(io_class);
    }
    if (owed && !timer.pending()) kernel::timer_start(timer, kernel::jiffies() + 1);
}

}  // namespace weir::block
