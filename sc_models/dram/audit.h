// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A second opinion on loosely timed traffic: the same accesses, put in order of time and scheduled
// at command level by a channel of their own, with the independent checker bound.
// - note(): one access as it was served loosely. advance(clk): no access before clk will come any
//   more; everything before it is scheduled. finish(): the rest.
// - result(): mean latencies of both, per access from its arrival to its last data, and violations.
// Accesses arrive when they arrived in the loose run: what a different latency would have changed
// in the machine is not followed.
#pragma once

#include "sc_models/dram/checker/checker.h"
#include "sc_models/dram/core/channel.h"

#include <cstdint>
#include <queue>
#include <vector>

namespace weir::dram {

struct AuditResult {
    uint64_t accesses = 0;
    double loose_mean_clocks = 0;
    double command_level_mean_clocks = 0;
    uint64_t commands = 0;
    uint64_t violations = 0;
};

class Audit {
  public:
    explicit Audit(const ControllerConfig& config);

    struct Access {
        uint64_t arrival_clk;
        uint64_t address;  // of its first burst
        uint32_t bursts;
        Direction direction;
        uint64_t loose_latency_clocks;
    };
    void note(const Access& access);
    void advance(uint64_t clk);
    void finish();
    AuditResult result() const;
    const Checker& checker() const { return checker_; }
    const ChannelStats& stats() const { return channel_.stats(); }
    void add_observer(CommandObserver& observer) { channel_.add_observer(observer); }

  private:
    struct Later {
        bool operator()(const Access& a, const Access& b) const {
            return a.arrival_clk > b.arrival_clk;
        }
    };
    /// An access whose bursts are not all done.
    struct Open {
        uint64_t arrival_clk = 0;
        uint64_t end_clk = 0;
        uint32_t to_finish = 0;
    };
    void schedule(const Access& access);
    void take_completions();

    uint64_t burst_bytes_;
    AddressMap map_;
    Channel channel_;
    Checker checker_;
    std::priority_queue<Access, std::vector<Access>, Later> ahead_;
    std::vector<Open> open_;
    std::vector<uint32_t> free_;
    uint64_t accesses_ = 0;
    uint64_t done_ = 0;
    uint64_t loose_clocks_ = 0;
    uint64_t command_level_clocks_ = 0;
};

}  // namespace weir::dram
