// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The fair scheduler. Every task has the same weight; vruntime is the time it ran. The waiting task
// with the smallest vruntime runs next. A sleeper comes back at most half a latency behind the
// others, so that it runs soon but cannot starve them. Wake-up and balancing are in wake.cpp.
// Source: shape of the fair scheduler of 2.6.32; its defaults granularity = latency / 5 [memory].
#include "firmware/kernel/sched.h"

#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/hart.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/run_queue.h"

#include <new>

namespace weir::kernel {

Hart* hart_states = nullptr;
uint32_t hart_state_count = 0;
SchedTuning sched_tuning;

void sched_init() {
    const hal::BootInfo& info = boot_info();
    hart_state_count = info.hart_count;
    hart_states = static_cast<Hart*>(boot_alloc(sizeof(Hart) * hart_state_count));
    for (uint32_t i = 0; i < hart_state_count; ++i) {
        Hart& hart = *new (&hart_states[i]) Hart;
        hart.index = i;
    }
    sched_tuning.latency_ns = uint64_t{info.sched_latency_us} * 1000;
    sched_tuning.granularity_ns = sched_tuning.latency_ns / 5;
    sched_tuning.placement = info.wake_placement;
    sched_tuning.idle_balance = info.idle_balance != 0;
    sched_tuning.cache_hot_ns = uint64_t{info.sched_migration_cost_us} * 1000;
}

void sched_join() {
    IrqGuard irq;
    Hart& hart = this_hart();
    hart.idle->context = hal::context_current();
    hart.accounted_until_ns = hart.vruntime_until_ns = hal::now_ns();
    hart.mode = hal::Mode::Kernel;
    hal::set_mode(hal::Mode::Kernel);
    hal::set_current_task(0);
    hart.online = true;
}

uint32_t online_hart_count() {
    uint32_t online = 0;
    for (uint32_t i = 0; i < hart_state_count; ++i) {
        online += __atomic_load_n(&hart_states[i].online, __ATOMIC_ACQUIRE) ? 1u : 0u;
    }
    return online;
}

Task& current() {
    return *this_hart().running;
}

uint32_t runnable_count() {
    return static_cast<uint32_t>(counter_value(VmCounter::RunQueueLength));
}

void update_vruntime(Hart& hart, uint64_t now_ns) {
    if (now_ns <= hart.vruntime_until_ns) return;
    hart.running->vruntime_ns += now_ns - hart.vruntime_until_ns;
    hart.vruntime_until_ns = now_ns;
    uint64_t smallest_ns = hart.running->vruntime_ns;
    const Task* first = hart.queue.front();
    if (hart.running == hart.idle) {
        if (!first) return;
        smallest_ns = first->vruntime_ns;
    } else if (first && first->vruntime_ns < smallest_ns) {
        smallest_ns = first->vruntime_ns;
    }
    if (smallest_ns > hart.min_vruntime_ns) hart.min_vruntime_ns = smallest_ns;
}

void enqueue(Hart& hart, Task& task) {
    Task* before = hart.queue.back();
    Task* position = nullptr;  // the entry that task goes before
    while (before && before->vruntime_ns > task.vruntime_ns) {
        position = before;
        before = hart.queue.prev(*before);
    }
    hart.queue.insert_before(position, task);
}

uint64_t slice_ns(const Hart& hart) {
    const uint64_t fair_ns = sched_tuning.latency_ns / (hart.queue.size() + 1);
    return fair_ns > sched_tuning.granularity_ns ? fair_ns : sched_tuning.granularity_ns;
}

void sched_tick(Hart& hart, uint64_t now_ns) {
    SpinGuard guard(hart.lock);
    if (hart.running == hart.idle) {
        if (!hart.queue.empty()) hart.need_resched = true;
        return;
    }
    update_vruntime(hart, now_ns);
    if (!hart.queue.empty() && now_ns - hart.running->slice_start_ns >= slice_ns(hart)) {
        hart.need_resched = true;
    }
}

namespace {

/// Books a task that goes to sleep; its hart's lock is held.
void begin_sleep_locked(Hart& hart, Task& task, uint64_t now_ns) {
    task.sleep_begin_ns = now_ns;
    count(VmCounter::RunQueueLength, -1);
    if (task.state == TaskState::Exited) return;
    if (task.flags & kTaskInIoWait) {
        task.iowait_counted = true;
        ++hart.io_sleepers;
    }
    if (task.state == TaskState::DiskSleep) count(VmCounter::BlockedTasks);
}

/// Decides who runs next and makes it the running task; the hart's lock is held. What is left to do
/// is the change of contexts, if the two differ.
Task& pick_locked(Hart& hart, Task& prev, uint64_t now_ns) {
    hart.need_resched = false;
    hal::spend(hal::Op::SchedPick);
    update_vruntime(hart, now_ns);
    TaskState shown = prev.state;
    if (&prev != hart.idle) {
        if (prev.state == TaskState::Running) {
            prev.state = shown = TaskState::Runnable;
            enqueue(hart, prev);
        } else {
            begin_sleep_locked(hart, prev, now_ns);
        }
    }
    Task* next = hart.queue.pop_front();
    if (!next) next = hart.idle;
    next->state = TaskState::Running;
    next->slice_start_ns = now_ns;
    if (next == &prev) return prev;
    account_until(hart, now_ns);
    prev.last_ran_ns = now_ns;
    next->on_hart = true;
    hart.running = next;
    hart.switched_from = &prev;
    hal::trace(hal::Event::SchedSwitch, prev.pid, static_cast<uint64_t>(shown), next->pid);
    if (prev.pid) hal::gauge(hal::Gauge::TaskState, prev.pid, static_cast<uint64_t>(shown));
    if (next->pid) {
        hal::gauge(hal::Gauge::TaskState, next->pid, static_cast<uint64_t>(TaskState::Running));
    }
    count(VmCounter::ContextSwitches);
    hal::spend(hal::Op::ContextSwitch);
    return *next;
}

}  // namespace

void schedule() {
    const bool irqs_were_on = hal::irq_save();
    Hart& hart = this_hart();
    Task& prev = *hart.running;
    hart.lock.lock();
    Task& next = pick_locked(hart, prev, hal::now_ns());
    hart.lock.unlock();
    if (&next != &prev) {
        task_switch_hook(next);
        hal::set_current_task(next.pid);
        hal::context_switch(prev.context, next.context);
        finish_switch();
    }
    hal::irq_restore(irqs_were_on);
}

void finish_switch() {
    Hart& hart = this_hart();
    Task& from = *hart.switched_from;
    const bool exited = from.state == TaskState::Exited;
    const uint32_t pid = from.pid;
    // From here another hart may run, or reap, the task that was left.
    __atomic_store_n(&from.on_hart, false, __ATOMIC_RELEASE);
    if (exited) task_is_gone(pid);
}

void sched_exit() {
    hal::irq_save();
    Hart& hart = this_hart();
    Task& prev = *hart.running;
    hart.lock.lock();
    prev.state = TaskState::Exited;
    Task& next = pick_locked(hart, prev, hal::now_ns());
    hart.lock.unlock();
    task_switch_hook(next);
    hal::set_current_task(next.pid);
    hal::context_exit(next.context);
}

void yield() {
    {
        IrqGuard irq;
        Hart& hart = this_hart();
        SpinGuard guard(hart.lock);
        update_vruntime(hart, hal::now_ns());
        const Task* last = hart.queue.back();
        if (last && hart.running != hart.idle && hart.running->vruntime_ns < last->vruntime_ns) {
            hart.running->vruntime_ns = last->vruntime_ns;
        }
    }
    schedule();
}

void cond_resched() {
    const Hart& hart = this_hart();
    // A task between prepare_to_wait() and its sleep must not lose its hart here.
    if (hart.need_resched && hart.running->state == TaskState::Running) schedule();
}

}  // namespace weir::kernel
