// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Standards written by hand, commands in one word each, and the test that every timing rule passes:
// legal exactly at its limit, caught one clock beyond.
#pragma once

#include "sc_models/dram/checker/checker.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weir::dram_checker_test {

using dram::Checker;
using dram::CheckerOptions;
using dram::Command;
using dram::CommandRecord;
using dram::kNoField;
using dram::RuleCoverage;
using dram::Spec;
using dram::Violation;

Spec ddr4_2400();
Spec ddr3_1600();
Spec sdr_pc133();
/// A copy with one parameter added or changed.
Spec with(Spec spec, const std::string& parameter, uint32_t clocks);
Spec without(Spec spec, const std::string& parameter);
Spec with_ranks(Spec spec, uint32_t ranks);

struct Where {
    uint32_t rank = 0, group = 0, bank = 0;
};
inline constexpr uint32_t kRow = 7;

CommandRecord act(uint64_t clk, Where where, uint32_t row = kRow);
/// RD, RDA, WR, WRA.
CommandRecord col(uint64_t clk, Command command, Where where, uint32_t column = 0);
/// PRE, REFPB.
CommandRecord bank(uint64_t clk, Command command, Where where);
/// PREA, REF, MRS, ZQCL, PDE, PDX.
CommandRecord rank(uint64_t clk, Command command, uint32_t rank = 0);

/// Every violation in one string, for messages; empty if there is none.
std::string violations_text(const Checker& checker);
bool breaks(const Checker& checker, const std::string& rule);
RuleCoverage coverage_of(const Checker& checker, const std::string& rule);
bool has_rule(const Checker& checker, const std::string& rule);

struct LimitCase {
    std::string title;  // of the test: letters and digits
    std::string rule;
    Spec spec;
    std::vector<CommandRecord> commands;
    int by = -1;  // the clocks by which the last command then breaks the rule
    CheckerOptions options{};
};
void PrintTo(const LimitCase& limit_case, std::ostream* out);

class AtTheLimit : public testing::TestWithParam<LimitCase> {};
std::string title_of(const testing::TestParamInfo<LimitCase>& info);

}  // namespace weir::dram_checker_test
