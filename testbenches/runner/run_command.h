// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// `weir run`: from a scenario's name to its table.
// - Everything the user gave is checked before anything is written.
// - Each run is simulated by a process of its own; the folder appears when all is done.
#pragma once

#include "testbenches/runner/config/scenario.h"
#include "testbenches/runner/progress.h"
#include "testbenches/runner/report/result_table.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weir::runner {

/// The exit codes of weir.
inline constexpr int kExitAsExpected = 0;
inline constexpr int kExitExpectationFailed = 1;
inline constexpr int kExitBadInput = 2;
inline constexpr int kExitMachineDied = 3;
inline constexpr int kExitInterrupted = 130;

struct RunRequest {
    std::string scenario;
    Overrides overrides;
    size_t jobs = 0;                           // 0: as many as the host has cores
    std::optional<std::filesystem::path> out;  // none: out/<scenario>
    ProgressStyle progress = ProgressStyle::Log;
    std::filesystem::path program;  // what simulates: weir itself
};

struct RunReport {
    int exit_code = kExitAsExpected;
    std::filesystem::path folder;  // empty if interrupted
    ResultTable table;
};

/// Simulates every run of a scenario and writes the results.
/// Errors: ConfigError for whatever the user must change (exit 2); nothing is left behind then.
RunReport run_scenario(const RunRequest& request, const Library& library);

/// What went wrong in a run that wrote its summary: empty if nothing did, or if the scenario
/// expects it (an expectation on the same figure).
std::string unexpected_ending(const RunResult& run, const std::vector<Expectation>& expectations);

}  // namespace weir::runner
