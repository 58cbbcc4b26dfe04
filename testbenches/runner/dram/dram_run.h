// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The bench of `weir dram`: one controller, its initiators, and the watchdog. Once a process,
// because SystemC is elaborated once.
#pragma once

#include "testbenches/runner/dram/dram_report.h"
#include "testbenches/runner/dram/traffic.h"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace weir::runner {

class DramWave;

enum class TrafficMode { ApproximatelyTimed, LooselyTimed };

/// The model broke its protocol or its promise: exit code 3.
class DramStuck : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct DramRun {
    dram::ControllerConfig config;
    TrafficMode mode = TrafficMode::ApproximatelyTimed;
    uint32_t initiators = 1;
    Cargo cargo = Cargo::TimeOnly;
    std::vector<TrafficSource*> sources;  // one an initiator; may be the same
    std::vector<dram::CommandObserver*> observers;
    DramWave* wave = nullptr;
};

struct DramOutcome {
    DramResult result;  // without the names of the traffic
    uint64_t end_ps = 0;
    bool interrupted = false;  // by Ctrl-C or SIGTERM
};

/// Errors: ConfigError from a source; DramStuck.
DramOutcome run_dram_bench(const DramRun& run);

}  // namespace weir::runner
