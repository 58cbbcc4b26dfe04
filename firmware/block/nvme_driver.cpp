// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Issuing and completing commands.
#include "firmware/block/nvme_driver.h"

#include "firmware/block/congestion.h"
#include "firmware/block/param.h"
#include "firmware/hal/hal.h"
#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/task.h"

namespace weir::block {

namespace nvme = hal::nvme;

namespace {

bool worth_a_retry(uint16_t status) {
    if ((status & nvme::kStatusDoNotRetry) != 0) return false;
    switch (status & nvme::kStatusCodeMask) {
        case nvme::kStatusDataTransferError:
        case nvme::kStatusInternalError:
        case nvme::kStatusAborted:
        case nvme::kStatusUnrecoveredRead:
        case nvme::kStatusWriteFault:
            return true;
        default:
            return false;  // the command itself is at fault
    }
}

}  // namespace

// ---- issuing ----------------------------------------------------------------------------------

IssuePort NvmeDriver::port() {
    IssuePort port;
    port.context = this;
    port.has_room = [](void* context, IoClass io_class) {
        return static_cast<NvmeDriver*>(context)->has_room(io_class);
    };
    port.issue = [](void* context, Request& request) {
        static_cast<NvmeDriver*>(context)->issue(request);
    };
    port.ring = [](void* context) {
        auto* driver = static_cast<NvmeDriver*>(context);
        for (NvmeRing& ring : driver->io_) ring.ring_tail();
    };
    return port;
}

bool NvmeDriver::has_room(IoClass io_class) const {
    return !resetting_ && !dead_ && ring_of(io_class).has_room();
}

void NvmeDriver::issue(Request& request) {
    NvmeRing& ring = ring_of(request.io_class);
    const uint16_t id = ring.take_slot();
    CommandSlot& slot = ring.slot(id);
    slot.request = &request;
    request.command_id = id;
    const uint32_t pages_left = request.page_count - request.done_pages;
    const uint32_t pages_max = queue_->max_request_pages();
    request.command_pages = pages_left < pages_max ? pages_left : pages_max;
    hal::spend(hal::Op::DriverSubmit);
    if (request.command_pages > 0) hal::spend(hal::Op::DriverSubmitPage, request.command_pages);
    build_command(request, ring.push(), slot);
    request.issued_ns = hal::now_ns();
    in_flight_.push_back(request);
    if (!check_timer_.pending()) {
        kernel::timer_start(check_timer_,
                            kernel::jiffies() + kernel::ms_to_jiffies(kCheckPeriodMs));
    }
    hal::trace(hal::Event::BlockRqIssue, device_index_, rwbs_of(request.direction, request.flags),
               uint64_t{request.command_pages} * hal::kPageBytes, request.sector.value,
               uint64_t{request.command_pages} * hal::kSectorsPerPage, kernel::current().pid);
}

void NvmeDriver::build_command(Request& request, nvme::SubmissionEntry& entry, CommandSlot& slot) {
    entry.command_id = request.command_id;
    entry.nsid = nvme::kNamespaceId;
    if (request.flush()) {
        entry.opcode = static_cast<uint8_t>(nvme::IoOpcode::Flush);
        return;
    }
    entry.opcode = static_cast<uint8_t>(
        request.direction == Direction::Read ? nvme::IoOpcode::Read : nvme::IoOpcode::Write);
    const hal::Sector start = request.sector + uint64_t{request.done_pages} * hal::kSectorsPerPage;
    nvme::set_lba_range(entry, start, request.command_pages * hal::kSectorsPerPage);
    fill_prps(request, entry, slot.prp_list);
}

/// One page: PRP1. Two: PRP1 and PRP2. More: PRP1, and PRP2 points to the list of the others.
void NvmeDriver::fill_prps(const Request& request, nvme::SubmissionEntry& entry, uint64_t* list) {
    const Bio* bio = request.first_bio;
    // done_pages is not 0 only where one bio is larger than a command.
    uint32_t page = request.done_pages;
    const uint32_t page_count = request.command_pages;
    entry.prp1 = hal::addr_of(bio->pages[page++]).value;
    if (page_count == 1) return;
    uint64_t* out = page_count == 2 ? &entry.prp2 : list;
    if (page_count > 2) entry.prp2 = hal::ram_addr(list).value;
    for (uint32_t left = page_count - 1; left > 0;) {
        if (page == bio->page_count) {
            bio = bio->next;
            page = 0;
        }
        const uint32_t here = bio->page_count - page;
        const uint32_t run = here < left ? here : left;
        for (uint32_t i = 0; i < run; ++i) out[i] = hal::addr_of(bio->pages[page + i]).value;
        out += run;
        page += run;
        left -= run;
    }
}

// ---- completing -------------------------------------------------------------------------------

void NvmeDriver::handle_interrupt() {
    RequestList done;
    uint32_t drained_count = 0;
    bool ignore = false;
    {
        kernel::IrqSpinGuard guard(queue_->lock());
        ignore = resetting_ || dead_;
        if (!ignore) drained_count = drain_locked(done);
    }
    if (ignore) return;
    // Registers are read only where the rings do not explain the interrupt: a read is dear.
    if (drained_count == 0) {
        if (look_for_cause()) return;
    }
    queue_->complete(done);
}

uint32_t NvmeDriver::drain_locked(RequestList& done) {
    const uint32_t sync_count = drain_ring_locked(ring_of(IoClass::Sync), done);
    return sync_count + drain_ring_locked(ring_of(IoClass::Async), done);
}

/// Takes every completion of one ring. Returns how many there were.
uint32_t NvmeDriver::drain_ring_locked(NvmeRing& ring, RequestList& done) {
    uint32_t drained_count = 0;
    while (const nvme::CompletionEntry* completion = ring.next_completion()) {
        const uint16_t id = completion->command_id;
        const uint16_t status = nvme::status_of(completion->status_phase);
        ring.pop_completion();
        ++drained_count;
        if (rules().completion_cost) hal::spend(hal::Op::DriverComplete);
        Request* request = ring.request_of(id);
        if (!request) {
            ++queue_->stats().stray_completions;
            continue;
        }
        ring.free_slot(id);
        in_flight_.remove(*request);
        settle_locked(*request, status, done);
    }
    if (drained_count > 0) ring.ring_head();
    return drained_count;
}

/// Decides what becomes of a request whose command has ended.
void NvmeDriver::settle_locked(Request& request, uint16_t status, RequestList& done) {
    if ((status & nvme::kStatusCodeMask) == nvme::kStatusSuccess) {
        request.done_pages += request.command_pages;
        if (request.done_pages < request.page_count) {
            queue_->requeue_locked(request);
            return;
        }
        QueueStats& stats = queue_->stats();
        ++stats.requests[static_cast<uint32_t>(request.direction)];
        stats.pages[static_cast<uint32_t>(request.direction)] += request.page_count;
    } else if (worth_a_retry(status) && request.error_retries < kErrorRetriesMax) {
        ++request.error_retries;
        kernel::count(kernel::VmCounter::IoRetries);
        queue_->requeue_locked(request);
        return;
    } else {
        request.error = hal::Error::IoError;
        kernel::count(kernel::VmCounter::IoErrors);
    }
    done.push_back(request);
}

/// An interrupt without completions: a congestion event, a fatal status, or none of our doing.
/// Returns true if the controller was reset.
bool NvmeDriver::look_for_cause() {
    const hal::PhysAddr event_reg = reg(nvme::kRegCongestion) + nvme::kCongEvent;
    const uint32_t events = hal::mmio_read32(event_reg);
    if ((events & nvme::kEventMask) != 0) {
        hal::mmio_write32(event_reg, events);  // pending bits clear themselves, enables stay
        ++queue_->stats().congestion_events;
        return false;
    }
    if ((hal::mmio_read32(reg(nvme::kRegCsts)) & nvme::kCstsFatal) == 0) {
        ++queue_->stats().spurious_interrupts;
        return false;
    }
    {
        kernel::IrqSpinGuard guard(queue_->lock());
        if (resetting_ || dead_) return true;
        resetting_ = true;
        all_suspect_ = true;
    }
    reset();
    return true;
}

/// Runs twice a second while commands are in flight.
void NvmeDriver::check() {
    RequestList done;
    bool must_reset = false;
    {
        kernel::IrqSpinGuard guard(queue_->lock());
        if (in_flight_.empty() || resetting_ || dead_) return;
        const uint64_t overdue_ns = timeout_ns_ < kOverdueNs ? timeout_ns_ : kOverdueNs;
        if (hal::now_ns() - in_flight_.front()->issued_ns >= overdue_ns) {
            if (drain_locked(done) > 0) ++queue_->stats().lost_interrupts;
            must_reset = needs_reset_locked();
        }
        if (!in_flight_.empty() && !check_timer_.pending()) {
            kernel::timer_start(check_timer_,
                                kernel::jiffies() + kernel::ms_to_jiffies(kCheckPeriodMs));
        }
    }
    if (must_reset) reset();
    queue_->complete(done);
}

/// True, with resetting_ set, if the controller has failed or its oldest command is past its time.
bool NvmeDriver::needs_reset_locked() {
    all_suspect_ = (hal::mmio_read32(reg(nvme::kRegCsts)) & nvme::kCstsFatal) != 0;
    const Request* oldest = in_flight_.front();
    const bool timed_out = oldest && hal::now_ns() - oldest->issued_ns >= timeout_ns_;
    if (timed_out) {
        kernel::count(kernel::VmCounter::IoTimeouts);
        hal::trace(hal::Event::RequestTimeout, device_index_, oldest->sector.value,
                   oldest->reset_retries);
    }
    resetting_ = all_suspect_ || timed_out;
    return resetting_;
}

}  // namespace weir::block
