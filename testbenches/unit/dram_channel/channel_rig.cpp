// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/unit/dram_channel/channel_rig.h"

#include "sc_models/dram/checker_options.h"
#include "testbenches/runner/dram/dram_config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace weir::test {
namespace {

const std::filesystem::path kDram = std::filesystem::path(WEIR_SOURCE_DIR) / "testbenches" / "dram";

}  // namespace

dram::ControllerConfig config(const std::vector<std::string>& settings) {
    return runner::load_dram_config(kDram / "ddr4-2400-reference.toml", settings,
                                    kDram / "standards");
}

dram::ControllerConfig config_of(const std::string& standard,
                                 const std::vector<std::string>& settings) {
    std::vector<std::string> all{"standard=" + standard};
    all.insert(all.end(), settings.begin(), settings.end());
    return config(all);
}

std::vector<std::string> standards() {
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(kDram / "standards"))
        if (file.path().extension() == ".toml") names.push_back(file.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

uint64_t seed_or(uint64_t seed) {
    const char* text = std::getenv("WEIR_SEED");
    const uint64_t used = text != nullptr ? std::strtoull(text, nullptr, 10) : seed;
    std::printf("seed %llu (WEIR_SEED sets it)\n", static_cast<unsigned long long>(used));
    return used;
}

ChannelRig::ChannelRig(const dram::ControllerConfig& config)
    : channel(config),
      map(dram::AddressMap::create(config.spec.organization, config.mapping)),
      checker(config.spec, dram::checker_options(config)) {
    channel.add_observer(checker);
    const uint32_t tokens =
        config.scheduler.read_queue_entries + config.scheduler.write_queue_entries + 2;
    open_.resize(tokens);
    for (uint32_t token = tokens; token > 0; --token) free_tokens_.push_back(token - 1);
}

void ChannelRig::take_completions(uint64_t latency_limit_clocks) {
    for (const dram::Completion& done : channel.completions()) {
        ASSERT_EQ(open_[done.token], 1) << "answered twice";
        ASSERT_LE(done.latency_clocks, latency_limit_clocks);
        ASSERT_EQ(done.latency_clocks,
                  done.parts.queue + done.parts.bank + done.parts.bus + done.parts.refresh);
        open_[done.token] = 0;
        free_tokens_.push_back(done.token);
        ++answered;
    }
    channel.completions().clear();
}

void ChannelRig::drive(const std::function<std::optional<Item>()>& next,
                       uint64_t latency_limit_clocks) {
    std::optional<Item> item = next();
    uint64_t offered = answered;
    uint64_t clk = channel.clk();
    while ((item || !channel.idle()) && !testing::Test::HasFatalFailure()) {
        while (item && item->clk <= clk) {
            const auto direction = item->write ? dram::Direction::Write : dram::Direction::Read;
            if (!channel.has_room(direction)) break;
            const uint32_t token = free_tokens_.back();
            free_tokens_.pop_back();
            open_[token] = 1;
            channel.push({map.place_of(item->address), direction, token, clk}, clk);
            take_completions(latency_limit_clocks);
            ++offered;
            item = next();
        }
        // Nothing new can come before the next item's clock.
        const bool held = item && item->clk <= clk;
        const uint64_t limit = !item || held ? dram::kNever - 1 : item->clk - 1;
        if (channel.idle())
            clk = std::max(clk, item ? item->clk : clk);
        else if (channel.run(limit))
            clk = std::max(clk, channel.last_clk());
        else
            clk = std::max(clk, item ? item->clk : clk);
        take_completions(latency_limit_clocks);
    }
    EXPECT_EQ(answered, offered) << channel.describe_oldest();
}

void ChannelRig::drive(const std::vector<Item>& items, uint64_t latency_limit_clocks) {
    size_t i = 0;
    drive([&] { return i < items.size() ? std::optional<Item>(items[i++]) : std::nullopt; },
          latency_limit_clocks);
}

dram::Completion ChannelRig::one(uint64_t clk, uint64_t address, bool write) {
    const auto direction = write ? dram::Direction::Write : dram::Direction::Read;
    channel.push({map.place_of(address), direction, 0, clk}, clk);
    while (channel.completions().empty()) channel.run(dram::kNever - 1);
    const dram::Completion done = channel.completions().back();
    channel.completions().clear();
    return done;
}

std::string ChannelRig::violations() {
    checker.finish(channel.clk());
    std::string text;
    size_t shown = 0;
    for (const dram::Violation& violation : checker.violations()) {
        if (++shown > 10) break;
        text += violation.text + "\n";
    }
    return text;
}

}  // namespace weir::test
