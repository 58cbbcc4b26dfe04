// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Bringing the controller up, at boot and after a reset. Everything here polls.
#include "firmware/block/congestion.h"
#include "firmware/block/nvme_driver.h"
#include "firmware/block/param.h"
#include "firmware/hal/hal.h"
#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/kernel.h"

namespace weir::block {

namespace nvme = hal::nvme;

namespace {

constexpr uint32_t kIoVectors = nvme::vector_bit(nvme::kSyncQueue) |
                                nvme::vector_bit(nvme::kAsyncQueue) |
                                nvme::vector_bit(nvme::kEventVector);
// The edges software can learn something from; the on edge it causes itself.
constexpr uint32_t kEnabledEvents = nvme::kEventOffRd | nvme::kEventOffWr;

uint32_t at_most(uint32_t value, uint32_t limit) {
    return value < limit ? value : limit;
}
uint32_t at_least(uint32_t value, uint32_t limit) {
    return value > limit ? value : limit;
}

template <typename T>
T field_of(const void* page, uint32_t offset) {
    T value;
    __builtin_memcpy(&value, static_cast<const uint8_t*>(page) + offset, sizeof value);
    return value;
}

/// Lets time pass between two looks at a device: short at first, 1 ms at most, so that a device
/// that has died does not keep the bus busy.
class PollPause {
  public:
    void wait() {
        hal::spend(hal::Op::PollPause, turns_);
        if (turns_ < kPollPauseMax) turns_ *= 2;
    }

  private:
    uint32_t turns_ = 1;
};

}  // namespace

void NvmeDriver::attach(uint32_t device_index, const hal::DiskInfo& info, RequestQueue& queue) {
    device_index_ = device_index;
    info_ = &info;
    queue_ = &queue;
    const uint32_t timeout_ms =
        info.request_timeout_ms > 0 ? info.request_timeout_ms : kDefaultTimeoutMs;
    timeout_ns_ = uint64_t{timeout_ms} * 1'000'000;
    cap_ = hal::mmio_read64(reg(nvme::kRegCap));
    const uint32_t stride = nvme::cap_doorbell_stride(cap_);
    admin_.init(info.mmio, stride, nvme::kAdminQueue, kAdminRingEntries, 1, 1);
    identify_page_ = kernel::boot_alloc(hal::kPageBytes, hal::kPageBytes);

    WEIR_ASSERT(bring_up().ok(), "disk controller does not become ready", device_index,
                hal::mmio_read32(reg(nvme::kRegCsts)));
    identify();
    const uint32_t entries = at_least(
        at_most(at_most(info.ring_entries, nvme::cap_max_queue_entries(cap_)), kIoRingEntriesMax),
        kIoRingEntriesMin);
    // The queue never has more requests than its hard cap, so more slots would lie idle.
    const uint32_t nr = at_least(info.nr_requests, kNrRequestsMin);
    for (const IoClass io_class : kIoClasses) {
        const uint16_t qid = io_class == IoClass::Sync ? nvme::kSyncQueue : nvme::kAsyncQueue;
        ring_of(io_class).init(info.mmio, stride, qid, entries, nr + nr / 2,
                               queue.max_request_pages());
    }
    WEIR_ASSERT(create_io_queues().ok(), "disk controller refuses an I/O queue", device_index,
                entries);
    program_congestion_block();
    check_timer_.context = this;
    check_timer_.run = [](kernel::Timer& timer) {
        static_cast<NvmeDriver*>(timer.context)->check();
    };
    kernel::register_interrupt(
        info.irq_source,
        [](void* context) { static_cast<NvmeDriver*>(context)->handle_interrupt(); }, this);
    hal::mmio_write32(reg(nvme::kRegIntmc), kIoVectors);
}

/// From any state to enabled with an empty admin queue and every vector masked.
hal::Status NvmeDriver::bring_up() {
    const hal::Status disabled = set_enabled(false);
    if (!disabled.ok()) return disabled;
    admin_.reset();
    hal::mmio_write32(reg(nvme::kRegIntms), 0xffff'ffffu);
    hal::mmio_write32(reg(nvme::kRegAqa), nvme::make_aqa(kAdminRingEntries, kAdminRingEntries));
    hal::mmio_write64(reg(nvme::kRegAsq), admin_.sq_base().value);
    hal::mmio_write64(reg(nvme::kRegAcq), admin_.cq_base().value);
    return set_enabled(true);
}

hal::Status NvmeDriver::set_enabled(bool enabled) {
    hal::mmio_write32(reg(nvme::kRegCc), enabled ? nvme::kCcEnabled : 0);
    const uint64_t limit_ns = uint64_t{nvme::cap_timeout_ms(cap_)} * 1'000'000;
    const uint64_t start_ns = hal::now_ns();
    for (PollPause pause;; pause.wait()) {
        const uint32_t csts = hal::mmio_read32(reg(nvme::kRegCsts));
        if (((csts & nvme::kCstsReady) != 0) == enabled) return {};
        if (enabled && (csts & nvme::kCstsFatal) != 0) return hal::Error::IoError;
        if (hal::now_ns() - start_ns > limit_ns) return hal::Error::TimedOut;
    }
}

hal::Status NvmeDriver::run_admin(const nvme::SubmissionEntry& command) {
    nvme::SubmissionEntry& entry = admin_.push();
    entry = command;
    admin_.ring_tail();
    const uint64_t start_ns = hal::now_ns();
    const nvme::CompletionEntry* completion = nullptr;
    for (PollPause pause; !(completion = admin_.next_completion()); pause.wait()) {
        // The read lets simulated time pass and tells a controller that has given up.
        if ((hal::mmio_read32(reg(nvme::kRegCsts)) & nvme::kCstsFatal) != 0) {
            return hal::Error::IoError;
        }
        if (hal::now_ns() - start_ns > kAdminTimeoutNs) return hal::Error::TimedOut;
    }
    const uint16_t status = nvme::status_of(completion->status_phase) & nvme::kStatusCodeMask;
    admin_.pop_completion();
    admin_.ring_head();
    return status == nvme::kStatusSuccess ? hal::Status{} : hal::Status{hal::Error::IoError};
}

/// Asks for the size and the transfer limit; the queue's limit follows.
void NvmeDriver::identify() {
    nvme::SubmissionEntry command{};
    command.opcode = static_cast<uint8_t>(nvme::AdminOpcode::Identify);
    command.cdw10 = nvme::kIdentifyController;
    command.prp1 = hal::ram_addr(identify_page_).value;
    WEIR_ASSERT(run_admin(command).ok(), "disk controller does not identify itself", device_index_,
                0);
    const uint8_t log2_pages = field_of<uint8_t>(identify_page_, nvme::kIdMaxTransferLog2);
    uint32_t max_pages = at_most(queue_->max_request_pages(), nvme::kMaxPagesPerCommand);
    if (log2_pages > 0 && log2_pages < 16) max_pages = at_most(max_pages, 1u << log2_pages);
    queue_->set_max_request_pages(max_pages);

    command.nsid = nvme::kNamespaceId;
    command.cdw10 = nvme::kIdentifyNamespace;
    WEIR_ASSERT(run_admin(command).ok(), "disk controller does not identify its namespace",
                device_index_, 0);
    const uint64_t blocks = field_of<uint64_t>(identify_page_, nvme::kIdNsSizeBlocks);
    WEIR_ASSERT(blocks >= info_->sectors, "the disk is smaller than BootInfo says", blocks,
                info_->sectors);
}

hal::Status NvmeDriver::create_io_queues() {
    for (const IoClass io_class : kIoClasses) {
        const NvmeRing& ring = ring_of(io_class);
        nvme::SubmissionEntry command{};
        command.opcode = static_cast<uint8_t>(nvme::AdminOpcode::CreateCq);
        command.prp1 = ring.cq_base().value;
        command.cdw10 = nvme::create_queue_cdw10(ring.qid(), ring.entries());
        command.cdw11 = nvme::create_cq_cdw11(ring.qid());
        const hal::Status cq = run_admin(command);
        if (!cq.ok()) return cq;
        command.opcode = static_cast<uint8_t>(nvme::AdminOpcode::CreateSq);
        command.prp1 = ring.sq_base().value;
        command.cdw11 = nvme::create_sq_cdw11(ring.qid());
        const hal::Status sq = run_admin(command);
        if (!sq.ok()) return sq;
    }
    return {};
}

void NvmeDriver::program_congestion_block() {
    const CongestionMarks marks = congestion_marks(at_least(info_->nr_requests, kNrRequestsMin));
    const hal::PhysAddr block = reg(nvme::kRegCongestion);
    hal::mmio_write32(block + nvme::kCongOn, marks.on);
    hal::mmio_write32(block + nvme::kCongOff, marks.off);
    hal::mmio_write32(block + nvme::kCongNrRequests, info_->nr_requests);
    hal::mmio_write32(block + nvme::kCongEvent,
                      (kEnabledEvents << nvme::kEventEnableShift) | nvme::kEventMask);
}

/// Called without the lock, with resetting_ set by the caller: nothing else touches the rings.
void NvmeDriver::reset() {
    const uint64_t decided_ns = hal::now_ns();
    const bool up = bring_up().ok();
    ring_of(IoClass::Sync).reset();
    ring_of(IoClass::Async).reset();
    const bool alive = up && create_io_queues().ok();
    if (alive) {
        program_congestion_block();
    } else {
        hal::mmio_write32(reg(nvme::kRegIntms), 0xffff'ffffu);
    }
    RequestList done;
    {
        kernel::IrqSpinGuard guard(queue_->lock());
        ++queue_->stats().resets;
        while (Request* request = in_flight_.pop_front()) {
            const bool suspect = all_suspect_ || decided_ns - request->issued_ns >= timeout_ns_;
            if (suspect) ++request->reset_retries;
            if (alive && request->reset_retries <= kResetRetriesMax) {
                queue_->requeue_locked(*request);
                continue;
            }
            request->error = hal::Error::TimedOut;
            kernel::count(kernel::VmCounter::IoErrors);
            done.push_back(*request);
        }
        resetting_ = false;
        all_suspect_ = false;
        if (!alive) {
            dead_ = true;
            RequestList waiting;
            queue_->drain_locked(waiting);
            queue_->set_dead_locked();
            while (Request* request = waiting.pop_front()) {
                request->error = hal::Error::TimedOut;
                kernel::count(kernel::VmCounter::IoErrors);
                done.push_back(*request);
            }
        }
    }
    if (alive) hal::mmio_write32(reg(nvme::kRegIntmc), kIoVectors);
    queue_->complete(done);
}

}  // namespace weir::block
