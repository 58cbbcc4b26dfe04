// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: when is a dirtier held back, for how long, and when is it let go (4.9)?
#include "firmware/policy/mechanism/dirty_throttle.h"

#include "firmware/policy/mechanism/congestion_nap.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace weir::policy {
namespace {

struct ScriptedDevice {
    DirtyLevels now{.background_pages = 100,
                    .limit_pages = 200,
                    .device_limit_pages = 50,
                    .dirty_pages = 180,
                    .device = {}};
    std::function<void(ScriptedDevice&)> on_nap = [](ScriptedDevice&) {};
    std::function<uint64_t(ScriptedDevice&, uint64_t)> on_write = [](ScriptedDevice&, uint64_t n) {
        return n;
    };
    std::vector<uint32_t> naps;
    std::vector<uint64_t> writes;
    bool exceeded = false;
    bool killed = false;

    DirtyLevels levels() { return now; }
    uint64_t write(uint64_t pages) {
        writes.push_back(pages);
        return on_write(*this, pages);
    }
    void nap(uint32_t jiffies) {
        naps.push_back(jiffies);
        on_nap(*this);
    }
    void set_exceeded(Exceeded e) { exceeded = e == Exceeded::Yes; }
    bool dying() { return killed; }
};

TEST(DirtyThrottle, LetsADeviceGoAtItsLimitAndHoldsItOneAbove) {
    ScriptedDevice at_limit;
    at_limit.now.device = {.reclaimable_pages = 30, .writeback_pages = 20};
    balance_dirty(at_limit, 48, 10);
    EXPECT_TRUE(at_limit.naps.empty());

    ScriptedDevice above;
    above.now.device = {.reclaimable_pages = 30, .writeback_pages = 21};
    above.on_nap = [](ScriptedDevice& d) { d.now.device.writeback_pages = 20; };
    balance_dirty(above, 48, 10);
    EXPECT_EQ(above.naps, (std::vector<uint32_t>{1}));
}

TEST(DirtyThrottle, LeavesEveryoneAloneBelowTheMiddleOfBackgroundAndLimit) {
    ScriptedDevice below;
    below.now.dirty_pages = 149;
    below.now.device = {.reclaimable_pages = 149, .writeback_pages = 0};
    balance_dirty(below, 48, 10);
    EXPECT_TRUE(below.naps.empty() && below.writes.empty());

    ScriptedDevice middle = ScriptedDevice{};
    middle.now.dirty_pages = 150;
    middle.now.device = {.reclaimable_pages = 150, .writeback_pages = 0};
    balance_dirty(middle, 48, 10);
    EXPECT_EQ(middle.writes, (std::vector<uint64_t>{48}));
}

TEST(DirtyThrottle, LetsTheDirtierGoOnceItHasWrittenItsDuty) {
    ScriptedDevice device;
    device.now.device = {.reclaimable_pages = 150, .writeback_pages = 0};
    device.on_write = [](ScriptedDevice&, uint64_t) { return 24u; };
    balance_dirty(device, 48, 10);
    EXPECT_EQ(device.writes.size(), 2u);
    EXPECT_EQ(device.naps.size(), 1u);
    EXPECT_TRUE(device.exceeded);
}

TEST(DirtyThrottle, WritesOnlyWhenReclaimablePagesAloneExceedTheLimit) {
    ScriptedDevice device;
    device.now.device = {.reclaimable_pages = 50, .writeback_pages = 10};
    device.on_nap = [](ScriptedDevice& d) { d.now.device.writeback_pages = 0; };
    balance_dirty(device, 48, 10);
    EXPECT_TRUE(device.writes.empty());
    device.now.device = {.reclaimable_pages = 51, .writeback_pages = 10};
    balance_dirty(device, 48, 10);
    EXPECT_EQ(device.writes.size(), 1u);
}

TEST(DirtyThrottle, DoublesItsPauseUpToATenthOfASecond) {
    ScriptedDevice device;
    device.now.device = {.reclaimable_pages = 0, .writeback_pages = 60};
    device.on_nap = [](ScriptedDevice& d) {
        if (d.naps.size() == 6) d.now.device.writeback_pages = 50;
    };
    balance_dirty(device, 48, 10);
    EXPECT_EQ(device.naps, (std::vector<uint32_t>{1, 2, 4, 8, 10, 10}));
}

TEST(DirtyThrottle, ClearsTheExceededMarkBelowTheLimitNotAtIt) {
    ScriptedDevice device;
    device.now.device = {.reclaimable_pages = 0, .writeback_pages = 60};
    device.on_nap = [](ScriptedDevice& d) { d.now.device.writeback_pages = 50; };
    balance_dirty(device, 48, 10);
    EXPECT_TRUE(device.exceeded);
    device.now.device.writeback_pages = 60;
    device.on_nap = [](ScriptedDevice& d) { d.now.device.writeback_pages = 49; };
    balance_dirty(device, 48, 10);
    EXPECT_FALSE(device.exceeded);
}

TEST(DirtyThrottle, LetsADyingTaskGo) {
    ScriptedDevice device;
    device.now.device = {.reclaimable_pages = 0, .writeback_pages = 60};
    device.killed = true;
    balance_dirty(device, 48, 10);
    EXPECT_TRUE(device.naps.empty());
}

TEST(DirtyCheckInterval, IsFramesOverHartsTimes32BetweenItsBounds) {
    EXPECT_EQ(check_interval_pages(65536, 4, false), 512u);
    EXPECT_EQ(check_interval_pages(65536, 1, false), 1024u);  // 2048 would be 8 MiB
    EXPECT_EQ(check_interval_pages(1024, 4, false), 16u);
    EXPECT_EQ(check_interval_pages(65536, 4, true), 8u);
}

TEST(DirtyDuty, IsHalfAsMuchAgainAsWasDirtied) {
    EXPECT_EQ(write_duty_pages(512), 768u);
    EXPECT_EQ(write_duty_pages(9), 13u);
}

TEST(WriteoutThrottle, HoldsReclaimersAboveElevenTenthsOfTheLimit) {
    EXPECT_FALSE(writeback_too_high(110, 100));
    EXPECT_TRUE(writeback_too_high(111, 100));
    EXPECT_FALSE(writeback_too_high(0, 0));
}

}  // namespace
}  // namespace weir::policy
