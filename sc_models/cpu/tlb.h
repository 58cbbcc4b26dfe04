// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A hart's translation cache: set associative, tagged by address space, least recently used first.
#pragma once

#include "firmware/hal/types.h"

#include <cstdint>
#include <vector>

namespace weir::cpu {

/// Virtual page number and address space in one word.
struct TlbKey {
    uint64_t value;
    static TlbKey of(hal::VirtAddr addr, uint16_t asid) {
        return {addr.value >> hal::kPageShift << 16 | asid};
    }
};

struct TlbEntry {
    uint64_t key = kEmpty;
    uint64_t ram_offset = 0;  // of the page
    uint32_t stamp = 0;       // of its last use
    bool readable = false;
    bool writable = false;  // W set and D already set: a store needs no walk

    static constexpr uint64_t kEmpty = ~uint64_t{0};
};

class Tlb {
  public:
    /// Errors: std::invalid_argument unless entries / ways is a power of two.
    Tlb(uint32_t entries, uint32_t ways);
    /// Null if the page is not in.
    TlbEntry* find(TlbKey key);
    TlbEntry& insert(TlbKey key);
    void flush_page(TlbKey key);
    void flush_asid(uint16_t asid);

  private:
    TlbEntry* set_of(TlbKey key) { return &entries_[((key.value >> 16) & set_mask_) * ways_]; }

    uint32_t ways_;
    uint64_t set_mask_ = 0;
    uint32_t clock_ = 0;
    std::vector<TlbEntry> entries_;
};

}  // namespace weir::cpu
