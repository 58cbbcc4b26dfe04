// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The reports of `weir stalls` and `weir compare`, as text for a terminal.
// Errors: ReportError naming the file that is missing or not whole.
#pragma once

#include "waveforms/nap_analysis.h"

#include <filesystem>
#include <string>

namespace weir::waveforms {

/// Timing of the naps per call site: count, total, p50/p95/max, woken-by shares, wasted share and a
/// histogram. folder: one run, or a scenario's folder (then every run in it, by name).
std::string stalls_report(const std::filesystem::path& folder);

/// Two runs side by side: throughput, naps, devices, counters that differ.
std::string compare_report(const std::filesystem::path& first, const std::filesystem::path& second);

}  // namespace weir::waveforms
