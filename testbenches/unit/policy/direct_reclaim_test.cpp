// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: when does direct reclaim stop, nap and wake flushers (4.5, 4.6)?
#include "firmware/policy/mechanism/direct_reclaim.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace weir::policy {
namespace {

struct ScriptedEffects {
    std::function<PassResult(uint32_t priority)> pass;
    std::vector<uint32_t> priorities;
    std::vector<uint32_t> naps_after_priority;
    std::vector<uint64_t> flusher_pages;

    PassResult shrink_zones(uint32_t priority) {
        priorities.push_back(priority);
        return pass(priority);
    }
    void wake_flushers(uint64_t pages) { flusher_pages.push_back(pages); }
    void nap() { naps_after_priority.push_back(priorities.back()); }
};

TEST(DirectReclaim, StopsAtTheThirtySecondPageNotBefore) {
    ScriptedEffects fx;
    fx.pass = [](uint32_t priority) {
        return PassResult{.scanned_pages = 31, .reclaimed_pages = priority == 12 ? 31u : 1u};
    };
    EXPECT_EQ(reclaim_by_priority(fx).reclaimed_pages, 32u);
    EXPECT_EQ(fx.priorities, (std::vector<uint32_t>{12, 11}));
}

TEST(DirectReclaim, NapsAfterEachPassFromPriorityNineDownToZero) {
    ScriptedEffects fx;
    fx.pass = [](uint32_t) { return PassResult{.scanned_pages = 1}; };
    reclaim_by_priority(fx);
    EXPECT_EQ(fx.priorities.size(), 13u);
    EXPECT_EQ(fx.naps_after_priority, (std::vector<uint32_t>{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
}

TEST(DirectReclaim, DoesNotNapAfterAPassThatScannedNothing) {
    ScriptedEffects fx;
    fx.pass = [](uint32_t) { return PassResult{}; };
    reclaim_by_priority(fx);
    EXPECT_TRUE(fx.naps_after_priority.empty());
}

TEST(DirectReclaim, DoesNotNapAfterThePassThatReachedTheTarget) {
    ScriptedEffects fx;
    fx.pass = [](uint32_t priority) {
        return PassResult{.scanned_pages = 1, .reclaimed_pages = priority == 9 ? 32u : 0u};
    };
    reclaim_by_priority(fx);
    EXPECT_EQ(fx.priorities.back(), 9u);
    EXPECT_TRUE(fx.naps_after_priority.empty());
}

TEST(DirectReclaim, WakesFlushersBeyond48PagesScannedInAll) {
    ScriptedEffects fx;
    fx.pass = [](uint32_t priority) {
        return PassResult{.scanned_pages = priority == 12 ? 48u : 1u,
                          .reclaimed_pages = priority == 10 ? 32u : 0u};
    };
    reclaim_by_priority(fx);
    EXPECT_EQ(fx.flusher_pages, (std::vector<uint64_t>{49}));
}

TEST(DirectReclaim, CallsAFewPagesProgressWhileAZoneIsWorthScanning) {
    ScriptedEffects fx;
    fx.pass = [](uint32_t priority) {
        return PassResult{.scanned_pages = 10, .reclaimed_pages = priority == 5 ? 3u : 0u};
    };
    EXPECT_EQ(reclaim_by_priority(fx).progress_pages(), 3u);
}

TEST(DirectReclaim, CallsTheSameFewPagesNoProgressOnceEveryZoneIsGivenUp) {
    ScriptedEffects fx;
    fx.pass = [](uint32_t priority) {
        return PassResult{.reclaimed_pages = priority == 5 ? 31u : 0u, .all_unreclaimable = true};
    };
    EXPECT_EQ(reclaim_by_priority(fx).progress_pages(), 0u);
    fx.pass = [](uint32_t priority) {
        return PassResult{.reclaimed_pages = priority == 5 ? 32u : 0u, .all_unreclaimable = true};
    };
    EXPECT_EQ(reclaim_by_priority(fx).progress_pages(), 32u);
}

TEST(DirectReclaim, CallsNothingAtAllNoProgress) {
    ScriptedEffects fx;
    fx.pass = [](uint32_t) { return PassResult{.scanned_pages = 10}; };
    EXPECT_EQ(reclaim_by_priority(fx).progress_pages(), 0u);
}

}  // namespace
}  // namespace weir::policy
