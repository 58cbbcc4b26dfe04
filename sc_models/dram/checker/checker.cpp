// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/dram/checker/checker.h"

#include "sc_models/dram/checker/state.h"

namespace weir::dram {

Checker::Checker(const Spec& spec, const CheckerOptions& options)
    : state_(std::make_unique<State>(spec, options)) {}
Checker::~Checker() = default;

void Checker::on_command(const CommandRecord& record) {
    state_->on_command(record);
}
void Checker::finish(uint64_t end_clk) {
    state_->finish(end_clk);
}
uint64_t Checker::violation_count() const {
    return state_->ledger.violation_count;
}
const std::vector<Violation>& Checker::violations() const {
    return state_->ledger.violations;
}
std::vector<RuleCoverage> Checker::coverage() const {
    return state_->ledger.coverage();
}
uint64_t Checker::command_count() const {
    return state_->command_count;
}

Checker::State::State(const Spec& spec, const CheckerOptions& options)
    : ledger(spec, options),
      organization_(spec.organization),
      power_up_(options.expects_power_up ? spec.power_up : std::vector<PowerUpStep>{}),
      banks_(spec.organization.banks()),
      groups_(spec.organization.ranks * spec.organization.bank_groups),
      ranks_(spec.organization.ranks),
      data_bus_(spec.organization.beats_per_clock > 1),
      refresh_(spec, options, ledger.limits) {
    for (uint32_t rank = 0; rank < organization_.ranks; ++rank) {
        if (power_up_.empty()) {
            refresh_.start(rank, 0);
        } else {
            ranks_[rank].pending = kPoweringUp;
        }
    }
}

void Checker::State::on_command(const CommandRecord& record) {
    ++command_count;
    ledger.begin(record);
    if (ledger.now > std::min(open_row_alarm_, refresh_.alarm())) [[unlikely]] {
        report_alarms(record.clk);
        ledger.begin(record);
    }
    ledger.at_least(RuleId::CommandBus, last_clk_);
    last_clk_ = std::max(last_clk_, ledger.now);
    if (!fields_hold(record)) return;
    Rank& rank = ranks_[record.rank];
    if (rank.pending != 0) check_pending(rank, record);
    uint32_t bank_index = record.rank * organization_.banks_per_rank();
    if (record.bank != kNoField) {
        const uint32_t group = organization_.bank_groups == 1 ? 0 : record.bank_group;
        bank_index += group * organization_.banks_per_group + record.bank;
    }
    dispatch(record, bank_index, rank);
}

void Checker::State::dispatch(const CommandRecord& record, uint32_t bank_index, Rank& rank) {
    const uint32_t banks = organization_.banks_per_rank();
    switch (record.command) {
        case Command::Act:
            on_act(record, bank_index, rank);
            break;
        case Command::Rd:
        case Command::Rda:
        case Command::Wr:
        case Command::Wra:
            on_column(record, bank_index, rank);
            break;
        case Command::Pre:
            on_precharge(banks_[bank_index], &Bank::pre);
            break;
        case Command::Prea:
            for (uint32_t i = 0; i < banks; ++i) on_precharge(banks_[bank_index + i], &Bank::prea);
            break;
        case Command::Ref:
            on_refresh(bank_index, banks, rank, false);
            break;
        case Command::Refpb:
            on_refresh(bank_index, 1, rank, true);
            break;
        case Command::Pde:
            on_power_down(rank);
            break;
        case Command::Pdx:
            on_power_up(rank);
            break;
        case Command::Mrs:
            on_idle_command(bank_index, banks);
            rank.mrs = ledger.now;
            rank.pending |= kAfterMrs;
            break;
        case Command::Zqcl:
            on_idle_command(bank_index, banks);
            rank.zqcl = ledger.now;
            rank.pending |= kAfterZqcl;
            break;
    }
}

bool Checker::State::known(Command command) const {
    const Limits& limits = ledger.limits;
    switch (command) {
        case Command::Refpb:
            return limits.text(RuleId::TRfcPb).on;
        case Command::Pde:
        case Command::Pdx:
            return limits.text(RuleId::TXp).on;
        case Command::Zqcl:
            return limits.text(RuleId::TZq).on;
        default:
            return true;
    }
}

bool Checker::State::fields_hold(const CommandRecord& record) {
    const Command c = record.command;
    const bool column = is_column(c);
    const bool bank = column || c == Command::Act || c == Command::Pre || c == Command::Refpb;
    // Without bank groups the field may be absent.
    const bool group_absent = record.bank_group == kNoField;
    const bool group_in_range = record.bank_group < organization_.bank_groups ||
                                (group_absent && organization_.bank_groups == 1);
    bool hold = record.rank < organization_.ranks;
    hold &= bank ? record.bank < organization_.banks_per_group && group_in_range
                 : record.bank == kNoField && group_absent;
    hold &= record.row < organization_.rows ? column || c == Command::Act
                                            : record.row == kNoField && c != Command::Act;
    hold &= column ? record.column < organization_.columns : record.column == kNoField;
    ledger.holds(RuleId::Fields, hold, "a field is out of range, missing or not the command's");
    if (!hold) return false;
    ledger.holds(RuleId::KnownCommand, known(c), "the standard does not have it");
    return true;
}

void Checker::State::report_alarms(uint64_t clk) {
    if (ledger.now > refresh_.alarm()) refresh_.report_overdue(ledger, clk);
    if (ledger.now <= open_row_alarm_) return;
    const Clk tras_max = ledger.limits.tras_max;
    open_row_alarm_ = ledger.now + tras_max;  // of a row that is opened from now on
    for (uint32_t i = 0; i < banks_.size(); ++i) {
        Bank& bank = banks_[i];
        if (!bank.open || bank.open_reported) continue;
        const Clk due = bank.act + tras_max;
        if (ledger.now <= due) {
            open_row_alarm_ = std::min(open_row_alarm_, due);
            continue;
        }
        bank.open_reported = true;
        const uint32_t in_rank = i % organization_.banks_per_rank();
        ledger.begin_missing({clk, Command::Pre, i / organization_.banks_per_rank(),
                              in_rank / organization_.banks_per_group,
                              in_rank % organization_.banks_per_group});
        ledger.late(RuleId::TRasMax, bank.act, due);
    }
}

void Checker::State::finish(uint64_t end_clk) {
    ledger.now = static_cast<Clk>(end_clk);
    report_alarms(end_clk);
}

}  // namespace weir::dram
