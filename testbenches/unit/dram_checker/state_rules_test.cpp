// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Rules about state, which have no limit in time, and how a violation reads.
#include "testbenches/unit/dram_checker/checker_rig.h"

namespace weir::dram_checker_test {
namespace {

using enum Command;
constexpr Where kA{0, 0, 0}, kOtherGroup{0, 1, 0};

/// `legal` keeps the rule, also counts it; with `illegal` as its last command it breaks that only.
struct StateCase {
    std::string title, rule;
    Spec spec;
    std::vector<CommandRecord> legal;
    CommandRecord illegal;
    CheckerOptions options{};
};
void PrintTo(const StateCase& state_case, std::ostream* out) {
    *out << state_case.rule;
}

CommandRecord with_row(CommandRecord record, uint32_t row) {
    record.row = row;
    return record;
}
CommandRecord with_group(CommandRecord record, uint32_t group) {
    record.bank_group = group;
    return record;
}
CommandRecord with_bank(CommandRecord record, uint32_t bank) {
    record.bank = bank;
    return record;
}

std::vector<StateCase> bank_cases() {
    const Spec spec = ddr4_2400(), sdr = sdr_pc133(), per_bank = with(spec, "tRFC_pb", 100);
    const CommandRecord a = act(0, kA);
    return {
        {"ActOnOpenBank", "ACT on closed bank", spec, {a}, act(60, kA)},
        {"ActOnOpenSdrBank", "ACT on closed bank", sdr, {a}, act(60, kA)},
        {"ColumnBeforeAct",
         "column on open bank",
         spec,
         {a, col(16, Rd, kA)},
         col(30, Rd, kOtherGroup)},
        {"ColumnAfterPre",
         "column on open bank",
         spec,
         {a, col(16, Rd, kA), bank(50, Pre, kA)},
         col(60, Wr, kA)},
        {"ColumnAfterPrea",
         "column on open bank",
         spec,
         {a, col(16, Rd, kA), rank(50, Prea)},
         col(60, Rda, kA)},
        {"ColumnAfterRda", "column on open bank", spec, {a, col(16, Rda, kA)}, col(40, Rd, kA)},
        {"ColumnAfterWra", "column on open bank", sdr, {a, col(4, Wra, kA)}, col(8, Wr, kA)},
        {"ColumnOfAnotherRow",
         "column in open row",
         spec,
         {a, with_row(col(16, Rd, kA), kRow)},
         with_row(col(30, Rd, kA), kRow + 1)},
        {"RefWithOpenBank", "all banks closed", spec, {rank(0, Ref), act(400, kA)}, rank(500, Ref)},
        {"MrsWithOpenBank", "all banks closed", spec, {rank(0, Mrs), act(400, kA)}, rank(500, Mrs)},
        {"ZqclWithOpenBank",
         "all banks closed",
         spec,
         {rank(0, Mrs), act(400, kA)},
         rank(500, Zqcl)},
        {"RefWithOpenSdrBank", "all banks closed", sdr, {rank(0, Ref), act(40, kA)}, rank(60, Ref)},
        {"RefpbWithItsBankOpen",
         "all banks closed",
         per_bank,
         {a, bank(10, Refpb, kOtherGroup)},
         bank(200, Refpb, kA)},
    };
}

std::vector<StateCase> field_cases() {
    const Spec spec = ddr4_2400();
    const CommandRecord a = act(0, kA);
    const CommandRecord read = col(40, Rd, kA);
    CommandRecord no_column = read, pre_row = bank(60, Pre, kA), ref_column = rank(60, Ref);
    no_column.column = kNoField;
    pre_row.row = kRow;
    ref_column.column = 0;
    return {
        {"Unaligned", "burst aligned", spec, {a, col(16, Rd, kA, 8)}, col(30, Rd, kA, 12)},
        {"UnalignedSdr", "burst aligned", sdr_pc133(), {a, col(4, Rd, kA, 4)}, col(8, Rd, kA, 6)},
        {"RankTooBig", "fields", spec, {a}, rank(60, Prea, 1)},
        {"GroupTooBig", "fields", spec, {a}, act(60, {0, 4, 0})},
        {"GroupAbsent", "fields", spec, {a}, with_group(read, kNoField)},
        {"BankTooBig", "fields", spec, {a}, act(60, {0, 0, 4})},
        {"BankAbsent", "fields", spec, {a}, with_bank(read, kNoField)},
        {"RowTooBig", "fields", spec, {a}, act(60, kOtherGroup, 32768)},
        {"RowAbsent", "fields", spec, {a}, act(60, kOtherGroup, kNoField)},
        {"RowOfPre", "fields", spec, {a}, pre_row},
        {"ColumnTooBig", "fields", spec, {a}, col(40, Rd, kA, 1024)},
        {"ColumnAbsent", "fields", spec, {a}, no_column},
        {"ColumnOfRef", "fields", spec, {}, ref_column},
        {"BankOfPrea", "fields", spec, {a}, with_bank(rank(60, Prea), 0)},
        {"GroupOfRef", "fields", spec, {}, with_group(rank(60, Ref), 0)},
        {"RefpbOfDdr4", "command of the standard", spec, {a}, bank(60, Refpb, kOtherGroup)},
        {"PowerDownOfSdr", "command of the standard", without(spec, "tXP"), {a}, rank(60, Pde)},
        {"ZqclOfSdr", "command of the standard", sdr_pc133(), {rank(0, Mrs)}, rank(60, Zqcl)},
    };
}

std::vector<StateCase> mode_cases() {
    const Spec spec = ddr4_2400(), sdr = sdr_pc133();
    const CommandRecord in = rank(0, Pde), out = rank(20, Pdx);
    const CheckerOptions power_up{true};
    const CommandRecord prea = rank(100, Prea), ref1 = rank(110, Ref), ref2 = rank(130, Ref);
    return {
        {"ActInPowerDown", "power-down", spec, {in, out, rank(40, Pde)}, act(60, kA)},
        {"RefInPowerDown", "power-down", spec, {in}, rank(60, Ref)},
        {"PdeInPowerDown", "power-down", spec, {in}, rank(60, Pde)},
        {"PdxWithoutPowerDown", "power-down", spec, {in, out}, rank(60, Pdx)},
        {"ActFirst", "power-up order", sdr, {}, act(500, kA), power_up},
        {"ActBeforeModeRegister",
         "power-up order",
         sdr,
         {prea, ref1, ref2},
         act(500, kA),
         power_up},
        {"OneRefreshOnly", "power-up order", sdr, {prea, ref1}, rank(500, Mrs), power_up},
        {"CalibrationBeforeModes",
         "power-up order",
         spec,
         {rank(600, Mrs)},
         rank(2000, Zqcl),
         power_up},
    };
}

class StateRule : public testing::TestWithParam<StateCase> {};

TEST_P(StateRule, IsBrokenByTheLastCommandOnly) {
    const StateCase& state = GetParam();
    Checker checker(state.spec, state.options);
    for (const CommandRecord& record : state.legal) checker.on_command(record);
    EXPECT_EQ(violations_text(checker), "");
    const uint64_t applied = coverage_of(checker, state.rule).applied;
    checker.on_command(state.illegal);
    ASSERT_EQ(checker.violation_count(), 1u) << violations_text(checker);
    EXPECT_EQ(checker.violations()[0].rule, state.rule);
    EXPECT_EQ(checker.violations()[0].earliest_clk, 0u);
    EXPECT_EQ(coverage_of(checker, state.rule).applied, applied + 1);
    EXPECT_EQ(coverage_of(checker, state.rule).at_limit, 0u);
    EXPECT_FALSE(coverage_of(checker, state.rule).timed);
}

const auto state_title = [](const testing::TestParamInfo<StateCase>& info) {
    return info.param.title;
};
INSTANTIATE_TEST_SUITE_P(Bank, StateRule, testing::ValuesIn(bank_cases()), state_title);
INSTANTIATE_TEST_SUITE_P(Field, StateRule, testing::ValuesIn(field_cases()), state_title);
INSTANTIATE_TEST_SUITE_P(Mode, StateRule, testing::ValuesIn(mode_cases()), state_title);

TEST(CheckerState, WithoutBankGroupsTheFieldMayBeAbsent) {
    Checker checker(sdr_pc133(), {});
    checker.on_command(with_group(act(0, {0, 0, 3}), kNoField));
    checker.on_command(col(3, Rd, {0, 0, 3}));
    EXPECT_EQ(violations_text(checker), "");
}

TEST(CheckerState, TheClockMayNotRunBackwards) {
    Checker checker(ddr4_2400(), {});
    checker.on_command(act(100, kA));
    checker.on_command(act(90, kOtherGroup));
    EXPECT_TRUE(breaks(checker, "command bus"));
}

TEST(CheckerState, EachRankHasItsOwnPowerUp) {
    Checker checker(with_ranks(sdr_pc133(), 2), {true});
    for (uint32_t r = 0; r < 2; ++r) checker.on_command(rank(100 + r, Prea, r));
    for (uint32_t r = 0; r < 2; ++r) checker.on_command(rank(110 + r, Ref, r));
    for (uint32_t r = 0; r < 2; ++r) checker.on_command(rank(130 + r, Ref, r));
    checker.on_command(rank(150, Mrs, 0));
    checker.on_command(act(160, kA));
    EXPECT_EQ(violations_text(checker), "");
    EXPECT_EQ(coverage_of(checker, "power-up order").applied, 7u);
    checker.on_command(act(170, {1, 0, 0}));
    EXPECT_TRUE(breaks(checker, "power-up order"));
}

TEST(CheckerViolation, TextOfATimingRuleSaysWhenWhatWhereAndHowEarly) {
    Checker checker(ddr4_2400(), {});
    checker.on_command(act(100, {0, 1, 2}));
    checker.on_command(col(113, Rd, {0, 1, 2}, 8));
    ASSERT_EQ(checker.violation_count(), 1u);
    const Violation& violation = checker.violations()[0];
    EXPECT_EQ(violation.text,
              "clk 113: RD rank 0 group 1 bank 2 column 8 breaks \"tRCD\": 3 clocks early, legal "
              "from clk 116 (counted from clk 100)");
    EXPECT_EQ(violation.rule, "tRCD");
    EXPECT_EQ(violation.earliest_clk, 116u);
    EXPECT_EQ(violation.command.clk, 113u);
}

TEST(CheckerViolation, TextOfAStateRuleSaysWhatIsWrong) {
    Checker checker(ddr4_2400(), {});
    checker.on_command(act(100, {0, 1, 2}, 5));
    checker.on_command(act(200, {0, 1, 2}, 6));
    ASSERT_EQ(checker.violation_count(), 1u);
    EXPECT_EQ(checker.violations()[0].text,
              "clk 200: ACT rank 0 group 1 bank 2 row 6 breaks \"ACT on closed bank\": the bank "
              "has a row open");
}

TEST(CheckerViolation, TextOfWhatIsOverdueSaysSinceWhen) {
    Checker checker(ddr4_2400(), {});
    checker.finish(84277);
    ASSERT_EQ(checker.violation_count(), 1u);
    EXPECT_EQ(checker.violations()[0].text,
              "clk 84277: REF rank 0 breaks \"refresh postponed\": 1 clock late, due by clk 84276 "
              "(counted from clk 0)");
}

TEST(CheckerViolation, AllAreCountedAndTheFirstAreKept) {
    Checker checker(ddr4_2400(), {false, false});
    for (uint32_t i = 0; i < 300; ++i) checker.on_command(col(100 + 10 * i, Rd, kA));
    EXPECT_EQ(checker.violation_count(), 300u);
    EXPECT_EQ(checker.violations().size(), Checker::kKept);
}

}  // namespace
}  // namespace weir::dram_checker_test
