// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Which question: does loosely timed service keep what banks share from being used twice, in any
// order of arrival, and does it come out near command level?
#include "testbenches/unit/dram_channel/channel_rig.h"

#include <gtest/gtest.h>

#include <queue>

namespace weir::test {
namespace {

constexpr uint64_t kRowBytes = 8192;

/// Reads with 32 in flight, each begun when the oldest one in flight has ended.
uint64_t saturate(dram::Channel& channel, const dram::AddressMap& map,
                  const std::vector<uint64_t>& addresses) {
    std::priority_queue<uint64_t, std::vector<uint64_t>, std::greater<>> in_flight;
    uint64_t clk = 0;
    for (const uint64_t address : addresses) {
        if (in_flight.size() == 32) {
            clk = in_flight.top();
            in_flight.pop();
        }
        in_flight.push(
            channel.serve_loosely({map.place_of(address), 1, dram::Direction::Read, clk}).end_clk);
    }
    return channel.stats().last_data_clk;
}

/// Within 10 % of the clocks that command level takes.
void expect_near(const dram::ControllerConfig& settings, const std::vector<uint64_t>& addresses) {
    dram::Channel loose(settings);
    const auto map = dram::AddressMap::create(settings.spec.organization, settings.mapping);
    const auto loose_clocks = static_cast<double>(saturate(loose, map, addresses));
    ChannelRig rig(settings);
    std::vector<Item> items;
    for (const uint64_t address : addresses) items.push_back({address});
    rig.drive(items);
    const auto clocks = static_cast<double>(rig.channel.stats().last_data_clk);
    EXPECT_NEAR(loose_clocks, clocks, 0.1 * clocks);
}

TEST(ChannelLoose, SaturatedStreamsComeWithinTenPercentOfCommandLevel) {
    Random random(seed_or(1));
    std::vector<uint64_t> scattered, in_order;
    for (uint64_t i = 0; i < 50'000; ++i) {
        scattered.push_back(random.below(1 << 24) * 64);
        in_order.push_back(i * 64);
    }
    for (const std::string& page : dram::page_policy_names()) {
        SCOPED_TRACE(page);
        expect_near(config({"page.name=" + page}), scattered);
        expect_near(config({"page.name=" + page}), in_order);
    }
}

TEST(ChannelLoose, ARowThatThePolicyClosesIsClosedOnceNothingMoreComes) {
    dram::Channel channel(config({"refresh.name=none", "page.name=closed"}));
    const auto map = dram::AddressMap::create(config().spec.organization, config().mapping);
    const auto read = [&](uint64_t address, uint64_t clk) {
        return channel.serve_loosely({map.place_of(address), 1, dram::Direction::Read, clk})
                   .end_clk -
               clk;
    };
    EXPECT_EQ(read(0, 1000), 36u);
    EXPECT_EQ(read(64, 1030), 20u);  // before the last data: a hit
    EXPECT_EQ(read(128, 2000), 36u);
}

TEST(ChannelLoose, ActivatesNeverExceedTheFourActivateWindowInAnyOrderOfArrival) {
    const dram::ControllerConfig settings = config({"refresh.name=none"});
    dram::Channel channel(settings);
    const auto map = dram::AddressMap::create(settings.spec.organization, settings.mapping);
    Random random(seed_or(1));
    constexpr uint64_t kReads = 20'000;
    uint64_t last = 0;
    for (uint64_t i = 0; i < kReads; ++i) {
        // Every access opens a row; arrivals lie up to 3000 clocks apart from their order.
        const uint64_t clk = i + random.below(3000);
        const uint64_t address = (i % 16) * kRowBytes + i / 16 * 16 * kRowBytes;
        last = std::max(last, channel
                                  .serve_loosely({map.place_of(address % (1ull << 32)), 1,
                                                  dram::Direction::Read, clk})
                                  .end_clk);
    }
    EXPECT_GE(last, kReads * 26 / 4);
    EXPECT_EQ(channel.stats().row_hits, 0u);
}

TEST(ChannelLoose, ALateArrivalTakesRoomThatLaterOnesLeft) {
    const dram::ControllerConfig settings = config({"refresh.name=none"});
    dram::Channel channel(settings);
    const auto map = dram::AddressMap::create(settings.spec.organization, settings.mapping);
    const auto read = [&](uint64_t address, uint64_t clk) {
        return channel.serve_loosely({map.place_of(address), 1, dram::Direction::Read, clk})
                   .end_clk -
               clk;
    };
    EXPECT_EQ(read(0, 10'000), 36u);
    EXPECT_EQ(read(kRowBytes, 5'000), 36u);  // another bank, earlier: nothing is in its way
    EXPECT_EQ(read(64, 4'000), 20u);         // the same bank, earlier: the row as it is found
}

TEST(ChannelLoose, WaitsOfARefreshAreCountedAsSuch) {
    dram::Channel channel(config());
    const auto map = dram::AddressMap::create(config().spec.organization, config().mapping);
    channel.serve_loosely({map.place_of(0), 1, dram::Direction::Read, 9'365});
    EXPECT_EQ(channel.stats().read.latency.max(), 312u + 36u);
    EXPECT_EQ(channel.stats().read.parts.refresh, 312u);
}

}  // namespace
}  // namespace weir::test
