// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Rings and slots.
#include "firmware/block/nvme_ring.h"

#include "firmware/hal/hal.h"
#include "firmware/kernel/kernel.h"

namespace weir::block {

namespace nvme = hal::nvme;

namespace {

/// Bytes of a PRP list for the pages after the first: a power of two, so that an array of lists
/// that starts on a page boundary has no list that crosses one.
uint32_t prp_list_bytes(uint32_t max_pages) {
    uint32_t bytes = 64;
    while (bytes < (max_pages - 1) * nvme::kPrpEntryBytes) bytes *= 2;
    return bytes;
}

}  // namespace

void NvmeRing::init(hal::PhysAddr mmio, uint32_t doorbell_stride, uint16_t qid, uint32_t entries,
                    uint32_t slot_count, uint32_t max_pages) {
    tail_doorbell_ = mmio + nvme::sq_tail_doorbell(qid, doorbell_stride);
    head_doorbell_ = mmio + nvme::cq_head_doorbell(qid, doorbell_stride);
    qid_ = qid;
    entries_ = entries;
    slot_count_ = slot_count < entries - 1 ? slot_count : entries - 1;
    sq_ = static_cast<nvme::SubmissionEntry*>(
        kernel::boot_alloc(uint64_t{entries} * nvme::kSqEntryBytes, hal::kPageBytes));
    cq_ = static_cast<nvme::CompletionEntry*>(
        kernel::boot_alloc(uint64_t{entries} * nvme::kCqEntryBytes, hal::kPageBytes));
    slots_ = static_cast<CommandSlot*>(kernel::boot_alloc(slot_count_ * sizeof(CommandSlot)));
    free_ids_ = static_cast<uint16_t*>(kernel::boot_alloc(slot_count_ * sizeof(uint16_t)));
    if (max_pages > 2) {
        const uint32_t list_bytes = prp_list_bytes(max_pages);
        auto* lists = static_cast<uint8_t*>(
            kernel::boot_alloc(uint64_t{slot_count_} * list_bytes, hal::kPageBytes));
        for (uint32_t id = 0; id < slot_count_; ++id) {
            slots_[id].prp_list = reinterpret_cast<uint64_t*>(lists + uint64_t{id} * list_bytes);
        }
    }
    reset();
}

void NvmeRing::reset() {
    sq_tail_ = sq_tail_rung_ = 0;
    cq_head_ = cq_head_rung_ = 0;
    phase_ = true;
    free_count_ = slot_count_;
    for (uint32_t i = 0; i < slot_count_; ++i) {
        slots_[i].request = nullptr;
        free_ids_[i] = static_cast<uint16_t>(slot_count_ - 1 - i);  // id 0 is taken first
    }
    // Old entries would carry the phase that the first new round is told by.
    for (uint32_t i = 0; i < entries_; ++i) cq_[i] = nvme::CompletionEntry{};
}

nvme::SubmissionEntry& NvmeRing::push() {
    nvme::SubmissionEntry& entry = sq_[sq_tail_];
    sq_tail_ = sq_tail_ + 1 == entries_ ? 0 : sq_tail_ + 1;
    entry = nvme::SubmissionEntry{};
    return entry;
}

void NvmeRing::ring_tail() {
    if (sq_tail_rung_ == sq_tail_) return;
    sq_tail_rung_ = sq_tail_;
    hal::mmio_write32(tail_doorbell_, sq_tail_);
}

const nvme::CompletionEntry* NvmeRing::next_completion() const {
    const nvme::CompletionEntry& entry = cq_[cq_head_];
    // The rest of the entry is valid once the phase has been seen, not before.
    const uint16_t status_phase = __atomic_load_n(&entry.status_phase, __ATOMIC_ACQUIRE);
    return nvme::phase_of(status_phase) == phase_ ? &entry : nullptr;
}

void NvmeRing::pop_completion() {
    if (++cq_head_ == entries_) {
        cq_head_ = 0;
        phase_ = !phase_;
    }
}

void NvmeRing::ring_head() {
    if (cq_head_rung_ == cq_head_) return;
    cq_head_rung_ = cq_head_;
    hal::mmio_write32(head_doorbell_, cq_head_);
}

}  // namespace weir::block
