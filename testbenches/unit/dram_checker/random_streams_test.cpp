// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Random streams: the legal ones stay clean, and every command moved forward is caught. The seed is
// printed; WEIR_SEED sets it.
#include "testbenches/unit/dram_checker/legal_stream.h"

#include <cstdlib>
#include <iostream>

namespace weir::dram_checker_test {
namespace {

uint64_t seed() {
    const char* text = std::getenv("WEIR_SEED");
    const uint64_t value = text != nullptr ? std::strtoull(text, nullptr, 0) : 20260701;
    std::cout << "WEIR_SEED=" << value << "\n";
    return value;
}

struct Standard {
    const char* title;
    Spec spec;
};
void PrintTo(const Standard& standard, std::ostream* out) {
    *out << standard.title;
}
std::vector<Standard> standards() {
    return {{"Ddr4", ddr4_2400()}, {"Ddr4TwoRanks", with_ranks(ddr4_2400(), 2)},
            {"Ddr3", ddr3_1600()}, {"Ddr3TwoRanks", with_ranks(ddr3_1600(), 2)},
            {"Sdr", sdr_pc133()},  {"SdrTwoRanks", with_ranks(sdr_pc133(), 2)}};
}

class RandomStream : public testing::TestWithParam<Standard> {};

TEST_P(RandomStream, LegalOnesStayClean) {
    const Spec& spec = GetParam().spec;
    for (const Pace pace : {Pace::Tight, Pace::Loose}) {
        Checker checker(spec, {});
        const auto stream = LegalStream(spec, seed(), pace).make(40'000);
        for (const CommandRecord& record : stream) checker.on_command(record);
        checker.finish(stream.back().clk);
        EXPECT_EQ(violations_text(checker), "");
        EXPECT_EQ(checker.command_count(), stream.size());
    }
}

TEST_P(RandomStream, TightOnesReachTheLimitOfEveryRuleOfTheirCommands) {
    const Spec& spec = GetParam().spec;
    Checker checker(spec, {});
    for (const CommandRecord& record : LegalStream(spec, seed(), Pace::Tight).make(40'000))
        checker.on_command(record);
    for (const char* rule :
         {"command bus", "tRCD", "tRAS", "tRP", "tRP after PREA", "tRTP", "tWR", "RDA to ACT",
          "WRA to ACT", "tRFC", "read to write", "PRE to REF", "RDA to REF", "WRA to REF"})
        EXPECT_GT(coverage_of(checker, rule).at_limit, 0u) << rule;
    for (const char* rule :
         {"tRRD_L", "tRRD_S", "tCCD_L RD to RD", "tCCD_L WR to WR", "tWTR_L", "tWTR_S", "tRRD",
          "tWTR", "tCDL", "tXP", "tCKE", "tPD", "read to PDE", "write to PDE", "tRTRS"}) {
        if (!has_rule(checker, rule)) continue;
        EXPECT_GT(coverage_of(checker, rule).at_limit, 0u) << rule;
    }
}

TEST_P(RandomStream, OneCommandOneClockEarlierIsCaught) {
    const Spec& spec = GetParam().spec;
    std::mt19937_64 random(seed());
    const auto stream = LegalStream(spec, seed(), Pace::Tight).make(3000);
    for (int trial = 0; trial < 1000; ++trial) {
        const size_t moved = 1 + random() % (stream.size() - 1);
        Checker checker(spec, {});
        for (size_t i = 0; i < moved; ++i) checker.on_command(stream[i]);
        CommandRecord early = stream[moved];
        --early.clk;
        checker.on_command(early);
        EXPECT_GE(checker.violation_count(), 1u) << "command " << moved << " at clk " << early.clk
                                                 << ": " << command_name(early.command);
        for (const Violation& violation : checker.violations())
            EXPECT_EQ(violation.command.clk, early.clk) << violation.text;
    }
}

const auto standard_title = [](const testing::TestParamInfo<Standard>& info) {
    return std::string(info.param.title);
};
INSTANTIATE_TEST_SUITE_P(Of, RandomStream, testing::ValuesIn(standards()), standard_title);

}  // namespace
}  // namespace weir::dram_checker_test
