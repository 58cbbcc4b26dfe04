// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What each command has to respect: rows and columns.
#include "sc_models/dram/checker/state.h"

namespace weir::dram {

void Checker::State::on_act(const CommandRecord& record, uint32_t bank_index, Rank& rank) {
    Bank& bank = banks_[bank_index];
    const uint32_t group_index = bank_index / organization_.banks_per_group;
    Group& group = groups_[group_index];
    Clk& fourth_last = rank.last_acts[rank.act_count++ % 4];

    ledger.holds(RuleId::BankClosed, !bank.open, "the bank has a row open");
    ledger.at_least(RuleId::TRc, bank.act);
    ledger.at_least(RuleId::TRp, bank.pre);
    ledger.at_least(RuleId::TRpAll, bank.prea);
    ledger.at_least(RuleId::RdaToAct, bank.hidden_read_close);
    ledger.at_least(RuleId::WraToAct, bank.hidden_write_close);
    ledger.at_least(RuleId::TRfcPb, bank.refpb);
    ledger.at_least(RuleId::TRrdL, group.act);
    ledger.at_least(RuleId::TRrdS, rank.acts.in_other_groups(group_index));
    ledger.at_least(RuleId::TFaw, fourth_last);

    fourth_last = ledger.now;
    group.act = ledger.now;
    rank.acts.add(ledger.now, group_index);
    bank.act = ledger.now;
    bank.row = record.row;
    bank.open = true;
    bank.open_reported = false;
    open_row_alarm_ = std::min(open_row_alarm_, ledger.now + ledger.limits.tras_max);
}

void Checker::State::on_column(const CommandRecord& record, uint32_t bank_index, Rank& rank) {
    Bank& bank = banks_[bank_index];
    const bool aligned = (record.column & (organization_.burst_length - 1)) == 0;
    ledger.holds(RuleId::BurstAligned, aligned, "the column is inside a burst");
    ledger.holds(RuleId::BankOpen, bank.open, "the bank is closed");
    if (record.row != kNoField && bank.open)
        ledger.holds(RuleId::RowMatches, record.row == bank.row, "another row is open");
    ledger.at_least(RuleId::TRcd, bank.act);
    Group& group = groups_[bank_index / organization_.banks_per_group];
    if (is_read(record.command)) {
        on_read(record, bank, group, rank);
    } else {
        on_write(record, bank, group, rank);
    }
}

void Checker::State::on_read(const CommandRecord& record, Bank& bank, Group& group, Rank& rank) {
    const Limits& limits = ledger.limits;
    const auto group_index = static_cast<uint32_t>(&group - groups_.data());
    ledger.at_least(RuleId::TCcdLRead, group.read);
    ledger.at_least(RuleId::TCcdSRead, rank.reads.in_other_groups(group_index));
    ledger.at_least(RuleId::TWtrL, group.write);
    ledger.at_least(RuleId::TWtrS, rank.writes.in_other_groups(group_index));
    const Clk data = ledger.now + limits.read_latency;
    data_bus_.add(ledger, {data, data + limits.burst, record.rank, false});
    bank.read = group.read = ledger.now;
    rank.reads.add(ledger.now, group_index);
    if (record.command == Command::Rda)
        close_hidden(bank, bank.hidden_read_close, limits.read_to_close);
}

void Checker::State::on_write(const CommandRecord& record, Bank& bank, Group& group, Rank& rank) {
    const Limits& limits = ledger.limits;
    const auto group_index = static_cast<uint32_t>(&group - groups_.data());
    ledger.at_least(RuleId::TCcdLWrite, group.write);
    ledger.at_least(RuleId::TCcdSWrite, rank.writes.in_other_groups(group_index));
    ledger.at_least(RuleId::ReadToWrite, rank.reads.last());
    const Clk data = ledger.now + limits.write_latency;
    data_bus_.add(ledger, {data, data + limits.burst, record.rank, true});
    bank.write = group.write = ledger.now;
    rank.writes.add(ledger.now, group_index);
    if (record.command == Command::Wra) {
        rank.wra = ledger.now;
        close_hidden(bank, bank.hidden_write_close, limits.write_to_close);
    }
}

/// The device precharges by itself, after the burst's recovery and not before tRAS is over.
void Checker::State::close_hidden(Bank& bank, Clk& hidden_close, Clk recovery) {
    const Clk close = std::max(ledger.now + recovery, bank.act + ledger.limits.tras);
    hidden_close = close;
    const Clk latest = bank.act + ledger.limits.tras_max;
    if (bank.open && !bank.open_reported) {
        ledger.count(RuleId::TRasMax, close == latest);
        if (close > latest) ledger.broken(RuleId::TRasMax, "its hidden precharge comes too late");
    }
    bank.open = false;
}

/// One bank of a PRE or PREA. A closed bank takes it as NOP; with DDR it still restarts tRP.
void Checker::State::on_precharge(Bank& bank, Clk Bank::*when) {
    const bool closing = std::max(bank.hidden_read_close, bank.hidden_write_close) >= ledger.now;
    const bool acts = bank.open || closing;
    if (acts) {
        ledger.at_least(RuleId::TRas, bank.act);
        ledger.at_least(RuleId::TRtp, bank.read);
        ledger.at_least(RuleId::TWr, bank.write);
    }
    // A late close was reported when it fell due.
    if (bank.open) ledger.count(RuleId::TRasMax, ledger.now == bank.act + ledger.limits.tras_max);
    if (acts || organization_.beats_per_clock > 1) bank.*when = ledger.now;
    bank.open = false;
}

}  // namespace weir::dram
