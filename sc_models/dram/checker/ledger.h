// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The checker's verdicts: counters by rule, violations with their text.
// - at_least(): the current command against an earlier one, by the rule's own gap.
// - broken(): a state rule does not hold; late(): something is overdue.
#pragma once

#include "sc_models/dram/checker/rules.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace weir::dram {

class Ledger {
  public:
    Ledger(const Spec& spec, const CheckerOptions& options) : limits(spec, options) {}

    /// The command on which the next calls bear.
    void begin(const CommandRecord& record) {
        now = static_cast<Clk>(record.clk);
        record_ = record;
    }
    /// For reports of what no command shows: the record names the place and the missing command.
    void begin_missing(const CommandRecord& record) { record_ = record; }

    void at_least(RuleId rule, Clk since) { at_least(rule, since, limits.gap(rule)); }
    void at_least(RuleId rule, Clk since, Clk gap) {
        if (since < 0) return;  // it never happened
        const Clk slack = now - since - gap;
        count(rule, slack == 0);
        if (slack < 0) [[unlikely]]
            early(rule, since, since + gap);
    }
    /// Times that count from the schedule, not from a command.
    void not_before(RuleId rule, Clk earliest) {
        count(rule, now == earliest);
        if (now < earliest) early(rule, kNever, earliest);
    }
    void not_after(RuleId rule, Clk since, Clk latest) {
        count(rule, now == latest);
        if (now > latest) late(rule, since, latest);
    }
    void holds(RuleId rule, bool condition, const char* what) {
        count(rule, false);
        if (!condition) [[unlikely]]
            broken(rule, what);
    }
    void early(RuleId rule, Clk since, Clk earliest);
    void late(RuleId rule, Clk since, Clk latest);
    void broken(RuleId rule, const std::string& what);

    void count(RuleId rule, bool at_limit) {
        Counters& c = counters_[static_cast<uint32_t>(rule)];
        ++c.applied;
        c.at_limit += at_limit;
    }
    std::vector<RuleCoverage> coverage() const;

    const Limits limits;
    Clk now = 0;
    uint64_t violation_count = 0;
    std::vector<Violation> violations;

  private:
    struct Counters {
        uint64_t applied = 0, at_limit = 0;
    };
    std::array<Counters, kRuleCount> counters_{};
    CommandRecord record_{};
    void keep(RuleId rule, Clk earliest, const std::string& what);
};

}  // namespace weir::dram
