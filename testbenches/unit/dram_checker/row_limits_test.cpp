// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Rows: activate, precharge, and what auto-precharge hides. The last command is at the limit.
#include "testbenches/unit/dram_checker/checker_rig.h"

namespace weir::dram_checker_test {
namespace {

using enum Command;
constexpr Where kA{0, 0, 0}, kSameGroup{0, 0, 1}, kOtherGroup{0, 1, 0};

std::vector<LimitCase> ddr4_cases() {
    const Spec spec = ddr4_2400();
    // Elsewhere tRC = tRAS + tRP: the shorter parameter lets the other rule stand alone.
    const Spec short_trp = with(spec, "tRP", 14), short_trc = with(spec, "tRC", 50);
    return {
        {"CommandBus", "command bus", spec, {act(5, kA), act(9, kOtherGroup), rank(10, Pde)}},
        {"TRc", "tRC", short_trp, {act(0, kA), bank(39, Pre, kA), act(55, kA)}},
        {"TRcd", "tRCD", spec, {act(0, kA), col(16, Rd, kA)}},
        {"TRcdOfWrite", "tRCD", spec, {act(0, kA), col(16, Wr, kA)}},
        {"TRas", "tRAS", spec, {act(0, kA), bank(39, Pre, kA)}},
        {"TRasOfPrechargeAll", "tRAS", spec, {act(0, kA), act(6, kSameGroup), rank(45, Prea)}},
        {"TRp", "tRP", spec, {act(0, kA), bank(45, Pre, kA), act(61, kA)}},
        {"TRpOfTheLastPrecharge",
         "tRP",
         spec,
         {act(0, kA), bank(45, Pre, kA), bank(50, Pre, kA), act(66, kA)}},
        {"TRpAfterPrechargeAll", "tRP after PREA", spec, {act(0, kA), rank(45, Prea), act(61, kA)}},
        {"TRtp", "tRTP", spec, {act(0, kA), col(40, Rd, kA), bank(49, Pre, kA)}},
        {"TRtpOfPrechargeAll", "tRTP", spec, {act(0, kA), col(40, Rd, kA), rank(49, Prea)}},
        {"TRtpOfPrechargeAllAfterRda",
         "tRTP",
         spec,
         {act(0, kA), col(40, Rda, kA), rank(49, Prea)}},
        {"TWr", "tWR", spec, {act(0, kA), col(16, Wr, kA), bank(50, Pre, kA)}},
        {"RdaToActByTRtp", "RDA to ACT", spec, {act(0, kA), col(40, Rda, kA), act(65, kA)}},
        {"RdaToActByHiddenTRas",
         "RDA to ACT",
         short_trc,
         {act(0, kA), col(16, Rda, kA), act(55, kA)}},
        {"WraToAct", "WRA to ACT", spec, {act(0, kA), col(16, Wra, kA), act(66, kA)}},
        {"TRrdL", "tRRD_L", spec, {act(0, kA), act(6, kSameGroup)}},
        {"TRrdLAcrossAnotherGroup",
         "tRRD_L",
         with(spec, "tRRD_L", 9),
         {act(0, kA), act(4, kOtherGroup), act(9, kSameGroup)}},
        {"TRrdS", "tRRD_S", spec, {act(0, kA), act(4, kOtherGroup)}},
        {"TRrdSAcrossItsOwnGroup",
         "tRRD_S",
         with(spec, "tRRD_S", 8),
         {act(0, kA), act(6, kSameGroup), act(14, kOtherGroup)}},
        {"TFaw",
         "tFAW",
         spec,
         {act(0, kA), act(4, {0, 1, 0}), act(8, {0, 2, 0}), act(12, {0, 3, 0}),
          act(26, kSameGroup)}},
        {"TFawRolls",
         "tFAW",
         spec,
         {act(0, kA), act(10, {0, 1, 0}), act(14, {0, 2, 0}), act(18, {0, 3, 0}),
          act(26, kSameGroup), act(36, {0, 1, 1})}},
        {"TRasMax", "tRAS_max", with(spec, "tRAS_max", 1000), {act(0, kA), bank(1000, Pre, kA)}, 1},
        {"TRasMaxOfTheSecondRow",
         "tRAS_max",
         with(spec, "tRAS_max", 1000),
         {act(0, kA), act(20, kOtherGroup), bank(700, Pre, kA), bank(1020, Pre, kOtherGroup)},
         1},
        {"TRasMaxOfHiddenPrecharge",
         "tRAS_max",
         with(spec, "tRAS_max", 1000),
         {act(0, kA), col(991, Rda, kA)},
         1},
    };
}

std::vector<LimitCase> ddr3_cases() {
    const Spec spec = ddr3_1600();
    const Where b1{0, 0, 1};
    return {
        {"TRc", "tRC", with(spec, "tRP", 9), {act(0, kA), bank(28, Pre, kA), act(39, kA)}},
        {"TRcd", "tRCD", spec, {act(0, kA), col(11, Rd, kA)}},
        {"TRas", "tRAS", spec, {act(0, kA), bank(28, Pre, kA)}},
        {"TRrd", "tRRD", spec, {act(0, kA), act(5, b1)}},
        {"TFaw",
         "tFAW",
         spec,
         {act(0, kA), act(5, b1), act(10, {0, 0, 2}), act(15, {0, 0, 3}), act(24, {0, 0, 4})}},
        {"WraToAct", "WRA to ACT", spec, {act(0, kA), col(11, Wra, kA), act(46, kA)}},
    };
}

std::vector<LimitCase> sdr_cases() {
    const Spec spec = sdr_pc133();
    const Where b1{0, 0, 1};
    return {
        {"TRc", "tRC", with(spec, "tRC", 10), {act(0, kA), bank(6, Pre, kA), act(10, kA)}},
        {"TRcd", "tRCD", spec, {act(0, kA), col(3, Rd, kA)}},
        {"TRas", "tRAS", spec, {act(0, kA), bank(6, Pre, kA)}},
        {"TRp", "tRP", spec, {act(0, kA), bank(10, Pre, kA), act(13, kA)}},
        {"TRrd", "tRRD", spec, {act(0, kA), act(2, b1)}},
        // A whole burst of 4 at CL 3 lets the precharge come 2 clocks after the read.
        {"WholeBurstBeforePrecharge",
         "tRTP",
         spec,
         {act(0, kA), col(8, Rd, kA), bank(10, Pre, kA)}},
        {"TRtpIfGiven",
         "tRTP",
         with(spec, "tRTP", 4),
         {act(0, kA), col(8, Rd, kA), bank(12, Pre, kA)}},
        // Recovery counts from the edge of the last beat, 3 clocks after the write.
        {"TDpl", "tWR", spec, {act(0, kA), col(3, Wr, kA), bank(8, Pre, kA)}},
        {"RdaToAct", "RDA to ACT", spec, {act(0, kA), col(8, Rda, kA), act(13, kA)}},
        {"WraToAct", "WRA to ACT", spec, {act(0, kA), col(3, Wra, kA), act(11, kA)}},
        {"TDal", "WRA to ACT", with(spec, "tDAL", 7), {act(0, kA), col(3, Wra, kA), act(13, kA)}},
        {"TRasMax", "tRAS_max", spec, {act(0, kA), bank(16000, Pre, kA)}, 1, {false, false}},
    };
}

INSTANTIATE_TEST_SUITE_P(RowDdr4, AtTheLimit, testing::ValuesIn(ddr4_cases()), title_of);
INSTANTIATE_TEST_SUITE_P(RowDdr3, AtTheLimit, testing::ValuesIn(ddr3_cases()), title_of);
INSTANTIATE_TEST_SUITE_P(RowSdr, AtTheLimit, testing::ValuesIn(sdr_cases()), title_of);

TEST(CheckerRow, PrechargeOfAClosedSdrBankDoesNothing) {
    Checker checker(sdr_pc133(), {});
    checker.on_command(act(0, kA));
    checker.on_command(bank(10, Pre, kA));
    checker.on_command(bank(12, Pre, kA));
    checker.on_command(act(13, kA));
    EXPECT_EQ(violations_text(checker), "");
}

TEST(CheckerRow, RowsThatAreNeverClosedAreReportedOnceEach) {
    Checker checker(with(ddr4_2400(), "tRAS_max", 1000), {});
    checker.on_command(act(0, kA, 5));
    checker.on_command(act(30, kOtherGroup, 6));
    checker.on_command(col(1001, Rd, kA));
    ASSERT_EQ(checker.violation_count(), 1u) << violations_text(checker);
    EXPECT_EQ(checker.violations()[0].rule, "tRAS_max");
    EXPECT_EQ(checker.violations()[0].command.bank_group, 0u);
    checker.on_command(col(1020, Rd, kA));
    EXPECT_EQ(checker.violation_count(), 1u) << violations_text(checker);
    checker.finish(1031);
    ASSERT_EQ(checker.violation_count(), 2u) << violations_text(checker);
    EXPECT_EQ(checker.violations()[1].command.bank_group, 1u);
}

}  // namespace
}  // namespace weir::dram_checker_test
