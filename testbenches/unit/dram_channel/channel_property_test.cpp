// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Which question: is every command stream legal, and is every request answered exactly once, for
// any standard, scheduler, page policy and refresh setting, on any stream? The independent checker
// judges. WEIR_DRAM_COMMANDS sets the size of the long test (default: a share for every day).
#include "testbenches/unit/dram_channel/channel_rig.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <tuple>

namespace weir::test {
namespace {

// A bound for one request of a full queue that waits behind refreshes and an age cap of 4000.
constexpr uint64_t kLatencyLimitClocks = 60'000;

struct Setting {
    std::string standard, scheduler, page, refresh;
};

std::vector<std::string> settings_of(const Setting& setting, Random& random) {
    std::vector<std::string> all{"scheduler.name=" + setting.scheduler, "page.name=" + setting.page,
                                 "refresh.name=" + setting.refresh};
    const auto put = [&](const char* key, uint64_t value) {
        all.push_back(std::string(key) + "=" + std::to_string(value));
    };
    put("scheduler.read_queue_entries", 1 + random.below(40));
    const uint64_t writes = 2 + random.below(40);
    put("scheduler.write_queue_entries", writes);
    const uint64_t high = 1 + random.below(writes);
    put("scheduler.drain_high_entries", high);
    put("scheduler.drain_low_entries", random.below(high));
    put("page.timeout_clocks", 1 + random.below(300));
    put("scheduler.age_cap_clocks", 500 + random.below(4000));
    if (setting.refresh != "none") {
        put("refresh.postpone_max", random.below(9));
        put("refresh.pull_in_max", random.below(9));
    }
    const uint64_t ranks = random.one_in(3) ? 2 : 1;
    put("organization.ranks", ranks);
    const char* mappings[] = {"row rank bank bankgroup column offset",
                              "rank row bank column:2 bankgroup column offset",
                              "row column:3 bank rank bankgroup column offset"};
    all.push_back(std::string("mapping=") + mappings[random.below(3)]);
    if (random.one_in(2)) all.push_back("xor=[\"bank0 ^ row0\", \"bank1 ^ row3\"]");
    if (random.one_in(2)) put("power_down_after_clocks", 1 + random.below(400));
    if (random.one_in(3)) all.push_back("power_up=true");
    return all;
}

/// Phases of different character: bursts of hits, one bank, random, pauses.
class Stream {
  public:
    Stream(uint64_t seed, const dram::Organization& organization, uint64_t items)
        : random_(seed),
          burst_bytes_(organization.access_bytes()),
          bursts_(organization.bytes() / burst_bytes_),
          left_(items) {}
    std::optional<Item> operator()() {
        if (left_ == 0) return std::nullopt;
        --left_;
        if (phase_left_-- == 0) new_phase();
        clk_ += pause_ != 0 ? random_.below(pause_) : 0;
        burst_ = stride_ != 0 ? (burst_ + stride_) % bursts_ : random_.below(window_) + base_;
        return Item{burst_ % bursts_ * burst_bytes_, random_.below(100) < writes_pct_, clk_};
    }

  private:
    void new_phase() {
        phase_left_ = 20 + random_.below(400);
        writes_pct_ = random_.one_in(3) ? 0 : random_.below(101);
        stride_ = random_.one_in(2) ? uint64_t{1} << random_.below(18) : 0;
        window_ = uint64_t{1} << random_.below(20);
        base_ = random_.below(bursts_);
        pause_ = random_.one_in(3) ? uint64_t{1} << random_.below(14) : 0;
    }
    Random random_;
    uint64_t burst_bytes_, bursts_, left_;
    uint64_t clk_ = 0, burst_ = 0, phase_left_ = 0, stride_ = 0, window_ = 1, base_ = 0, pause_ = 0;
    uint64_t writes_pct_ = 0;
};

uint64_t run_one(const Setting& setting, uint64_t seed, uint64_t items) {
    Random random(seed);
    const std::vector<std::string> all = settings_of(setting, random);
    const dram::ControllerConfig settings = config_of(setting.standard, all);
    std::string text = "seed " + std::to_string(seed) + " standard=" + setting.standard;
    for (const std::string& one : all) text += " " + one;
    SCOPED_TRACE(text);
    ChannelRig rig(settings);
    Stream stream(seed, settings.spec.organization, items);
    rig.drive(std::ref(stream), kLatencyLimitClocks);
    EXPECT_EQ(rig.answered, items);
    EXPECT_EQ(rig.violations(), "");
    EXPECT_EQ(rig.checker.violation_count(), 0u);
    return rig.checker.command_count();
}

std::vector<Setting> every_setting() {
    std::vector<Setting> all;
    for (const std::string& standard : standards())
        for (const std::string& scheduler : dram::scheduler_names())
            for (const std::string& page : dram::page_policy_names())
                for (const std::string& refresh : dram::refresh_names()) {
                    if (refresh == "per_bank" && !config_of(standard, {}).spec.per_bank_refresh)
                        continue;
                    all.push_back({standard, scheduler, page, refresh});
                }
    return all;
}

TEST(ChannelProperty, EveryStreamIsLegalAndEveryRequestAnsweredOnce) {
    const char* wanted = std::getenv("WEIR_DRAM_COMMANDS");
    const uint64_t commands_wanted = wanted ? std::strtoull(wanted, nullptr, 10) : 2'000'000;
    const std::vector<Setting> all = every_setting();
    uint64_t seed = seed_or(1);
    uint64_t commands = 0;
    const uint64_t items = commands_wanted > 10'000'000 ? 50'000 : 4'000;
    while (commands < commands_wanted && !HasFailure())
        for (const Setting& setting : all) {
            commands += run_one(setting, seed++, items);
            if (HasFailure()) break;
        }
    std::printf("%llu commands over %zu settings\n", static_cast<unsigned long long>(commands),
                all.size());
}

TEST(ChannelLiveness, OneWriteAmongEndlessReadHitsIsServedWithinTheAgeCap) {
    for (const std::string& scheduler : dram::scheduler_names()) {
        SCOPED_TRACE(scheduler);
        ChannelRig rig(config({"scheduler.name=" + scheduler}));
        uint64_t i = 0;
        rig.drive(
            [&]() -> std::optional<Item> {
                if (i == 50'000) return std::nullopt;
                ++i;
                if (i == 1000) return Item{16 * 8192 * 77, true};
                return Item{i % 128 * 64};
            },
            4000 + 2 * 9364);
        EXPECT_EQ(rig.channel.stats().write.requests, 1u);
        EXPECT_LE(rig.channel.stats().write.latency.max(), 4000u + 1000u);
        EXPECT_EQ(rig.violations(), "");
    }
}

TEST(ChannelLiveness, DescribesTheOldestRequestAndTheRuleThatHoldsIt) {
    ChannelRig rig(config({"refresh.name=none"}));
    rig.channel.push({rig.map.place_of(0), dram::Direction::Read, 0, 5}, 5);
    rig.channel.run(5);
    rig.channel.run(6);
    EXPECT_EQ(rig.channel.describe_oldest(),
              "read of bank 0 row 0, offered at clock 5, now 6, next command RD from clock 21 by "
              "tRCD");
}

/// Reads each so many clocks, the first gap as given.
std::vector<Item> paced(uint64_t count, uint64_t first_gap, uint64_t gap, Random& random) {
    std::vector<Item> items{{0}};
    for (uint64_t i = 0; i < count; ++i)
        items.push_back({random.below(1 << 20) * 64, false, first_gap + i * gap});
    return items;
}

TEST(ChannelRefresh, PerBankRefreshLosesNoClockToRounding) {
    Random random(seed_or(1));
    ChannelRig rig(config_of("lpddr4-3200", {"refresh.name=per_bank", "refresh.pull_in_max=8"}));
    rig.drive(paced(20'000, 200, 200, random));
    EXPECT_EQ(rig.violations(), "");
}

TEST(ChannelRefresh, NoBankGoesWithoutPastTheLimitHoweverMuchWasPulledIn) {
    Random random(seed_or(1));
    ChannelRig rig(config_of("lpddr4-3200", {"refresh.name=per_bank", "refresh.pull_in_max=8"}));
    rig.drive(paced(60'000, 200'000, 0, random));
    EXPECT_EQ(rig.violations(), "");
}

TEST(ChannelRefresh, SixtyFourRanksOfOneBankAllGetTheirs) {
    Random random(seed_or(1));
    ChannelRig rig(config({"organization.ranks=64", "organization.bank_groups=1",
                           "organization.banks_per_group=1", "power_down_after_clocks=100",
                           "mapping=row rank bank bankgroup column offset"}));
    rig.drive(paced(20'000, 0, 0, random));
    EXPECT_EQ(rig.violations(), "");
}

TEST(ChannelLiveness, WithoutAnAgeCapOneWriteMayStarveAndNothingIsCalledStuck) {
    ChannelRig rig(config({"scheduler.name=frfcfs_drain", "scheduler.age_cap_clocks=0"}));
    std::vector<Item> items{{1 << 30, true}};
    for (uint64_t i = 0; i < 100'000; ++i) items.push_back({i * 64});
    rig.drive(items, 10'000'000);
    EXPECT_GT(rig.channel.stats().write.latency.max(), 400'000u);
}

TEST(ChannelPowerDown, AsleepIsNotActiveWhateverIsOpen) {
    ChannelRig rig(config({"refresh.name=none", "power_down_after_clocks=1"}));
    rig.one(0, 0);
    rig.channel.settle(50'000);
    rig.channel.close_accounts(50'000);
    const dram::ChannelStats& stats = rig.channel.stats();
    EXPECT_GT(stats.power_down_clocks, 49'000u);
    EXPECT_EQ(stats.power_down_active_clocks, stats.power_down_clocks);
    EXPECT_LT(stats.active_clocks[0], 100u);
}

TEST(ChannelDeterminism, TheSameStreamGivesTheSameCommands) {
    const auto run = [] {
        ChannelRig rig(config());
        Stream stream(7, config().spec.organization, 20'000);
        rig.drive(std::ref(stream), kLatencyLimitClocks);
        return std::tuple(rig.channel.stats().commands, rig.channel.stats().last_data_clk,
                          rig.channel.stats().read.latency.mean());
    };
    EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace weir::test
