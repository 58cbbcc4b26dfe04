// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A small whole machine for tests, and what one run of it leaves behind.
// - small_config(): two harts, 32 MiB, LUNs of 64 MiB, two readers of 24 MiB.
// - run(config): simulates with every output on, in a folder of its own.
// SystemC elaborates once a process: one run() a test. Two runs are compared by forking.
#pragma once

#include "sc_models/machine/config.h"
#include "sc_models/machine/machine.h"
#include "testbenches/unit/waveforms/fst_reader.h"
#include "waveforms/run_outputs.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace weir::test {

machine::RunConfig small_config();
machine::RunConfig swap_config();

/// Everything a run left, in a folder that goes with the object.
class SmallRun {
  public:
    explicit SmallRun(const machine::RunConfig& config,
                      waveforms::OutputOptions options = waveforms::OutputOptions{});
    ~SmallRun();
    SmallRun(const SmallRun&) = delete;
    SmallRun& operator=(const SmallRun&) = delete;

    machine::RunOutcome outcome;
    nlohmann::json summary;
    std::vector<probe::EventRecord> events;
    std::vector<Change> changes;
    std::filesystem::path folder;

    uint64_t counter(const char* linux_name) const { return summary["vmstat"][linux_name]; }
    uint64_t count_events(hal::Event event) const;
};

/// The summary without the host's figures, of a run in a process of its own.
std::string summary_of_fresh_process(const machine::RunConfig& config);

}  // namespace weir::test
