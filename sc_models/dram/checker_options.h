// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What the independent checker must be told of a controller: nothing but what its stream begins
// with, and whether it refreshes. How far a refresh may be put off is the standard's limit, not
// the controller's policy.
#pragma once

#include "sc_models/dram/checker/checker.h"
#include "sc_models/dram/core/config.h"

namespace weir::dram {

inline CheckerOptions checker_options(const ControllerConfig& config) {
    return {config.power_up, config.refresh.name != "none", config.spec.refresh_postpone_max,
            config.spec.refresh_pull_in_max};
}

}  // namespace weir::dram
