// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The rest of the machine, as far as an experiment feels it: anonymous memory that is mapped, was
// stored to once, and idles. Source: fact book 4.12.5.
#pragma once

#include "firmware/workload/workload.h"

namespace weir::workload {

/// Starts task "system" and waits until its memory is stored. 0 bytes: no task.
void start_system_task(uint64_t anon_bytes);
/// Ends it. Outcome::Killed if it did not live so long.
Outcome stop_system_task();
/// Syncs every file of every data disk. IoError, and lost_writes counted, if something stays dirty.
Outcome sync_all_files();

}  // namespace weir::workload
