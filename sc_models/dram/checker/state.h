// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The history that the checker keeps: the last clock of every kind of command, by bank, bank group
// and rank. A rule looks back from its second command; nothing is pushed forward, so that no rule
// can hide another.
#pragma once

#include "sc_models/dram/checker/data_bus.h"
#include "sc_models/dram/checker/ledger.h"
#include "sc_models/dram/checker/refresh_watch.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace weir::dram {

struct Bank {
    Clk act = kNever;
    Clk pre = kNever, prea = kNever;
    Clk read = kNever, write = kNever;  // with and without auto-precharge
    Clk hidden_read_close = kNever;     // when the internal precharge of an RDA begins
    Clk hidden_write_close = kNever;    // ... of a WRA
    Clk refpb = kNever;
    uint32_t row = 0;
    bool open = false;
    bool open_reported = false;  // as open too long
};

struct Group {
    Clk act = kNever, read = kNever, write = kNever;
};

/// The last command of a kind in a rank, and the last in any other bank group than that one's.
class GroupHistory {
  public:
    void add(Clk clk, uint32_t group) {
        if (group != group_) other_ = last_;
        last_ = clk;
        group_ = group;
    }
    Clk last() const { return last_; }
    Clk in_other_groups(uint32_t group) const { return group == group_ ? other_ : last_; }

  private:
    Clk last_ = kNever, other_ = kNever;
    uint32_t group_ = 0;
};

struct Rank {
    GroupHistory acts, reads, writes;
    std::array<Clk, 4> last_acts{kNever, kNever, kNever, kNever};  // ring
    uint32_t act_count = 0;
    Clk wra = kNever, ref = kNever, mrs = kNever, zqcl = kNever, pde = kNever, pdx = kNever;
    Clk power_up_clk = 0;  // of the last step
    uint32_t power_up_step = 0;
    uint32_t pending = 0;  // what the next commands have to respect
};

struct Checker::State {
    State(const Spec& spec, const CheckerOptions& options);
    void on_command(const CommandRecord& record);
    void finish(uint64_t end_clk);

    Ledger ledger;
    uint64_t command_count = 0;

  private:
    // Bits of Rank::pending. Each rare condition costs only the commands that follow it closely.
    static constexpr uint32_t kPoweringUp = 1, kDown = 2, kAfterPdx = 4, kAfterRef = 8,
                              kAfterMrs = 16, kAfterZqcl = 32;

    const Organization organization_;
    const std::vector<PowerUpStep> power_up_;
    std::vector<Bank> banks_;
    std::vector<Group> groups_;
    std::vector<Rank> ranks_;
    DataBus data_bus_;
    RefreshWatch refresh_;
    Clk last_clk_ = kNever;
    Clk open_row_alarm_ = kEndless;  // no row is open too long up to here

    bool fields_hold(const CommandRecord& record);
    bool known(Command command) const;
    void check_pending(Rank& rank, const CommandRecord& record);
    void check_power_up(Rank& rank, const CommandRecord& record);
    void report_alarms(uint64_t clk);

    void on_act(const CommandRecord& record, uint32_t bank_index, Rank& rank);
    void on_column(const CommandRecord& record, uint32_t bank_index, Rank& rank);
    void on_read(const CommandRecord& record, Bank& bank, Group& group, Rank& rank);
    void on_write(const CommandRecord& record, Bank& bank, Group& group, Rank& rank);
    void close_hidden(Bank& bank, Clk& hidden_close, Clk recovery);
    void on_precharge(Bank& bank, Clk Bank::*when);
    void on_refresh(uint32_t first_bank, uint32_t count, Rank& rank, bool per_bank);
    void on_idle_command(uint32_t first_bank, uint32_t count);
    void on_power_down(Rank& rank);
    void on_power_up(Rank& rank);
    void dispatch(const CommandRecord& record, uint32_t bank_index, Rank& rank);
};

}  // namespace weir::dram
