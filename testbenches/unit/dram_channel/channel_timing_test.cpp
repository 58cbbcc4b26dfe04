// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Which question: are the times of single bursts and of saturated streams those that arithmetic on
// the datasheet gives? Source of the closed forms: DDR4-2400R, fact book of SDRAM, section 1.
#include "testbenches/unit/dram_channel/channel_rig.h"

#include <gtest/gtest.h>

namespace weir::test {
namespace {

constexpr uint64_t kRowBytes = 8192;             // 1024 columns of 8 bytes
constexpr uint64_t kBankBytes = 16 * kRowBytes;  // to the next row of the same bank
constexpr double kRefreshShare = 313.0 / 9364.0;

const std::vector<std::string> kNoRefresh{"refresh.name=none"};

std::vector<Item> reads(uint64_t count, uint64_t stride_bytes) {
    std::vector<Item> items;
    for (uint64_t i = 0; i < count; ++i) items.push_back({i * stride_bytes % (1ull << 30)});
    return items;
}

/// Clocks of a saturated stream without refresh.
double clocks_per_read(std::vector<std::string> settings, uint64_t stride_bytes) {
    settings.push_back("refresh.name=none");
    ChannelRig rig(config(settings));
    constexpr uint64_t kReads = 20'000;
    rig.drive(reads(kReads, stride_bytes));
    EXPECT_EQ(rig.violations(), "");
    return static_cast<double>(rig.channel.stats().last_data_clk) / kReads;
}

TEST(ChannelLatency, ClosedBankTakesActivateAndCas) {
    ChannelRig rig(config(kNoRefresh));
    EXPECT_EQ(rig.one(1000, 0).latency_clocks, 36u);  // tRCD 16 + CL 16 + BL/2 4
}

TEST(ChannelLatency, OpenRowTakesCasOnly) {
    ChannelRig rig(config(kNoRefresh));
    rig.one(1000, 0);
    EXPECT_EQ(rig.one(2000, 64).latency_clocks, 20u);
}

TEST(ChannelLatency, ConflictAddsPrecharge) {
    ChannelRig rig(config(kNoRefresh));
    rig.one(1000, 0);
    EXPECT_EQ(rig.one(2000, kBankBytes).latency_clocks, 52u);
}

TEST(ChannelLatency, ConflictWaitsForRasUntilOneClockBeforeItIsOver) {
    for (const uint64_t offset : {22u, 23u, 24u}) {  // PRE may go 39 after ACT
        ChannelRig rig(config(kNoRefresh));
        rig.one(1000, 0);
        const uint64_t begin = 1000 + 39 - 1 + offset - 23;
        const uint64_t wait = begin < 1039 ? 1039 - begin : 0;
        EXPECT_EQ(rig.one(begin, kBankBytes).latency_clocks, 52u + wait) << begin;
    }
}

TEST(ChannelLatency, WriteIsAnsweredWhenItsDataHaveMoved) {
    ChannelRig rig(config(kNoRefresh));
    EXPECT_EQ(rig.one(1000, 0, true).latency_clocks, 32u);  // tRCD 16 + CWL 12 + BL/2 4
}

TEST(ChannelLatency, ReadOfABurstInTheWriteQueueIsAnsweredFromThere) {
    ChannelRig rig(config({"refresh.name=none", "scheduler.name=frfcfs_drain"}));
    rig.channel.push({rig.map.place_of(0), dram::Direction::Write, 0, 10}, 10);
    rig.channel.push({rig.map.place_of(0), dram::Direction::Read, 1, 10}, 10);
    ASSERT_EQ(rig.channel.completions().size(), 1u);
    EXPECT_EQ(rig.channel.completions()[0].token, 1u);
    EXPECT_EQ(rig.channel.completions()[0].latency_clocks, 4u);
    EXPECT_EQ(rig.channel.stats().forwarded_reads, 1u);
}

TEST(ChannelLatency, WriteWaitsForAnOlderReadOfItsBurst) {
    ChannelRig rig(config({"refresh.name=none", "scheduler.name=frfcfs_drain",
                           "scheduler.drain_high_entries=1", "scheduler.drain_low_entries=0"}));
    rig.channel.push({rig.map.place_of(0), dram::Direction::Read, 0, 10}, 10);
    rig.channel.push({rig.map.place_of(0), dram::Direction::Write, 1, 10}, 10);
    while (rig.channel.completions().size() < 2) rig.channel.run(10'000);
    EXPECT_EQ(rig.channel.completions()[0].token, 0u);
    EXPECT_EQ(rig.channel.completions()[1].token, 1u);
}

TEST(ChannelLatency, RefreshHoldsWhatComesWhileItRuns) {
    ChannelRig rig(config());
    // REF goes out at tREFI; a read a clock later waits for the rest of tRFC, then for its bank.
    const dram::Completion done = rig.one(9365, 0);
    EXPECT_EQ(done.latency_clocks, 312u + 36u);
    EXPECT_EQ(done.parts.refresh, 312u);
}

TEST(ChannelLatency, RefreshJustOverHoldsNobody) {
    ChannelRig rig(config());
    EXPECT_EQ(rig.one(9364 + 313, 0).latency_clocks, 36u);
    ChannelRig before(config());
    EXPECT_EQ(before.one(9364 + 312, 0).latency_clocks, 37u);
}

TEST(ChannelThroughput, ReadsOfOneOpenRowAreBoundByTheGapOfItsBankGroup) {
    ChannelRig rig(config(kNoRefresh));
    std::vector<Item> items;
    for (uint64_t i = 0; i < 10'000; ++i) items.push_back({i * 64 % kRowBytes});
    rig.drive(items);
    // The first one: tRCD 16 + CL 16 + BL/2 4; each of the others tCCD_L 6 later.
    EXPECT_EQ(rig.channel.stats().last_data_clk, 36u + 9'999 * 6);
    EXPECT_EQ(rig.violations(), "");
}

TEST(ChannelThroughput, SequentialReadsOverlapOnlyWhereTheQueueSeesTwoBankGroups) {
    // A row of 128 bursts; 32 queue entries see the next bank group for the last 32 of them.
    const double clocks = clocks_per_read({}, 64);
    EXPECT_GT(clocks, 4.0 + 2.0 * 64 / 128);
    EXPECT_LT(clocks, 6.0);
    EXPECT_NEAR(clocks_per_read({"scheduler.read_queue_entries=2"}, 64), 6.0, 0.2);
}

TEST(ChannelThroughput, SequentialReadsOverBankGroupsFillTheBus) {
    EXPECT_NEAR(clocks_per_read({"mapping=row bank column bankgroup offset"}, 64), 4.0, 0.04);
}

TEST(ChannelThroughput, TwoBankGroupsAreEnoughToFillTheBus) {
    EXPECT_NEAR(clocks_per_read({"mapping=row bank bankgroup:1 column bankgroup:1 offset"}, 64),
                4.0, 0.04);
}

TEST(ChannelThroughput, OneBankWithNewRowsIsBoundByTheRowCycle) {
    EXPECT_NEAR(clocks_per_read({}, kBankBytes), 55.0, 0.1);  // tRC
}

TEST(ChannelThroughput, NewRowsOverAllBanksAreBoundByFourActivates) {
    EXPECT_NEAR(clocks_per_read({}, kRowBytes), 6.5, 0.05);  // tFAW / 4
}

TEST(ChannelThroughput, ClosedPageOfOneBankTakesTheRowCycleToo) {
    EXPECT_NEAR(clocks_per_read({"page.name=closed", "scheduler.read_queue_entries=1"}, kBankBytes),
                55.0, 0.1);
}

TEST(ChannelThroughput, ClosedPageOverAllBanksIsBoundByFourActivates) {
    EXPECT_NEAR(clocks_per_read({"page.name=closed"}, kRowBytes), 6.5, 0.05);
}

TEST(ChannelThroughput, RefreshTakesItsShare) {
    ChannelRig rig(config());
    constexpr uint64_t kReads = 200'000;
    rig.drive(reads(kReads, kRowBytes));
    const double clocks = static_cast<double>(rig.channel.stats().last_data_clk);
    EXPECT_NEAR(clocks, kReads * 6.5 / (1 - kRefreshShare), 0.01 * clocks);
    EXPECT_EQ(rig.violations(), "");
}

TEST(ChannelThroughput, RandomReadsComeWithinOnePercentOfThePublicSimulators) {
    ChannelRig rig(config());
    Random random(seed_or(1));
    uint64_t left = 1'000'000;
    rig.drive(
        [&]() -> std::optional<Item> {
            if (left-- == 0) return std::nullopt;
            return Item{random.below(1 << 24) * 64};
        },
        8'000'000);
    EXPECT_NEAR(static_cast<double>(rig.channel.stats().last_data_clk), 6.76e6, 0.0676e6);
    EXPECT_EQ(rig.violations(), "");
}

TEST(ChannelBound, TheLargestReasonOfIdleBusClocksIsTheOneThatBinds) {
    const dram::ControllerConfig reference = config(kNoRefresh);
    ChannelRig rig(reference);
    rig.drive(reads(20'000, kRowBytes));
    const auto& waits = rig.channel.stats().wait_clocks;
    const size_t most =
        static_cast<size_t>(std::max_element(waits.begin(), waits.end()) - waits.begin());
    ASSERT_LT(most, reference.spec.rules.size());
    EXPECT_EQ(reference.spec.rules[most].name, "tFAW");
}

}  // namespace
}  // namespace weir::test
