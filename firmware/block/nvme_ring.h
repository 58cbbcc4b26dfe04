// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// One queue pair of the controller: rings in RAM, command slots, doorbell arithmetic.
// - push() writes an entry, ring_tail() shows every entry pushed since to the controller.
// - next_completion()/pop_completion() read by phase bit; ring_head() acknowledges what was read.
// - A slot is a command id, the request it is for, and room for its PRP list.
#pragma once

#include "firmware/block/request.h"
#include "firmware/hal/nvme_regs.h"

namespace weir::block {

struct CommandSlot {
    Request* request = nullptr;
    uint64_t* prp_list = nullptr;
};

class NvmeRing {
  public:
    /// Takes boot memory: both rings and, per slot, a PRP list for commands of max_pages pages.
    void init(hal::PhysAddr mmio, uint32_t doorbell_stride, uint16_t qid, uint32_t entries,
              uint32_t slot_count, uint32_t max_pages);
    /// As after a controller reset: empty rings, every slot free.
    void reset();

    uint16_t qid() const { return qid_; }
    uint32_t entries() const { return entries_; }
    hal::PhysAddr sq_base() const { return hal::ram_addr(sq_); }
    hal::PhysAddr cq_base() const { return hal::ram_addr(cq_); }

    bool has_room() const { return free_count_ > 0; }
    uint32_t slots_in_use() const { return slot_count_ - free_count_; }
    uint16_t take_slot() { return free_ids_[--free_count_]; }
    void free_slot(uint16_t id) {
        slots_[id].request = nullptr;
        free_ids_[free_count_++] = id;
    }
    CommandSlot& slot(uint16_t id) { return slots_[id]; }
    /// Null for a command id that is not in flight.
    Request* request_of(uint16_t id) const {
        return id < slot_count_ ? slots_[id].request : nullptr;
    }

    /// The next entry to fill, zeroed.
    hal::nvme::SubmissionEntry& push();
    void ring_tail();
    /// Null if the controller has written no further entry.
    const hal::nvme::CompletionEntry* next_completion() const;
    void pop_completion();
    void ring_head();

  private:
    hal::PhysAddr tail_doorbell_{};
    hal::PhysAddr head_doorbell_{};
    hal::nvme::SubmissionEntry* sq_ = nullptr;
    hal::nvme::CompletionEntry* cq_ = nullptr;
    CommandSlot* slots_ = nullptr;
    uint16_t* free_ids_ = nullptr;
    uint32_t entries_ = 0;
    uint32_t slot_count_ = 0;
    uint32_t free_count_ = 0;
    uint32_t sq_tail_ = 0;
    uint32_t sq_tail_rung_ = 0;
    uint32_t cq_head_ = 0;
    uint32_t cq_head_rung_ = 0;
    bool phase_ = true;  // of entries that the controller writes in its present round
    uint16_t qid_ = 0;
};

}  // namespace weir::block
