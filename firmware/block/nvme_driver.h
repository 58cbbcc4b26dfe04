// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The driver of one disk controller (firmware/hal/nvme_regs.h).
// - attach(): brings the controller up and makes two I/O queue pairs, sync and async.
// - The request queue issues through port(); interrupts and a check timer complete.
// - Error status: up to 3 retries where a retry may help, then IoError.
// - Lost interrupt: a command that is a second old is polled for.
// - Time-out or fatal status: the controller is reset and its commands are issued again, up to 3
//   times each, then TimedOut. A controller that does not come back is dead: all ends with
//   TimedOut.
// Lock: that of the request queue, except in attach() and during a reset, when nothing is issued.
#pragma once

#include "firmware/block/nvme_ring.h"
#include "firmware/block/request_queue.h"

namespace weir::block {

class NvmeDriver {
  public:
    /// Panics where the controller does not come up or is smaller than BootInfo says.
    void attach(uint32_t device_index, const hal::DiskInfo& info, RequestQueue& queue);
    IssuePort port();

  private:
    // nvme_setup.cpp
    hal::Status bring_up();
    hal::Status set_enabled(bool enabled);
    void identify();
    hal::Status create_io_queues();
    void program_congestion_block();
    hal::Status run_admin(const hal::nvme::SubmissionEntry& command);
    void reset();

    // nvme_driver.cpp
    bool has_room(IoClass io_class) const;
    void issue(Request& request);
    void build_command(Request& request, hal::nvme::SubmissionEntry& entry, CommandSlot& slot);
    void fill_prps(const Request& request, hal::nvme::SubmissionEntry& entry, uint64_t* list);
    void handle_interrupt();
    uint32_t drain_locked(RequestList& done);
    uint32_t drain_ring_locked(NvmeRing& ring, RequestList& done);
    void settle_locked(Request& request, uint16_t status, RequestList& done);
    bool look_for_cause();
    void check();
    bool needs_reset_locked();

    hal::PhysAddr reg(uint64_t offset) const { return info_->mmio + offset; }
    NvmeRing& ring_of(IoClass io_class) { return io_[static_cast<uint32_t>(io_class)]; }
    const NvmeRing& ring_of(IoClass io_class) const { return io_[static_cast<uint32_t>(io_class)]; }

    const hal::DiskInfo* info_ = nullptr;
    RequestQueue* queue_ = nullptr;
    uint32_t device_index_ = 0;
    uint64_t cap_ = 0;
    uint64_t timeout_ns_ = 0;  // of one command
    NvmeRing admin_;
    NvmeRing io_[kIoClassCount];  // by IoClass
    void* identify_page_ = nullptr;

    // Guarded by the queue's lock.
    RequestList in_flight_;  // oldest first
    bool resetting_ = false;
    bool dead_ = false;
    bool all_suspect_ = false;  // fatal status: no command is known to be innocent
    kernel::Timer check_timer_;
};

}  // namespace weir::block
