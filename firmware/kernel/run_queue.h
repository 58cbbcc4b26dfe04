// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Operations on a run queue, shared by sched.cpp and wake.cpp. The hart's lock is held by the
// caller of each.
#pragma once

#include "firmware/kernel/hart.h"

namespace weir::kernel {

/// Adds what the running task ran since the last update and raises min_vruntime_ns.
void update_vruntime(Hart& hart, uint64_t now_ns);
/// Puts a runnable task in its place by vruntime, behind its equals.
void enqueue(Hart& hart, Task& task);
/// How long a task may run while others wait.
uint64_t slice_ns(const Hart& hart);

}  // namespace weir::kernel
