// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Loosely timed service: the commands of a run of bursts at once, from the same bank state and the
// same rules, without queues. Callers run ahead of time, each by up to a quantum, so a run may lie
// before what was served already ("late"):
// - in order: precharge, activate and first column command at the clocks that the rules give.
// - late for its rank: as before, but rules across banks are left out: those commands lie ahead.
// - late for its bank: the row as it is found, its own latencies, and nothing else.
// The data bus takes every order exactly: it is booked in a calendar and never carries two bursts.
// Leaves out: the command bus; idle-time accounts; commands are not told to observers.
#include "sc_models/dram/core/channel.h"

#include <algorithm>

namespace weir::dram {

/// Lets refresh or power-down of the bank come to its end.
void Channel::unblock(uint32_t bank) {
    const uint64_t bit = uint64_t{1} << bank;
    const uint32_t rank = timing_.rank_of(bank);
    ++ranks_[rank].waiting;
    busy_ranks_ |= 1u << rank;
    run(clk_);
    while (blocked_ & bit) run(next_clk_);
    --ranks_[rank].waiting;
}

Channel::LooseStart Channel::start_loosely(const LooseRun& run) {
    const uint32_t bank = run.place.flat_bank;
    BankState& state = timing_.bank(bank);
    const uint32_t rank = timing_.rank_of(bank);
    const bool hit = state.open_row == run.place.row;
    const bool open = state.open_row != kClosedRow;
    const Turn turn = hit ? Turn::Hit : open ? Turn::Conflict : Turn::Miss;
    if (run.clk < state.last_arrival_clk) {
        if (hit) return {run.clk, turn, true};
        const uint64_t column_clk = run.clk + spec_.trcd_clocks + (open ? spec_.trp_clocks : 0);
        timing_.reopen(bank, run.place.row);
        return {column_clk, turn, true};
    }
    state.last_arrival_clk = run.clk;
    Rank& r = ranks_[rank];
    const bool rank_late = run.clk < r.last_arrival_clk;
    if (!rank_late) r.last_arrival_clk = run.clk;
    const auto ready = [&](Command command) {
        return clk_of(rank_late ? timing_.bank_ready(command, bank) : timing_.ready(command, bank));
    };
    uint64_t clk = run.clk;
    if (!hit) {
        if (open) {
            clk = std::max(clk, ready(Command::Pre));
            timing_.issue(Command::Pre, bank, kNoField, clk);
            ++stats_.commands[static_cast<uint32_t>(Command::Pre)];
        }
        clk = std::max(clk, ready(Command::Act));
        timing_.issue(Command::Act, bank, run.place.row, clk);
        ++stats_.commands[static_cast<uint32_t>(Command::Act)];
        watch_row(bank);
    }
    const bool write = run.direction == Direction::Write;
    return {std::max(clk, ready(write ? Command::Wr : Command::Rd)), turn, false};
}

void Channel::count_loosely(const LooseRun& run, uint64_t latency, Turn turn) {
    const bool write = run.direction == Direction::Write;
    DirectionStats& stats = write ? stats_.write : stats_.read;
    stats.requests += run.bursts;
    stats.latency.add(latency);
    const uint64_t bus = run.bursts * uint64_t{spec_.organization.burst_clocks()};
    uint64_t work = write ? spec_.cwl_clocks : spec_.cl_clocks;
    if (turn != Turn::Hit) work += spec_.trcd_clocks;
    if (turn == Turn::Conflict) work += spec_.trp_clocks;
    const uint64_t bank = std::min(work, latency - bus);
    stats.parts.bus += bus;
    stats.parts.bank += bank;
    stats.parts.queue += latency - bus - bank;
    stats_.row_hits += run.bursts - (turn != Turn::Hit);
    stats_.row_misses += turn == Turn::Miss;
    stats_.row_conflicts += turn == Turn::Conflict;
    stats_.data_bus_clocks += bus;
    const Command column = write ? Command::Wr : Command::Rd;
    stats_.commands[static_cast<uint32_t>(column)] += run.bursts;
}

/// Books the bursts in pieces, so that a run that comes late finds room between others, as it would
/// if its column commands had gone out among theirs.
Channel::BusSpan Channel::book_bus(uint64_t wanted_clk, uint32_t bursts, uint64_t spacing) {
    constexpr uint32_t kPieceBursts = 8;
    BusSpan span{kNever, wanted_clk};
    while (bursts != 0) {
        const uint32_t piece = std::min(bursts, kPieceBursts);
        const uint64_t clocks = piece * spacing;
        const uint64_t begin_clk = loose_bus_.reserve(span.end_clk, clocks);
        span.begin_clk = std::min(span.begin_clk, begin_clk);
        span.end_clk = begin_clk + clocks;
        bursts -= piece;
    }
    span.end_clk -= spacing - spec_.organization.burst_clocks();
    return span;
}

uint64_t Channel::serve_loosely(const LooseRun& run) {
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
    const BusSpan bus = book_bus(wanted_clk, run.bursts, spacing);
    column_clk += bus.begin_clk - wanted_clk;
    const uint64_t last_clk =
        std::max(column_clk + span, bus.end_clk - (wanted_clk - start.column_clk) - burst_clocks);
    if (!start.late) {
        const bool close = page_->auto_precharge(bank, false);
        const Command plain = write ? Command::Wr : Command::Rd;
        const Command last = close ? (write ? Command::Wra : Command::Rda) : plain;
        if (run.bursts > 1) timing_.issue(plain, bank, run.place.row, column_clk);
        timing_.issue(last, bank, run.place.row, last_clk);
        page_->on_turn(bank, run.place.row);
        close_clk_[bank] = page_->close_clk(timing_.bank(bank));
        maintenance_clk_ = std::min(maintenance_clk_, close_clk_[bank]);
    }
    const uint64_t end_clk = bus.end_clk;
    stats_.last_data_clk = std::max(stats_.last_data_clk, end_clk);
    count_loosely(run, end_clk - run.clk, start.turn);
    return end_clk;
}

}  // namespace weir::dram
