// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// State of one hart and of the kernel layer as a whole: inside of firmware/kernel only.
// - this_hart(): the hart that runs; harts()[i]: any other.
// - Order of locks inside: wait queue, then run queue; timer locks are leaves.
#pragma once

#include "firmware/hal/boot_info.h"
#include "firmware/hal/hal.h"
#include "firmware/kernel/list.h"
#include "firmware/kernel/lock.h"
#include "firmware/kernel/task.h"
#include "firmware/kernel/timer.h"

namespace weir::kernel {

struct Hart {
    uint32_t index = 0;
    bool online = false;  // ticks and may be given tasks

    // Run queue, guarded by lock. The running task is not in the queue.
    SpinLock lock;
    List<Task, &Task::run_node> queue;  // by vruntime, smallest first
    uint64_t min_vruntime_ns = 0;
    Task* running = nullptr;
    bool need_resched = false;  // also set by other harts

    // Used by this hart alone, interrupts off.
    Task* idle = nullptr;
    Task* switched_from = nullptr;
    uint64_t vruntime_until_ns = 0;  // running task's vruntime is up to date until here

    // Time accounting. io_sleepers: tasks that last ran here and sleep for I/O (other harts too).
    hal::Mode mode = hal::Mode::Kernel;
    uint64_t accounted_until_ns = 0;
    uint32_t io_sleepers = 0;

    // Timers, guarded by timer_lock, earliest first.
    SpinLock timer_lock;
    List<Timer, &Timer::node> timers;
    Timer* running_timer = nullptr;
    uint64_t next_tick_ns = 0;
};

/// Scheduler figures from BootInfo, computed once.
struct SchedTuning {
    uint64_t latency_ns = 0;      // one round of all runnable tasks
    uint64_t granularity_ns = 0;  // shortest slice, and lead a wakee needs to preempt
    hal::WakePlacement placement = hal::WakePlacement::PreviousHart;
    bool idle_balance = false;
    uint64_t cache_hot_ns = 0;    // a task that ran more recently is not pulled
};

extern Hart* hart_states;
extern uint32_t hart_state_count;
extern SchedTuning sched_tuning;

inline Hart& this_hart() {
    return hart_states[hal::hart_id()];
}
inline Hart& hart_at(uint32_t index) {
    return hart_states[index];
}

// kernel.cpp
/// Panics unless BootInfo makes sense.
void check_boot_info();

// account.cpp
/// Ends the interval that runs on `hart` at now_ns and books it.
void account_until(Hart& hart, uint64_t now_ns);
/// Changes this hart's mode and books the time spent in the former; returns the former.
hal::Mode change_mode(hal::Mode mode);

// sched.cpp
void sched_init();
/// Makes this hart's boot context its idle task and lets it take tasks.
void sched_join();
void sched_tick(Hart& hart, uint64_t now_ns);
/// Puts a new task in the run queue of the least loaded hart.
void sched_start(Task& task);
/// What every context does first when it is switched to.
void finish_switch();
/// Leaves the running task for ever.
[[noreturn]] void sched_exit();
/// Takes a waiting task from the longest queue; false if there is none that may move.
bool pull_task(Hart& hart);
/// Ends the running task if it has been killed and is a user program.
void exit_if_killed();

// task.cpp
void task_init();
Task* make_idle_task(uint32_t hart_index);
void task_switch_hook(Task& next);
/// Told by finish_switch: the context of that exited task is gone, its waiters may reap it.
void task_is_gone(uint32_t pid);

// timer.cpp
void timer_init();
void timer_join();
/// The timer interrupt: jiffies, timers, scheduler tick.
void timer_interrupt();

// interrupt.cpp
void interrupt_init();

// object_cache.cpp
void object_cache_init();
bool frame_source_is_set();

// nap.cpp
void nap_init();

}  // namespace weir::kernel
