// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// From a RunConfig to what the kernel finds at power-on, and to what its disks hold.
// Plain functions, no SystemC.
#pragma once

#include "firmware/hal/boot_info.h"
#include "sc_models/machine/config.h"

#include <cstdint>
#include <vector>

namespace weir::machine {

/// How many data disks the machine gets: data_disks, or what the workload needs.
/// Errors: std::invalid_argument, naming the key, if that is too few or too many.
uint32_t data_disk_count(const RunConfig& config);
/// Sizes of the files of each data disk, in order of the inode.
std::vector<std::vector<uint64_t>> files_of_disks(const RunConfig& config);
/// Errors: std::invalid_argument, naming the key, if a name is too long or a figure cannot be.
hal::BootInfo make_boot_info(const RunConfig& config);

}  // namespace weir::machine
