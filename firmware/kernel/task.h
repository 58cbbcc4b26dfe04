// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Tasks: what the scheduler runs.
// - create_task() makes one and makes it runnable; current() is the running one.
// - Kernel threads (kswapd, flushers) and user programs differ by TaskKind only.
#pragma once

#include "firmware/hal/hal.h"
#include "firmware/hal/types.h"
#include "firmware/kernel/list.h"

namespace weir::mm {
struct AddressSpace;
}

namespace weir::kernel {

enum class TaskState : uint8_t { Runnable, Running, Sleeping, DiskSleep, Exited };
enum class TaskKind : uint8_t { User, Kernel, Kswapd, Flusher, Idle };

// Task::flags
inline constexpr uint32_t kTaskMemAlloc = 1u << 0;  // inside reclaim: may ignore watermarks
inline constexpr uint32_t kTaskDying = 1u << 1;     // being killed: may ignore watermarks
inline constexpr uint32_t kTaskInIoWait = 1u << 2;  // its sleep counts as iowait

inline constexpr uint32_t kTaskNameBytes = 16;

using TaskEntry = int (*)(void* argument);

struct Task {
    ListNode run_node;  // run queue of its hart
    ListNode all_node;  // every task that has not been reaped
    char name[kTaskNameBytes];
    uint32_t pid;
    TaskKind kind;
    TaskState state;
    uint32_t hart;  // where it runs or last ran
    uint32_t flags;
    hal::Context* context;
    TaskEntry entry;
    void* argument;
    int exit_code;
    mm::AddressSpace* space;  // null for kernel threads

    // Fair scheduling: guarded by the run queue lock of `hart`.
    uint64_t vruntime_ns;
    uint64_t slice_start_ns;

    // Accounting, all since creation.
    uint64_t user_ns;
    uint64_t system_ns;
    uint64_t iowait_ns;
    uint64_t last_ran_ns;  // when it last left its hart
    uint64_t min_faults;
    uint64_t maj_faults;

    // Reclaim and dirty throttling state that belongs to the task.
    uint32_t reclaimed_pages_last;  // by the direct reclaim it ran last
    uint32_t dirtied_pages;         // since its last balance_dirty_pages
    const void* writes_to;          // device of the file that it is writing, or null
    struct Bio* plugged;            // reserved for per-task plugging
    uint64_t fault_addr;

    // Owned by the scheduler. on_hart: its context is live on `hart`, so that it may not move.
    bool on_hart;
    bool iowait_counted;      // its sleep is in the hart's count of I/O sleepers
    bool kill_pending;        // set by kill_task; kTaskDying may be lost to a plain flags update
    uint64_t sleep_begin_ns;  // when it last went to sleep
    uint32_t waiter_count;    // tasks in wait_for_task; the last one reaps
};

/// Exit code of a task that kill_task ended: 128 + SIGKILL, as a shell shows it.
inline constexpr int kExitKilled = 137;

/// The task that runs on this hart. During boot: the boot task of the hart.
Task& current();
/// Errors: null if no memory is left for another task.
Task* create_task(const char* name, TaskKind kind, TaskEntry entry, void* argument,
                  mm::AddressSpace* space = nullptr);
/// Ends the running task: releases its address space, wakes whoever waits in wait_for_task.
[[noreturn]] void exit_task(int exit_code);
/// Sleeps until the task has exited; returns its exit code and reaps the task, whose reference is
/// dead afterwards. A task nobody waits for stays as a zombie.
int wait_for_task(Task& task);
/// Marks a task to be killed; it exits when it next leaves the kernel or wakes from a sleep.
void kill_task(Task& task, uint64_t reason);
Task* task_by_pid(uint32_t pid);
/// Calls visit for every live task, in order of pid.
void for_each_task(void (*visit)(Task& task, void* context), void* context);

/// Set once at boot by mm. The exit hook releases a task's address space, on that task, before it
/// leaves; it may sleep. The switch hook selects the translation root of the task that runs next;
/// it is called with interrupts off and may not sleep.
void set_task_exit_hook(void (*hook)(Task& task));
void set_task_switch_hook(void (*hook)(Task& next));

/// Set by mm at boot: releases the address space of an exiting task; selects the translation root
/// of the task about to run.
void set_task_exit_hook(void (*hook)(Task& task));
void set_task_switch_hook(void (*hook)(Task& next));

}  // namespace weir::kernel
