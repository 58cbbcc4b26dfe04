// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// `weir dram`: the SDRAM controller by itself, on a pattern or a trace, and why it was not faster.
#pragma once

#include <string>
#include <vector>

namespace weir::runner {

/// As given on the command line; a text that is empty was not given.
struct DramRequest {
    std::string config = "ddr4-2400-reference";
    std::vector<std::string> settings;
    std::vector<std::string> pattern;  // "stride" "4096" may be two words
    std::string trace;
    std::string requests;
    std::string footprint_mib;
    std::string seed;
    std::string mode = "at";
    std::string initiators = "1";
    std::string commands;
    std::string wave;
    bool json = false;
    bool check = false;
    bool bytes = false;
};

/// Prints the report. Returns an exit code of weir: 3 if the checker found violations.
/// Errors: ConfigError before anything is written; DramStuck if a request was never answered.
int run_dram(const DramRequest& request);

}  // namespace weir::runner
