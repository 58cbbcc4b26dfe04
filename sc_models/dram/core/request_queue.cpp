// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/dram/core/request_queue.h"

namespace weir::dram {

RequestQueue::RequestQueue(uint32_t banks, std::array<uint32_t, 2> entries)
    : pool_(entries[0] + entries[1]),
      bank_{std::vector<List>(banks), std::vector<List>(banks)},
      limit_(entries) {
    for (size_t i = pool_.size(); i > 0; --i) free_.push_back(static_cast<EntryIndex>(i - 1));
}

EntryIndex RequestQueue::push(const Entry& entry) {
    const EntryIndex e = free_.back();
    free_.pop_back();
    Entry& slot = pool_[e];
    slot = entry;
    slot.order = next_order_++;
    const uint32_t d = index(entry.direction);
    List& bank = bank_[d][entry.bank];
    List& all = all_[d];
    slot.next_in_bank = kNoEntry;
    slot.previous_in_bank = bank.tail;
    (bank.tail == kNoEntry ? bank.head : pool_[bank.tail].next_in_bank) = e;
    bank.tail = e;
    slot.younger = kNoEntry;
    slot.older = all.tail;
    (all.tail == kNoEntry ? all.head : pool_[all.tail].younger) = e;
    all.tail = e;
    ++count_[d];
    return e;
}

void RequestQueue::remove(EntryIndex e) {
    const Entry& slot = pool_[e];
    const uint32_t d = index(slot.direction);
    List& bank = bank_[d][slot.bank];
    List& all = all_[d];
    (slot.previous_in_bank == kNoEntry ? bank.head : pool_[slot.previous_in_bank].next_in_bank) =
        slot.next_in_bank;
    (slot.next_in_bank == kNoEntry ? bank.tail : pool_[slot.next_in_bank].previous_in_bank) =
        slot.previous_in_bank;
    (slot.older == kNoEntry ? all.head : pool_[slot.older].younger) = slot.younger;
    (slot.younger == kNoEntry ? all.tail : pool_[slot.younger].older) = slot.older;
    --count_[d];
    free_.push_back(e);
}

EntryIndex RequestQueue::oldest() const {
    const EntryIndex read = all_[0].head;
    const EntryIndex write = all_[1].head;
    if (read == kNoEntry) return write;
    if (write == kNoEntry) return read;
    return pool_[read].order < pool_[write].order ? read : write;
}

}  // namespace weir::dram
