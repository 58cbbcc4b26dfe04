// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: are the sums of the LRU scan those of the fact book (4.6, 4.7, 4.8), edge by edge?
#include "firmware/policy/mechanism/scan_arithmetic.h"

#include <gtest/gtest.h>

namespace weir::policy {
namespace {

TEST(ScanBatch, IsWithheldAt31AndHandedOutWholeAt32) {
    uint32_t saved = 0;
    EXPECT_EQ(take_batch(saved, 31), 0u);
    EXPECT_EQ(saved, 31u);
    EXPECT_EQ(take_batch(saved, 1), 32u);
    EXPECT_EQ(saved, 0u);
}

TEST(ScanBatch, CarriesSmallAmountsOverManyPasses) {
    uint32_t saved = 0;
    uint32_t handed_out = 0;
    for (int pass = 0; pass < 9; ++pass) handed_out += take_batch(saved, 7);
    EXPECT_EQ(handed_out, 35u);  // after the fifth pass, once
    EXPECT_EQ(saved, 28u);
    EXPECT_EQ(take_batch(saved, 100), 128u);
}

TEST(ScanBatch, IsTakenByWhoeverComesNextWhereTheCarryIsShared) {
    uint32_t zone_carry = 0;
    EXPECT_EQ(take_batch(zone_carry, 31), 0u);  // kswapd saves up
    EXPECT_EQ(take_batch(zone_carry, 1), 32u);  // a task reaps
    EXPECT_EQ(take_batch(zone_carry, 1), 0u);   // kswapd begins anew
}

TEST(ScanAmount, IsTheListShiftedByPriorityTimesThePercentage) {
    EXPECT_EQ(scan_amount(8192, 12, 100, false), 2u);
    EXPECT_EQ(scan_amount(4095, 12, 100, false), 0u);
    EXPECT_EQ(scan_amount(4096, 12, 100, false), 1u);
    EXPECT_EQ(scan_amount(1000, 1, 33, true), 165u);
}

TEST(ScanAmount, IsTheWholeListAtPriorityZeroOnlyWithSwap) {
    EXPECT_EQ(scan_amount(1000, 0, 10, true), 1000u);
    EXPECT_EQ(scan_amount(1000, 0, 10, false), 100u);
    EXPECT_EQ(scan_amount(1000, 0, 0, false), 0u);
}

ScanLevels plenty() {
    return {.anon_frames = 10000,
            .file_frames = 10000,
            .free_frames = 1000,
            .high_mark_frames = 768,
            .swappiness = 60};
}

TEST(ScanRatio, IsAllAnonymousWhenFileAndFreeAreAtTheHighMarkButNotAboveIt) {
    mm::ReclaimStat recent{};
    ScanLevels level = plenty();
    level.file_frames = 700;
    level.free_frames = 68;
    EXPECT_EQ(scan_ratio(level, recent).anon_pct, 100u);
    EXPECT_EQ(scan_ratio(level, recent).file_pct, 0u);
    level.free_frames = 69;
    EXPECT_LT(scan_ratio(level, recent).anon_pct, 100u);
}

TEST(ScanRatio, FollowsSwappinessWhenNothingIsKnownYet) {
    mm::ReclaimStat recent{};
    // anon 61, file 141: 100 * 61 / (61 + 141 + 1) = 30.
    EXPECT_EQ(scan_ratio(plenty(), recent).anon_pct, 30u);
    EXPECT_EQ(scan_ratio(plenty(), recent).file_pct, 70u);
    ScanLevels unwilling = plenty();
    unwilling.swappiness = 0;
    EXPECT_EQ(scan_ratio(unwilling, recent).anon_pct, 0u);
}

TEST(ScanRatio, LeavesATypeAloneThatRotatesBack) {
    mm::ReclaimStat recent{};
    recent.scanned[0] = recent.rotated[0] = 1000;  // every anonymous page was in use
    recent.scanned[1] = 1000;                      // no file page was
    EXPECT_EQ(scan_ratio(plenty(), recent).anon_pct, 0u);
}

TEST(ScanRatio, HalvesRecentCountersOnlyBeyondAQuarterOfTheType) {
    mm::ReclaimStat recent{};
    recent.scanned[1] = 2500;
    recent.rotated[1] = 100;
    (void)scan_ratio(plenty(), recent);
    EXPECT_EQ(recent.scanned[1], 2500u);
    recent.scanned[1] = 2501;
    (void)scan_ratio(plenty(), recent);
    EXPECT_EQ(recent.scanned[1], 1250u);
    EXPECT_EQ(recent.rotated[1], 50u);
}

TEST(EvictOnce, LeavesTheActiveListAloneAtEqualSizesAndAgesItAtOneMore) {
    EXPECT_FALSE(inactive_file_is_low(500, 500));
    EXPECT_TRUE(inactive_file_is_low(500, 501));
    EXPECT_FALSE(inactive_file_is_low(0, 0));
}

TEST(AnonRatio, IsOneBelowOneGibibyteAndTheRootOfTenTimesTheSizeAbove) {
    constexpr uint64_t kGib = 1u << 18;  // in frames
    EXPECT_EQ(inactive_anon_ratio(kGib - 1), 1u);
    EXPECT_EQ(inactive_anon_ratio(kGib), 3u);
    EXPECT_EQ(inactive_anon_ratio(10 * kGib), 10u);
    EXPECT_TRUE(inactive_anon_is_low(100, 301, 3));
    EXPECT_FALSE(inactive_anon_is_low(100, 300, 3));
}

TEST(Isolation, IsTooMuchOnlyBeyondTheInactiveList) {
    EXPECT_FALSE(too_many_isolated(32, 32));
    EXPECT_TRUE(too_many_isolated(33, 32));
}

TEST(Unreclaimable, IsSixTimesRoundTheReclaimablePages) {
    EXPECT_FALSE(looks_unreclaimable(599, 100));
    EXPECT_TRUE(looks_unreclaimable(600, 100));
    EXPECT_TRUE(looks_unreclaimable(0, 0));
}

TEST(NapRule, StartsAtTheFourthPass) {
    EXPECT_FALSE(naps_at(10));
    EXPECT_TRUE(naps_at(9));
    EXPECT_TRUE(naps_at(0));
}

TEST(LumpyReclaim, NeedsACostlyOrderOrTheFourthPass) {
    EXPECT_FALSE(reclaims_lumpy(0, 0));
    EXPECT_FALSE(reclaims_lumpy(3, 10));
    EXPECT_TRUE(reclaims_lumpy(3, 9));
    EXPECT_TRUE(reclaims_lumpy(4, 12));
}

TEST(ZoneTarget, Is33PagesIn2632And32PagesIn2633) {
    EXPECT_FALSE(leaves_zone_early(32, 11, false, false));
    EXPECT_TRUE(leaves_zone_early(33, 11, false, false));
    EXPECT_FALSE(leaves_zone_early(31, 11, false, true));
    EXPECT_TRUE(leaves_zone_early(32, 11, false, true));
}

TEST(ZoneTarget, NeverStopsKswapdNorTheFirstPass) {
    EXPECT_FALSE(leaves_zone_early(1000, 0, true, false));
    EXPECT_FALSE(leaves_zone_early(1000, 0, true, true));
    EXPECT_FALSE(leaves_zone_early(1000, 12, false, true));
    EXPECT_TRUE(leaves_zone_early(1000, 11, false, true));
}

}  // namespace
}  // namespace weir::policy
