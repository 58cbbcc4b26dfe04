// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Does the report name the bound, and has the JSON object the shape that is promised?
#include "testbenches/runner/dram/bound.h"
#include "testbenches/runner/dram/dram_config.h"
#include "testbenches/runner/dram/dram_report.h"
#include "testbenches/runner/dram/stall_watch.h"
#include "testbenches/unit/dram_command/scratch.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace weir::runner {
namespace {

using testing::HasSubstr;

/// Statistics made by hand on the reference configuration: 1000 clocks.
struct Made {
    Made() {
        result.config = load_dram_config(kDramFolder / "ddr4-2400-reference.toml", {},
                                         kDramFolder / "standards");
        result.traffic = "rand";
        result.mode = "at";
        result.cpu_s = 0.5;
        result.initiators.resize(1);
        result.stats.last_data_clk = 1000;
        result.stats.active_clocks = {1000};
        answer(result.stats.read, 40);
        answer(result.stats.read, 60);
    }
    static void answer(dram::DirectionStats& stats, uint64_t clocks) {
        ++stats.requests;
        stats.latency.add(clocks);
        stats.parts.bus += 4;
        stats.parts.bank += 32;
        stats.parts.queue += clocks - 36;
    }
    size_t rule(const std::string& name, dram::Level level) const {
        const auto& rules = result.config.spec.rules;
        for (size_t i = 0; i < rules.size(); ++i)
            if (rules[i].name == name && rules[i].level == level) return i;
        ADD_FAILURE() << name;
        return 0;
    }
    void wait(const std::string& name, dram::Level level, uint64_t clocks) {
        result.stats.wait_clocks[rule(name, level)] += clocks;
    }
    void wait(dram::Wait wait, uint64_t clocks) {
        result.stats.wait_clocks[static_cast<size_t>(wait)] += clocks;
    }
    std::string bound() const {
        return bound_sentence(where_clocks_went(result.config.spec, result.stats), result.clocks());
    }
    DramResult result;
};

TEST(DramBound, NamesTheWindowOfActivates) {
    Made made;
    made.result.stats.data_bus_clocks = 600;
    made.wait("tFAW", dram::Level::Rank, 360);
    made.wait(dram::Wait::Refresh, 40);
    EXPECT_EQ(made.bound(),
              "Bound by tFAW (at most 4 activates in 26 clocks): the data bus waits "
              "for it 36.0 % of the time.");
}

TEST(DramBound, NamesTheGapWithinABankGroup) {
    Made made;
    made.result.stats.data_bus_clocks = 660;
    made.wait("tCCD_L", dram::Level::BankGroup, 330);
    EXPECT_EQ(made.bound(),
              "Bound by tCCD_L (the same-bank-group gap between bursts): the data "
              "bus waits for it 33.0 % of the time.");
}

TEST(DramBound, AddsUpAllTurnaround) {
    Made made;
    made.result.stats.data_bus_clocks = 500;
    made.wait("tWTR_L", dram::Level::BankGroup, 90);
    made.wait("tWTR_S", dram::Level::Rank, 100);
    made.wait("read to write", dram::Level::Rank, 60);
    made.wait("tFAW", dram::Level::Rank, 240);
    EXPECT_EQ(made.bound(),
              "Bound by turnaround of the data bus (mostly tWTR_S): the data bus "
              "waits for it 25.0 % of the time.");
}

TEST(DramBound, NamesRefreshTheBusAndWantOfRequests) {
    Made refresh;
    refresh.result.stats.data_bus_clocks = 500;
    refresh.wait(dram::Wait::Refresh, 500);
    EXPECT_EQ(refresh.bound(), "Bound by refresh: the data bus waits for it 50.0 % of the time.");
    Made bus;
    bus.result.stats.data_bus_clocks = 950;
    bus.wait(dram::Wait::Refresh, 50);
    EXPECT_EQ(bus.bound(),
              "Bound by the data bus: it carries data 95.0 % of the time, and waits longest for "
              "refresh, 5.0 %.");
    Made idle;
    idle.result.stats.data_bus_clocks = 20;
    idle.wait(dram::Wait::NoRequest, 900);
    idle.wait(dram::Wait::Arrival, 50);
    EXPECT_EQ(idle.bound(),
              "Not bound: the data bus is idle for want of requests 95.0 % of the time.");
    Made loose;
    loose.result.stats.data_bus_clocks = 400;
    EXPECT_THAT(loose.bound(), HasSubstr("Bound not known"));
}

TEST(DramReport, TellsEverythingWithUnits) {
    Made made;
    made.result.stats.data_bus_clocks = 8;
    made.result.stats.row_hits = 1;
    made.result.stats.row_conflicts = 1;
    made.wait(dram::Wait::NoRequest, 992);
    const std::string text = dram_text(made.result);
    // 128 bytes in 1000 clocks of 833 ps.
    EXPECT_THAT(text, HasSubstr("bandwidth  0.154 GB/s, 0.8 % of the peak of 19.208 GB/s"));
    EXPECT_THAT(text, HasSubstr("data bus   busy 0.8 % of 1000 clocks"));
    EXPECT_THAT(text, HasSubstr("1 hits (50.0 %), 0 misses (0.0 %), 1 conflicts (50.0 %)"));
    EXPECT_THAT(text, HasSubstr("no request 99.2 %"));
    EXPECT_THAT(text, HasSubstr("reads, clocks"));
    EXPECT_THAT(text, HasSubstr("reads, ns"));
    EXPECT_THAT(text, testing::Not(HasSubstr("writes, clocks")));
    EXPECT_THAT(text, HasSubstr("not bound (--check)"));
    EXPECT_THAT(text, HasSubstr("speed      4 requests"));
    EXPECT_THAT(text, HasSubstr("Not bound: "));
}

TEST(DramReport, SplitsLatencyByInitiatorIfThereAreSeveral) {
    Made made;
    made.result.initiators.resize(2);
    Made::answer(made.result.initiators[1].read, 50);
    const std::string text = dram_text(made.result);
    EXPECT_THAT(text, testing::Not(HasSubstr("reads of 0")));
    EXPECT_THAT(text, HasSubstr("reads of 1, clocks"));
}

TEST(DramJson, IsOneObjectWithThePromisedKeys) {
    Made made;
    made.result.stats.data_bus_clocks = 8;
    made.result.checker =
        CheckerSummary{10, 1, {"clk 5: bad"}, {{"tRC", 7, 3, true}, {"power-down", 9, 0, false}}};
    const std::string text = dram_json(made.result);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
    const auto object = nlohmann::json::parse(text);
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.items()) keys.push_back(key);
    EXPECT_THAT(keys, testing::UnorderedElementsAre(
                          "clocks", "requests", "requests_per_cpu_s", "bandwidth_bytes_per_s",
                          "bus_utilisation_pct", "row_hits", "row_misses", "row_conflicts",
                          "read_latency_clocks", "write_latency_clocks", "checker", "bound"));
    EXPECT_EQ(object["clocks"], 1000);
    EXPECT_EQ(object["requests"], 2);
    EXPECT_DOUBLE_EQ(object["requests_per_cpu_s"].get<double>(), 4);
    EXPECT_DOUBLE_EQ(object["bus_utilisation_pct"].get<double>(), 0.8);
    EXPECT_NEAR(object["bandwidth_bytes_per_s"].get<double>(), 128 / 833e-9, 1);
    const auto& read = object["read_latency_clocks"];
    EXPECT_EQ(read["mean"], 50.0);
    EXPECT_EQ(read["p50"], 40);
    EXPECT_EQ(read["p99"], 60);
    const auto& parts = read["parts"];
    EXPECT_EQ(parts["queue"].get<double>() + parts["bank"].get<double>() +
                  parts["bus"].get<double>() + parts["refresh"].get<double>(),
              50.0);
    EXPECT_EQ(object["write_latency_clocks"]["mean"], 0.0);
    EXPECT_EQ(object["checker"]["violations"], 1);
    EXPECT_EQ(object["checker"]["exercised"]["tRC"], 3);
    EXPECT_EQ(object["checker"]["exercised"]["power-down"], 9);
    EXPECT_TRUE(object["bound"].is_string());
}

TEST(DramJson, ClaimsNothingOfACheckerThatWasNotThere) {
    const auto object = nlohmann::json::parse(dram_json(Made().result));
    EXPECT_TRUE(object["checker"]["violations"].is_null());
    EXPECT_TRUE(object["checker"]["exercised"].empty());
}

TEST(StallWatch, BarksOnceNothingHappenedForItsPatience) {
    StallWatch watch(100);
    EXPECT_FALSE(watch.stalled({1000, 5, 4, 900, 950}));
    EXPECT_FALSE(watch.stalled({1100, 5, 4, 900, 950}));
    EXPECT_TRUE(watch.stalled({1101, 5, 4, 900, 950}));
}

TEST(StallWatch, WaitsForArrivalsAndResponsesThatLieAhead) {
    StallWatch watch(100);
    EXPECT_FALSE(watch.stalled({1000, 5, 4, 5000, 950}));
    EXPECT_FALSE(watch.stalled({5100, 5, 4, 5000, 950}));
    EXPECT_TRUE(watch.stalled({5101, 5, 4, 5000, 950}));
    EXPECT_FALSE(watch.stalled({6000, 6, 5, 5000, 8000}));
    EXPECT_FALSE(watch.stalled({8100, 6, 5, 5000, 8000}));
    EXPECT_TRUE(watch.stalled({8101, 6, 5, 5000, 8000}));
}

TEST(StallWatch, IsQuietWhileNothingIsOpen) {
    StallWatch watch(100);
    EXPECT_FALSE(watch.stalled({1'000'000, 5, 5, 0, 0}));
    EXPECT_FALSE(watch.stalled({1'000'100, 6, 5, 0, 0}));
}

}  // namespace
}  // namespace weir::runner
