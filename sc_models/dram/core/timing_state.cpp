// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/dram/core/timing_state.h"

#include <stdexcept>

namespace weir::dram {
namespace {

constexpr CommandSet kRankWide = set_of(Command::Prea) | set_of(Command::Ref) |
                                 set_of(Command::Pde) | set_of(Command::Pdx) |
                                 set_of(Command::Mrs) | set_of(Command::Zqcl);

/// What PRE obeys or causes, PREA obeys or causes for each bank.
CommandSet with_precharge_all(CommandSet set) {
    return contains(set, Command::Pre) ? set | set_of(Command::Prea) : set;
}

void raise(PackedReady& ready, PackedReady to) {
    if (to > ready) ready = to;
}

}  // namespace

TimingState::TimingState(const Spec& spec) : banks_per_rank_(spec.organization.banks_per_rank()) {
    const Organization& o = spec.organization;
    if (spec.rules.size() >= 250)
        throw std::invalid_argument("standard " + spec.name + ": more than 249 rules");
    bank_ready_.resize(o.banks());
    group_ready_.resize(size_t{o.ranks} * o.bank_groups);
    rank_ready_.resize(o.ranks);
    banks_.resize(o.banks());
    open_banks_.resize(o.ranks);
    last_command_clk_.resize(o.ranks);
    for (uint32_t bank = 0; bank < o.banks(); ++bank) {
        group_of_.push_back(static_cast<uint8_t>(bank / o.banks_per_group));
        rank_of_.push_back(static_cast<uint8_t>(bank / banks_per_rank_));
    }
    for (uint32_t i = 0; i < spec.rules.size(); ++i) add_rule(spec.rules[i], i);
}

void TimingState::add_rule(const Rule& rule, uint32_t index) {
    const PackedReady add = (uint64_t{rule.clocks} << 8) | index;
    const CommandSet following = with_precharge_all(rule.following);
    const CommandSet preceding = with_precharge_all(rule.preceding);
    std::vector<uint8_t> after;
    for (uint32_t f = 0; f < kCommandCount; ++f)
        if (contains(following, static_cast<Command>(f))) after.push_back(static_cast<uint8_t>(f));
    if (rule.window > kWindowMax)
        throw std::invalid_argument("rule " + rule.name + ": window above 8");
    if (rule.window > 1) {
        windows_.push_back({after, rule.window, add, {}});
        windows_.back().rings.resize(rank_ready_.size());
    }
    for (uint32_t p = 0; p < kCommandCount; ++p) {
        if (!contains(preceding, static_cast<Command>(p))) continue;
        Effects& effects = effects_[p];
        if (rule.window > 1) {
            effects.windows.push_back(static_cast<uint32_t>(windows_.size() - 1));
            continue;
        }
        // A rank-wide command concerns every bank and group of its rank.
        const bool wide = contains(kRankWide, static_cast<Command>(p));
        for (const uint8_t f : after) {
            if (rule.level == Level::Bank && !wide)
                effects.on_bank.push_back({f, add});
            else if (rule.level == Level::BankGroup && !wide)
                effects.on_group.push_back({f, add});
            else if (rule.level != Level::OtherRanks)
                effects.on_rank.push_back({f, add});
            if (rule.level == Level::OtherRanks || rule.level == Level::Channel)
                effects.on_other_ranks.push_back({f, add});
        }
    }
}

PackedReady TimingState::rank_ready(Command command, uint32_t rank) const {
    PackedReady most = 0;
    const uint32_t first = first_bank_of(rank);
    for (uint32_t bank = first; bank < first + banks_per_rank_; ++bank) {
        const PackedReady one = ready(command, bank);
        if (one > most) most = one;
    }
    return most;
}

void TimingState::apply_window(Window& window, uint32_t rank, uint64_t clk) {
    Window::Ring& ring = window.rings[rank];
    ring.clk[ring.next] = clk;
    ring.next = ring.next + 1 == window.size ? 0 : ring.next + 1;
    if (ring.filled < window.size) ++ring.filled;
    if (ring.filled < window.size) return;
    // The slot that the next one will overwrite holds the n-th last.
    const PackedReady at = (ring.clk[ring.next] << 8) + window.add;
    for (const uint8_t f : window.following) raise(rank_ready_[rank][f], at);
}

void TimingState::close(uint32_t bank) {
    if (banks_[bank].open_row == kClosedRow) return;
    banks_[bank].open_row = kClosedRow;
    --open_banks_[rank_of_[bank]];
}

void TimingState::set_state(Command command, uint32_t bank, uint32_t row, uint64_t clk) {
    BankState& state = banks_[bank];
    switch (command) {
        case Command::Act:
            state.open_row = row;
            state.opened_clk = clk;
            ++open_banks_[rank_of_[bank]];
            return;
        case Command::Rd:
        case Command::Wr:
            state.last_column_clk = clk;
            return;
        case Command::Rda:
        case Command::Wra:
        case Command::Pre:
            close(bank);
            return;
        case Command::Prea: {
            const uint32_t first = first_bank_of(rank_of_[bank]);
            for (uint32_t b = first; b < first + banks_per_rank_; ++b) close(b);
            return;
        }
        default:
            return;
    }
}

void TimingState::issue(Command command, uint32_t bank, uint32_t row, uint64_t clk) {
    const Effects& effects = effects_[static_cast<uint32_t>(command)];
    const uint32_t rank = rank_of_[bank];
    const PackedReady base = clk << 8;
    Row& own = bank_ready_[bank];
    for (const Update& u : effects.on_bank) raise(own[u.following], base + u.add);
    Row& group = group_ready_[group_of_[bank]];
    for (const Update& u : effects.on_group) raise(group[u.following], base + u.add);
    Row& whole = rank_ready_[rank];
    for (const Update& u : effects.on_rank) raise(whole[u.following], base + u.add);
    if (rank_ready_.size() > 1 && !effects.on_other_ranks.empty()) [[unlikely]]
        for (uint32_t other = 0; other < rank_ready_.size(); ++other) {
            if (other == rank) continue;
            for (const Update& u : effects.on_other_ranks)
                raise(rank_ready_[other][u.following], base + u.add);
        }
    for (const uint32_t w : effects.windows) apply_window(windows_[w], rank, clk);
    last_command_clk_[rank] = clk;
    set_state(command, bank, row, clk);
}

}  // namespace weir::dram
