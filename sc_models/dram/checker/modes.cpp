// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What each command has to respect: refresh, mode registers, power-down and power-up.
#include "sc_models/dram/checker/state.h"

namespace weir::dram {

void Checker::State::check_pending(Rank& rank, const CommandRecord& record) {
    const Command c = record.command;
    const auto settle = [&](uint32_t bit, RuleId rule, Clk since) {
        if ((rank.pending & bit) == 0) return;
        ledger.at_least(rule, since);
        if (ledger.now >= since + ledger.limits.gap(rule)) rank.pending &= ~bit;
    };
    if ((rank.pending & kPoweringUp) != 0) check_power_up(rank, record);
    if ((rank.pending & kDown) != 0 && c != Command::Pdx)
        ledger.holds(RuleId::PowerDown, false, "the rank is in power-down");
    if (c != Command::Pde) settle(kAfterPdx, RuleId::TXp, rank.pdx);
    if (c != Command::Pde && c != Command::Pdx) settle(kAfterRef, RuleId::TRfc, rank.ref);
    if (c == Command::Mrs) {
        if ((rank.pending & kAfterMrs) != 0) ledger.at_least(RuleId::TMrd, rank.mrs);
    } else {
        settle(kAfterMrs, RuleId::TMod, rank.mrs);
    }
    settle(kAfterZqcl, RuleId::TZq, rank.zqcl);
}

void Checker::State::check_power_up(Rank& rank, const CommandRecord& record) {
    const PowerUpStep& step = power_up_[rank.power_up_step];
    const bool in_order = record.command == step.command;
    if (!in_order) {
        const std::string wanted(command_name(step.command));
        ledger.count(RuleId::PowerUpOrder, false);
        ledger.broken(RuleId::PowerUpOrder, "the power-up sequence goes on with " + wanted);
        return;
    }
    ledger.count(RuleId::PowerUpOrder, false);
    ledger.at_least(RuleId::PowerUpWait, rank.power_up_clk, Clk{step.wait_clocks});
    rank.power_up_clk = ledger.now;
    if (++rank.power_up_step < power_up_.size()) return;
    rank.pending &= ~kPoweringUp;
    refresh_.start(record.rank, ledger.now);
}

/// MRS, ZQCL and refreshes: every bank concerned is closed, its precharge over.
void Checker::State::on_idle_command(uint32_t first_bank, uint32_t count) {
    Clk act = kNever, pre = kNever, read_close = kNever, write_close = kNever, refpb = kNever;
    bool closed = true;
    for (uint32_t i = first_bank; i < first_bank + count; ++i) {
        const Bank& bank = banks_[i];
        closed &= !bank.open;
        act = std::max(act, bank.act);
        pre = std::max({pre, bank.pre, bank.prea});
        read_close = std::max(read_close, bank.hidden_read_close);
        write_close = std::max(write_close, bank.hidden_write_close);
        refpb = std::max(refpb, bank.refpb);
    }
    ledger.holds(RuleId::AllClosed, closed, "a bank has a row open");
    ledger.at_least(RuleId::ActToRef, act);
    ledger.at_least(RuleId::PreToRef, pre);
    ledger.at_least(RuleId::RdaToRef, read_close);
    ledger.at_least(RuleId::WraToRef, write_close);
    ledger.at_least(RuleId::TRfcPb, refpb);
}

void Checker::State::on_refresh(uint32_t first_bank, uint32_t count, Rank& rank, bool per_bank) {
    on_idle_command(first_bank, count);
    if (per_bank) {
        banks_[first_bank].refpb = ledger.now;
    } else {
        rank.ref = ledger.now;
        rank.pending |= kAfterRef;
    }
    refresh_.refreshed(ledger, first_bank, count);
}

void Checker::State::on_power_down(Rank& rank) {
    ledger.at_least(RuleId::TCke, rank.pdx);
    ledger.at_least(RuleId::ReadToPde, rank.reads.last());
    ledger.at_least(RuleId::WriteToPde, rank.writes.last());
    // The recovery of an auto-precharged write ends a clock later.
    ledger.at_least(RuleId::WriteToPde, rank.wra, ledger.limits.gap(RuleId::WriteToPde) + 1);
    rank.pde = ledger.now;
    rank.pending |= kDown;
}

void Checker::State::on_power_up(Rank& rank) {
    ledger.holds(RuleId::PowerDown, (rank.pending & kDown) != 0, "the rank is not there");
    ledger.at_least(RuleId::TPd, rank.pde);
    rank.pdx = ledger.now;
    rank.pending &= ~kDown;
    rank.pending |= kAfterPdx;
}

}  // namespace weir::dram
