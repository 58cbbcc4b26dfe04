// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Do the standard files come out in the clocks that data sheets and other simulators state?
#include "testbenches/unit/dram_core/dram_files.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>

namespace weir::runner {
namespace {

using Clocks = std::map<std::string, uint32_t>;

/// Those parameters of the standard that `expected` names.
Clocks clocks_like(const Clocks& expected, const dram::Spec& spec) {
    Clocks result;
    for (const auto& [name, clocks] : expected) {
        bool found = false;
        const uint32_t value = spec.clocks_of(name, &found);
        if (found) result[name] = value;
    }
    return result;
}

TEST(Standards, Ddr4HasTheClocksOfTheReferenceConfiguration) {
    const Clocks expected{
        {"CL", 16},      {"CWL", 12},   {"tRCD", 16},  {"tRP", 16},   {"tRAS", 39},  {"tRC", 55},
        {"tWR", 18},     {"tRTP", 9},   {"tCCD_S", 4}, {"tCCD_L", 6}, {"tRRD_S", 4}, {"tRRD_L", 6},
        {"tWTR_S", 3},   {"tWTR_L", 9}, {"tFAW", 26},  {"tRFC", 313}, {"tXP", 8},    {"tCKE", 6},
        {"tREFI", 9364}, {"tXS", 324},  {"tMRD", 8},   {"tMOD", 24},  {"tZQCS", 128}};
    EXPECT_EQ(clocks_like(expected, standard("ddr4-2400")), expected);
}

TEST(Standards, TheReferenceFileIsTheReferenceConfiguration) {
    const dram::ControllerConfig config =
        load_dram_config(kDramFolder / "ddr4-2400-reference.toml", {}, kStandards);
    EXPECT_EQ(config.spec.name, "DDR4-2400R");
    EXPECT_EQ(config.spec.organization.bytes(), uint64_t{4} << 30);
    EXPECT_EQ(config.spec.organization.access_bytes(), 64u);
    EXPECT_EQ(config.scheduler.name, "frfcfs");
    EXPECT_EQ(config.scheduler.read_queue_entries, 32u);
    EXPECT_EQ(config.scheduler.write_queue_entries, 32u);
    EXPECT_EQ(config.page.name, "open");
    EXPECT_EQ(config.refresh.name, "all_bank");
    EXPECT_EQ(config.refresh.postpone_max, 0u);
    EXPECT_EQ(config.power_down_after_clocks, 0u);
}

TEST(Standards, Ddr3HasTheClocksOfTheDataSheet) {
    const Clocks expected{{"CL", 11},    {"CWL", 8},  {"tRCD", 11}, {"tRP", 11},
                          {"tRAS", 28},  {"tRC", 39}, {"tWR", 12},  {"tRTP", 6},
                          {"tCCD", 4},   {"tRRD", 5}, {"tWTR", 6},  {"tFAW", 24},
                          {"tRFC", 208}, {"tXP", 5},  {"tCKE", 4},  {"tREFI", 6240},
                          {"tXS", 216},  {"tMRD", 4}, {"tMOD", 12}, {"tZQCS", 64}};
    EXPECT_EQ(clocks_like(expected, standard("ddr3-1600")), expected);
}

TEST(Standards, SdrGradesHaveTheClocksOfTheirDataSheets) {
    const std::map<std::string, Clocks> expected{{"sdr-pc66",
                                                  {{"CL", 2},
                                                   {"tRCD", 2},
                                                   {"tRP", 2},
                                                   {"tRAS", 4},
                                                   {"tRC", 6},
                                                   {"tRRD", 2},
                                                   {"tDPL", 1},
                                                   {"tRFC", 6},
                                                   {"tCCD", 1},
                                                   {"tREFI", 1041},
                                                   {"tMRD", 2},
                                                   {"tDAL", 3}}},
                                                 {"sdr-pc100-cl2",
                                                  {{"CL", 2},
                                                   {"tRCD", 2},
                                                   {"tRP", 2},
                                                   {"tRAS", 5},
                                                   {"tRC", 7},
                                                   {"tRRD", 2},
                                                   {"tDPL", 1},
                                                   {"tRFC", 7},
                                                   {"tCCD", 1},
                                                   {"tREFI", 1562},
                                                   {"tMRD", 2},
                                                   {"tDAL", 3}}},
                                                 {"sdr-pc100-cl3",
                                                  {{"CL", 3},
                                                   {"tRCD", 2},
                                                   {"tRP", 3},
                                                   {"tRAS", 5},
                                                   {"tRC", 8},
                                                   {"tRRD", 2},
                                                   {"tDPL", 1},
                                                   {"tRFC", 8},
                                                   {"tCCD", 1},
                                                   {"tREFI", 1562},
                                                   {"tMRD", 2},
                                                   {"tDAL", 4}}},
                                                 {"sdr-pc133",
                                                  {{"CL", 3},
                                                   {"tRCD", 3},
                                                   {"tRP", 3},
                                                   {"tRAS", 6},
                                                   {"tRC", 9},
                                                   {"tRRD", 2},
                                                   {"tDPL", 2},
                                                   {"tRFC", 9},
                                                   {"tCCD", 1},
                                                   {"tREFI", 2083},
                                                   {"tMRD", 2},
                                                   {"tDAL", 5}}}};
    for (const auto& [name, clocks] : expected) {
        EXPECT_EQ(clocks_like(clocks, standard(name)), clocks) << name;
    }
}

TEST(Standards, PeakBandwidthsAreThoseOfTheModules) {
    const auto mb_per_s = [](const char* name) {
        return standard(name).peak_bytes_per_s() / 1'000'000;
    };
    EXPECT_EQ(mb_per_s("sdr-pc66"), 533u);
    EXPECT_EQ(mb_per_s("sdr-pc100-cl2"), 800u);
    EXPECT_EQ(mb_per_s("sdr-pc133"), 1066u);
    EXPECT_EQ(mb_per_s("ddr3-1600"), 12'800u);
    EXPECT_EQ(mb_per_s("ddr4-2400"), 19'207u);
}

TEST(Standards, OnlyLpddr4RefreshesSingleBanks) {
    for (const std::string& name : standard_names(kStandards)) {
        EXPECT_EQ(standard(name).per_bank_refresh, name == "lpddr4-3200") << name;
    }
}

/// The longest gap that the table asks between the two commands, by level; 0 if none.
uint32_t gap(const dram::Spec& spec, dram::Level level, dram::Command first, dram::Command second,
             uint32_t window = 1) {
    uint32_t clocks = 0;
    for (const dram::Rule& rule : spec.rules) {
        if (rule.level == level && rule.window == window && contains(rule.preceding, first) &&
            contains(rule.following, second)) {
            clocks = std::max(clocks, rule.clocks);
        }
    }
    return clocks;
}

using enum dram::Command;
using dram::Level;

TEST(StandardRules, Ddr4GapsAreThoseOfTheReferenceTable) {
    const dram::Spec spec = standard("ddr4-2400");
    EXPECT_EQ(gap(spec, Level::Bank, Act, Rd), 16u);
    EXPECT_EQ(gap(spec, Level::Bank, Act, Wra), 16u);
    EXPECT_EQ(gap(spec, Level::Bank, Act, Pre), 39u);
    EXPECT_EQ(gap(spec, Level::Bank, Act, Act), 55u);
    EXPECT_EQ(gap(spec, Level::Bank, Pre, Act), 16u);
    EXPECT_EQ(gap(spec, Level::Bank, Rd, Pre), 9u);
    EXPECT_EQ(gap(spec, Level::Bank, Wr, Pre), 12u + 4 + 18);
    EXPECT_EQ(gap(spec, Level::Bank, Rda, Act), 9u + 16);
    EXPECT_EQ(gap(spec, Level::Bank, Wra, Act), 12u + 4 + 18 + 16);
    EXPECT_EQ(gap(spec, Level::BankGroup, Rd, Rda), 6u);
    EXPECT_EQ(gap(spec, Level::BankGroup, Wr, Wr), 6u);
    EXPECT_EQ(gap(spec, Level::BankGroup, Act, Act), 6u);
    EXPECT_EQ(gap(spec, Level::BankGroup, Wr, Rd), 12u + 4 + 9);
    EXPECT_EQ(gap(spec, Level::Rank, Rd, Rd), 4u);
    EXPECT_EQ(gap(spec, Level::Rank, Act, Act), 4u);
    EXPECT_EQ(gap(spec, Level::Rank, Act, Act, 4), 26u);
    EXPECT_EQ(gap(spec, Level::Rank, Wr, Rd), 12u + 4 + 3);
    EXPECT_EQ(gap(spec, Level::Rank, Rd, Wr), 16u + 4 + 1 + 1 - 12);
    EXPECT_EQ(gap(spec, Level::Rank, Prea, Ref), 16u);
    EXPECT_EQ(gap(spec, Level::Rank, Rda, Ref), 9u + 16);
    EXPECT_EQ(gap(spec, Level::Rank, Wra, Ref), 12u + 4 + 18 + 16);
    EXPECT_EQ(gap(spec, Level::Rank, Act, Ref), 55u);
    EXPECT_EQ(gap(spec, Level::Rank, Ref, Act), 313u);
    EXPECT_EQ(gap(spec, Level::Rank, Ref, Ref), 313u);
    EXPECT_EQ(gap(spec, Level::Rank, Mrs, Mrs), 8u);
    EXPECT_EQ(gap(spec, Level::Rank, Mrs, Act), 24u);
    EXPECT_EQ(gap(spec, Level::Rank, Pdx, Rd), 8u);
    EXPECT_EQ(gap(spec, Level::Rank, Pde, Pdx), 6u);
    EXPECT_EQ(gap(spec, Level::OtherRanks, Rd, Rd), 4u + 1);
    EXPECT_EQ(gap(spec, Level::OtherRanks, Wr, Rd), 12u + 4 + 1 - 16);
}

TEST(StandardRules, SdrGapsKeepBurstsWhole) {
    const dram::Spec spec = standard("sdr-pc100-cl3");
    EXPECT_EQ(gap(spec, Level::Bank, Rd, Pre), 4u - (3 - 1));
    EXPECT_EQ(gap(spec, Level::Bank, Wr, Pre), 4u - 1 + 1);
    EXPECT_EQ(gap(spec, Level::Bank, Rda, Act), 4u - (3 - 1) + 3);
    EXPECT_EQ(gap(spec, Level::Bank, Wra, Act), 4u - 1 + 1 + 3);
    EXPECT_EQ(gap(spec, Level::Rank, Rd, Rd), 4u);
    EXPECT_EQ(gap(spec, Level::Rank, Rd, Wr), 3u + 4 + 1);
    EXPECT_EQ(gap(spec, Level::Rank, Wr, Rd), 4u - 1 + 1);
    EXPECT_EQ(gap(spec, Level::Rank, Mrs, Act), 2u);
    EXPECT_EQ(gap(spec, Level::Rank, Ref, Act), 8u);
}

TEST(StandardRules, BurstLengthIsTheBoards) {
    Leaf eight{"organization.burst_length", Value{int64_t{8}}, "--set", 0};
    const dram::Spec spec = load_standard(kStandards / "sdr-pc100-cl2.toml", {eight});
    EXPECT_EQ(spec.organization.access_bytes(), 64u);
    EXPECT_EQ(gap(spec, Level::Rank, Rd, Rd), 8u);
    EXPECT_EQ(spec.trtp_clocks, 8u - (2 - 1));
}

TEST(StandardRules, EveryStandardBindsEveryPairThatASdramBinds) {
    struct Pair {
        Level level;
        dram::Command first;
        dram::Command second;
    };
    const std::vector<Pair> pairs{
        {Level::Bank, Act, Rd},      {Level::Bank, Act, Wr},      {Level::Bank, Act, Pre},
        {Level::Bank, Act, Act},     {Level::Bank, Pre, Act},     {Level::Bank, Rd, Pre},
        {Level::Bank, Wr, Pre},      {Level::Bank, Rda, Act},     {Level::Bank, Wra, Act},
        {Level::Rank, Rd, Rd},       {Level::Rank, Wr, Wr},       {Level::Rank, Rd, Wr},
        {Level::Rank, Wr, Rd},       {Level::Rank, Act, Act},     {Level::Rank, Act, Prea},
        {Level::Rank, Rd, Prea},     {Level::Rank, Wr, Prea},     {Level::Rank, Prea, Act},
        {Level::Rank, Pre, Ref},     {Level::Rank, Prea, Ref},    {Level::Rank, Act, Ref},
        {Level::Rank, Rda, Ref},     {Level::Rank, Wra, Ref},     {Level::Rank, Ref, Act},
        {Level::Rank, Ref, Ref},     {Level::Rank, Prea, Mrs},    {Level::Rank, Ref, Mrs},
        {Level::Rank, Mrs, Mrs},     {Level::Rank, Mrs, Act},     {Level::Rank, Mrs, Ref},
        {Level::Rank, Rd, Pde},      {Level::Rank, Wr, Pde},      {Level::Rank, Rda, Pde},
        {Level::Rank, Wra, Pde},     {Level::Rank, Act, Pde},     {Level::Rank, Pre, Pde},
        {Level::Rank, Prea, Pde},    {Level::Rank, Ref, Pde},     {Level::Rank, Pde, Pdx},
        {Level::Rank, Pdx, Pde},     {Level::Rank, Pdx, Act},     {Level::Rank, Pdx, Rd},
        {Level::Rank, Pdx, Wr},      {Level::Rank, Pdx, Ref},     {Level::Rank, Pdx, Prea},
        {Level::OtherRanks, Rd, Rd}, {Level::OtherRanks, Wr, Wr}, {Level::OtherRanks, Rd, Wr},
        {Level::OtherRanks, Wr, Rd},
    };
    const auto with_auto_precharge = [](dram::Command c) {
        return c == Rd ? Rda : c == Wr ? Wra : c;
    };
    for (const std::string& name : standard_names(kStandards)) {
        const dram::Spec spec = standard(name);
        for (const auto& [level, first, second] : pairs) {
            EXPECT_GT(gap(spec, level, first, second), 0u)
                << name << ": " << command_name(first) << " to " << command_name(second);
            EXPECT_GT(gap(spec, level, first, with_auto_precharge(second)), 0u)
                << name << ": " << command_name(first) << " to " << command_name(second) << "A";
        }
    }
}

TEST(StandardRules, DataNeverOverlapsOnTheBus) {
    for (const std::string& name : standard_names(kStandards)) {
        const dram::Spec spec = standard(name);
        const int64_t burst = spec.organization.burst_clocks();
        const auto delay = [&](dram::Command c) -> int64_t {
            return is_read(c) ? spec.cl_clocks : spec.cwl_clocks;
        };
        for (const Level level : {Level::Rank, Level::OtherRanks}) {
            for (const dram::Command first : {Rd, Rda, Wr, Wra}) {
                for (const dram::Command second : {Rd, Rda, Wr, Wra}) {
                    const int64_t end = delay(first) + burst;
                    const int64_t begin = gap(spec, level, first, second) + delay(second);
                    EXPECT_GE(begin, end)
                        << name << ": " << command_name(first) << " to " << command_name(second);
                }
            }
        }
    }
}

TEST(StandardRules, EveryStandardCanPowerUp) {
    for (const std::string& name : standard_names(kStandards)) {
        const dram::Spec spec = standard(name);
        ASSERT_FALSE(spec.power_up.empty()) << name;
        EXPECT_GE(uint64_t{spec.power_up[0].wait_clocks} * spec.tck_ps, 200'000'000u) << name;
    }
    const dram::Spec sdr = standard("sdr-pc133");
    std::vector<dram::Command> commands;
    for (const dram::PowerUpStep& step : sdr.power_up) commands.push_back(step.command);
    EXPECT_THAT(commands, testing::ElementsAre(Prea, Ref, Ref, Ref, Ref, Ref, Ref, Ref, Ref, Mrs));
}

TEST(ClocksOfNs, RoundsUpToTheNextClock) {
    EXPECT_EQ(clocks_of_ns(20, 8000, 0), 3u);
    EXPECT_EQ(clocks_of_ns(24, 8000, 0), 3u);
    EXPECT_EQ(clocks_of_ns(24.001, 8000, 0), 4u);
    EXPECT_EQ(clocks_of_ns(0, 8000, 0), 0u);
}

TEST(ClocksOfNs, ForgivesTheGuardOnly) {
    EXPECT_EQ(clocks_of_ns(24.2, 8000, 25), 3u);
    EXPECT_EQ(clocks_of_ns(24.201, 8000, 25), 4u);
    EXPECT_EQ(clocks_of_ns(0.1, 8000, 25), 0u);
}

TEST(ClocksOfNs, RoundsMaximaDown) {
    EXPECT_EQ(clocks_of_ns(15'625, 7500, 0, RoundTo::Below), 2083u);
    EXPECT_EQ(clocks_of_ns(15'625, 10'000, 0, RoundTo::Below), 1562u);
}

TEST(DescribeStandard, PrintsNanosecondsWithTheirClocks) {
    const std::string text = describe_standard(standard("ddr4-2400"));
    EXPECT_THAT(text, testing::ContainsRegex("tFAW +21 ns +26 clocks"));
    EXPECT_THAT(text, testing::HasSubstr("ACT -> ACT: 26 clocks, window 4"));
}

}  // namespace
}  // namespace weir::runner
