// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// `weir bench`: how fast the simulator itself is. It measures and reports; it passes no judgement,
// because a loaded host is no defect.
#pragma once

#include "testbenches/runner/config/scenario.h"

#include <filesystem>
#include <string>

namespace weir::bench {

struct BenchRequest {
    std::string scenario = "iozone-2010";
    size_t jobs = 0;  // 0: as many as the host has cores
    bool micro = false;
    std::filesystem::path program;
};

/// Runs the scenario's base row and its watermark-wait row without waves, then a smaller one with
/// waves off and on, and prints host seconds, pages per host second, the ratio of simulated to host
/// time, peak memory and kernel events per page. Returns an exit code of weir.
int run_bench(const BenchRequest& request, const runner::Library& library);

}  // namespace weir::bench
