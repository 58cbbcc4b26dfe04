// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Are percentiles and energies the ones that can be computed by hand?
#include "sc_models/dram/core/stats.h"

#include "sc_models/dram/core/energy.h"
#include "testbenches/unit/dram_core/dram_files.h"
#include "testbenches/unit/models_disk/seed.h"

#include <algorithm>
#include <random>

namespace weir::runner {
namespace {

using dram::ChannelStats;
using dram::Command;
using dram::EnergyReport;
using dram::LatencyHistogram;

TEST(LatencyHistogram, IsEmptyAtFirst) {
    const LatencyHistogram histogram;
    EXPECT_EQ(histogram.count(), 0u);
    EXPECT_EQ(histogram.mean(), 0);
    EXPECT_EQ(histogram.percentile(990), 0u);
}

TEST(LatencyHistogram, IsExactBelow4096Clocks) {
    LatencyHistogram histogram;
    for (uint64_t clocks = 1; clocks <= 1000; ++clocks) histogram.add(clocks);
    EXPECT_EQ(histogram.percentile(0), 1u);
    EXPECT_EQ(histogram.percentile(1), 1u);
    EXPECT_EQ(histogram.percentile(500), 500u);
    EXPECT_EQ(histogram.percentile(990), 990u);
    EXPECT_EQ(histogram.percentile(1000), 1000u);
    EXPECT_DOUBLE_EQ(histogram.mean(), 500.5);
    EXPECT_EQ(histogram.max(), 1000u);
}

TEST(LatencyHistogram, PercentilesOfAnySizeAreOffByOneIn64AtMost) {
    std::mt19937_64 random(test::seed());
    for (uint32_t bits = 1; bits < 63; ++bits) {
        LatencyHistogram histogram;
        std::vector<uint64_t> all;
        for (uint32_t i = 0; i < 500; ++i) {
            all.push_back(random() & ((uint64_t{1} << bits) - 1));
            histogram.add(all.back());
        }
        std::sort(all.begin(), all.end());
        for (const uint32_t permille : {2u, 500u, 900u, 990u, 1000u}) {
            const uint64_t exact = all[all.size() * permille / 1000 - 1];
            EXPECT_GE(histogram.percentile(permille), exact) << bits;
            EXPECT_LE(histogram.percentile(permille), exact + exact / 64) << bits;
        }
        EXPECT_EQ(histogram.max(), all.back());
    }
}

TEST(LatencyHistogram, MergedCountsAreThoseOfBoth) {
    LatencyHistogram low;
    LatencyHistogram high;
    for (uint64_t i = 0; i < 100; ++i) {
        low.add(i);
        high.add(100'000 + i);
    }
    low.merge(high);
    EXPECT_EQ(low.count(), 200u);
    EXPECT_EQ(low.percentile(500), 99u);
    EXPECT_EQ(low.percentile(1000), 100'099u);
    high.merge(LatencyHistogram());
    EXPECT_EQ(high.count(), 100u);
}

ChannelStats stats_with(std::initializer_list<std::pair<Command, uint64_t>> counts) {
    ChannelStats stats;
    for (const auto& [command, count] : counts) {
        stats.commands[static_cast<uint32_t>(command)] = count;
    }
    return stats;
}

constexpr double kTckNs = 0.833;
constexpr double kVolt = 1.2;
constexpr double kDevices = 8;

TEST(Energy, IsAbsentWithoutCurrents) {
    EXPECT_FALSE(energy_of(standard("sdr-pc133"), {}, 1000).has_value());
    EXPECT_TRUE(energy_of(standard("ddr3-1600"), {}, 1000).has_value());
}

TEST(Energy, AnIdleChannelDrawsPrechargeStandby) {
    const EnergyReport report = *energy_of(standard("ddr4-2400"), {}, 1'000'000);
    EXPECT_NEAR(report.mean_mw, kVolt * 45 * kDevices, 1e-6);
    EXPECT_DOUBLE_EQ(report.total_nj, report.precharge_standby_nj);
}

TEST(Energy, EveryCommandCostsItsCurrentBeyondTheBackground) {
    const ChannelStats stats = stats_with({{Command::Act, 1000},
                                           {Command::Rd, 300},
                                           {Command::Rda, 700},
                                           {Command::Wr, 900},
                                           {Command::Wra, 100},
                                           {Command::Ref, 10}});
    const EnergyReport report = *energy_of(standard("ddr4-2400"), stats, 1'000'000);
    const double nj_per_ma_clock = kVolt * kTckNs * kDevices * 1e-3;
    const auto near = [&](double nj, double ma_clocks) {
        EXPECT_NEAR(nj, ma_clocks * nj_per_ma_clock, 1e-6 * nj);
    };
    near(report.activate_nj, 1000 * (60.0 * 55 - 60.0 * 39 - 45.0 * 16));
    near(report.read_nj, 1000 * 4 * (145.0 - 60));
    near(report.write_nj, 1000 * 4 * (175.0 - 60));
    near(report.refresh_nj, 10 * 313 * (175.0 - 60));
}

TEST(Energy, TimeInEachStateCountsWithItsCurrent) {
    ChannelStats stats;
    stats.active_clocks = {400'000, 100'000};
    stats.power_down_clocks = 250'000;
    dram::Spec spec = standard("ddr4-2400");
    spec.organization.ranks = 2;
    const EnergyReport report = *energy_of(spec, stats, 1'000'000);
    const double nj_per_ma_clock = kVolt * kTckNs * kDevices * 1e-3;
    EXPECT_NEAR(report.active_standby_nj, 500'000 * 60 * nj_per_ma_clock, 1e-3);
    EXPECT_NEAR(report.power_down_nj, 250'000 * 29 * nj_per_ma_clock, 1e-3);
    EXPECT_NEAR(report.precharge_standby_nj, 1'250'000 * 45 * nj_per_ma_clock, 1e-3);
    EXPECT_NEAR(report.total_nj,
                report.active_standby_nj + report.power_down_nj + report.precharge_standby_nj,
                1e-3);
}

TEST(Energy, NoTimeIsNoPower) {
    EXPECT_EQ(energy_of(standard("ddr4-2400"), {}, 0)->mean_mw, 0);
}

}  // namespace
}  // namespace weir::runner
