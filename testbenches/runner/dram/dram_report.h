// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What `weir dram` found, as text for people and as one JSON object.
#pragma once

#include "sc_models/dram/checker/checker.h"
#include "sc_models/dram/core/config.h"
#include "sc_models/dram/core/stats.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weir::runner {

struct CheckerSummary {
    uint64_t commands = 0;
    uint64_t violations = 0;
    std::vector<std::string> first_violations;  // a few, one line each
    std::vector<dram::RuleCoverage> coverage;
};

struct InitiatorSummary {
    dram::DirectionStats read, write;
};

struct DramResult {
    dram::ControllerConfig config;
    std::string traffic;  // "rand", "trace mine.txt (plain)"
    std::string mode;     // "at" or "lt"
    dram::ChannelStats stats;
    double cpu_s = 0;  // of this process, from the first request to the last answer
    std::vector<InitiatorSummary> initiators;
    std::optional<CheckerSummary> checker;  // absent if it was not bound

    uint64_t requests() const { return stats.read.requests + stats.write.requests; }
    /// From the first arrival to the end of the last data.
    uint64_t clocks() const { return stats.last_data_clk - stats.first_arrival_clk; }
    double requests_per_cpu_s() const;
    double bandwidth_bytes_per_s() const;
    double bus_utilisation_pct() const;
};

std::string dram_text(const DramResult& result);
/// One object, on one line.
std::string dram_json(const DramResult& result);

}  // namespace weir::runner
