// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The SDRAM controller of a machine: its file in testbenches/dram with the machine's own settings.
// - dram_folder(): of the project; WEIR_ROOT, which the launcher sets, or where this was built from.
#pragma once

#include "sc_models/machine/config.h"

#include <filesystem>

namespace weir::runner {

std::filesystem::path project_root();
std::filesystem::path dram_folder();

/// Fills dram.controller from the rest of it.
/// Errors: ConfigError; also if ram_mib is more than the device holds.
void resolve_dram(machine::DramConfig& dram, uint32_t ram_mib);

}  // namespace weir::runner
