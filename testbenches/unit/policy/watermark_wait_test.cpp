// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: how long does a watermark waiter sleep (5.1)?
#include "firmware/policy/mechanism/watermark_wait.h"

#include <gtest/gtest.h>

#include <vector>

namespace weir::policy {
namespace {

using kernel::SleepResult;
using kernel::Waker;

struct Script {
    std::vector<SleepResult> sleeps = {};
    std::vector<bool> above = {};  // answers in order; then false
    std::vector<uint32_t> asked_jiffies = {};
    size_t above_asked = 0;

    void run(uint32_t timeout_jiffies, bool checks_first) {
        sleep_until_above_low(
            timeout_jiffies, checks_first,
            [&](uint32_t jiffies) {
                asked_jiffies.push_back(jiffies);
                return sleeps.at(asked_jiffies.size() - 1);
            },
            [&] { return above_asked < above.size() ? bool{above[above_asked++]} : false; });
    }
};

SleepResult woken(uint32_t left) {
    return {.waker = Waker::Watermark, .slept_ns = 0, .jiffies_left = left};
}
SleepResult timed_out() {
    return {.waker = Waker::Timer, .slept_ns = 0, .jiffies_left = 0};
}

TEST(WatermarkWait, EndsWhenWokenAboveTheLowMark) {
    Script script{.sleeps = {woken(4)}, .above = {true}};
    script.run(5, false);
    EXPECT_EQ(script.asked_jiffies, (std::vector<uint32_t>{5}));
}

TEST(WatermarkWait, SleepsOnForTheRemainingTimeWhenWokenAtTheLowMark) {
    Script script{.sleeps = {woken(4), woken(2), timed_out()}, .above = {false, false}};
    script.run(5, false);
    EXPECT_EQ(script.asked_jiffies, (std::vector<uint32_t>{5, 4, 2}));
}

TEST(WatermarkWait, EndsWithItsTime) {
    Script script{.sleeps = {timed_out()}};
    script.run(5, false);
    EXPECT_EQ(script.asked_jiffies.size(), 1u);
}

TEST(WatermarkWait, SleepsEvenAboveTheMarkUnlessItChecksFirst) {
    Script as_posted{.sleeps = {timed_out()}, .above = {true}};
    as_posted.run(5, false);
    EXPECT_EQ(as_posted.asked_jiffies.size(), 1u);
    Script checking{.sleeps = {timed_out()}, .above = {true}};
    checking.run(5, true);
    EXPECT_TRUE(checking.asked_jiffies.empty());
}

TEST(WatermarkWait, EndsForAKilledTask) {
    Script script{.sleeps = {{.waker = Waker::Kill, .slept_ns = 0, .jiffies_left = 3}}};
    script.run(5, false);
    EXPECT_EQ(script.asked_jiffies.size(), 1u);
}

}  // namespace
}  // namespace weir::policy
