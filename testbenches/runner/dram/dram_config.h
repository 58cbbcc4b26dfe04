// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Reads a controller configuration: testbenches/dram/*.toml, and --set arguments over it.
// Every key of dram::ControllerConfig may be given, under the same name; what is absent has the
// default of core/config.h. Beyond them:
// - standard = "ddr4-2400": a file of the standards folder; [organization] replaces its figures.
// - mapping = "row bank bankgroup column:3 offset": from the most significant bit down; `field:n`
//   takes n bits, `field` those that no `field:n` takes.
// - xor = ["bankgroup0 ^ row0"]: the first bit is XORed with the second one.
// Errors: ConfigError: place, key, value, what is allowed, nearest name.
#pragma once

#include "sc_models/dram/core/config.h"
#include "testbenches/runner/config/document.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace weir::runner {

/// Shapes: settings: "path=value", the last one wins, as "scheduler.name=fcfs".
dram::ControllerConfig load_dram_config(const std::filesystem::path& file,
                                        const std::vector<std::string>& settings,
                                        const std::filesystem::path& standards_folder);

/// Reads a mapping text and its XOR texts; AddressMap::create() checks that they fit together.
/// Errors: dram::ConfigProblem with key "mapping" or "xor".
dram::Mapping parse_mapping(std::string_view mapping, const std::vector<std::string>& xors,
                            const dram::Organization& organization);

}  // namespace weir::runner
