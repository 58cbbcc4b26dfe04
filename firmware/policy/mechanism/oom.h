// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The last resort: one task at a time tries once more at the high mark and then kills the task with
// the largest resident set. Source: fact book 4.3.
// - allocate_or_kill(): from the allocator.
// - kill_for_page_fault(): mm::pressure().out_of_memory.
// Leaves out: the badness score of oom_kill.c; the largest resident set stands for it.
#pragma once

#include "firmware/policy/mechanism/allocator_slow_path.h"

namespace weir::policy {

/// Timing: sleeps one jiffy if another task is at it, or to let a victim die.
/// Errors: panics if there is no task to kill.
OomOutcome allocate_or_kill(mm::Zone& zone, const mm::AllocRequest& request);

/// Returns true if the fault may be retried: false once the faulting task is the victim.
bool kill_for_page_fault(uint32_t order);

}  // namespace weir::policy
