// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/dram/core/channel.h"

#include "sc_models/dram/core/check_config.h"

#include <algorithm>
#include <stdexcept>

namespace weir::dram {
namespace {

constexpr uint8_t kFollowsPrecharge = 1;
constexpr uint8_t kFollowsActivate = 2;

ControllerConfig checked(const ControllerConfig& config) {
    check_config(config);
    return config;
}

uint8_t wait_code(Wait wait) {
    return static_cast<uint8_t>(wait);
}

}  // namespace

Channel::Channel(const ControllerConfig& config)
    : spec_(checked(config).spec),
      timing_(spec_),
      queue_(spec_.organization.banks(),
             {config.scheduler.read_queue_entries, config.scheduler.write_queue_entries}),
      scheduler_(make_scheduler(config.scheduler)),
      page_(make_page_policy(config.page)),
      refresh_(make_refresh(config)),
      traits_(scheduler_->traits()),
      age_cap_clocks_(config.scheduler.age_cap_clocks),
      power_down_after_clocks_(config.power_down_after_clocks),
      wants_(spec_.organization.banks()),
      want_command_(spec_.organization.banks()),
      want_own_ready_(spec_.organization.banks()),
      want_key_(spec_.organization.banks()),
      roots_(spec_.organization.banks()),
      close_clk_(spec_.organization.banks(), kNever),
      ranks_(spec_.organization.ranks) {
    const CommandSet precharges = set_of(Command::Pre) | set_of(Command::Prea);
    for (const Rule& rule : spec_.rules) {
        uint8_t follows = 0;
        if ((rule.preceding & precharges) && contains(rule.following, Command::Act))
            follows |= kFollowsPrecharge;
        if (contains(rule.preceding, Command::Act) && contains(rule.following, Command::Rd))
            follows |= kFollowsActivate;
        rule_follows_.push_back(follows);
    }
    stats_.active_clocks.resize(ranks_.size());
    stats_.first_arrival_clk = kNever;
    completions_.reserve(8);
    prepare_loose();
    if (config.power_up) power_up();
}

void Channel::power_up() {
    for (const PowerUpStep& step : spec_.power_up) {
        for (uint32_t rank = 0; rank < ranks_.size(); ++rank) {
            Choice choice;
            choice.command = step.command;
            choice.bank = timing_.first_bank_of(rank);
            choice.ready = timing_.rank_ready(step.command, rank);
            choice.clk = std::max(clk_ + (rank == 0 ? step.wait_clocks : 0), clk_of(choice.ready));
            timing_.issue(step.command, choice.bank, kNoField, choice.clk);
            ++stats_.commands[static_cast<uint32_t>(step.command)];
            pending_power_up_.push_back({choice.clk, step.command, rank});
            clk_ = choice.clk + 1;
        }
    }
    bus_free_clk_ = empty_since_clk_ = clk_;
    refresh_->begin(clk_);
}

void Channel::add_observer(CommandObserver& observer) {
    observers_.push_back(&observer);
    for (const PowerUpRecord& record : pending_power_up_)
        observer.on_command({record.clk, record.command, record.rank});
}

uint64_t Channel::bank_mask_of_rank(uint32_t rank) const {
    const uint32_t banks = timing_.banks_per_rank();
    const uint64_t ones = banks == 64 ? ~uint64_t{0} : (uint64_t{1} << banks) - 1;
    return ones << timing_.first_bank_of(rank);
}

/// Nothing was sent before clk; the clocks in between had no request.
void Channel::touch_clk(uint64_t clk) {
    if (clk > clk_) clk_ = clk;
}

bool Channel::forward(const Burst& burst, uint64_t clk) {
    const Place& place = burst.place;
    if (queue_.count(Direction::Write) == 0) return false;
    if (queue_.find_burst(Direction::Write, place.flat_bank, place.row, place.burst) == kNoEntry)
        return false;
    // The data are in the controller: they only have to move to the requester.
    const uint64_t end_clk = clk + spec_.organization.burst_clocks();
    const uint64_t latency = end_clk - burst.arrival_clk;
    const LatencyParts parts{latency - spec_.organization.burst_clocks(), 0,
                             spec_.organization.burst_clocks(), 0};
    ++stats_.forwarded_reads;
    ++stats_.read.requests;
    stats_.read.latency.add(latency);
    stats_.read.parts += parts;
    stats_.last_data_clk = std::max(stats_.last_data_clk, end_clk);
    completions_.push_back({burst.token, burst.direction, end_clk, latency, parts});
    return true;
}

void Channel::push(const Burst& burst, uint64_t clk) {
    if (clk > clk_) {
        if (queue_.total() == 0) settle(clk);
        touch_clk(clk);
    }
    clk = std::max(clk, queue_.total() == 0 ? clk_ : clk);
    stats_.first_arrival_clk = std::min(stats_.first_arrival_clk, burst.arrival_clk);
    if (burst.direction == Direction::Read && forward(burst, clk)) return;
    if (queue_.total() == 0 && clk > empty_since_clk_) empty_clocks_ += clk - empty_since_clk_;
    const uint32_t bank = burst.place.flat_bank;
    const uint32_t rank = timing_.rank_of(bank);
    Entry entry{};
    entry.arrival_clk = burst.arrival_clk;
    entry.admitted_clk = clk;
    entry.refresh_mark = held_clocks(rank, clk);
    entry.row = burst.place.row;
    entry.burst = burst.place.burst;
    entry.token = burst.token;
    entry.bank = static_cast<uint16_t>(bank);
    entry.direction = burst.direction;
    queue_.push(entry);
    const uint64_t bit = uint64_t{1} << bank;
    work_ |= bit;
    dirty_ |= bit;
    closing_ &= ~bit;
    close_clk_[bank] = kNever;
    Rank& r = ranks_[rank];
    if (r.waiting++ == 0) {
        if (r.powered_down) busy_ranks_ |= uint64_t{1} << rank;
        if (!r.draining && !r.powered_down) busy_ranks_ &= ~(uint64_t{1} << rank);
    }
    next_clk_ = clk_;
}

void Channel::tell(Command command, uint32_t bank, uint32_t row, uint32_t burst, uint64_t clk) {
    const Organization& o = spec_.organization;
    CommandRecord record{clk, command};
    record.rank = timing_.rank_of(bank);
    const uint32_t in_rank = bank - timing_.first_bank_of(record.rank);
    const bool rank_wide = command == Command::Prea || command == Command::Ref ||
                           command == Command::Pde || command == Command::Pdx;
    if (!rank_wide) {
        record.bank_group = in_rank / o.banks_per_group;
        record.bank = in_rank % o.banks_per_group;
    }
    if (command == Command::Act || is_column(command)) record.row = row;
    if (is_column(command)) record.column = burst * o.burst_length;
    for (CommandObserver* observer : observers_) observer->on_command(record);
}

/// The reason at the root of a command's time: a column command that waited for its activate waited
/// for what that one waited for, and so on.
uint8_t Channel::root_of(const Choice& choice) const {
    if (clk_of(choice.ready) < choice.clk) {
        const bool fresh =
            choice.entry != kNoEntry && queue_.at(choice.entry).admitted_clk + 1 >= choice.clk;
        return wait_code(fresh ? Wait::Arrival : Wait::CommandBus);
    }
    const uint8_t rule = rule_of(choice.ready);
    const uint8_t follows = rule < rule_follows_.size() ? rule_follows_[rule] : 0;
    if (follows & kFollowsActivate) return roots_[choice.bank].activate;
    if (follows & kFollowsPrecharge) return roots_[choice.bank].precharge;
    return rule;
}

void Channel::send_row(const Choice& choice) {
    const uint64_t bit = uint64_t{1} << choice.bank;
    const uint32_t rank = timing_.rank_of(choice.bank);
    const uint8_t root = root_of(choice);
    uint32_t row = kNoField;
    if (choice.entry != kNoEntry) {
        Entry& entry = queue_.at(choice.entry);
        row = entry.row;
        if (!entry.has_turn) {
            entry.has_turn = true;
            entry.first_clk = choice.clk;
            const bool conflict = choice.command == Command::Pre;
            entry.turn = static_cast<uint8_t>(conflict ? Turn::Conflict : Turn::Miss);
        }
    }
    if (choice.command == Command::Act)
        roots_[choice.bank].activate = root;
    else
        roots_[choice.bank].precharge = root;
    const bool was_open = timing_.open_banks(rank) != 0;
    timing_.issue(choice.command, choice.bank, row, choice.clk);
    count_open(rank, choice.clk, was_open);
    dirty_ |= bit;
    closing_ &= ~bit;
    must_close_ &= ~bit;
    close_clk_[choice.bank] = kNever;
    if (choice.command == Command::Act) watch_row(choice.bank);
    if (!observers_.empty()) tell(choice.command, choice.bank, row, 0, choice.clk);
}

/// The idle clocks of the data bus before this burst, by what caused them.
void Channel::account_bus(uint64_t data_begin_clk, uint8_t root, uint32_t rank) {
    const uint64_t held = held_clocks(rank, clk_);
    const uint64_t empty = empty_clocks_;
    if (data_begin_clk > bus_free_clk_) {
        uint64_t gap = data_begin_clk - bus_free_clk_;
        const uint64_t no_request = std::min(gap, empty - bus_empty_mark_);
        gap -= no_request;
        const uint64_t refresh = held > bus_held_mark_ ? std::min(gap, held - bus_held_mark_) : 0;
        gap -= refresh;
        stats_.wait_clocks[wait_code(Wait::NoRequest)] += no_request;
        stats_.wait_clocks[wait_code(Wait::Refresh)] += refresh;
        stats_.wait_clocks[root] += gap;
    }
    bus_held_mark_ = held;
    bus_empty_mark_ = empty;
    bus_free_clk_ = std::max(bus_free_clk_, data_begin_clk + spec_.organization.burst_clocks());
}

void Channel::complete(Entry& entry, uint64_t column_clk, uint64_t data_end_clk) {
    const uint32_t rank = timing_.rank_of(entry.bank);
    const bool write = entry.direction == Direction::Write;
    const uint64_t burst_clocks = spec_.organization.burst_clocks();
    const uint64_t latency = data_end_clk - entry.arrival_clk;
    uint64_t work = write ? spec_.cwl_clocks : spec_.cl_clocks;
    const auto turn = entry.has_turn ? static_cast<Turn>(entry.turn) : Turn::Hit;
    if (turn != Turn::Hit) work += spec_.trcd_clocks;
    if (turn == Turn::Conflict) work += spec_.trp_clocks;
    const uint64_t first_clk = entry.has_turn ? entry.first_clk : column_clk;
    // A command for it may have gone out early and then waited: only its own work is the bank's.
    const uint64_t span = data_end_clk - burst_clocks - first_clk;
    LatencyParts parts;
    parts.bus = burst_clocks;
    parts.bank = std::min(work, span);
    const uint64_t rest = latency - parts.bus - parts.bank;
    parts.refresh = std::min(rest, held_clocks(rank, column_clk) - entry.refresh_mark);
    parts.queue = rest - parts.refresh;
    DirectionStats& stats = write ? stats_.write : stats_.read;
    ++stats.requests;
    stats.latency.add(latency);
    stats.parts += parts;
    stats_.row_hits += turn == Turn::Hit;
    stats_.row_misses += turn == Turn::Miss;
    stats_.row_conflicts += turn == Turn::Conflict;
    completions_.push_back({entry.token, entry.direction, data_end_clk, latency, parts});
}

void Channel::send_column(const Choice& choice) {
    Entry& entry = queue_.at(choice.entry);
    const uint32_t bank = choice.bank;
    const uint32_t rank = timing_.rank_of(bank);
    const uint64_t bit = uint64_t{1} << bank;
    const bool write = entry.direction == Direction::Write;
    const uint8_t root = root_of(choice);
    page_->on_turn(bank, entry.row);
    const uint32_t row = entry.row;
    const uint32_t burst = entry.burst;
    const uint64_t data_begin_clk = choice.clk + (write ? spec_.cwl_clocks : spec_.cl_clocks);
    const uint64_t data_end_clk = data_begin_clk + spec_.organization.burst_clocks();
    complete(entry, choice.clk, data_end_clk);
    queue_.remove(choice.entry);
    const EntryIndex read = queue_.first(Direction::Read, bank);
    const EntryIndex written = queue_.first(Direction::Write, bank);
    const bool more_hits =
        queue_.find_row(read, row) != kNoEntry || queue_.find_row(written, row) != kNoEntry;
    Command command = choice.command;
    if (page_->auto_precharge(bank, more_hits)) command = write ? Command::Wra : Command::Rda;
    const bool was_open = timing_.open_banks(rank) != 0;
    timing_.issue(command, bank, row, choice.clk);
    count_open(rank, choice.clk, was_open);
    ++stats_.commands[static_cast<uint32_t>(command)];
    stats_.data_bus_clocks += spec_.organization.burst_clocks();
    stats_.last_data_clk = std::max(stats_.last_data_clk, data_end_clk);
    clk_ = choice.clk + 1;
    last_column_clk_ = choice.clk;
    account_bus(data_begin_clk, root, rank);
    dirty_ |= bit;
    if (read == kNoEntry && written == kNoEntry) {
        work_ &= ~bit;
        if (command == choice.command) {
            close_clk_[bank] = page_->close_clk(timing_.bank(bank));
            maintenance_clk_ = std::min(maintenance_clk_, close_clk_[bank]);
        }
    }
    if (--ranks_[rank].waiting == 0) {
        ranks_[rank].idle_since_clk = clk_;
        maintenance_clk_ = std::min(maintenance_clk_, clk_);  // work for idle times may wait
        if (queue_.total() == 0) empty_since_clk_ = clk_;
    }
    if (!observers_.empty()) tell(command, bank, row, burst, choice.clk);
}

void Channel::send(const Choice& choice) {
    if (is_column(choice.command)) return send_column(choice);
    const uint32_t rank = timing_.rank_of(choice.bank);
    switch (choice.command) {
        case Command::Act:
        case Command::Pre:
            send_row(choice);
            break;
        case Command::Prea: {
            const bool was_open = timing_.open_banks(rank) != 0;
            timing_.issue(choice.command, choice.bank, kNoField, choice.clk);
            count_open(rank, choice.clk, was_open);
            const uint64_t banks = bank_mask_of_rank(rank);
            dirty_ |= banks;
            closing_ &= ~banks;
            must_close_ &= ~banks;
            if (!observers_.empty()) tell(choice.command, choice.bank, 0, 0, choice.clk);
            break;
        }
        default:
            timing_.issue(choice.command, choice.bank, kNoField, choice.clk);
            if (!observers_.empty()) tell(choice.command, choice.bank, 0, 0, choice.clk);
            rank_command_sent(choice.command, rank, choice.clk);
            break;
    }
    ++stats_.commands[static_cast<uint32_t>(choice.command)];
    clk_ = choice.clk + 1;
}

bool Channel::run(uint64_t limit_clk) {
    for (;;) {
        const Choice choice = pick();
        if (maintenance_clk_ <= choice.clk && maintenance_clk_ <= limit_clk) {
            // With requests waiting, what is due holds the bus from its clock on; without, it is
            // caught up with at the clock at which it was due.
            touch_clk(maintenance_clk_);
            maintain();
            continue;
        }
        if (choice.clk > limit_clk) {
            next_clk_ = std::min(choice.clk, maintenance_clk_);
            return false;
        }
        send(choice);
        if (is_column(choice.command)) return true;
    }
}

void Channel::settle(uint64_t clk) {
    if (clk == 0 || queue_.total() != 0) return;
    run(clk - 1);
}

std::string Channel::describe_oldest() const {
    const EntryIndex e = queue_.oldest();
    if (e == kNoEntry) return {};
    const Entry& entry = queue_.at(e);
    const bool write = entry.direction == Direction::Write;
    const uint32_t open_row = timing_.bank(entry.bank).open_row;
    const Command next = open_row == entry.row    ? (write ? Command::Wr : Command::Rd)
                         : open_row == kClosedRow ? Command::Act
                                                  : Command::Pre;
    const PackedReady ready = timing_.ready(next, entry.bank);
    std::string text = write ? "write" : "read";
    text += " of bank " + std::to_string(entry.bank) + " row " + std::to_string(entry.row) +
            ", offered at clock " + std::to_string(entry.arrival_clk) + ", now " +
            std::to_string(clk_) + ", next command " + std::string(command_name(next)) +
            " from clock " + std::to_string(clk_of(ready));
    if (rule_of(ready) < spec_.rules.size()) text += " by " + spec_.rules[rule_of(ready)].name;
    if (blocked_ >> entry.bank & 1) text += ", bank held by refresh or power-down";
    if (!serves(entry.direction)) text += ", the other direction is served";
    return text;
}

}  // namespace weir::dram
