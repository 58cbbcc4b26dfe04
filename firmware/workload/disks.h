// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Which file each task of a workload owns.
#pragma once

#include "firmware/hal/boot_info.h"

namespace weir::workload {

struct FilePlace {
    uint32_t disk;  // index in BootInfo::disks
    uint32_t file_number;
};

/// Index of the n-th data disk (swap disks are left out). Panics if there are not so many.
uint32_t data_disk(uint32_t n);
/// File 0 of the task's own disk, or a file of its own on the first disk.
FilePlace file_place(const hal::WorkloadInfo& info, uint32_t task_index);

}  // namespace weir::workload
