// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Who drives the data bus when: exact intervals, also where a burst comes to lie before an earlier
// command's.
#pragma once

#include "sc_models/dram/checker/ledger.h"

#include <array>
#include <cstdint>

namespace weir::dram {

class DataBus {
  public:
    struct Burst {
        Clk begin = kNever, end = kNever;  // data in [begin, end)
        uint32_t rank = 0;
        bool write = false;
    };

    /// strobed: data come with a strobe (DDR), whose driver changes even between two writes to
    /// different ranks. Without one (SDR) the controller just goes on driving.
    explicit DataBus(bool strobed) : strobed_(strobed) {}

    void add(Ledger& ledger, const Burst& burst) {
        const RuleId rule = rule_between(latest_, burst);
        const Clk slack = burst.begin - latest_.end - bubble(ledger, rule);
        if (latest_.end >= 0) {
            if (slack < 0) [[unlikely]] {
                search(ledger, burst);
            } else {
                ledger.count(rule, slack == 0);
            }
        }
        recent_[next_++ % kRecent] = burst;
        if (burst.end > latest_.end) latest_ = burst;
    }

  private:
    // Bursts under way: a latency below 64 clocks holds at most that many of four clocks.
    static constexpr uint32_t kRecent = 16;
    bool strobed_;
    std::array<Burst, kRecent> recent_;
    uint32_t next_ = 0;
    Burst latest_;  // by its end

    RuleId rule_between(const Burst& a, const Burst& b) const {
        const bool one_driver = a.write && b.write && !strobed_;
        if (a.rank != b.rank && !one_driver) return RuleId::RankSwitch;
        return a.write != b.write ? RuleId::DataTurnaround : RuleId::DataBus;
    }
    static Clk bubble(const Ledger& ledger, RuleId rule) { return ledger.limits.gap(rule); }
    /// It does not follow all the others: does it fit between them?
    void search(Ledger& ledger, const Burst& burst) const;
};

}  // namespace weir::dram
