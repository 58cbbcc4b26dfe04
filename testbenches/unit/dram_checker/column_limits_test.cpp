// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Columns: gaps between reads and writes, the data bus, several ranks.
#include "testbenches/unit/dram_checker/checker_rig.h"

namespace weir::dram_checker_test {
namespace {

using enum Command;
constexpr Where kA{0, 0, 0}, kSameGroup{0, 0, 1}, kOtherGroup{0, 1, 0}, kRank1{1, 0, 0};

std::vector<LimitCase> ddr4_cases() {
    const Spec spec = ddr4_2400();
    const CommandRecord a = act(0, kA), same = act(6, kSameGroup), other = act(6, kOtherGroup);
    return {
        {"TCcdLRead", "tCCD_L RD to RD", spec, {a, same, col(22, Rd, kA), col(28, Rd, kSameGroup)}},
        {"TCcdLOfOneBank", "tCCD_L RD to RD", spec, {a, col(22, Rd, kA), col(28, Rda, kA)}},
        {"TCcdLAcrossAnotherGroup",
         "tCCD_L RD to RD",
         with(spec, "tCCD_L", 9),
         {a, other, col(22, Rd, kA), col(26, Rd, kOtherGroup), col(31, Rd, kA)}},
        {"TCcdSRead",
         "tCCD_S RD to RD",
         spec,
         {a, other, col(22, Rd, kA), col(26, Rd, kOtherGroup)}},
        {"TCcdLWrite",
         "tCCD_L WR to WR",
         spec,
         {a, same, col(22, Wr, kA), col(28, Wr, kSameGroup)}},
        {"TCcdSWrite",
         "tCCD_S WR to WR",
         spec,
         {a, other, col(22, Wr, kA), col(26, Wra, kOtherGroup)}},
        {"TWtrL", "tWTR_L", spec, {a, same, col(22, Wr, kA), col(47, Rd, kSameGroup)}},
        {"TWtrS", "tWTR_S", spec, {a, other, col(22, Wr, kA), col(41, Rd, kOtherGroup)}},
        {"ReadToWrite", "read to write", spec, {a, col(22, Rd, kA), col(32, Wr, kA)}},
        {"ReadToWriteInAnotherGroup",
         "read to write",
         with(spec, "tWPRE", 2),
         {a, other, col(22, Rd, kA), col(33, Wr, kOtherGroup)}},
        {"DataBus",
         "data bus",
         with(spec, "tCCD_S", 1),
         {a, other, col(22, Rd, kA), col(26, Rd, kOtherGroup)}},
        {"DataBusTurnaround",
         "data bus turnaround",
         with(spec, "tWPRE", 0),
         {a, col(22, Rd, kA), col(31, Wr, kA)}},
    };
}

std::vector<LimitCase> rank_cases() {
    const Spec spec = with_ranks(ddr4_2400(), 2);
    const CommandRecord a = act(0, kA), b = act(1, kRank1), c = act(6, kOtherGroup);
    return {
        {"ReadToRead", "tRTRS", spec, {a, b, col(20, Rd, kA), col(25, Rd, kRank1)}},
        {"WriteToWrite", "tRTRS", spec, {a, b, col(20, Wr, kA), col(25, Wr, kRank1)}},
        {"ReadToWrite", "tRTRS", spec, {a, b, col(20, Rd, kA), col(29, Wr, kRank1)}},
        {"WriteToRead",
         "tRTRS",
         with(spec, "tRTRS", 3),
         {a, b, col(20, Wr, kA), col(23, Rd, kRank1)}},
        {"FawIsOfOneRank",
         "tFAW",
         spec,
         {a, b, c, act(10, {0, 2, 0}), act(14, {0, 3, 0}), act(26, kSameGroup)}},
        // The rank in between does not make a rank forget its own gaps.
        {"TWtrAcrossRanks",
         "tWTR_L",
         spec,
         {a, b, col(20, Wr, kA), col(25, Rd, kRank1), col(45, Rd, kA)}},
    };
}

std::vector<LimitCase> ddr3_cases() {
    const Spec spec = ddr3_1600();
    const Where b1{0, 0, 1};
    const CommandRecord a = act(0, kA), b = act(5, b1);
    return {
        {"TCcdRead", "tCCD RD to RD", spec, {a, b, col(20, Rd, kA), col(24, Rd, b1)}},
        {"TCcdWrite", "tCCD WR to WR", spec, {a, b, col(20, Wr, kA), col(24, Wr, b1)}},
        {"TWtr", "tWTR", spec, {a, b, col(20, Wr, kA), col(38, Rd, b1)}},
        {"ReadToWrite", "read to write", spec, {a, b, col(20, Rd, kA), col(29, Wr, b1)}},
    };
}

std::vector<LimitCase> sdr_cases() {
    const Spec spec = sdr_pc133();
    Spec bl1 = spec;
    bl1.organization.burst_length = 1;
    const Where b1{0, 0, 1};
    const CommandRecord a = act(0, kA), b = act(2, b1);
    return {
        {"TCcdOfSingleBeats",
         "tCCD RD to RD",
         with(bl1, "tCCD", 2),
         {a, b, col(5, Rd, kA), col(7, Rd, b1)}},
        {"DataBusOfBurstsOf4", "data bus", spec, {a, b, col(5, Rd, kA), col(9, Rd, b1)}},
        {"TCdl", "tCDL", spec, {a, b, col(5, Wr, kA), col(9, Rd, b1)}},
        {"ReadToWrite", "read to write", spec, {a, b, col(5, Rd, kA), col(13, Wr, b1)}},
        {"Turnaround", "data bus turnaround", spec, {a, b, col(5, Rd, kA), col(13, Wr, b1)}},
    };
}

INSTANTIATE_TEST_SUITE_P(ColumnDdr4, AtTheLimit, testing::ValuesIn(ddr4_cases()), title_of);
INSTANTIATE_TEST_SUITE_P(ColumnRanks, AtTheLimit, testing::ValuesIn(rank_cases()), title_of);
INSTANTIATE_TEST_SUITE_P(ColumnDdr3, AtTheLimit, testing::ValuesIn(ddr3_cases()), title_of);
INSTANTIATE_TEST_SUITE_P(ColumnSdr, AtTheLimit, testing::ValuesIn(sdr_cases()), title_of);

TEST(CheckerDataBus, ABurstMayLieBeforeAnEarlierCommandsBurst) {
    const Spec spec = with(with_ranks(ddr4_2400(), 2), "CL", 40);
    Checker checker(spec, {});
    checker.on_command(act(0, kA));
    checker.on_command(act(1, kRank1));
    checker.on_command(col(20, Rd, kA));      // data from 60 to 64
    checker.on_command(col(43, Wr, kRank1));  // from 55 to 59, and one clock to switch
    EXPECT_EQ(violations_text(checker), "");
    checker.on_command(act(44, kOtherGroup));
    checker.on_command(col(60, Rd, kOtherGroup));  // from 100 to 104
    checker.on_command(col(85, Wr, kRank1));       // from 97 to 101
    EXPECT_TRUE(breaks(checker, "data bus")) << violations_text(checker);
}

TEST(CheckerRanks, OneRanksRowGapsDoNotBearOnAnother) {
    Checker checker(with_ranks(ddr4_2400(), 2), {});
    checker.on_command(act(0, kA));
    checker.on_command(act(1, kRank1));
    checker.on_command(act(4, kOtherGroup));
    checker.on_command(act(5, {1, 1, 0}));
    checker.on_command(rank(60, Prea, 0));
    checker.on_command(rank(76, Ref, 0));
    checker.on_command(col(77, Rd, kRank1));
    EXPECT_EQ(violations_text(checker), "");
}

TEST(CheckerRules, ThoseWithoutAParameterAreOff) {
    const Checker sdr(sdr_pc133(), {});
    for (const char* rule : {"tFAW", "tRRD_S", "tCCD_S RD to RD", "tWTR_S", "tXP", "tCKE", "tPD",
                             "power-down", "tRFC_pb", "tRTRS", "power-up order", "tZQinit", ""})
        EXPECT_FALSE(has_rule(sdr, rule)) << rule;
    for (const char* rule : {"tRRD", "tCCD RD to RD", "tCDL", "tMRD", "tMOD", "refresh gap"})
        EXPECT_TRUE(has_rule(sdr, rule)) << rule;
    Checker no_faw(without(ddr4_2400(), "tFAW"), {});
    for (uint32_t i = 0; i < 5; ++i) no_faw.on_command(act(6 * i, {0, i % 4, i / 4}));
    EXPECT_EQ(violations_text(no_faw), "");
}

TEST(CheckerRules, LatencyFieldsStandInForParametersThatAreMissing) {
    Spec spec = without(ddr4_2400(), "tRCD");
    spec.trcd_clocks = 16;
    Checker checker(spec, {});
    checker.on_command(act(0, kA));
    checker.on_command(col(15, Rd, kA));
    EXPECT_TRUE(breaks(checker, "tRCD"));
}

}  // namespace
}  // namespace weir::dram_checker_test
