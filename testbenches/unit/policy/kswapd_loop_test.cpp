// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: when does kswapd nap, stop and sleep, in 2.6.32 and in 2.6.33 (4.5, 4.7, 4.12.2)?
#include "firmware/policy/mechanism/kswapd_loop.h"

#include "firmware/policy/linux_2_6.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace weir::policy {
namespace {

/// A zone of the test's making: `passes_until_high` passes make it balanced.
struct ScriptedZone {
    std::function<ZonePass(uint32_t priority)> pass = [](uint32_t) {
        return ZonePass{.scanned_pages = 1, .reclaimed_pages = 0};
    };
    uint32_t passes_until_high = 1;
    bool below_min = false;
    bool given_up = false;

    uint32_t priority = 0;
    uint32_t passes = 0;
    uint32_t rounds = 0;
    uint32_t skipped = 0;
    std::vector<uint32_t> priorities;
    std::vector<uint32_t> naps_after_priority;
    std::vector<uint32_t> orders_tested;

    void begin_round() { ++rounds; }
    void set_priority(uint32_t p) { priority = p; }
    bool above_high(uint32_t order) {
        orders_tested.push_back(order);
        return passes >= passes_until_high;
    }
    bool above_min(uint32_t) { return !below_min; }
    bool unreclaimable() { return given_up; }
    void trickle_anon() {}
    ZonePass shrink(uint32_t p) {
        ++passes;
        priorities.push_back(p);
        return pass(p);
    }
    void nap() { naps_after_priority.push_back(priority); }
    void count_skipped_nap() { ++skipped; }
    void yield() {}
};

Switches linux_2_6_33() {
    return kLinux2633.switches;
}

TEST(KswapdBalance, DoesNothingForAZoneAboveItsHighMark) {
    ScriptedZone zone;
    zone.passes_until_high = 0;
    EXPECT_EQ(balance(zone, linux_2_6_32(), 2), 2u);
    EXPECT_EQ(zone.passes, 0u);
    EXPECT_EQ(zone.rounds, 1u);
}

TEST(KswapdBalance, NapsFromPriorityNineOn) {
    ScriptedZone zone;
    zone.passes_until_high = 5;
    balance(zone, linux_2_6_32(), 0);
    EXPECT_EQ(zone.priorities, (std::vector<uint32_t>{12, 11, 10, 9, 8}));
    EXPECT_EQ(zone.naps_after_priority, (std::vector<uint32_t>{9, 8}));
}

TEST(KswapdBalance, DoesNotNapBeforeItHasScannedAnything) {
    ScriptedZone zone;
    zone.passes_until_high = 5;
    zone.pass = [](uint32_t) { return ZonePass{}; };
    balance(zone, linux_2_6_32(), 0);
    EXPECT_TRUE(zone.naps_after_priority.empty());
}

/// Reclaims nothing until priority 9, then 32 pages.
ZonePass progress_at_nine(uint32_t priority) {
    return {.scanned_pages = 40, .reclaimed_pages = priority == 9 ? 32u : 0u};
}

TEST(KswapdBalance, NapsAlthoughItJustMadeProgressBecauseTheNapStandsBeforeTheExitTest) {
    ScriptedZone zone;
    zone.passes_until_high = 5;
    zone.pass = progress_at_nine;
    balance(zone, linux_2_6_32(), 0);
    EXPECT_EQ(zone.priorities, (std::vector<uint32_t>{12, 11, 10, 9, 12}));
    EXPECT_EQ(zone.naps_after_priority, (std::vector<uint32_t>{9}));
}

TEST(KswapdBalance, SkipsThatNapWhenTheSwitchPutsTheExitTestFirst) {
    ScriptedZone zone;
    zone.passes_until_high = 5;
    zone.pass = progress_at_nine;
    Switches s = linux_2_6_32();
    s.kswapd_nap_before_exit_test = false;
    balance(zone, s, 0);
    EXPECT_EQ(zone.priorities, (std::vector<uint32_t>{12, 11, 10, 9, 12}));
    EXPECT_TRUE(zone.naps_after_priority.empty());
}

TEST(KswapdBalance, RestartsFromTwelveAtThe32ndPageNotAtThe31st) {
    for (const uint32_t pages : {31u, 32u}) {
        ScriptedZone zone;
        zone.passes_until_high = 2;
        zone.pass = [pages](uint32_t) { return ZonePass{pages, pages}; };
        balance(zone, linux_2_6_32(), 0);
        const std::vector<uint32_t> expected =
            pages == 31 ? std::vector<uint32_t>{12, 11} : std::vector<uint32_t>{12, 12};
        EXPECT_EQ(zone.priorities, expected) << pages;
    }
}

TEST(KswapdBalance, SkipsTheNapBelowTheMinMarkIn2633Only) {
    ScriptedZone old_zone;
    old_zone.passes_until_high = 4;
    old_zone.below_min = true;
    balance(old_zone, linux_2_6_32(), 0);
    EXPECT_EQ(old_zone.naps_after_priority.size(), 1u);
    EXPECT_EQ(old_zone.skipped, 0u);

    ScriptedZone new_zone;
    new_zone.passes_until_high = 5;
    new_zone.below_min = true;
    balance(new_zone, linux_2_6_33(), 0);
    EXPECT_TRUE(new_zone.naps_after_priority.empty());
    EXPECT_EQ(new_zone.skipped, 1u);
}

TEST(KswapdBalance, NapsIn2633BetweenMinAndHigh) {
    ScriptedZone zone;
    zone.passes_until_high = 5;
    balance(zone, linux_2_6_33(), 0);
    EXPECT_EQ(zone.naps_after_priority, (std::vector<uint32_t>{9}));
}

TEST(KswapdBalance, EndsIn2633WithThePassThatBalancesTheZoneAndNapsFirstIn2632) {
    ScriptedZone old_zone;
    old_zone.passes_until_high = 4;
    balance(old_zone, linux_2_6_32(), 0);
    EXPECT_EQ(old_zone.naps_after_priority, (std::vector<uint32_t>{9}));

    ScriptedZone new_zone;
    new_zone.passes_until_high = 4;
    balance(new_zone, linux_2_6_33(), 0);
    EXPECT_EQ(new_zone.priorities, (std::vector<uint32_t>{12, 11, 10, 9}));
    EXPECT_TRUE(new_zone.naps_after_priority.empty());
    EXPECT_EQ(new_zone.skipped, 0u);
}

TEST(KswapdBalance, StartsNoNewRoundIn2633ForAZoneThatItsLastPassBalanced) {
    ScriptedZone zone;
    zone.pass = [](uint32_t) { return ZonePass{32, 32}; };
    balance(zone, linux_2_6_33(), 0);
    EXPECT_EQ(zone.rounds, 1u);
    EXPECT_EQ(zone.orders_tested.size(), 2u) << "before the zone is shrunk and after";
}

TEST(KswapdBalance, ScansAGivenUpZoneAtPriorityTwelveOnly) {
    ScriptedZone zone;
    zone.passes_until_high = 100;
    zone.given_up = true;
    balance(zone, linux_2_6_32(), 0);
    EXPECT_EQ(zone.priorities, (std::vector<uint32_t>{12}));
}

TEST(KswapdBalance, FallsBackToSingleFramesAfterAFruitlessRound) {
    ScriptedZone zone;
    zone.passes_until_high = 14;  // one more than a whole round
    EXPECT_EQ(balance(zone, linux_2_6_32(), 3), 0u);
    EXPECT_EQ(zone.orders_tested.front(), 3u);
    EXPECT_EQ(zone.orders_tested.back(), 0u);
    EXPECT_EQ(zone.rounds, 2u);
}

struct ScriptedRest {
    std::vector<bool> above;  // answers in order; the last one repeats
    uint32_t left_jiffies = 0;
    uint32_t probations = 0;
    uint32_t sleeps = 0;
    uint32_t low_hits = 0;
    uint32_t high_hits = 0;
    size_t asked = 0;

    bool above_high(uint32_t) { return above[asked < above.size() ? asked++ : above.size() - 1]; }
    uint32_t probation() {
        ++probations;
        return left_jiffies;
    }
    void sleep() { ++sleeps; }
    void count_hit(QuickHit hit) { ++(hit == QuickHit::LowMark ? low_hits : high_hits); }
};

TEST(KswapdRest, SleepsAtOnceIn2632) {
    ScriptedRest rest_of_zone{.above = {false}};
    rest(rest_of_zone, linux_2_6_32(), 0);
    EXPECT_EQ(rest_of_zone.sleeps, 1u);
    EXPECT_EQ(rest_of_zone.probations, 0u);
}

TEST(KswapdRest, SleepsOnProbationFirstIn2633) {
    ScriptedRest quiet{.above = {true, true}, .left_jiffies = 0};
    rest(quiet, linux_2_6_33(), 0);
    EXPECT_EQ(quiet.probations, 1u);
    EXPECT_EQ(quiet.sleeps, 1u);
    EXPECT_EQ(quiet.low_hits + quiet.high_hits, 0u);
}

TEST(KswapdRest, CountsALowHitWhenProbationIsCutShort) {
    ScriptedRest woken{.above = {true, true}, .left_jiffies = 1};
    rest(woken, linux_2_6_33(), 0);
    EXPECT_EQ(woken.sleeps, 0u);
    EXPECT_EQ(woken.low_hits, 1u);
    EXPECT_EQ(woken.high_hits, 0u);
}

TEST(KswapdRest, CountsAHighHitWhenTheZoneSankBelowHighDuringProbation) {
    ScriptedRest sank{.above = {true, false}, .left_jiffies = 0};
    rest(sank, linux_2_6_33(), 0);
    EXPECT_EQ(sank.probations, 1u);
    EXPECT_EQ(sank.sleeps, 0u);
    EXPECT_EQ(sank.high_hits, 1u);
}

TEST(KswapdRest, DoesNotEvenTryProbationBelowTheHighMark) {
    ScriptedRest below{.above = {false}};
    rest(below, linux_2_6_33(), 0);
    EXPECT_EQ(below.probations, 0u);
    EXPECT_EQ(below.sleeps, 0u);
    EXPECT_EQ(below.high_hits, 1u);
}

}  // namespace
}  // namespace weir::policy
