// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What a channel does without being asked: refresh, closing rows, power-down; and the accounts of
// its states.
#include "sc_models/dram/core/channel.h"

#include <algorithm>
#include <bit>

namespace weir::dram {
/// The time that refreshes have held the rank up to clk.
uint64_t Channel::held_clocks(uint32_t rank, uint64_t clk) const {
    const Rank& r = ranks_[rank];
    const uint64_t end = std::min(clk, r.held_end_clk);
    return r.held_before + (end > r.held_begin_clk ? end - r.held_begin_clk : 0);
}

/// The banks that the refresh under way or due concerns.
uint64_t Channel::covered_banks(uint32_t rank) const {
    const RefreshDemand& demand = ranks_[rank].demand;
    if (demand.command == Command::Ref) return bank_mask_of_rank(rank);
    return uint64_t{1} << (timing_.first_bank_of(rank) + demand.bank_in_rank);
}

void Channel::begin_refresh(uint32_t rank, const RefreshDemand& demand) {
    Rank& r = ranks_[rank];
    r.draining = true;
    r.demand = demand;
    busy_ranks_ |= uint64_t{1} << rank;
    const uint64_t banks = covered_banks(rank);
    blocked_ |= banks;
    dirty_ |= banks;
    // One bank of many holds nobody else up: only an all-bank refresh is accounted as such.
    if (demand.command != Command::Ref) return;
    r.held_before += r.held_end_clk > r.held_begin_clk ? r.held_end_clk - r.held_begin_clk : 0;
    // It may begin before the last one's tRFC is over, when several are owed.
    r.held_begin_clk = std::max(clk_, r.held_end_clk);
    r.held_end_clk = kNever;
}

void Channel::refresh_sent(uint32_t rank, uint64_t clk) {
    Rank& r = ranks_[rank];
    r.draining = false;
    const uint64_t banks = covered_banks(rank);
    blocked_ &= ~banks;
    dirty_ |= banks;
    if (r.demand.command == Command::Ref) r.held_end_clk = clk + spec_.trfc_clocks;
    refresh_->done(rank);
    maintenance_clk_ = std::min(maintenance_clk_, clk + 1);
}

void Channel::rank_command_sent(Command command, uint32_t rank, uint64_t clk) {
    Rank& r = ranks_[rank];
    const uint64_t banks = bank_mask_of_rank(rank);
    busy_ranks_ &= ~(uint64_t{1} << rank);
    switch (command) {
        case Command::Ref:
        case Command::Refpb:
            refresh_sent(rank, clk);
            r.idle_since_clk = std::max(r.idle_since_clk, clk);
            break;
        case Command::Pde:
            r.powered_down = true;
            r.powered_down_since_clk = clk;
            // Time asleep is not active time, whatever is open.
            if (timing_.open_banks(rank) != 0)
                stats_.active_clocks[rank] += clk - r.active_since_clk;
            blocked_ |= banks;
            dirty_ |= banks;
            break;
        case Command::Pdx:
            r.powered_down = false;
            count_power_down(rank, clk);
            r.idle_since_clk = clk;
            r.active_since_clk = clk;
            r.awake_clk = clk + spec_.txp_clocks;
            blocked_ &= ~banks;
            dirty_ |= banks;
            if (r.draining) {  // the refresh that woke it goes on
                busy_ranks_ |= uint64_t{1} << rank;
                blocked_ |= covered_banks(rank);
            }
            maintenance_clk_ = std::min(maintenance_clk_, clk + 1);
            break;
        default:
            break;
    }
}

void Channel::watch_row(uint32_t bank) {
    if (spec_.tras_max_clocks == 0) return;
    maintenance_clk_ =
        std::min(maintenance_clk_,
                 timing_.bank(bank).opened_clk + spec_.tras_max_clocks - kRowLimitMarginClocks);
}

void Channel::maintain_rank(uint32_t rank) {
    Rank& r = ranks_[rank];
    // Asked even while one is under way: the next may become due meanwhile.
    const RefreshDemand demand = refresh_->demand(rank, clk_);
    const bool wanted =
        demand.urgency == Urgency::Now || (demand.urgency == Urgency::WhenIdle && r.waiting == 0);
    if (wanted && !r.draining) begin_refresh(rank, demand);
    maintenance_clk_ = std::min(maintenance_clk_, refresh_->next_clk(rank));
    if (power_down_after_clocks_ == 0 || r.powered_down || r.draining || r.waiting != 0) return;
    const uint64_t since_clk = std::max(r.idle_since_clk, timing_.last_command_clk(rank));
    const uint64_t down_clk = since_clk + power_down_after_clocks_;
    if (clk_ >= down_clk)
        busy_ranks_ |= uint64_t{1} << rank;
    else
        maintenance_clk_ = std::min(maintenance_clk_, down_clk);
}

void Channel::maintain_rows() {
    for (uint32_t bank = 0; bank < timing_.bank_count(); ++bank) {
        const BankState& state = timing_.bank(bank);
        if (state.open_row == kClosedRow) continue;
        const uint64_t bit = uint64_t{1} << bank;
        if (close_clk_[bank] <= clk_ && !(work_ & bit)) closing_ |= bit;
        if (close_clk_[bank] > clk_)
            maintenance_clk_ = std::min(maintenance_clk_, close_clk_[bank]);
        if (spec_.tras_max_clocks == 0) continue;
        const uint64_t limit_clk = state.opened_clk + spec_.tras_max_clocks - kRowLimitMarginClocks;
        if (clk_ >= limit_clk) {
            must_close_ |= bit;
            dirty_ |= bit;
            // A rank that sleeps with an open row must wake to close it.
            if (ranks_[timing_.rank_of(bank)].powered_down)
                busy_ranks_ |= uint64_t{1} << timing_.rank_of(bank);
        } else {
            maintenance_clk_ = std::min(maintenance_clk_, limit_clk);
        }
    }
}

void Channel::maintain() {
    maintenance_clk_ = kNever;
    for (uint32_t rank = 0; rank < ranks_.size(); ++rank) maintain_rank(rank);
    maintain_rows();
}

void Channel::count_open(uint32_t rank, uint64_t clk, bool was_open) {
    const bool open = timing_.open_banks(rank) != 0;
    if (open == was_open) return;
    if (open)
        ranks_[rank].active_since_clk = clk;
    else
        stats_.active_clocks[rank] += clk - ranks_[rank].active_since_clk;
}

void Channel::count_power_down(uint32_t rank, uint64_t clk) {
    Rank& r = ranks_[rank];
    const uint64_t clocks = clk - std::min(clk, r.powered_down_since_clk);
    stats_.power_down_clocks += clocks;
    if (timing_.open_banks(rank) != 0) stats_.power_down_active_clocks += clocks;
    r.powered_down_since_clk = clk;
}

void Channel::close_accounts(uint64_t clk) {
    clk = std::max(clk, clk_);
    for (uint32_t rank = 0; rank < ranks_.size(); ++rank) {
        Rank& r = ranks_[rank];
        if (r.powered_down) {
            count_power_down(rank, clk);
        } else if (timing_.open_banks(rank) != 0) {
            stats_.active_clocks[rank] += clk - std::min(clk, r.active_since_clk);
            r.active_since_clk = clk;
        }
    }
}

}  // namespace weir::dram
