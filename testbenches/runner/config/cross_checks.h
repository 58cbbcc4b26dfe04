// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What several keys must satisfy together, checked before anything is built or written.
#pragma once

#include "testbenches/runner/config/settings.h"

namespace weir::runner {

/// The smallest RAM that boots with these settings.
uint32_t smallest_ram_mib(const machine::MachineConfig& machine);

/// Data disks that the machine will have: as given, or as many as the workload needs.
uint32_t data_disk_count(const machine::RunConfig& run);

/// Checks the settings of one run as a whole.
/// Errors: ConfigError with the place of the key that is easiest to change, its value, and bounds.
void cross_check(const Settings& settings);

}  // namespace weir::runner
