// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/dram/bank_recorder.h"

namespace weir::dram {

BankRecorder::BankRecorder(probe::Recorder& recorder, const std::string& path, const Spec& spec)
    : recorder_(recorder), spec_(spec), open_(spec.organization.banks()) {
    for (uint32_t bank = 0; bank < open_.size(); ++bank) {
        const std::string prefix = path + ".bank" + std::to_string(bank);
        states_.push_back(
            recorder.define_signal({prefix + ".state",
                                    "state",
                                    3,
                                    {"idle", "open", "read", "write", "refresh", "asleep"}}));
        rows_.push_back(recorder.define_signal({prefix + ".row", "row", 32, {}}));
        set(bank, State::Idle, 0);
    }
}

void BankRecorder::set(uint32_t bank, State state, uint64_t clk) {
    recorder_.set(states_[bank], static_cast<uint64_t>(state), clk * spec_.tck_ps);
}

void BankRecorder::set_rank(uint32_t rank, State state, uint64_t clk) {
    const uint32_t banks = spec_.organization.banks_per_rank();
    for (uint32_t bank = rank * banks; bank < (rank + 1) * banks; ++bank) set(bank, state, clk);
}

void BankRecorder::on_command(const CommandRecord& record) {
    const Organization& o = spec_.organization;
    const bool one_bank = record.bank != kNoField;
    const uint32_t bank =
        one_bank
            ? (record.rank * o.bank_groups + record.bank_group) * o.banks_per_group + record.bank
            : 0;
    switch (record.command) {
        case Command::Act:
            set(bank, State::Open, record.clk);
            recorder_.set(rows_[bank], record.row, record.clk * spec_.tck_ps);
            open_[bank] = true;
            break;
        case Command::Rd:
        case Command::Rda:
        case Command::Wr:
        case Command::Wra: {
            const bool stays_open = !auto_precharges(record.command);
            set(bank, is_read(record.command) ? State::Read : State::Write, record.clk);
            set(bank, stays_open ? State::Open : State::Idle, record.clk + o.burst_clocks());
            open_[bank] = stays_open;
            break;
        }
        case Command::Pre:
            set(bank, State::Idle, record.clk);
            open_[bank] = false;
            break;
        case Command::Refpb:
            set(bank, State::Refresh, record.clk);
            set(bank, State::Idle, record.clk + spec_.trfc_pb_clocks);
            break;
        case Command::Prea:
            for (uint32_t b = 0; b < open_.size(); ++b)
                if (b / o.banks_per_rank() == record.rank) open_[b] = false;
            set_rank(record.rank, State::Idle, record.clk);
            break;
        case Command::Ref:
            set_rank(record.rank, State::Refresh, record.clk);
            set_rank(record.rank, State::Idle, record.clk + spec_.trfc_clocks);
            break;
        case Command::Pde:
            set_rank(record.rank, State::Asleep, record.clk);
            break;
        case Command::Pdx:
            for (uint32_t b = 0; b < open_.size(); ++b)
                if (b / o.banks_per_rank() == record.rank)
                    set(b, open_[b] ? State::Open : State::Idle, record.clk);
            break;
        default:
            break;
    }
}

}  // namespace weir::dram
