// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// How a run is handed to the process that simulates it: every key by its path, as JSON. The child
// reads it through the same table of keys as a scenario file, so nothing can be lost on the way.
#pragma once

#include "testbenches/runner/config/scenario.h"

#include <string>

namespace weir::runner {

struct RunSpec {
    std::string scenario;
    std::string machine;
    RunPlan plan;
};

std::string write_spec(const RunSpec& spec);
/// Errors: ConfigError if it is not a spec.
RunSpec read_spec(const std::string& text);

}  // namespace weir::runner
