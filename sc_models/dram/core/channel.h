// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// One memory channel at command level: queues, policies, bank state. Plain C++, event-driven.
// - push(): a burst enters its queue. run(limit): sends every command whose clock is <= limit, and
//   stops after a column command, because then a queue has room. next_clk(): when to come back.
// - serve_loosely(): the time of a run of bursts at once, from the same bank state (loosely timed).
// - Nothing ticks: while no request waits, refreshes, row closings and power-down are caught up
//   with when the next one comes, at the clocks at which they were due.
// How a command is chosen (channel_pick.cpp): each bank with work has one wanted command; of these
// and of what refresh and page policy want, the one that may go first goes; ties by priority.
// Order: reads that find their burst in the write queue are answered from it; a write waits for
// older reads of the same burst; same direction and burst keep their order.
#pragma once

#include "sc_models/common/busy_calendar.h"
#include "sc_models/dram/core/address_map.h"
#include "sc_models/dram/core/page_policy.h"
#include "sc_models/dram/core/refresh.h"
#include "sc_models/dram/core/request_queue.h"
#include "sc_models/dram/core/scheduler.h"
#include "sc_models/dram/core/stats.h"
#include "sc_models/dram/core/timing_state.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weir::dram {

struct Burst {
    Place place;
    Direction direction;
    uint32_t token;        // handed back with the completion
    uint64_t arrival_clk;  // offered; latency counts from here
};

struct Completion {
    uint32_t token;
    Direction direction;
    uint64_t data_end_clk;
    uint64_t latency_clocks;
    LatencyParts parts;
};

class Channel {
  public:
    /// Errors: std::invalid_argument naming the key.
    explicit Channel(const ControllerConfig& config);

    bool has_room(Direction d) const { return queue_.has_room(d); }
    /// Needs room. clk: now; a clock that the channel has passed counts as its present one.
    void push(const Burst& burst, uint64_t clk);
    /// True if it stopped after a column command at last_clk(); false if nothing more may go until
    /// next_clk().
    bool run(uint64_t limit_clk);
    uint64_t next_clk() const { return next_clk_; }
    uint64_t last_clk() const { return clk_ - 1; }
    /// First clock whose command is not yet decided.
    uint64_t clk() const { return clk_; }
    bool idle() const { return queue_.total() == 0; }
    /// Since the caller last cleared it, in order of the column commands.
    std::vector<Completion>& completions() { return completions_; }

    struct LooseRun {
        Place place;      // of its first burst
        uint32_t bursts;  // in the same row, one after the other
        Direction direction;
        uint64_t clk;  // may lie before what was served already
    };
    struct LooseResult {
        uint64_t end_clk;  // the last data have moved
        LatencyParts parts;
    };
    /// Needs idle().
    LooseResult serve_loosely(const LooseRun& run);

    const ChannelStats& stats() const { return stats_; }
    /// Catches up with everything due before clk, for reports.
    void settle(uint64_t clk);
    /// At the end: adds the times of rows that are open and of ranks that sleep up to clk.
    void close_accounts(uint64_t clk);
    /// Hears every command from here on, and first the power-up sequence if there was one.
    void add_observer(CommandObserver& observer);
    bool has_observers() const { return !observers_.empty(); }
    /// The oldest waiting request, its bank and what holds it.
    std::string describe_oldest() const;

  private:
    struct Want {
        Command command = Command::Act;
        EntryIndex entry = kNoEntry;  // none: a row that must close
        uint64_t key = 0;             // smaller goes first at the same clock
    };
    struct Choice {
        uint64_t clk = kNever;
        uint64_t key = ~uint64_t{0};
        PackedReady ready = 0;
        Command command = Command::Act;
        uint32_t bank = 0;
        EntryIndex entry = kNoEntry;
    };
    struct Rank {
        bool draining = false;  // a refresh is under way: what it covers takes no requests
        RefreshDemand demand;
        bool powered_down = false;
        uint32_t waiting = 0;  // entries
        uint64_t idle_since_clk = 0;
        // Time held by refreshes: before the last one, and the last one.
        uint64_t held_before = 0;
        uint64_t held_begin_clk = 0;
        uint64_t held_end_clk = 0;
        uint64_t active_since_clk = 0;
        uint64_t powered_down_since_clk = 0;
        uint64_t awake_clk = 0;        // from here on after the last power-down
        BusyCalendar loose_activates;  // in half clocks
    };
    /// Why the last commands of a bank went when they did, for the sentence about the bound.
    struct Roots {
        uint8_t precharge = 0;
        uint8_t activate = 0;
    };

    struct PowerUpRecord {
        uint64_t clk;
        Command command;
        uint32_t rank;
    };

    // channel_pick.cpp
    Choice pick();
    Choice pick_wanted() const;
    void update_service();
    void update_wants();
    Want want_of(uint32_t bank) const;
    Want column_or_row(uint32_t bank, EntryIndex hit, EntryIndex oldest) const;
    EntryIndex older_of(EntryIndex a, EntryIndex b) const;
    bool serves(Direction d) const {
        return (static_cast<uint32_t>(serve_) >> static_cast<uint32_t>(d)) & 1;
    }
    void consider(Choice& best, const Choice& other) const;
    void pick_maintenance(Choice& best) const;
    void pick_for_rank(Choice& best, uint32_t rank) const;

    // channel.cpp
    void power_up();
    void send(const Choice& choice);
    void send_column(const Choice& choice);
    void send_row(const Choice& choice);
    uint8_t root_of(const Choice& choice) const;
    void complete(Entry& entry, uint64_t column_clk, uint64_t data_end_clk);
    void account_bus(uint64_t data_begin_clk, uint8_t root, uint32_t rank);
    void tell(Command command, uint32_t bank, uint32_t row, uint32_t burst, uint64_t clk);
    bool forward(const Burst& burst, uint64_t clk);
    void touch_clk(uint64_t clk);
    uint64_t bank_mask_of_rank(uint32_t rank) const;

    // channel_maintenance.cpp
    void count_power_down(uint32_t rank, uint64_t clk);
    void count_open(uint32_t rank, uint64_t clk, bool was_open);
    void maintain();
    void maintain_rank(uint32_t rank);
    void maintain_rows();
    void begin_refresh(uint32_t rank, const RefreshDemand& demand);
    uint64_t covered_banks(uint32_t rank) const;
    void refresh_sent(uint32_t rank, uint64_t clk);
    void rank_command_sent(Command command, uint32_t rank, uint64_t clk);
    uint64_t held_clocks(uint32_t rank, uint64_t clk) const;
    void watch_row(uint32_t bank);
    bool maintenance_wanted() const { return busy_ranks_ != 0 || closing_ != 0; }

    // channel_loose.cpp
    void prepare_loose();
    void unblock(uint32_t bank);
    struct LooseStart {
        uint64_t column_clk;
        Turn turn;
        bool late;             // for its bank
        uint64_t held_clocks;  // waited for a refresh or the end of a power-down
    };
    LooseStart start_loosely(const LooseRun& run);
    struct BusSpan {
        uint64_t begin_clk;
        uint64_t end_clk;  // of the last data
    };
    BusSpan book_bus(const LooseRun& run, uint64_t wanted_clk, uint64_t spacing);
    uint64_t book_activate(uint32_t rank, uint64_t clk);
    LatencyParts count_loosely(const LooseRun& run, uint64_t latency, const LooseStart& start);

    Spec spec_;
    TimingState timing_;
    RequestQueue queue_;
    std::unique_ptr<Scheduler> scheduler_;
    std::unique_ptr<PagePolicy> page_;
    std::unique_ptr<RefreshPolicy> refresh_;
    SchedulerTraits traits_;
    uint32_t age_cap_clocks_;
    uint32_t power_down_after_clocks_;

    uint64_t clk_ = 0;  // first clock whose command is not yet decided
    uint64_t next_clk_ = kNever;
    uint64_t last_column_clk_ = 0;
    uint64_t maintenance_clk_ = 0;
    Serve serve_ = Serve::Both;
    EntryIndex aged_ = kNoEntry;    // oldest, once it is older than the cap
    EntryIndex oldest_ = kNoEntry;  // kept for only_oldest
    std::vector<Want> wants_;       // by bank
    std::vector<Command> want_command_;
    std::vector<PackedReady> want_own_ready_;
    std::vector<uint64_t> want_key_;
    std::vector<Roots> roots_;
    std::vector<uint64_t> close_clk_;  // by bank
    std::vector<Rank> ranks_;
    // One bit a bank.
    uint64_t work_ = 0;        // has entries
    uint64_t wanting_ = 0;     // wants_ holds a command
    uint64_t dirty_ = 0;       // wants_ must be made anew
    uint64_t blocked_ = 0;     // refresh or power-down: takes no requests
    uint64_t closing_ = 0;     // page policy closes it
    uint64_t must_close_ = 0;  // open for almost tRASmax
    uint64_t busy_ranks_ = 0;  // one bit a rank: refresh or power-down wants the bus

    std::vector<Completion> completions_;
    std::vector<CommandObserver*> observers_;
    std::vector<PowerUpRecord> pending_power_up_;
    ChannelStats stats_;
    std::vector<uint8_t> rule_follows_;  // by rule: bit 0 precharge before it, bit 1 activate
    // The data bus, for the account of its idle time.
    uint64_t bus_free_clk_ = 0;
    uint64_t bus_held_mark_ = 0;
    uint64_t empty_clocks_ = 0;  // clocks without any request, so far
    uint64_t empty_since_clk_ = 0;
    uint64_t bus_empty_mark_ = 0;
    // Loosely timed: what banks share.
    BusyCalendar loose_bus_;
    std::vector<BusyCalendar> loose_groups_;  // by bank group of all ranks
    uint64_t loose_activate_halves_ = 0;      // half clocks that one activate takes
    uint32_t loose_spacing_[2] = {0, 0};
};

}  // namespace weir::dram
