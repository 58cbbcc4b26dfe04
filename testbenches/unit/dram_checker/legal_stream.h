// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Random legal command streams for the checker's tests. By construction unlike the checker: it
// looks at every pair of commands in the recent stream and takes the largest gap.
#pragma once

#include "testbenches/unit/dram_checker/checker_rig.h"

#include <cstdint>
#include <deque>
#include <random>
#include <vector>

namespace weir::dram_checker_test {

enum class Pace {
    Tight,  // every command at its earliest clock
    Loose,  // some later
};

class LegalStream {
  public:
    LegalStream(const Spec& spec, uint64_t seed, Pace pace);
    std::vector<CommandRecord> make(size_t commands);

  private:
    struct Past {
        CommandRecord record;
        int64_t closed;   // when the bank of an RDA or WRA is precharging by itself
        uint64_t closes;  // PREA: bit i is set if it is not a NOP for bank i of the rank
    };
    struct BankState {
        bool open = false;
        uint32_t row = 0;
        int64_t act = 0;
    };
    struct Clocks {
        int64_t cl, cwl, burst, write_end, trcd, trp, tras, trc, trtp, twr, trrd_s, trrd_l, tfaw,
            tccd_s, tccd_l, twtr_s, twtr_l, trfc, trefi, txp, tcke, read_to_write, postamble;
    };
    Spec spec_;
    Pace pace_;
    std::mt19937_64 random_;
    Clocks t_;
    std::deque<Past> past_;  // newest first
    std::vector<BankState> banks_;
    std::vector<bool> down_;
    std::vector<int64_t> refreshes_;
    int64_t now_ = -1;

    uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
    BankState& bank_of(const CommandRecord& record);
    bool all_closed(uint32_t rank) const;
    uint64_t closed_by_prea(uint32_t rank) const;
    CommandRecord choose();
    CommandRecord choose_for_bank(Where where);
    CommandRecord choose_for_refresh(uint32_t rank);
    int64_t gap(const Past& first, const CommandRecord& second) const;
    int64_t gap_to_act(const Past& first, const CommandRecord& second) const;
    int64_t gap_to_column(const Past& first, const CommandRecord& second) const;
    int64_t gap_to_close(const Past& first, const CommandRecord& second) const;
    int64_t data_gap(const Past& first, const CommandRecord& second) const;
    int64_t earliest(const CommandRecord& record) const;
    void note(const CommandRecord& record);
};

}  // namespace weir::dram_checker_test
