// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// When may which command go to which bank: the rule table of a Spec, kept up to date.
// - ready(command, bank): the first clock at which every rule allows it, and the rule that binds.
// - issue(command, bank, clk): the command went out; updates every rule that it precedes.
// - Bank state (open row) is kept here too, because commands change it.
// A ready time is packed as clk << 8 | rule, so that one maximum yields both.
// Rank-wide commands (PREA REF PDE PDX MRS ZQCL) take any bank of their rank as `bank`.
#pragma once

#include "sc_models/dram/core/spec.h"

#include <array>
#include <cstdint>
#include <vector>

namespace weir::dram {

inline constexpr uint64_t kNever = ~uint64_t{0} >> 8;
inline constexpr uint32_t kClosedRow = ~0u;

/// clk << 8 | rule.
using PackedReady = uint64_t;
constexpr uint64_t clk_of(PackedReady p) {
    return p >> 8;
}
constexpr uint8_t rule_of(PackedReady p) {
    return static_cast<uint8_t>(p);
}

struct BankState {
    uint32_t open_row = kClosedRow;
    uint64_t opened_clk = 0;
    uint64_t last_column_clk = 0;
    uint64_t last_arrival_clk = 0;  // loosely timed: of the latest access, in its own time
};

class TimingState {
  public:
    /// Errors: std::invalid_argument if the spec has more than 249 rules or a window above 8.
    explicit TimingState(const Spec& spec);

    PackedReady ready(Command command, uint32_t bank) const {
        const auto c = static_cast<uint32_t>(command);
        const PackedReady own = bank_ready_[bank][c];
        const PackedReady group = group_ready_[group_of_[bank]][c];
        const PackedReady rank = rank_ready_[rank_of_[bank]][c];
        const PackedReady most = own > group ? own : group;
        return most > rank ? most : rank;
    }
    /// Of what the bank shares with others.
    PackedReady shared_ready(Command command, uint32_t bank) const {
        const auto c = static_cast<uint32_t>(command);
        const PackedReady group = group_ready_[group_of_[bank]][c];
        const PackedReady rank = rank_ready_[rank_of_[bank]][c];
        return group > rank ? group : rank;
    }
    /// Of what concerns the bank alone.
    PackedReady bank_ready(Command command, uint32_t bank) const {
        return bank_ready_[bank][static_cast<uint32_t>(command)];
    }
    /// A rank-wide command waits for every bank of its rank.
    PackedReady rank_ready(Command command, uint32_t rank) const;
    void issue(Command command, uint32_t bank, uint32_t row, uint64_t clk);
    /// The bank's row changes and no rule hears of it: loosely timed accesses that come late.
    void reopen(uint32_t bank, uint32_t row) {
        if (banks_[bank].open_row == kClosedRow) ++open_banks_[rank_of_[bank]];
        banks_[bank].open_row = row;
    }

    const BankState& bank(uint32_t flat_bank) const { return banks_[flat_bank]; }
    BankState& bank(uint32_t flat_bank) { return banks_[flat_bank]; }
    uint32_t bank_count() const { return static_cast<uint32_t>(banks_.size()); }
    uint32_t rank_of(uint32_t flat_bank) const { return rank_of_[flat_bank]; }
    uint32_t first_bank_of(uint32_t rank) const { return rank * banks_per_rank_; }
    uint32_t banks_per_rank() const { return banks_per_rank_; }
    uint32_t open_banks(uint32_t rank) const { return open_banks_[rank]; }
    uint64_t last_command_clk(uint32_t rank) const { return last_command_clk_[rank]; }

  private:
    static constexpr uint32_t kStride = 16;  // commands, padded to whole cache lines
    static constexpr uint32_t kWindowMax = 8;
    using Row = std::array<PackedReady, kStride>;
    struct Update {
        uint8_t following;
        PackedReady add;  // clocks << 8 | rule
    };
    struct Effects {
        std::vector<Update> on_bank, on_group, on_rank, on_other_ranks;
        std::vector<uint32_t> windows;
    };
    struct Window {
        std::vector<uint8_t> following;
        uint32_t size;
        PackedReady add;
        struct Ring {
            std::array<uint64_t, kWindowMax> clk{};
            uint32_t next = 0, filled = 0;
        };
        std::vector<Ring> rings;  // by rank
    };

    void add_rule(const Rule& rule, uint32_t index);
    void set_state(Command command, uint32_t bank, uint32_t row, uint64_t clk);
    void close(uint32_t bank);
    void apply_window(Window& window, uint32_t rank, uint64_t clk);

    std::vector<Row> bank_ready_, group_ready_, rank_ready_;
    std::vector<uint8_t> group_of_, rank_of_;
    std::vector<BankState> banks_;
    std::vector<uint32_t> open_banks_;
    std::vector<uint64_t> last_command_clk_;
    std::array<Effects, kCommandCount> effects_;
    std::vector<Window> windows_;
    uint32_t banks_per_rank_;
};

}  // namespace weir::dram
