// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The independent checker: reads the command stream only, and knows the standard only by the
// datasheet's parameters (Spec::parameters, organisation), never by the controller's rule table.
// - on_command(): every command in order; finish(): the end of the stream.
// - violations(): each with rule, clock, place, how early; the first kKept in full, all counted.
// - coverage(): for each rule how often it applied, and how often with no slack: a green checker
//   that never saw a rule at its limit has proved nothing of it.
#pragma once

#include "sc_models/dram/core/command.h"
#include "sc_models/dram/core/spec.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weir::dram {

struct Violation {
    std::string rule;
    CommandRecord command;
    uint64_t earliest_clk;  // 0 if the rule is about state, not time
    std::string text;       // one line: clock, command, place, what it broke
};

struct RuleCoverage {
    std::string rule;
    uint64_t applied = 0;   // times the rule bore on a command
    uint64_t at_limit = 0;  // times with slack 0
    bool timed = true;      // false: a rule about state, which has no limit
};

/// Refresh n of a bank is due in the n-th tREFI after clock 0 (after the power-up sequence).
struct CheckerOptions {
    bool expects_power_up = false;  // the stream begins with the power-up sequence
    bool refresh_on = true;         // refresh debt is checked
    uint32_t postpone_max = 8;      // n comes before n + postpone_max intervals are over
    uint32_t pull_in_max = 8;       // ... and in interval n - pull_in_max or later
    /// Clocks that a refresh may be late for closing its banks. 0 is the standard's own limit; for
    /// a controller with postpone_max 0, which closes banks only when the refresh falls due.
    uint32_t refresh_grace_clocks = 0;
};

class Checker : public CommandObserver {
  public:
    Checker(const Spec& spec, const CheckerOptions& options);
    ~Checker() override;
    void on_command(const CommandRecord& record) override;
    void finish(uint64_t end_clk);

    static constexpr uint32_t kKept = 100;
    uint64_t violation_count() const;
    const std::vector<Violation>& violations() const;
    std::vector<RuleCoverage> coverage() const;
    uint64_t command_count() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace weir::dram
