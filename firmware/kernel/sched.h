// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The scheduler: one fair run queue a hart, wake-up placement and idle balancing by BootInfo.
// - schedule(): give the hart away; the caller has set its own state if it means to sleep.
// - cond_resched(): where long kernel work may be preempted (the kernel is otherwise not).
// - account_time(): called at every change of mode so that user/sys/iowait/idle add up.
#pragma once

#include "firmware/kernel/task.h"

namespace weir::kernel {

/// Switches to the best runnable task. Returns when this task runs again.
void schedule();
void yield();
/// Yields only if a better task is waiting. The scheduling point of long kernel loops.
void cond_resched();
/// Makes a sleeping task runnable; false if it was not asleep.
bool wake_task(Task& task);
/// Runs in kernel mode while alive; a system call, fault or kernel thread body.
class [[nodiscard]] KernelMode {
  public:
    KernelMode();
    ~KernelMode();  // delivers a pending kill to user tasks, offers a reschedule
    KernelMode(const KernelMode&) = delete;
    KernelMode& operator=(const KernelMode&) = delete;

  private:
    hal::Mode previous_;
};
/// Tasks waiting in run queues, running ones included.
uint32_t runnable_count();
/// Closes this hart's interval of user/system/idle time, so that the running task's figures and the
/// counters are exact now.
void account_time();
/// Harts that have joined the scheduler.
uint32_t online_hart_count();

}  // namespace weir::kernel
