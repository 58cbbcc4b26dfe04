// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The child's side of a run: builds the machine, simulates, writes the run's folder.
// - Lines to the parent, on kProgressFd: "p <simulated_ps> <bytes>" and "e <host_s> <rss_bytes>
//   <kernel_events> <simulated_ps>" at the end.
#pragma once

#include <filesystem>

namespace weir::runner {

/// Exit codes of the child, apart from signals.
inline constexpr int kChildDone = 0;          // summary.json is written, however the machine ended
inline constexpr int kChildBadConfig = 2;     // the machine cannot be built so
inline constexpr int kChildOutputFailed = 4;  // a file of the run's folder could not be written

/// Simulates the run that folder/spec.json describes and leaves its results in the folder.
int simulate(const std::filesystem::path& folder);

}  // namespace weir::runner
