// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Is a wrong standard file refused, with place, value and reason?
#include "testbenches/runner/dram/latency_expression.h"
#include "testbenches/unit/dram_core/dram_files.h"

#include <gmock/gmock.h>

namespace weir::runner {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

class StandardErrors : public DramFiles {};

TEST_F(StandardErrors, AnUnknownKeyIsRefusedWithTheNearestOne) {
    EXPECT_THAT(complaint_about("tck_ps = 833", "tck_ps = 833\nrounding_gard_permille = 2"),
                AllOf(ContainsRegex("changed.toml:10: "), HasSubstr("rounding_gard_permille = 2"),
                      HasSubstr("did you mean rounding_guard_permille?")));
    EXPECT_THAT(complaint_about("rows = 32768", "rows = 32768\ncollumns = 5"),
                HasSubstr("did you mean organization.columns?"));
    EXPECT_THAT(complaint_about("CL = { clocks = 16,", "CL = { clock = 16,"),
                AllOf(HasSubstr("clocks is missing"), HasSubstr("is clock meant for it?")));
    EXPECT_THAT(complaint_about("level = \"bank\"", "level = \"bank\"\nwindo = 4"),
                AllOf(HasSubstr("rule tRCD"), HasSubstr("did you mean window?")));
    EXPECT_THAT(complaint_about("[[power_up]]", "[[powerup]]"),
                HasSubstr("did you mean power_up?"));
}

TEST_F(StandardErrors, AWrongTypeIsRefused) {
    EXPECT_THAT(complaint_about("rows = 32768", "rows = \"many\""),
                AllOf(HasSubstr("organization.rows = \"many\""), HasSubstr("whole numbers")));
    EXPECT_THAT(complaint_about("{ ns = 32,", "{ ns = \"32\","), HasSubstr("allowed: numbers"));
    EXPECT_THAT(complaint_about("{ ns = 32,", "{ ns = nan,"), HasSubstr("allowed: numbers"));
    EXPECT_THAT(complaint_about("CL = { clocks = 16,", "CL = { clocks = -1,"),
                HasSubstr("allowed: whole numbers"));
    EXPECT_THAT(complaint_about("preceding = [\"ACT\"]", "preceding = \"ACT\""),
                HasSubstr("a list of texts"));
    EXPECT_THAT(complaint_about("tRP = { ns = 13.32, source = \"JEDEC R bin [seen as tRCD]\" }",
                                "tRP = 16"),
                AllOf(HasSubstr("parameters.tRP = 16"), HasSubstr("a parameter is a table")));
}

TEST_F(StandardErrors, AValueWithoutASourceIsRefused) {
    EXPECT_THAT(
        complaint_about("tRC = { ns = 45.32, source = \"tRAS + tRP\" }", "tRC = { ns = 45.32 }"),
        AllOf(ContainsRegex("changed.toml:[0-9]+: "),
              HasSubstr("parameters.tRC: source is missing")));
}

TEST_F(StandardErrors, AMissingParameterIsNamed) {
    EXPECT_THAT(complaint_about("tRTP = {", "tRTPx = {"),
                AllOf(HasSubstr("parameters.tRTP is missing"), HasSubstr("did you mean tRTPx?")));
    EXPECT_THAT(complaint_about("tXP = {", "tXp = {"), HasSubstr("no parameter tXP"));
}

TEST_F(StandardErrors, AParameterThatNoRuleUsesIsRefused) {
    EXPECT_THAT(
        complaint_about("tXS = {", "tSX = {"),
        AllOf(HasSubstr("parameters.tSX: no rule uses it"), HasSubstr("did you mean tXS?")));
}

TEST_F(StandardErrors, ALatencyWithAnUnknownParameterIsRefused) {
    EXPECT_THAT(complaint_about("latency = \"CWL + BL/2 + tWTR_L\"", "latency = \"CWL + tWTRL\""),
                AllOf(ContainsRegex("changed.toml:[0-9]+: rule tWTR_L: latency"),
                      HasSubstr("no parameter tWTRL"), HasSubstr("did you mean tWTR_L?"),
                      HasSubstr("character 7")));
}

TEST_F(StandardErrors, ALatencyBelowOneClockIsRefused) {
    EXPECT_THAT(complaint_about("latency = \"tRCD\"", "latency = \"tRCD - tRP\""),
                HasSubstr("is 0 clocks"));
}

TEST_F(StandardErrors, AnUnknownCommandOrLevelIsRefused) {
    EXPECT_THAT(complaint_about("following = [\"PRE\"]", "following = [\"PREC\"]"),
                AllOf(HasSubstr("no command \"PREC\""), HasSubstr("did you mean PRE?")));
    EXPECT_THAT(
        complaint_about("level = \"bank_group\"", "level = \"bankgroup\""),
        AllOf(HasSubstr("allowed: bank, bank_group"), HasSubstr("did you mean bank_group?")));
    EXPECT_THAT(complaint_about("following = [\"PRE\"]", "following = []"),
                HasSubstr("at least one command"));
}

TEST_F(StandardErrors, ACommandToARankHasNoRuleAtBankLevel) {
    EXPECT_THAT(complaint_about("following = [\"PRE\"]", "following = [\"PRE\", \"PREA\"]"),
                HasSubstr("PREA goes to a whole rank"));
}

TEST_F(StandardErrors, ImpossibleFiguresAreRefused) {
    EXPECT_THAT(complaint_about("banks_per_group = 4", "banks_per_group = 0"),
                AllOf(ContainsRegex("changed.toml:1[0-9]: organization.banks_per_group"),
                      HasSubstr("0 is none")));
    EXPECT_THAT(complaint_about("rows = 32768", "rows = 32767"),
                HasSubstr("organization.rows: 32767 is no power of two"));
    EXPECT_THAT(complaint_about("columns = 1024", "columns = 1000"),
                HasSubstr("organization.columns: 1000 is no power of two"));
    EXPECT_THAT(complaint_about("columns = 1024", "columns = 4"), HasSubstr("longer than a row"));
    EXPECT_THAT(complaint_about("tRAS = { ns = 32,", "tRAS = { ns = 50,"),
                AllOf(ContainsRegex("changed.toml:[0-9]+: parameters.tRC"),
                      HasSubstr("55 clocks are fewer than tRAS = 60")));
    EXPECT_THAT(complaint_about("tRC = { ns = 45.32,", "tRC = { ns = 44,"),
                HasSubstr("fewer than tRAS + tRP = 55"));
    EXPECT_THAT(complaint_about("tFAW = { ns = 21, min_clocks = 20", "tFAW = { clocks = 5"),
                HasSubstr("5 clocks are fewer than tRRD_L = 6"));
    EXPECT_THAT(complaint_about("tCCD_S = { clocks = 4", "tCCD_S = { clocks = 7"),
                HasSubstr("6 clocks are fewer than tCCD_S = 7"));
    EXPECT_THAT(complaint_about("tREFI = { ns = 7800", "tREFI = { ns = 200"),
                HasSubstr("fewer than tRFC = 313"));
}

TEST_F(StandardErrors, PerBankRefreshNeedsBothTimeAndRules) {
    EXPECT_THAT(complaint_about("\"PREA\"]\nlatency", "\"PREA\", \"REFPB\"]\nlatency"),
                HasSubstr("per-bank refresh needs both"));
}

TEST_F(StandardErrors, ABaseIsOneLevelAndExists) {
    EXPECT_THAT(complaint_about("base = \"sdr-pc100-cl2\"", "base = \"sdr\"", "sdr-pc133"),
                HasSubstr("no such file in"));
    write("sdr-pc100-cl2.toml", content_of(kStandards / "sdr-pc66.toml"));
    EXPECT_THAT(complaint_about("schema = 1", "schema = 1", "sdr-pc133"),
                HasSubstr("has a base itself"));
}

TEST_F(StandardErrors, AnotherSchemaIsRefused) {
    EXPECT_THAT(complaint_about("schema = 1", "schema = 2"), HasSubstr("schema = 2: allowed: 1"));
}

TEST_F(StandardErrors, AFileWithAnyLineLostOrCutLoadsOrIsRefusedWithItsName) {
    const std::string text = content_of(kStandards / "ddr4-2400.toml");
    uint32_t refused = 0;
    for (size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
        end = text.find('\n', begin);
        // Lost or cut in turn, as the line's own length decides.
        const size_t kept = (end - begin) % 2 == 0 ? 0 : (end - begin) / 2;
        std::string changed = text;
        const auto file = write("cut.toml", changed.erase(begin + kept, end - begin - kept));
        const std::string error = error_of([&] { load_standard(file); });
        if (error.empty()) continue;
        EXPECT_THAT(error, HasSubstr("cut.toml:"));
        ++refused;
    }
    EXPECT_GT(refused, 200u);
}

int64_t value_of(std::string_view text) {
    return evaluate_latency(text, {{"CL", 16}, {"BL", 8}, {"tWR", 18}});
}

TEST(LatencyExpression, FollowsTheUsualPrecedence) {
    EXPECT_EQ(value_of("CL + BL/2 + 1"), 21);
    EXPECT_EQ(value_of("CL - BL - 2"), 6);
    EXPECT_EQ(value_of("2*(CL + BL)/3"), 16);
    EXPECT_EQ(value_of("-CL + 20"), 4);
    EXPECT_EQ(value_of("max(1, BL - CL, tWR - 2*BL) + min(CL, BL)"), 10);
}

TEST(LatencyExpression, HalfAClockIsAMistake) {
    EXPECT_THROW(value_of("(BL + 1)/2"), LatencyError);
    EXPECT_THROW(value_of("BL/0"), LatencyError);
}

TEST(LatencyExpression, BrokenTextsAreRefused) {
    for (const std::string text : {"", "CL +", "CL BL", "(CL", "max(CL", "max()", "CL)", "$", "2CL",
                                   "99999999999999999999", "1000000*1000000*1000000"}) {
        EXPECT_THROW(value_of(text), LatencyError) << text;
    }
    EXPECT_THROW(value_of(std::string(10'000, '(')), LatencyError);
}

}  // namespace
}  // namespace weir::runner
