// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Entry points of the programs in workloads.inc. Each starts its tasks and returns when all ended.
#pragma once

#include "firmware/workload/workload.h"

namespace weir::workload {

Outcome run_iozone(const hal::WorkloadInfo& info);
Outcome run_memset(const hal::WorkloadInfo& info);

}  // namespace weir::workload
