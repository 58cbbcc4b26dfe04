// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: does the allocator's slow path take its steps in the order of the fact book (4.3)?
#include "firmware/policy/mechanism/allocator_slow_path.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>

namespace weir::policy {
namespace {

/// Effects that follow a script and write down what was asked of them, one letter each.
struct ScriptedEffects {
    mm::Frame frame;
    std::deque<bool> min_succeeds;       // one per try at the min mark; empty: no
    std::deque<bool> anything_succeeds;  // one per try without marks; empty: yes
    std::deque<uint64_t> reclaims;       // progress of each direct reclaim; empty: 32
    std::deque<OomOutcome> resorts;      // empty: give a frame
    bool mem_alloc = false;
    bool dying_task = false;
    std::string log;

    static bool next(std::deque<bool>& script, bool otherwise) {
        if (script.empty()) return otherwise;
        const bool value = script.front();
        script.pop_front();
        return value;
    }
    void wake_kswapd() { log += 'K'; }
    mm::Frame* try_min() {
        log += 'm';
        return next(min_succeeds, false) ? &frame : nullptr;
    }
    mm::Frame* take_anything() {
        log += 'a';
        return next(anything_succeeds, true) ? &frame : nullptr;
    }
    bool may_ignore_marks() { return mem_alloc || dying_task; }
    bool reclaiming() { return mem_alloc; }
    bool dying() { return dying_task; }
    uint64_t reclaim() {
        log += 'R';
        if (reclaims.empty()) return 32;
        const uint64_t progress = reclaims.front();
        reclaims.pop_front();
        return progress;
    }
    void drain_lists() { log += 'd'; }
    OomOutcome last_resort() {
        log += 'O';
        if (resorts.empty()) return {.frame = &frame};
        const OomOutcome outcome = resorts.front();
        resorts.pop_front();
        return outcome;
    }
    void nap(kernel::NapSite site) { log += site == kernel::NapSite::AllocatorRetry ? 'n' : 'N'; }
};

const mm::AllocRequest kOneFrame{.order = 0, .flags = mm::kAllocUser};

TEST(SlowPath, WakesKswapdAndTriesTheMinMarkFirst) {
    ScriptedEffects fx;
    fx.min_succeeds = {true};
    EXPECT_EQ(climb_slow_path(fx, kOneFrame), &fx.frame);
    EXPECT_EQ(fx.log, "Km");
}

TEST(SlowPath, ReclaimsAndTriesTheMinMarkAgain) {
    ScriptedEffects fx;
    fx.min_succeeds = {false, true};
    EXPECT_EQ(climb_slow_path(fx, kOneFrame), &fx.frame);
    EXPECT_EQ(fx.log, "KmRm");
}

TEST(SlowPath, NapsAfterFruitlessProgressAndGoesBackToReclaimWithoutWakingKswapd) {
    ScriptedEffects fx;
    fx.min_succeeds = {false, false, false, true};
    EXPECT_EQ(climb_slow_path(fx, kOneFrame), &fx.frame);
    EXPECT_EQ(fx.log, "KmRmnRmnRm");
}

TEST(SlowPath, DrainsPerCpuListsOnlyForLargerOrders) {
    ScriptedEffects fx;
    fx.min_succeeds = {false, true};
    mm::AllocRequest two_frames = kOneFrame;
    two_frames.order = 1;
    EXPECT_EQ(climb_slow_path(fx, two_frames), &fx.frame);
    EXPECT_EQ(fx.log, "KmRdm");
}

TEST(SlowPath, KillsOnlyAfterReclaimMadeNoProgressAndThenStartsOver) {
    ScriptedEffects fx;
    fx.reclaims = {0, 32};
    fx.resorts = {OomOutcome{}};
    fx.min_succeeds = {false, false, true};
    EXPECT_EQ(climb_slow_path(fx, kOneFrame), &fx.frame);
    EXPECT_EQ(fx.log, "KmROKmRm");
}

TEST(SlowPath, TakesTheFrameOfTheLastTryAtTheHighMark) {
    ScriptedEffects fx;
    fx.reclaims = {0};
    EXPECT_EQ(climb_slow_path(fx, kOneFrame), &fx.frame);
    EXPECT_EQ(fx.log, "KmRO");
}

TEST(SlowPath, NeverKillsForARequestThatMayNotDoIo) {
    ScriptedEffects fx;
    fx.reclaims = {0, 1};
    fx.min_succeeds = {false, true};
    const mm::AllocRequest no_io{.order = 0, .flags = mm::kAllocMayWait};
    EXPECT_EQ(climb_slow_path(fx, no_io), &fx.frame);
    EXPECT_EQ(fx.log, "KmRnRm");
}

TEST(SlowPath, FailsAtOnceWhenTheRequestCannotSleep) {
    ScriptedEffects fx;
    const mm::AllocRequest atomic{.order = 0, .flags = mm::kAllocAtomic};
    EXPECT_EQ(climb_slow_path(fx, atomic), nullptr);
    EXPECT_EQ(fx.log, "Km");
}

TEST(SlowPath, LetsAReclaimerTakeAnythingButNeverReclaimRecursively) {
    ScriptedEffects fx;
    fx.mem_alloc = true;
    EXPECT_EQ(climb_slow_path(fx, kOneFrame), &fx.frame);
    EXPECT_EQ(fx.log, "Kma");
    ScriptedEffects empty;
    empty.mem_alloc = true;
    empty.anything_succeeds = {false};
    EXPECT_EQ(climb_slow_path(empty, kOneFrame), nullptr);
    EXPECT_EQ(empty.log, "Kma");
}

TEST(SlowPath, FailsADyingTaskThatFindsNoFrameAtAll) {
    ScriptedEffects fx;
    fx.dying_task = true;
    fx.anything_succeeds = {false};
    EXPECT_EQ(climb_slow_path(fx, kOneFrame), nullptr);
    EXPECT_EQ(fx.log, "Kma");
}

TEST(SlowPath, NapsAtTheNoFailSiteUntilAReclaimerGetsAFrame) {
    ScriptedEffects fx;
    fx.mem_alloc = true;
    fx.anything_succeeds = {false, false, true};
    const mm::AllocRequest no_fail{.order = 0, .flags = mm::kAllocUser | mm::kAllocNoFail};
    EXPECT_EQ(climb_slow_path(fx, no_fail), &fx.frame);
    EXPECT_EQ(fx.log, "KmaNaNa");
}

TEST(SlowPath, RetriesUpToOrderThreeAndGivesUpAtFour) {
    ScriptedEffects costly;
    EXPECT_EQ(climb_slow_path(costly, {.order = 4, .flags = mm::kAllocUser}), nullptr);
    EXPECT_EQ(costly.log, "KmRdm");
    ScriptedEffects cheap;
    cheap.min_succeeds = {false, false, true};
    EXPECT_EQ(climb_slow_path(cheap, {.order = 3, .flags = mm::kAllocUser}), &cheap.frame);
    EXPECT_EQ(cheap.log, "KmRdmnRdm");
}

TEST(SlowPath, GivesUpACostlyOrderThatKillingWouldNotHelp) {
    ScriptedEffects fx;
    fx.reclaims = {0};
    fx.resorts = {OomOutcome{.frame = nullptr, .may_retry = false}};
    EXPECT_EQ(climb_slow_path(fx, {.order = 4, .flags = mm::kAllocUser}), nullptr);
    EXPECT_EQ(fx.log, "KmRdO");
}

TEST(SlowPath, FailsANoRetryRequestInsteadOfNappingOrKilling) {
    const mm::AllocRequest no_retry{.order = 0, .flags = mm::kAllocUser | mm::kAllocNoRetry};
    ScriptedEffects progress;
    EXPECT_EQ(climb_slow_path(progress, no_retry), nullptr);
    EXPECT_EQ(progress.log, "KmRm");
    ScriptedEffects none;
    none.reclaims = {0};
    EXPECT_EQ(climb_slow_path(none, no_retry), nullptr);
    EXPECT_EQ(none.log, "KmR");
}

}  // namespace
}  // namespace weir::policy
