// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/unit/dram_checker/legal_stream.h"

#include <algorithm>

namespace weir::dram_checker_test {
namespace {

using enum Command;
using dram::is_column;
using dram::is_read;
using dram::is_write;

int64_t value(const Spec& spec, std::initializer_list<const char*> names, int64_t otherwise) {
    for (const char* name : names)
        for (const auto& p : spec.parameters)
            if (p.name == name) return p.clocks;
    return otherwise;
}

bool same_bank(const CommandRecord& a, const CommandRecord& b) {
    return a.bank_group == b.bank_group && a.bank == b.bank;
}

}  // namespace

LegalStream::LegalStream(const Spec& spec, uint64_t seed, Pace pace)
    : spec_(spec),
      pace_(pace),
      random_(seed),
      banks_(spec.organization.banks()),
      down_(spec.organization.ranks),
      refreshes_(spec.organization.ranks) {
    const bool sdr = spec.organization.beats_per_clock == 1;
    const auto of = [&](std::initializer_list<const char*> names, int64_t otherwise = 0) {
        return value(spec, names, otherwise);
    };
    t_.cl = of({"CL"});
    t_.cwl = of({"CWL"});
    t_.burst = spec.organization.burst_length / spec.organization.beats_per_clock;
    t_.write_end = t_.cwl + t_.burst - (sdr ? 1 : 0);
    t_.trcd = of({"tRCD"});
    t_.trp = of({"tRP"});
    t_.tras = of({"tRAS"});
    t_.trc = of({"tRC"});
    t_.trtp = of({"tRTP"}, t_.burst - t_.cl + 1);
    t_.twr = of({"tWR"});
    t_.trrd_s = of({"tRRD_S", "tRRD"});
    t_.trrd_l = of({"tRRD_L", "tRRD"});
    t_.tfaw = of({"tFAW"});
    t_.tccd_s = of({"tCCD_S", "tCCD"});
    t_.tccd_l = of({"tCCD_L", "tCCD"});
    t_.twtr_s = of({"tWTR_S", "tWTR", "tCDL"});
    t_.twtr_l = of({"tWTR_L", "tWTR", "tCDL"});
    t_.trfc = of({"tRFC"});
    t_.trefi = of({"tREFI"});
    t_.txp = of({"tXP"});
    t_.tcke = of({"tCKE"});
    t_.postamble = sdr ? 0 : 1;
    t_.read_to_write = t_.cl + t_.burst + 1 + of({"tWPRE"}, sdr ? 0 : 1) - t_.cwl;
}

LegalStream::BankState& LegalStream::bank_of(const CommandRecord& record) {
    const auto& o = spec_.organization;
    return banks_[(record.rank * o.bank_groups + record.bank_group) * o.banks_per_group +
                  record.bank];
}

bool LegalStream::all_closed(uint32_t rank) const {
    const uint32_t n = spec_.organization.banks_per_rank();
    return std::none_of(banks_.begin() + rank * n, banks_.begin() + (rank + 1) * n,
                        [](const BankState& bank) { return bank.open; });
}

/// An SDR device takes a precharge of a closed bank as NOP; a DDR device restarts tRP.
uint64_t LegalStream::closed_by_prea(uint32_t rank) const {
    const uint32_t n = spec_.organization.banks_per_rank();
    if (spec_.organization.beats_per_clock > 1) return ~uint64_t{0};
    uint64_t result = 0;
    for (uint32_t i = 0; i < n; ++i) result |= uint64_t{banks_[rank * n + i].open} << i;
    return result;
}

CommandRecord LegalStream::choose_for_bank(Where where) {
    CommandRecord record = bank(0, Pre, where);
    BankState& state = bank_of(record);
    if (!state.open) return act(0, where, below(spec_.organization.rows));
    if (below(8) == 0) return record;
    constexpr Command kColumns[] = {Rd, Wr, Rd, Wr, Rd, Wr, Rda, Wra};
    const auto& o = spec_.organization;
    record = col(0, kColumns[below(8)], where, below(o.columns / o.burst_length) * o.burst_length);
    if (below(2) == 0) record.row = state.row;
    return record;
}

/// A refresh is due: refresh, or close one bank by auto-precharge, or all.
CommandRecord LegalStream::choose_for_refresh(uint32_t r) {
    const auto& o = spec_.organization;
    if (down_[r]) return rank(0, Pdx, r);
    if (all_closed(r)) return rank(0, Ref, r);
    for (uint32_t i = 0; i < o.banks_per_rank() && below(8) != 0; ++i) {
        if (!banks_[r * o.banks_per_rank() + i].open) continue;
        return col(0, below(2) == 0 ? Rda : Wra, {r, i / o.banks_per_group, i % o.banks_per_group});
    }
    return rank(0, Prea, r);
}

CommandRecord LegalStream::choose() {
    const auto& o = spec_.organization;
    for (uint32_t r = 0; r < o.ranks; ++r) {
        if (now_ >= (refreshes_[r] + 1) * t_.trefi) return choose_for_refresh(r);
    }
    const uint32_t r = below(o.ranks);
    if (down_[r]) return rank(0, Pdx, r);
    const uint32_t dice = below(200);
    const bool woken = !past_.empty() && past_.front().record.command == Pdx;
    if (dice < (woken ? 40u : 2u) && t_.txp > 0) return rank(0, Pde, r);
    if (dice == 2) return rank(0, Prea, r);
    if (all_closed(r) && dice < 20 && now_ / t_.trefi + 4 > refreshes_[r]) return rank(0, Ref, r);
    // Few banks, so that every rule meets itself.
    return choose_for_bank({r, below(o.bank_groups), below(std::min(2u, o.banks_per_group))});
}

int64_t LegalStream::gap_to_act(const Past& first, const CommandRecord& second) const {
    const CommandRecord& p = first.record;
    const bool same_group = p.bank_group == second.bank_group, own = same_bank(p, second);
    int64_t result = 0;
    if (p.command == Act) result = own ? t_.trc : same_group ? t_.trrd_l : t_.trrd_s;
    const uint32_t index = second.bank_group * spec_.organization.banks_per_group + second.bank;
    const bool closes = p.command == Prea && (first.closes >> index & 1) != 0;
    if ((p.command == Pre && own) || closes) result = t_.trp;
    if ((p.command == Rda || p.command == Wra) && own)
        result = first.closed + t_.trp - static_cast<int64_t>(p.clk);
    return result;
}

int64_t LegalStream::gap_to_column(const Past& first, const CommandRecord& second) const {
    const CommandRecord& p = first.record;
    const bool same_group = p.bank_group == second.bank_group;
    if (p.command == Act && same_bank(p, second)) return t_.trcd;
    if (is_read(p.command) == is_read(second.command) && is_column(p.command))
        return same_group ? t_.tccd_l : t_.tccd_s;
    if (is_write(p.command)) return t_.write_end + (same_group ? t_.twtr_l : t_.twtr_s);
    return is_read(p.command) ? t_.read_to_write : 0;
}

int64_t LegalStream::gap_to_close(const Past& first, const CommandRecord& second) const {
    const CommandRecord& p = first.record;
    if (second.command == Pre && !same_bank(p, second)) return 0;
    switch (p.command) {
        case Act:
            return t_.tras;
        case Rd:
            return t_.trtp;
        case Wr:
            return t_.write_end + t_.twr;
        // A precharge that comes into the hidden one waits for it.
        case Rda:
        case Wra:
            return first.closed - static_cast<int64_t>(p.clk);
        default:
            return 0;
    }
}

int64_t LegalStream::data_gap(const Past& first, const CommandRecord& second) const {
    const CommandRecord& p = first.record;
    if (!is_column(p.command) || !is_column(second.command)) return 0;
    // Without a strobe (SDR) the controller drives one write after the other, whatever the rank.
    const bool one_driver =
        !is_read(p.command) && !is_read(second.command) && spec_.organization.beats_per_clock == 1;
    const int64_t bubble = p.rank != second.rank && !one_driver            ? 1
                           : is_read(p.command) != is_read(second.command) ? 1
                                                                           : 0;
    const int64_t end = (is_read(p.command) ? t_.cl : t_.cwl) + t_.burst + bubble;
    return end - (is_read(second.command) ? t_.cl : t_.cwl);
}

int64_t LegalStream::gap(const Past& first, const CommandRecord& second) const {
    const CommandRecord& p = first.record;
    int64_t result = data_gap(first, second);
    if (p.rank != second.rank) return std::max<int64_t>(result, 1);
    const Command c = second.command;
    if (c == Act) result = std::max(result, gap_to_act(first, second));
    if (is_column(c)) result = std::max(result, gap_to_column(first, second));
    if (c == Pre || c == Prea) result = std::max(result, gap_to_close(first, second));
    if (c == Ref) {
        if (p.command == Act) result = t_.trc;
        if (p.command == Pre || (p.command == Prea && first.closes != 0)) result = t_.trp;
        if (p.command == Rda || p.command == Wra)
            result = first.closed + t_.trp - static_cast<int64_t>(p.clk);
    }
    if (p.command == Ref && c != Pde && c != Pdx) result = t_.trfc;
    if (p.command == Pdx && c != Pde) result = std::max(result, t_.txp);
    if (p.command == Pdx && c == Pde) result = t_.tcke;
    if (p.command == Pde && c == Pdx) result = t_.tcke;
    if (c == Pde && is_read(p.command)) result = t_.cl + t_.burst + t_.postamble;
    if (c == Pde && p.command == Wr) result = t_.write_end + t_.twr;
    if (c == Pde && p.command == Wra) result = t_.write_end + t_.twr + 1;
    return std::max<int64_t>(result, 1);
}

int64_t LegalStream::earliest(const CommandRecord& record) const {
    int64_t clk = now_ + 1;
    uint32_t acts = 0;
    for (const Past& p : past_) {
        const auto then = static_cast<int64_t>(p.record.clk);
        clk = std::max(clk, then + gap(p, record));
        const bool counts = p.record.command == Act && p.record.rank == record.rank;
        if (record.command == Act && counts && ++acts == 4) clk = std::max(clk, then + t_.tfaw);
    }
    return clk;
}

void LegalStream::note(const CommandRecord& record) {
    Past past{record, 0, record.command == Prea ? closed_by_prea(record.rank) : 0};
    const auto clk = static_cast<int64_t>(record.clk);
    now_ = clk;
    switch (record.command) {
        case Act:
            bank_of(record) = {true, record.row, clk};
            break;
        case Rda:
        case Wra: {
            BankState& state = bank_of(record);
            const int64_t recovery = record.command == Rda ? t_.trtp : t_.write_end + t_.twr;
            past.closed = std::max(clk + recovery, state.act + t_.tras);
            state.open = false;
            break;
        }
        case Pre:
            bank_of(record).open = false;
            break;
        case Prea: {
            const uint32_t n = spec_.organization.banks_per_rank();
            for (uint32_t i = 0; i < n; ++i) banks_[record.rank * n + i].open = false;
            break;
        }
        case Ref:
            ++refreshes_[record.rank];
            break;
        case Pde:
            down_[record.rank] = true;
            break;
        case Pdx:
            down_[record.rank] = false;
            break;
        default:
            break;
    }
    past_.push_front(past);
    while (static_cast<int64_t>(past_.back().record.clk) < now_ - 500) past_.pop_back();
}

std::vector<CommandRecord> LegalStream::make(size_t commands) {
    std::vector<CommandRecord> stream;
    while (stream.size() < commands) {
        CommandRecord record = choose();
        int64_t clk = earliest(record);
        if (pace_ == Pace::Loose && below(4) == 0) clk += below(60);
        record.clk = static_cast<uint64_t>(clk);
        note(record);
        stream.push_back(record);
    }
    return stream;
}

}  // namespace weir::dram_checker_test
