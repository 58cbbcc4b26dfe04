// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Loosely timed service: the commands of a run of bursts at once, from the same bank state and the
// same rules, without queues. Callers run ahead of time, each by up to a quantum, and a real
// controller serves banks out of order; so what banks share is booked in calendars, which give
// every arrival the first room that is free for it, and never the same room twice:
// - the data bus, in pieces of a run, so that a long one can be interleaved;
// - activates of a rank: one takes a share of the four-activate window, at least tRRD;
// - column commands of a bank group, where its gap is longer than a burst.
// What concerns one bank is exact, for arrivals in order of time. A run that begins before one that
// its bank has served already ("late") finds the row as it is, and only its own latencies count.
// Leaves out: the command bus, turnaround of the data bus, idle-time accounts; commands are not
// told to observers.
#include "sc_models/dram/core/channel.h"

#include <algorithm>

namespace weir::dram {

/// From the rules: the spacing of bursts to one row, and the share of a rank's time that one
/// activate takes.
void Channel::prepare_loose() {
    loose_groups_.resize(size_t{spec_.organization.ranks} * spec_.organization.bank_groups);
    for (const Direction d : {Direction::Read, Direction::Write}) {
        const Command column = d == Direction::Read ? Command::Rd : Command::Wr;
        uint32_t spacing = spec_.organization.burst_clocks();
        for (const Rule& rule : spec_.rules)
            if (rule.window == 1 && rule.level != Level::OtherRanks &&
                contains(rule.preceding, column) && contains(rule.following, column))
                spacing = std::max(spacing, rule.clocks);
        loose_spacing_[static_cast<uint32_t>(d)] = spacing;
    }
    uint64_t halves = 1;
    for (const Rule& rule : spec_.rules)
        if (rule.level == Level::Rank && contains(rule.preceding, Command::Act) &&
            contains(rule.following, Command::Act))
            halves = std::max<uint64_t>(halves, 2ull * rule.clocks / rule.window);
    loose_activate_halves_ = halves;
}

/// Lets refresh or power-down of the bank come to its end.
void Channel::unblock(uint32_t bank) {
    const uint64_t bit = uint64_t{1} << bank;
    const uint32_t rank = timing_.rank_of(bank);
    ++ranks_[rank].waiting;
    busy_ranks_ |= uint64_t{1} << rank;
    run(clk_);
    while (blocked_ & bit) run(next_clk_);
    --ranks_[rank].waiting;
}

/// The clock of an activate that may go at `clk` as far as its bank is concerned.
uint64_t Channel::book_activate(uint32_t rank, uint64_t clk) {
    // In half clocks: four activates in an even window take an odd number of them each.
    return (ranks_[rank].loose_activates.reserve(clk * 2, loose_activate_halves_) + 1) / 2;
}

Channel::LooseStart Channel::start_loosely(const LooseRun& run) {
    const uint32_t bank = run.place.flat_bank;
    BankState& state = timing_.bank(bank);
    const uint32_t rank = timing_.rank_of(bank);
    const bool hit = state.open_row == run.place.row;
    const bool open = state.open_row != kClosedRow;
    const Turn turn = hit ? Turn::Hit : open ? Turn::Conflict : Turn::Miss;
    if (run.clk < state.last_arrival_clk) {
        if (hit) return {run.clk, turn, true, 0};
        const uint64_t activate_clk = book_activate(rank, run.clk + (open ? spec_.trp_clocks : 0));
        timing_.reopen(bank, run.place.row);
        return {activate_clk + spec_.trcd_clocks, turn, true, 0};
    }
    state.last_arrival_clk = run.clk;
    const auto ready = [&](Command command) { return clk_of(timing_.bank_ready(command, bank)); };
    // A refresh that has begun, or a power-down that has ended, holds the whole rank.
    const Rank& r = ranks_[rank];
    uint64_t clk = run.clk;
    if (clk >= r.held_begin_clk) clk = std::max(clk, r.held_end_clk);
    clk = std::max(clk, r.awake_clk);
    const uint64_t held_clocks = clk - run.clk;
    if (!hit) {
        if (open) {
            clk = std::max(clk, ready(Command::Pre));
            timing_.issue(Command::Pre, bank, kNoField, clk);
            ++stats_.commands[static_cast<uint32_t>(Command::Pre)];
        }
        clk = book_activate(rank, std::max(clk, ready(Command::Act)));
        timing_.issue(Command::Act, bank, run.place.row, clk);
        ++stats_.commands[static_cast<uint32_t>(Command::Act)];
        watch_row(bank);
    }
    const bool write = run.direction == Direction::Write;
    clk = std::max(clk, ready(write ? Command::Wr : Command::Rd));
    return {clk, turn, false, held_clocks};
}

LatencyParts Channel::count_loosely(const LooseRun& run, uint64_t latency,
                                    const LooseStart& start) {
    const Turn turn = start.turn;
    const bool write = run.direction == Direction::Write;
    DirectionStats& stats = write ? stats_.write : stats_.read;
    stats.requests += run.bursts;
    stats.latency.add(latency);
    const uint64_t bus = run.bursts * uint64_t{spec_.organization.burst_clocks()};
    uint64_t work = write ? spec_.cwl_clocks : spec_.cl_clocks;
    if (turn != Turn::Hit) work += spec_.trcd_clocks;
    if (turn == Turn::Conflict) work += spec_.trp_clocks;
    const uint64_t bank = std::min(work, latency - bus);
    LatencyParts parts;
    parts.bus = bus;
    parts.bank = bank;
    parts.refresh = std::min(start.held_clocks, latency - bus - bank);
    parts.queue = latency - bus - bank - parts.refresh;
    stats.parts += parts;
    stats_.row_hits += run.bursts - (turn != Turn::Hit);
    stats_.row_misses += turn == Turn::Miss;
    stats_.row_conflicts += turn == Turn::Conflict;
    stats_.data_bus_clocks += bus;
    const Command column = write ? Command::Wr : Command::Rd;
    stats_.commands[static_cast<uint32_t>(column)] += run.bursts;
    return parts;
}

Channel::BusSpan Channel::book_bus(const LooseRun& run, uint64_t wanted_clk, uint64_t spacing) {
    constexpr uint32_t kPieceBursts = 8;
    const uint64_t burst_clocks = spec_.organization.burst_clocks();
    BusyCalendar* const group =
        spacing > burst_clocks
            ? &loose_groups_[run.place.flat_bank / spec_.organization.banks_per_group]
            : nullptr;
    if (group == nullptr && loose_bus_.is_last(wanted_clk)) {
        // Behind all others the pieces would only stand side by side.
        const uint64_t clocks = run.bursts * burst_clocks;
        const uint64_t begin_clk = loose_bus_.reserve(wanted_clk, clocks);
        return {begin_clk, begin_clk + clocks};
    }
    BusSpan span{kNever, wanted_clk};
    for (uint32_t left = run.bursts; left != 0;) {
        const uint32_t piece = std::min(left, kPieceBursts);
        uint64_t begin_clk = span.end_clk;
        // Its bursts leave gaps that other groups fill: the bus is booked for the data alone.
        if (group != nullptr) begin_clk = group->reserve(begin_clk, piece * spacing);
        begin_clk = loose_bus_.reserve(begin_clk, piece * burst_clocks);
        span.begin_clk = std::min(span.begin_clk, begin_clk);
        span.end_clk = begin_clk + piece * spacing;
        left -= piece;
    }
    span.end_clk -= spacing - burst_clocks;
    return span;
}

Channel::LooseResult Channel::serve_loosely(const LooseRun& run) {
    if (maintenance_clk_ < run.clk) [[unlikely]]
        settle(run.clk);
    const uint32_t bank = run.place.flat_bank;
    if (blocked_ >> bank & 1) [[unlikely]]
        unblock(bank);
    clk_ = std::max(clk_, run.clk);
    stats_.first_arrival_clk = std::min(stats_.first_arrival_clk, run.clk);
    const bool write = run.direction == Direction::Write;
    const LooseStart start = start_loosely(run);
    uint64_t column_clk = start.column_clk;
    const uint64_t burst_clocks = spec_.organization.burst_clocks();
    const uint64_t spacing = loose_spacing_[write];
    const uint64_t span = (run.bursts - 1) * spacing;
    const uint64_t wanted_clk = column_clk + (write ? spec_.cwl_clocks : spec_.cl_clocks);
    const BusSpan bus = book_bus(run, wanted_clk, spacing);
    column_clk += bus.begin_clk - wanted_clk;
    const uint64_t last_clk =
        std::max(column_clk + span, bus.end_clk - (wanted_clk - start.column_clk) - burst_clocks);
    if (!start.late) {
        const Command column = write ? Command::Wr : Command::Rd;
        // The last column command of the run binds whatever the earlier ones would.
        timing_.issue(column, bank, run.place.row, last_clk);
        page_->on_turn(bank, run.place.row);
        // A row that the policy would close with this access stays open for what comes before its
        // last data: with a queue, that would have been seen waiting.
        closing_ &= ~(uint64_t{1} << bank);
        close_clk_[bank] =
            page_->auto_precharge(bank, false) ? bus.end_clk : page_->close_clk(timing_.bank(bank));
        maintenance_clk_ = std::min(maintenance_clk_, close_clk_[bank]);
    }
    const uint64_t end_clk = bus.end_clk;
    stats_.last_data_clk = std::max(stats_.last_data_clk, end_clk);
    return {end_clk, count_loosely(run, end_clk - run.clk, start)};
}

}  // namespace weir::dram
