// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Drives one channel without SystemC: a stream of bursts, back-pressure by full queues, the
// independent checker on the command stream, and what came back.
// - config(): the reference configuration with settings; drive(): a whole stream.
// Seeds: WEIR_SEED replaces the default; each test prints the one it used.
#pragma once

#include "sc_models/dram/checker/checker.h"
#include "sc_models/dram/core/channel.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace weir::test {

dram::ControllerConfig config(const std::vector<std::string>& settings = {});
dram::ControllerConfig config_of(const std::string& standard,
                                 const std::vector<std::string>& settings);
std::vector<std::string> standards();
uint64_t seed_or(uint64_t seed);

/// A small random source of our own, so that streams are the same on every host.
class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull + 1) {}
    uint64_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_;
    }
    uint64_t below(uint64_t bound) { return (next() >> 11) % bound; }
    bool one_in(uint64_t n) { return below(n) == 0; }

  private:
    uint64_t state_;
};

/// One burst of a stream; clk: not before.
struct Item {
    uint64_t address;
    bool write = false;
    uint64_t clk = 0;
};

class ChannelRig {
  public:
    explicit ChannelRig(const dram::ControllerConfig& config);

    /// Offers items in order, each once the queue has room and its clock has come; ends when all
    /// are answered. Fails the test if one is answered twice, never, or later than the limit.
    void drive(const std::function<std::optional<Item>()>& next, uint64_t latency_limit_clocks);
    void drive(const std::vector<Item>& items, uint64_t latency_limit_clocks = 1'000'000);
    /// Offers one burst at a clock and runs until it is answered.
    dram::Completion one(uint64_t clk, uint64_t address, bool write = false);
    /// Ends the stream; the violations as text, one a line, at most ten.
    std::string violations();

    dram::Channel channel;
    dram::AddressMap map;
    dram::Checker checker;
    uint64_t answered = 0;

  private:
    void take_completions(uint64_t latency_limit_clocks);
    std::vector<uint8_t> open_;  // by token: 1 while unanswered
    std::vector<uint32_t> free_tokens_;
};

}  // namespace weir::test
