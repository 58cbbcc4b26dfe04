// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The requests of one channel that wait for their column command: per bank and direction in order
// of arrival, and all of a direction in order of arrival.
// - push() and remove() cost no search; lists are threaded through one fixed pool.
#pragma once

#include "sc_models/dram/core/address_map.h"

#include <array>
#include <cstdint>
#include <vector>

namespace weir::dram {

using EntryIndex = uint16_t;
inline constexpr EntryIndex kNoEntry = 0xffff;

enum class Direction : uint8_t { Read = 0, Write = 1 };

struct Entry {
    uint64_t arrival_clk;   // offered
    uint64_t admitted_clk;  // got its place in the queue
    uint64_t order;         // of admission, over both directions
    uint64_t refresh_mark;  // its rank's refresh time when it was admitted
    uint64_t first_clk;     // of the first command on its behalf
    uint32_t row;
    uint32_t burst;
    uint32_t token;
    uint16_t bank;
    Direction direction;
    uint8_t turn;  // Turn, once has_turn
    bool has_turn;
    EntryIndex next_in_bank, previous_in_bank;
    EntryIndex younger, older;
};

class RequestQueue {
  public:
    RequestQueue(uint32_t banks, std::array<uint32_t, 2> entries);

    bool has_room(Direction d) const { return count_[index(d)] < limit_[index(d)]; }
    uint32_t count(Direction d) const { return count_[index(d)]; }
    uint32_t total() const { return count_[0] + count_[1]; }
    EntryIndex push(const Entry& entry);
    void remove(EntryIndex e);

    Entry& at(EntryIndex e) { return pool_[e]; }
    const Entry& at(EntryIndex e) const { return pool_[e]; }
    EntryIndex first(Direction d, uint32_t bank) const { return bank_[index(d)][bank].head; }
    /// Of both directions; kNoEntry if there is none.
    EntryIndex oldest() const;
    /// Oldest of the bank in a direction that wants this row, from `from` on.
    EntryIndex find_row(EntryIndex from, uint32_t row) const {
        while (from != kNoEntry && pool_[from].row != row) from = pool_[from].next_in_bank;
        return from;
    }
    /// Oldest of the bank in a direction that wants this very burst.
    EntryIndex find_burst(Direction d, uint32_t bank, uint32_t row, uint32_t burst) const {
        EntryIndex e = first(d, bank);
        while (e != kNoEntry && (pool_[e].row != row || pool_[e].burst != burst))
            e = pool_[e].next_in_bank;
        return e;
    }

  private:
    struct List {
        EntryIndex head = kNoEntry, tail = kNoEntry;
    };
    static constexpr uint32_t index(Direction d) { return static_cast<uint32_t>(d); }

    std::vector<Entry> pool_;
    std::vector<EntryIndex> free_;
    std::array<std::vector<List>, 2> bank_;
    std::array<List, 2> all_;
    std::array<uint32_t, 2> count_{};
    std::array<uint32_t, 2> limit_;
    uint64_t next_order_ = 0;
};

}  // namespace weir::dram
