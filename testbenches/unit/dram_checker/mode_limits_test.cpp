// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Refresh, its debt, mode registers, power-down and power-up.
#include "testbenches/unit/dram_checker/checker_rig.h"

namespace weir::dram_checker_test {
namespace {

using enum Command;
constexpr Where kA{0, 0, 0}, kSameGroup{0, 0, 1};
constexpr uint64_t kTrefi = 9364;

std::vector<LimitCase> refresh_cases() {
    const Spec spec = ddr4_2400();
    const Spec short_trp = with(spec, "tRP", 14), per_bank = with(spec, "tRFC_pb", 100);
    const CommandRecord a = act(0, kA);
    return {
        {"PreToRef", "PRE to REF", spec, {a, bank(45, Pre, kA), rank(61, Ref)}},
        {"PreaToRef", "PRE to REF", spec, {a, rank(45, Prea), rank(61, Ref)}},
        {"PreToMrs", "PRE to REF", spec, {a, bank(45, Pre, kA), rank(61, Mrs)}},
        {"PreToZqcl", "PRE to REF", spec, {a, bank(45, Pre, kA), rank(61, Zqcl)}},
        {"RdaToRef", "RDA to REF", spec, {a, col(40, Rda, kA), rank(65, Ref)}},
        {"RdaToRefByHiddenTRas",
         "RDA to REF",
         with(spec, "tRC", 50),
         {a, col(16, Rda, kA), rank(55, Ref)}},
        {"WraToRef", "WRA to REF", spec, {a, col(16, Wra, kA), rank(66, Ref)}},
        {"WraToMrs", "WRA to REF", spec, {a, col(16, Wra, kA), rank(66, Mrs)}},
        {"ActToRef", "ACT to REF", short_trp, {a, bank(39, Pre, kA), rank(55, Ref)}},
        {"RefToAct", "tRFC", spec, {rank(0, Ref), act(313, kA)}},
        {"RefToRef", "tRFC", spec, {rank(0, Ref), rank(313, Ref)}},
        {"RefToMrs", "tRFC", spec, {rank(0, Ref), rank(313, Mrs)}},
        {"RefToPrea", "tRFC", spec, {rank(0, Ref), rank(313, Prea)}},
        {"RefToActAcrossPowerDown",
         "tRFC",
         spec,
         {rank(0, Ref), rank(2, Pde), rank(10, Pdx), act(313, kA)}},
        {"RefpbToAct",
         "tRFC_pb",
         per_bank,
         {bank(0, Refpb, kA), act(20, kSameGroup), act(100, kA)}},
        {"RefpbToRefpb", "tRFC_pb", per_bank, {bank(0, Refpb, kA), bank(100, Refpb, kA)}},
        {"RefpbToRef", "tRFC_pb", per_bank, {bank(0, Refpb, kA), rank(100, Ref)}},
        {"PreToRefpb", "PRE to REF", per_bank, {a, bank(45, Pre, kA), bank(61, Refpb, kA)}},
    };
}

std::vector<LimitCase> debt_cases() {
    const Spec spec = ddr4_2400(), per_bank = with(spec, "tRFC_pb", 100);
    const CheckerOptions two{false, true, 2, 8}, none{false, true, 0, 0},
        one_ahead{false, true, 8, 1};
    const CheckerOptions grace{false, true, 0, 0, 60};
    return {
        {"PulledIn",
         "refresh pulled in",
         spec,
         {rank(1000, Ref), rank(2000, Ref), rank(kTrefi, Ref)},
         -1,
         one_ahead},
        {"NotPulledIn", "refresh pulled in", spec, {rank(9000, Ref), rank(kTrefi, Ref)}, -1, none},
        {"Postponed", "refresh postponed", spec, {rank(3 * kTrefi, Ref)}, 1, two},
        {"PostponedAgain",
         "refresh postponed",
         spec,
         {rank(2 * kTrefi, Ref), rank(4 * kTrefi, Ref)},
         1,
         two},
        {"NotPostponed", "refresh postponed", spec, {rank(kTrefi, Ref)}, 1, none},
        {"PostponedByGraceOnly", "refresh postponed", spec, {rank(kTrefi + 60, Ref)}, 1, grace},
        {"Gap", "refresh gap", spec, {rank(100, Ref), rank(100 + 3 * kTrefi, Ref)}, 1, two},
        {"GapOfNine", "refresh gap", spec, {rank(50, Ref), rank(50 + 9 * kTrefi, Ref)}, 1},
        {"OfOneBank",
         "refresh postponed",
         per_bank,
         {bank(100, Refpb, kA), bank(3 * kTrefi, Refpb, kSameGroup)},
         1,
         two},
    };
}

std::vector<LimitCase> mode_cases() {
    const Spec spec = ddr4_2400();
    const CommandRecord a = act(0, kA);
    return {
        {"TXp", "tXP", spec, {rank(0, Pde), rank(6, Pdx), act(14, kA)}},
        {"TXpOfColumn", "tXP", spec, {a, rank(20, Pde), rank(26, Pdx), col(34, Rd, kA)}},
        {"TPd", "tPD", spec, {rank(0, Pde), rank(6, Pdx)}},
        {"TPdIfGiven", "tPD", with(spec, "tPD", 9), {rank(0, Pde), rank(9, Pdx)}},
        {"TCke", "tCKE", spec, {rank(0, Pde), rank(10, Pdx), rank(16, Pde)}},
        {"ReadToPde", "read to PDE", spec, {a, col(16, Rd, kA), rank(37, Pde)}},
        {"WriteToPde", "write to PDE", spec, {a, col(16, Wr, kA), rank(50, Pde)}},
        {"WraToPde", "write to PDE", spec, {a, col(16, Wra, kA), rank(51, Pde)}},
        {"TMrd", "tMRD", spec, {rank(0, Mrs), rank(8, Mrs)}},
        {"TMod", "tMOD", spec, {rank(0, Mrs), rank(8, Mrs), act(32, kA)}},
        {"TModToRef", "tMOD", spec, {rank(0, Mrs), rank(24, Ref)}},
        {"TZqinit", "tZQinit", spec, {rank(0, Zqcl), act(1024, kA)}},
    };
}

std::vector<LimitCase> power_up_cases() {
    const CheckerOptions options{true};
    return {
        {"FirstWait", "power-up wait", ddr4_2400(), {rank(600, Mrs)}, -1, options},
        {"LaterWait",
         "power-up wait",
         ddr4_2400(),
         {rank(600, Mrs), rank(608, Mrs), rank(632, Zqcl)},
         -1,
         options},
        {"SdrWait",
         "power-up wait",
         sdr_pc133(),
         {rank(100, Prea), rank(103, Ref), rank(113, Ref), rank(123, Mrs)},
         -1,
         options},
        {"SdrModeRegister",
         "tMOD",
         sdr_pc133(),
         {rank(100, Prea), rank(103, Ref), rank(113, Ref), rank(123, Mrs), act(125, kA)},
         -1,
         options},
        // The schedule begins with the last step, at 632; the refreshes before do not count.
        {"DebtBeginsAfterIt",
         "refresh postponed",
         ddr4_2400(),
         {rank(600, Mrs), rank(608, Mrs), rank(632, Zqcl), rank(632 + 9 * kTrefi, Ref)},
         1,
         options},
    };
}

std::vector<LimitCase> sdr_cases() {
    const Spec spec = sdr_pc133();
    const CommandRecord a = act(0, kA);
    return {
        {"PreToRef", "PRE to REF", spec, {a, bank(8, Pre, kA), rank(11, Ref)}},
        {"RdaToRef", "RDA to REF", spec, {a, col(8, Rda, kA), rank(13, Ref)}},
        {"WraToRef", "WRA to REF", spec, {a, col(4, Wra, kA), rank(12, Ref)}},
        {"TRfc", "tRFC", spec, {rank(0, Ref), act(10, kA)}},
        {"TMrd", "tMRD", spec, {rank(0, Mrs), rank(2, Mrs)}},
        {"Gap", "refresh gap", spec, {rank(50, Ref), rank(50 + 9 * 2083, Ref)}, 1},
    };
}

INSTANTIATE_TEST_SUITE_P(Refresh, AtTheLimit, testing::ValuesIn(refresh_cases()), title_of);
INSTANTIATE_TEST_SUITE_P(RefreshDebt, AtTheLimit, testing::ValuesIn(debt_cases()), title_of);
INSTANTIATE_TEST_SUITE_P(Mode, AtTheLimit, testing::ValuesIn(mode_cases()), title_of);
INSTANTIATE_TEST_SUITE_P(PowerUp, AtTheLimit, testing::ValuesIn(power_up_cases()), title_of);
INSTANTIATE_TEST_SUITE_P(ModeSdr, AtTheLimit, testing::ValuesIn(sdr_cases()), title_of);

TEST(CheckerRefreshDebt, AMissingRefreshIsSeenAtTheNextCommandOfAnyRank) {
    Checker checker(with_ranks(ddr4_2400(), 2), {});
    checker.on_command(rank(8 * kTrefi, Ref, 0));
    checker.on_command(act(9 * kTrefi, {0, 0, 0}));
    EXPECT_EQ(violations_text(checker), "");
    checker.on_command(act(9 * kTrefi + 10, {0, 1, 0}));
    ASSERT_EQ(checker.violation_count(), 1u) << violations_text(checker);
    EXPECT_EQ(checker.violations()[0].rule, "refresh postponed");
    EXPECT_EQ(checker.violations()[0].command.rank, 1u);
    checker.on_command(act(9 * kTrefi + 20, {0, 2, 0}));
    EXPECT_EQ(checker.violation_count(), 1u) << violations_text(checker);
}

TEST(CheckerRefreshDebt, AMissingRefreshIsSeenAtTheEnd) {
    Checker checker(ddr4_2400(), {});
    checker.finish(9 * kTrefi);
    EXPECT_EQ(violations_text(checker), "");
    checker.finish(9 * kTrefi + 1);
    EXPECT_TRUE(breaks(checker, "refresh postponed"));
}

TEST(CheckerRefreshDebt, NamesTheBankThatPerBankRefreshForgot) {
    Checker checker(with(ddr4_2400(), "tRFC_pb", 100), {});
    for (uint32_t i = 0; i < 16; ++i)
        if (i != 6) checker.on_command(bank(1000 + 200 * i, Refpb, {0, i / 4, i % 4}));
    checker.finish(9 * kTrefi + 1);
    ASSERT_EQ(checker.violation_count(), 1u) << violations_text(checker);
    EXPECT_EQ(checker.violations()[0].command.command, Refpb);
    EXPECT_EQ(checker.violations()[0].command.bank_group, 1u);
    EXPECT_EQ(checker.violations()[0].command.bank, 2u);
}

TEST(CheckerRefreshDebt, IsOffWhereRefreshIsOff) {
    Checker checker(ddr4_2400(), {false, false});
    checker.finish(1'000'000);
    EXPECT_EQ(violations_text(checker), "");
    EXPECT_FALSE(has_rule(checker, "refresh gap"));
}

}  // namespace
}  // namespace weir::dram_checker_test
