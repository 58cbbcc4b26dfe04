// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Making tasks runnable: on which hart, whether they preempt, and how idle harts find work.
// Source: facts 4.12.8 leaves the rule of 2.6.32 open, so it is BootInfo::wake_placement.
#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/hart.h"
#include "firmware/kernel/run_queue.h"
#include "firmware/kernel/sched.h"

namespace weir::kernel {

namespace {

bool is_idle(const Hart& hart) {
    return hart.online && hart.running == hart.idle && hart.queue.empty();
}

bool asleep(const Task& task) {
    return task.state == TaskState::Sleeping || task.state == TaskState::DiskSleep;
}

uint32_t load_of(const Hart& hart) {
    return hart.queue.size() + (hart.running != hart.idle ? 1u : 0u);
}

/// The affine wake-up of 2.6.32: the waker's hart takes the task where that leaves it loaded no
/// more than the previous one would be, with 12 % in its favour. It does not look for idle harts.
/// Source: our memory of wake_affine (imbalance_pct 125) before the idle search of 2.6.33.
bool waker_takes(const Hart& previous) {
    constexpr uint32_t kFavourPct = 112;
    return 100 * (load_of(this_hart()) + 1) <= kFavourPct * (load_of(previous) + 1);
}

Hart& place_wakee(const Task& task) {
    Hart& previous = hart_at(task.hart);
    // Its context is still being left: it cannot run elsewhere yet.
    if (__atomic_load_n(&task.on_hart, __ATOMIC_ACQUIRE)) return previous;
    switch (sched_tuning.placement) {
        case hal::WakePlacement::PreviousHart:
            break;
        case hal::WakePlacement::WakingHart:
            return this_hart();
        case hal::WakePlacement::Affine:
            return waker_takes(previous) ? this_hart() : previous;
        case hal::WakePlacement::IdleHart:
            if (is_idle(previous)) break;
            for (uint32_t i = 0; i < hart_state_count; ++i) {
                if (is_idle(hart_at(i))) return hart_at(i);
            }
            break;
    }
    return previous;
}

/// Ends the books of a sleep; the lock of the task's hart is held.
void end_sleep_locked(Hart& home, Task& task, uint64_t now_ns) {
    count(VmCounter::RunQueueLength);
    if (task.state == TaskState::DiskSleep) count(VmCounter::BlockedTasks, -1);
    if (!task.iowait_counted) return;
    // An idle hart was in iowait until now.
    if (home.mode == hal::Mode::Idle) account_until(home, now_ns);
    task.iowait_counted = false;
    --home.io_sleepers;
    if (now_ns > task.sleep_begin_ns) task.iowait_ns += now_ns - task.sleep_begin_ns;
}

/// Queues a runnable task on a hart whose lock is held; true if that hart must reschedule.
bool enqueue_woken_locked(Hart& target, Task& task, uint64_t now_ns) {
    task.hart = target.index;
    enqueue(target, task);
    if (target.running == target.idle) {
        target.need_resched = true;
        return true;
    }
    // The running task's unbooked time counts; clocks of two harts differ by at most a quantum.
    uint64_t running_ns = target.running->vruntime_ns;
    if (now_ns > target.vruntime_until_ns) running_ns += now_ns - target.vruntime_until_ns;
    if (running_ns <= task.vruntime_ns + sched_tuning.granularity_ns) return false;
    target.need_resched = true;
    return true;
}

void tell_hart(Hart& target) {
    if (&target == &this_hart()) return;
    hal::spend(hal::Op::InterHartKick);
    hal::kick(target.index);
}

/// Locks the run queue of the hart that the task belongs to.
Hart& lock_home(const Task& task) {
    while (true) {
        Hart& home = hart_at(task.hart);
        home.lock.lock();
        if (task.hart == home.index) return home;
        home.lock.unlock();
    }
}

uint64_t rebased(uint64_t vruntime_ns, uint64_t from_min_ns, uint64_t to_min_ns) {
    // Unsigned wrap-around cancels out unless the task lagged by more than to_min_ns.
    const auto lead_ns = static_cast<int64_t>(vruntime_ns - from_min_ns);
    const auto moved_ns = static_cast<int64_t>(to_min_ns) + lead_ns;
    return moved_ns < 0 ? 0 : static_cast<uint64_t>(moved_ns);
}

}  // namespace

bool wake_task(Task& task) {
    if (!asleep(task)) return false;
    IrqGuard irq;
    Hart& home = lock_home(task);
    if (!asleep(task)) {
        home.lock.unlock();
        return false;
    }
    hal::spend(hal::Op::WakeTask);
    if (home.running == &task) {
        // It has said it will sleep but has not left yet: it simply goes on.
        task.state = TaskState::Running;
        home.lock.unlock();
        return true;
    }
    const uint64_t now_ns = hal::now_ns();
    end_sleep_locked(home, task, now_ns);
    Hart& target = place_wakee(task);
    const uint64_t home_min_ns = home.min_vruntime_ns;
    task.state = TaskState::Runnable;
    if (&target != &home) {
        home.lock.unlock();
        target.lock.lock();
        task.vruntime_ns = rebased(task.vruntime_ns, home_min_ns, target.min_vruntime_ns);
    }
    const uint64_t credit_ns = sched_tuning.latency_ns / 2;
    if (task.vruntime_ns + credit_ns < target.min_vruntime_ns) {
        task.vruntime_ns = target.min_vruntime_ns - credit_ns;
    }
    const bool resched = enqueue_woken_locked(target, task, now_ns);
    target.lock.unlock();
    hal::trace(hal::Event::SchedWakeup, task.pid, target.index);
    hal::gauge(hal::Gauge::TaskState, task.pid, static_cast<uint64_t>(TaskState::Runnable));
    if (resched) tell_hart(target);
    return true;
}

void sched_start(Task& task) {
    IrqGuard irq;
    Hart* target = &this_hart();
    uint32_t least = 0xffffffffu;
    for (uint32_t i = 0; i < hart_state_count; ++i) {
        const Hart& hart = hart_at(i);
        const uint32_t load = load_of(hart);
        if (hart.online && load < least) {
            least = load;
            target = &hart_at(i);
        }
    }
    bool resched;
    {
        SpinGuard guard(target->lock);
        // A newcomer starts behind, so that a task which forks cannot take the hart; by the same
        // amount for all, so that newcomers start in the order of their creation.
        task.vruntime_ns = target->min_vruntime_ns + sched_tuning.granularity_ns;
        task.state = TaskState::Runnable;
        count(VmCounter::RunQueueLength);
        resched = enqueue_woken_locked(*target, task, hal::now_ns());
    }
    hal::gauge(hal::Gauge::TaskState, task.pid, static_cast<uint64_t>(TaskState::Runnable));
    if (resched) tell_hart(*target);
}

/// A task that may change harts: nobody is still leaving its context, and its caches are cold.
/// Source: our memory of task_hot and sysctl_sched_migration_cost in 2.6.32 (0.5 ms).
bool movable(const Task& task, uint64_t now_ns) {
    if (__atomic_load_n(&task.on_hart, __ATOMIC_ACQUIRE)) return false;
    return task.last_ran_ns == 0 || now_ns >= task.last_ran_ns + sched_tuning.cache_hot_ns;
}

bool pull_task(Hart& hart) {
    IrqGuard irq;
    const uint64_t now_ns = hal::now_ns();
    Hart* busiest = nullptr;
    for (uint32_t i = 0; i < hart_state_count; ++i) {
        Hart& other = hart_at(i);
        if (&other == &hart || other.queue.empty() || other.running == other.idle) continue;
        if (!busiest || other.queue.size() > busiest->queue.size()) busiest = &other;
    }
    if (!busiest) return false;
    Task* pulled;
    {
        SpinGuard guard(busiest->lock);
        pulled = busiest->queue.back();
        while (pulled && !movable(*pulled, now_ns)) pulled = busiest->queue.prev(*pulled);
        if (!pulled) return false;
        busiest->queue.remove(*pulled);
        hal::spend(hal::Op::SchedPick);
        pulled->vruntime_ns =
            rebased(pulled->vruntime_ns, busiest->min_vruntime_ns, hart.min_vruntime_ns);
    }
    SpinGuard guard(hart.lock);
    pulled->hart = hart.index;
    enqueue(hart, *pulled);
    hart.need_resched = true;
    return true;
}

}  // namespace weir::kernel
