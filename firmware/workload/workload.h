// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Workloads: the programs of an experiment, by name.
// - run_from_boot_info(): what the init task calls; runs the one that BootInfo names.
// - workload_count(), workload_at(): the table, for `weir list workloads`.
#pragma once

#include "firmware/hal/boot_info.h"

namespace weir::workload {

/// How a workload ended. Several of them at once: the first in this order counts.
enum class Outcome : uint8_t { Ok = 0, DataMismatch = 1, IoError = 2, Killed = 3 };
/// The worse of two outcomes: lost data before lost I/O before lost tasks.
Outcome worse(Outcome a, Outcome b);

struct Workload {
    hal::WorkloadKind kind;
    const char* name;
    const char* story;
    Outcome (*run)(const hal::WorkloadInfo& info);
};

uint32_t workload_count();
const Workload& workload_at(uint32_t index);

/// Runs the rest of the machine ("system" task), then the workload, then syncs every file.
/// Returns the exit code of the machine: an Outcome's value.
int run_from_boot_info();

}  // namespace weir::workload
