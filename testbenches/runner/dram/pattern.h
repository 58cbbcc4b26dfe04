// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Synthetic traffic, one burst a request, within a footprint that begins at address 0.
// - rand: reads at random; mix: the same, half of them writes; seq: reads one after the other.
// - idle: random reads, one every 200 clocks: the latency of a memory that has nothing else to do.
// - stride N: reads N bytes apart; bank-conflict: reads of one bank, a new row each time.
// Several initiators share the requests; each has its own part of the walk, or its own seed.
#pragma once

#include "sc_models/dram/core/config.h"
#include "testbenches/runner/dram/traffic_source.h"

#include <memory>
#include <string>
#include <vector>

namespace weir::runner {

enum class PatternKind { Rand, Seq, Mix, Idle, Stride, BankConflict };

/// Arbitrary, but the figure of the published comparison: longer than any single access takes.
inline constexpr uint64_t kIdleGapClocks = 200;

struct Pattern {
    PatternKind kind = PatternKind::Rand;
    uint64_t stride_bytes = 0;  // of Stride
    std::string name;           // as a report says it: "stride 4096"
};

/// Reads what follows --pattern: "rand", "stride 4096" as one word or two, "stride:4096".
/// Errors: ConfigError.
Pattern parse_pattern(const std::vector<std::string>& words);

struct PatternPlan {
    Pattern pattern;
    uint64_t requests = 0;  // of all initiators together
    uint64_t footprint_bytes = 0;
    uint64_t seed = 1;
    uint32_t initiators = 1;
};

/// The traffic of one initiator.
/// Errors: ConfigError if the footprint is too small for the pattern.
std::unique_ptr<TrafficSource> make_pattern(const PatternPlan& plan, uint32_t initiator,
                                            const dram::ControllerConfig& config);

/// xoshiro256++ 1.0 (Blackman, Vigna 2019), seeded by splitmix64.
class Random {
  public:
    explicit Random(uint64_t seed);
    uint64_t next() {
        const uint64_t result = rotated(state_[0] + state_[3], 23) + state_[0];
        const uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = rotated(state_[3], 45);
        return result;
    }

  private:
    static uint64_t rotated(uint64_t value, uint32_t bits) {
        return value << bits | value >> (64 - bits);
    }
    uint64_t state_[4];
};

}  // namespace weir::runner
