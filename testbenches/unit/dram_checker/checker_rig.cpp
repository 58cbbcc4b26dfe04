// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/unit/dram_checker/checker_rig.h"

#include <ostream>
#include <utility>

namespace weir::dram_checker_test {
namespace {

using Values = std::vector<std::pair<const char*, uint32_t>>;

void add(Spec& spec, const Values& values) {
    for (const auto& [name, clocks] : values) spec.parameters.push_back({name, clocks, 0, ""});
}

}  // namespace

Spec ddr4_2400() {
    Spec spec;
    spec.name = "DDR4-2400R";
    spec.tck_ps = 833;
    spec.organization = {1, 4, 4, 32768, 1024, 8, 8, 8, 2};
    add(spec, {{"CL", 16},    {"CWL", 12},       {"tRCD", 16},       {"tRP", 16},   {"tRAS", 39},
               {"tRC", 55},   {"tRTP", 9},       {"tWR", 18},        {"tRRD_S", 4}, {"tRRD_L", 6},
               {"tFAW", 26},  {"tCCD_S", 4},     {"tCCD_L", 6},      {"tWTR_S", 3}, {"tWTR_L", 9},
               {"tRFC", 313}, {"tREFI", 9364},   {"tXP", 8},         {"tCKE", 6},   {"tMRD", 8},
               {"tMOD", 24},  {"tZQinit", 1024}, {"tRAS_max", 84276}});
    spec.power_up = {{Command::Mrs, 600}, {Command::Mrs, 8}, {Command::Zqcl, 24}};
    return spec;
}

Spec ddr3_1600() {
    Spec spec;
    spec.name = "DDR3-1600K";
    spec.tck_ps = 1250;
    spec.organization = {1, 1, 8, 65536, 1024, 8, 8, 8, 2};
    add(spec, {{"CL", 11},
               {"CWL", 8},
               {"tRCD", 11},
               {"tRP", 11},
               {"tRAS", 28},
               {"tRC", 39},
               {"tRTP", 6},
               {"tWR", 12},
               {"tRRD", 5},
               {"tFAW", 24},
               {"tCCD", 4},
               {"tWTR", 6},
               {"tRFC", 208},
               {"tREFI", 6240},
               {"tXP", 5},
               {"tCKE", 4},
               {"tMRD", 4},
               {"tMOD", 12},
               {"tZQinit", 512}});
    return spec;
}

Spec sdr_pc133() {
    Spec spec;
    spec.name = "PC133";
    spec.tck_ps = 7500;
    spec.organization = {1, 1, 4, 4096, 512, 8, 8, 4, 1};
    add(spec, {{"CL", 3},
               {"CWL", 0},
               {"tRCD", 3},
               {"tRP", 3},
               {"tRAS", 6},
               {"tRC", 9},
               {"tWR", 2},
               {"tRRD", 2},
               {"tCCD", 1},
               {"tCDL", 1},
               {"tRFC", 10},
               {"tREFI", 2083},
               {"tMRD", 2},
               {"tDAL", 5},
               {"tRAS_max", 16000}});
    spec.power_up = {
        {Command::Prea, 100}, {Command::Ref, 3}, {Command::Ref, 10}, {Command::Mrs, 10}};
    return spec;
}

Spec with(Spec spec, const std::string& parameter, uint32_t clocks) {
    spec = without(std::move(spec), parameter);
    spec.parameters.push_back({parameter, clocks, 0, ""});
    return spec;
}

Spec without(Spec spec, const std::string& parameter) {
    std::erase_if(spec.parameters, [&](const auto& p) { return p.name == parameter; });
    return spec;
}

Spec with_ranks(Spec spec, uint32_t ranks) {
    spec.organization.ranks = ranks;
    return spec;
}

CommandRecord act(uint64_t clk, Where where, uint32_t row) {
    return {clk, Command::Act, where.rank, where.group, where.bank, row, kNoField};
}
CommandRecord col(uint64_t clk, Command command, Where where, uint32_t column) {
    return {clk, command, where.rank, where.group, where.bank, kNoField, column};
}
CommandRecord bank(uint64_t clk, Command command, Where where) {
    return {clk, command, where.rank, where.group, where.bank, kNoField, kNoField};
}
CommandRecord rank(uint64_t clk, Command command, uint32_t rank) {
    return {clk, command, rank, kNoField, kNoField, kNoField, kNoField};
}

std::string violations_text(const Checker& checker) {
    std::string text;
    for (const Violation& violation : checker.violations()) text += violation.text + "\n";
    return text;
}

bool breaks(const Checker& checker, const std::string& rule) {
    for (const Violation& violation : checker.violations())
        if (violation.rule == rule) return true;
    return false;
}

bool has_rule(const Checker& checker, const std::string& rule) {
    for (const RuleCoverage& coverage : checker.coverage())
        if (coverage.rule == rule) return true;
    return false;
}

RuleCoverage coverage_of(const Checker& checker, const std::string& rule) {
    for (const RuleCoverage& coverage : checker.coverage())
        if (coverage.rule == rule) return coverage;
    ADD_FAILURE() << "no rule " << rule;
    return {};
}

void PrintTo(const LimitCase& limit_case, std::ostream* out) {
    *out << limit_case.spec.name << ", " << limit_case.rule;
}

std::string title_of(const testing::TestParamInfo<LimitCase>& info) {
    return info.param.title;
}

TEST_P(AtTheLimit, PassesAndIsCaughtOneClockBeyond) {
    const LimitCase& limit = GetParam();
    Checker legal(limit.spec, limit.options);
    for (const CommandRecord& record : limit.commands) legal.on_command(record);
    EXPECT_EQ(violations_text(legal), "");
    EXPECT_GE(coverage_of(legal, limit.rule).at_limit, 1u);
    EXPECT_TRUE(coverage_of(legal, limit.rule).timed);
    EXPECT_EQ(legal.command_count(), limit.commands.size());

    std::vector<CommandRecord> beyond = limit.commands;
    const uint64_t limit_clk = beyond.back().clk;
    beyond.back().clk += limit.by;
    Checker illegal(limit.spec, limit.options);
    for (const CommandRecord& record : beyond) illegal.on_command(record);
    EXPECT_TRUE(breaks(illegal, limit.rule)) << violations_text(illegal);
    EXPECT_EQ(coverage_of(illegal, limit.rule).applied, coverage_of(legal, limit.rule).applied);
    for (const Violation& violation : illegal.violations()) {
        EXPECT_EQ(violation.command.clk, beyond.back().clk) << violation.text;
        if (violation.rule == limit.rule && limit.by < 0) {
            EXPECT_EQ(violation.earliest_clk, limit_clk) << violation.text;
        }
    }
}

}  // namespace weir::dram_checker_test
