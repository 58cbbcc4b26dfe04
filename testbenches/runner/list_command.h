// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// `weir list` and `weir view`: what there is to choose from, and the waveform of a run.
#pragma once

#include "testbenches/runner/config/key_table.h"
#include "testbenches/runner/config/scenario.h"

#include <filesystem>
#include <string>

namespace weir::runner {

/// What there is of a kind: scenarios, machines, policies, workloads or keys.
/// Errors: ConfigError for another word, with the nearest.
std::string list_text(const std::string& kind, const Library& library, ListStyle style);

/// The GTKWave command for a run's folder: dump and layout.
/// Errors: ConfigError if the folder holds no waveform, naming runs below it that do.
std::vector<std::string> view_command(const std::filesystem::path& folder);

/// Replaces this process by GTKWave. Returns an exit code if that fails.
int view(const std::filesystem::path& folder);

}  // namespace weir::runner
