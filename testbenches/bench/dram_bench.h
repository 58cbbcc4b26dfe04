// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// `weir bench dram`: how fast the SDRAM controller alone is. It measures and passes no judgement.
#pragma once

#include <filesystem>

namespace weir::bench {

struct DramBenchRequest {
    std::filesystem::path program;  // weir
    bool long_runs = false;         // also 10 M requests
};

/// Runs the streams of the published comparison on the reference configuration, then one of them
/// at growing lengths, each in a process of its own and alone, and prints requests and simulated
/// clocks per CPU second, latency and peak memory. Returns an exit code of weir.
int run_dram_bench(const DramBenchRequest& request);

}  // namespace weir::bench
