// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Which command goes next, and when.
#include "sc_models/dram/core/channel.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

namespace weir::dram {
namespace {

// A key orders commands of the same clock, the smallest first: a class, and below it the order of
// admission. 41 bits of order are two million million requests.
constexpr uint32_t kOrderBits = 41;
constexpr uint32_t kKeyBits = kOrderBits + 3;
constexpr uint64_t kMaintenanceKey = 0;
constexpr uint64_t kAgedKey = uint64_t{1} << kOrderBits;
constexpr uint64_t kColumnKey = uint64_t{2} << kOrderBits;
constexpr uint64_t kRowKey = uint64_t{3} << kOrderBits;
constexpr uint64_t kClosingKey = uint64_t{4} << kOrderBits;
// Commands further away than this are compared by key alone; no rule is near as long.
constexpr uint64_t kFarClocks = (uint64_t{1} << (64 - kKeyBits)) - 1;
// That long without any column command is a fault of ours: the longest queues, all conflicts at
// tRC, take a fraction of it.
constexpr uint64_t kStuckClocks = 50'000'000;

uint32_t lowest(uint64_t mask) {
    return static_cast<uint32_t>(std::countr_zero(mask));
}

}  // namespace

EntryIndex Channel::older_of(EntryIndex a, EntryIndex b) const {
    if (a == kNoEntry) return b;
    if (b == kNoEntry) return a;
    return queue_.at(a).order < queue_.at(b).order ? a : b;
}

/// The wanted command of a bank whose row is open for `hit`, or must change for `oldest`.
Channel::Want Channel::column_or_row(uint32_t bank, EntryIndex hit, EntryIndex oldest) const {
    const uint32_t open_row = timing_.bank(bank).open_row;
    const bool age_first = aged_ == oldest && hit != oldest;
    if (hit == kNoEntry || age_first) {
        const Command command = open_row == kClosedRow ? Command::Act : Command::Pre;
        const uint64_t key = oldest == aged_ ? kAgedKey : kRowKey;
        return {command, oldest, key + queue_.at(oldest).order};
    }
    const Entry* entry = &queue_.at(hit);
    if (entry->direction == Direction::Write) {
        // An older read of the same burst must see what was there before.
        const EntryIndex read = queue_.find_burst(Direction::Read, bank, entry->row, entry->burst);
        if (read != kNoEntry && queue_.at(read).order < entry->order) {
            hit = read;
            entry = &queue_.at(hit);
        }
    }
    const uint64_t key = hit == aged_ ? kAgedKey : traits_.hits_first ? kColumnKey : kRowKey;
    const bool write = entry->direction == Direction::Write;
    return {write ? Command::Wr : Command::Rd, hit, key + entry->order};
}

Channel::Want Channel::want_of(uint32_t bank) const {
    const uint64_t bit = uint64_t{1} << bank;
    if (blocked_ & bit) return {};
    const uint32_t open_row = timing_.bank(bank).open_row;
    if ((must_close_ & bit) && open_row != kClosedRow)
        return {Command::Pre, kNoEntry, kMaintenanceKey};
    EntryIndex oldest = kNoEntry;
    EntryIndex hit = kNoEntry;
    if (traits_.only_oldest) {
        if (oldest_ == kNoEntry || queue_.at(oldest_).bank != bank) return {};
        oldest = oldest_;
        if (queue_.at(oldest).row == open_row) hit = oldest;
    } else {
        for (const Direction d : {Direction::Read, Direction::Write}) {
            if (!serves(d)) continue;
            const EntryIndex first = queue_.first(d, bank);
            if (first == kNoEntry) continue;
            oldest = older_of(oldest, first);
            if (open_row != kClosedRow) hit = older_of(hit, queue_.find_row(first, open_row));
        }
        if (oldest == kNoEntry) return {};
    }
    return column_or_row(bank, hit, oldest);
}

void Channel::update_wants() {
    for (uint64_t mask = dirty_; mask != 0; mask &= mask - 1) {
        const uint32_t bank = lowest(mask);
        const Want want = want_of(bank);
        wants_[bank] = want;
        // Only commands to the bank itself change these, and they make it dirty.
        want_command_[bank] = want.command;
        want_key_[bank] = want.key;
        want_own_ready_[bank] = timing_.bank_ready(want.command, bank);
        const uint64_t bit = uint64_t{1} << bank;
        const bool forced = want.entry == kNoEntry && want.command == Command::Pre;
        if (want.entry != kNoEntry || forced)
            wanting_ |= bit;
        else
            wanting_ &= ~bit;
    }
    dirty_ = 0;
}

/// Direction and age: what may have changed since the last command.
void Channel::update_service() {
    const EntryIndex oldest = queue_.oldest();
    if (traits_.only_oldest && oldest != oldest_) {
        dirty_ |= work_ | wanting_;
        oldest_ = oldest;
    }
    EntryIndex aged = kNoEntry;
    if (oldest != kNoEntry) {
        const uint64_t admitted_clk = queue_.at(oldest).admitted_clk;
        if (age_cap_clocks_ != 0 && clk_ > admitted_clk + age_cap_clocks_) [[unlikely]]
            aged = oldest;
        // Without an age cap one request may starve; that nobody is served is a fault of ours.
        if (clk_ > std::max(admitted_clk, last_column_clk_) + kStuckClocks) [[unlikely]]
            throw std::logic_error("SDRAM channel: stuck: " + describe_oldest());
    }
    Serve serve =
        scheduler_->serve({queue_.count(Direction::Read), queue_.count(Direction::Write)});
    if (aged != kNoEntry)
        serve = queue_.at(aged).direction == Direction::Read ? Serve::Reads : Serve::Writes;
    if (serve == serve_ && aged == aged_) return;
    serve_ = serve;
    aged_ = aged;
    dirty_ |= work_;
}

void Channel::consider(Choice& best, const Choice& other) const {
    if (other.clk < best.clk || (other.clk == best.clk && other.key < best.key)) best = other;
}

void Channel::pick_for_rank(Choice& best, uint32_t rank) const {
    const Rank& r = ranks_[rank];
    const uint32_t first = timing_.first_bank_of(rank);
    Choice choice;
    choice.key = kMaintenanceKey;
    choice.bank = first;
    if (r.powered_down) {
        const bool row_too_long = (must_close_ & bank_mask_of_rank(rank)) != 0;
        if (!r.draining && r.waiting == 0 && !row_too_long) return;
        choice.command = Command::Pdx;
        choice.ready = timing_.rank_ready(Command::Pdx, rank);
    } else if (r.draining && r.demand.command == Command::Ref) {
        choice.command = timing_.open_banks(rank) != 0 ? Command::Prea : Command::Ref;
        choice.ready = timing_.rank_ready(choice.command, rank);
    } else if (r.draining) {
        choice.bank = first + r.demand.bank_in_rank;
        const bool open = timing_.bank(choice.bank).open_row != kClosedRow;
        choice.command = open ? Command::Pre : Command::Refpb;
        choice.ready = timing_.ready(choice.command, choice.bank);
    } else if (power_down_after_clocks_ != 0 && r.waiting == 0 &&
               (must_close_ & bank_mask_of_rank(rank)) == 0) {
        choice.key = kClosingKey;
        choice.command = Command::Pde;
        choice.ready = timing_.rank_ready(Command::Pde, rank);
    } else {
        return;
    }
    choice.clk = clk_of(choice.ready) > clk_ ? clk_of(choice.ready) : clk_;
    consider(best, choice);
}

void Channel::pick_maintenance(Choice& best) const {
    for (uint64_t mask = busy_ranks_; mask != 0; mask &= mask - 1)
        pick_for_rank(best, lowest(mask));
    for (uint64_t mask = closing_ & ~blocked_; mask != 0; mask &= mask - 1) {
        Choice choice;
        choice.bank = lowest(mask);
        choice.command = Command::Pre;
        choice.ready = timing_.ready(Command::Pre, choice.bank);
        choice.clk = clk_of(choice.ready) > clk_ ? clk_of(choice.ready) : clk_;
        choice.key = kClosingKey + choice.bank;
        consider(best, choice);
    }
}

/// The wanted command that may go first; of several at one clock the one with the smallest key.
Channel::Choice Channel::pick_wanted() const {
    // One number to compare, and no branch on it: this loop is half of the cost of a request.
    uint64_t best_score = ~uint64_t{0};
    uint64_t best_bank = 0;
    for (uint64_t mask = wanting_; mask != 0; mask &= mask - 1) {
        const uint32_t bank = lowest(mask);
        const PackedReady shared = timing_.shared_ready(want_command_[bank], bank);
        const PackedReady own = want_own_ready_[bank];
        const uint64_t ready_clk = clk_of(own > shared ? own : shared);
        uint64_t wait_clocks = ready_clk > clk_ ? ready_clk - clk_ : 0;
        wait_clocks = wait_clocks < kFarClocks ? wait_clocks : kFarClocks;
        const uint64_t score = (wait_clocks << kKeyBits) | want_key_[bank];
        const bool better = score < best_score;
        best_score = better ? score : best_score;
        best_bank = better ? bank : best_bank;
    }
    Choice best;
    if (best_score == ~uint64_t{0}) return best;
    best.bank = static_cast<uint32_t>(best_bank);
    const Want& want = wants_[best.bank];
    best.key = want.key;
    best.command = want.command;
    best.entry = want.entry;
    best.ready = timing_.ready(want.command, best.bank);
    best.clk = clk_of(best.ready) > clk_ ? clk_of(best.ready) : clk_;
    return best;
}

Channel::Choice Channel::pick() {
    update_service();
    if (dirty_ != 0) update_wants();
    Choice best = pick_wanted();
    if (maintenance_wanted()) [[unlikely]]
        pick_maintenance(best);
    return best;
}

}  // namespace weir::dram
