// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/cpu/tlb.h"

#include <bit>
#include <stdexcept>

namespace weir::cpu {

Tlb::Tlb(uint32_t entries, uint32_t ways) : ways_(ways) {
    if (ways == 0 || entries % ways != 0 || !std::has_single_bit(entries / ways))
        throw std::invalid_argument(
            "machine.cpu.tlb_entries: must be tlb_ways times a power of two");
    set_mask_ = entries / ways - 1;
    entries_.resize(entries);
}

TlbEntry* Tlb::find(TlbKey key) {
    TlbEntry* set = set_of(key);
    for (uint32_t way = 0; way < ways_; ++way) {
        if (set[way].key != key.value) continue;
        set[way].stamp = ++clock_;
        return &set[way];
    }
    return nullptr;
}

TlbEntry& Tlb::insert(TlbKey key) {
    TlbEntry* set = set_of(key);
    TlbEntry* victim = set;
    for (uint32_t way = 0; way < ways_; ++way) {
        TlbEntry& entry = set[way];
        if (entry.key == key.value || entry.key == TlbEntry::kEmpty) {
            victim = &entry;
            break;
        }
        // Signed difference: the clock wraps after 2^32 uses.
        if (static_cast<int32_t>(entry.stamp - victim->stamp) < 0) victim = &entry;
    }
    *victim = TlbEntry{};
    victim->key = key.value;
    victim->stamp = ++clock_;
    return *victim;
}

void Tlb::flush_page(TlbKey key) {
    if (TlbEntry* entry = find(key)) *entry = TlbEntry{};
}

void Tlb::flush_asid(uint16_t asid) {
    for (TlbEntry& entry : entries_)
        if (entry.key != TlbEntry::kEmpty && (entry.key & 0xffff) == asid) entry = TlbEntry{};
}

}  // namespace weir::cpu
