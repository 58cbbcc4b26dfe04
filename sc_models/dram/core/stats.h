// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What a controller counts. All times in memory clocks unless named otherwise.
#pragma once

#include "sc_models/dram/core/command.h"

#include <array>
#include <cstdint>
#include <vector>

namespace weir::dram {

/// Exact below 4096 clocks, then 64 buckets an octave: a percentile is off by at most 1/64.
class LatencyHistogram {
  public:
    void add(uint64_t clocks);
    uint64_t count() const { return count_; }
    double mean() const {
        return count_ ? static_cast<double>(sum_) / static_cast<double>(count_) : 0;
    }
    uint64_t max() const { return max_; }
    /// Smallest latency that at least `permille` of the requests did not exceed; 0 if none.
    uint64_t percentile(uint32_t permille) const;
    void merge(const LatencyHistogram& other);

  private:
    static constexpr uint32_t kExact = 4096;
    static constexpr uint32_t kPerOctave = 64;
    static uint32_t bucket_of(uint64_t clocks);
    static uint64_t upper_bound_of(uint32_t bucket);
    std::vector<uint64_t> buckets_ = std::vector<uint64_t>(kExact);
    uint64_t count_ = 0, sum_ = 0, max_ = 0;
};

/// Sums of the parts of latency; they add up to it.
/// - bank: precharge, activate and CAS latency of the request's own bank.
/// - bus: its data on the bus.
/// - refresh: the time a due or running refresh held its rank while it waited.
/// - queue: the rest.
struct LatencyParts {
    uint64_t queue = 0;
    uint64_t bank = 0;
    uint64_t bus = 0;
    uint64_t refresh = 0;

    LatencyParts& operator+=(const LatencyParts& other) {
        queue += other.queue;
        bank += other.bank;
        bus += other.bus;
        refresh += other.refresh;
        return *this;
    }
};

struct DirectionStats {
    uint64_t requests = 0;     // bursts
    LatencyHistogram latency;  // of bursts; loosely timed: of runs of bursts in one row
    LatencyParts parts;
};

/// How a request found its bank.
enum class Turn : uint8_t { Hit, Miss, Conflict };

/// Why the data bus was idle: rule index into Spec::rules, or one of these. The rule is the one at
/// the root: a read that waited for its activate, which waited for tFAW, waited for tFAW.
enum class Wait : uint8_t {
    NoRequest = 250,   // nothing was queued
    CommandBus = 251,  // the slot of the previous command
    Refresh = 252,     // a refresh was due or running
    Arrival = 253,     // the request came in this clock
};

struct ChannelStats {
    DirectionStats read, write;
    uint64_t row_hits = 0;         // the row was open when the request's turn came
    uint64_t row_misses = 0;       // the bank was closed
    uint64_t row_conflicts = 0;    // another row was open
    uint64_t forwarded_reads = 0;  // answered from the write queue
    std::array<uint64_t, kCommandCount> commands{};
    uint64_t data_bus_clocks = 0;  // with data on the bus
    uint64_t first_arrival_clk = 0;
    uint64_t last_data_clk = 0;               // end of the last burst
    std::array<uint64_t, 256> wait_clocks{};  // by rule index or Wait: clocks with an idle data bus
    uint64_t power_down_clocks = 0;           // over all ranks
    uint64_t power_down_active_clocks = 0;    // of these, with a row open
    std::vector<uint64_t> active_clocks;      // by rank: at least one bank open
};

}  // namespace weir::dram
