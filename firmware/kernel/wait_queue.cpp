// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Wait queues. No wake-up is lost because a sleeper is in the queue and marked asleep before it
// tests its condition, and a waker changes the condition before it looks at the queue.
// The first one who makes a sleeper runnable is its waker; later ones are not recorded and do not
// use up an exclusive wake-up.
#include "firmware/kernel/wait_queue.h"

#include "firmware/kernel/hart.h"
#include "firmware/kernel/sched.h"
#include "firmware/kernel/timer.h"

namespace weir::kernel {

namespace {

/// Orders "joined the queue" before "tested the condition", and "changed the condition" before
/// "saw an empty queue". Host mode runs one hart at a time and needs no fence.
inline void order_condition_and_queue() {
#if defined(__riscv)
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

void wake_sleeper(Timer& timer) {
    auto& task = *static_cast<Task*>(timer.context);
    wake_task(task);
}

bool killed(const Task& task, SleepKind kind) {
    return kind == SleepKind::Interruptible && task.kill_pending;
}

bool key_fits(const WaitEntry& entry, uint64_t key) {
    return key == 0 || entry.key == 0 || entry.key == key;
}

}  // namespace

void prepare_to_wait(WaitQueue& queue, WaitEntry& entry, SleepKind kind, Exclusive exclusive) {
    {
        IrqSpinGuard guard(queue.lock);
        hal::spend(hal::Op::WaitQueueOp);
        entry.task = &current();
        entry.waker = Waker::None;
        entry.exclusive = exclusive == Exclusive::Yes;
        if (!entry.node.linked()) queue.entries.push_back(entry);
        entry.task->state =
            kind == SleepKind::Interruptible ? TaskState::Sleeping : TaskState::DiskSleep;
    }
    order_condition_and_queue();
}

uint32_t schedule_timeout(uint32_t timeout_jiffies, IoWait io_wait) {
    Task& self = current();
    if (self.state == TaskState::Running) return timeout_jiffies;
    if (io_wait == IoWait::Yes) self.flags |= kTaskInIoWait;
    uint32_t left = timeout_jiffies;
    if (timeout_jiffies == kForever) {
        schedule();
    } else {
        Timer timer;
        timer.run = wake_sleeper;
        timer.context = &self;
        const uint64_t expires = jiffies() + timeout_jiffies;
        timer_start(timer, expires);
        schedule();
        timer_cancel_sync(timer);
        const uint64_t now = jiffies();
        left = expires > now ? static_cast<uint32_t>(expires - now) : 0;
    }
    self.flags &= ~kTaskInIoWait;
    return left;
}

void finish_wait(WaitQueue& queue, WaitEntry& entry) {
    current().state = TaskState::Running;
    IrqSpinGuard guard(queue.lock);
    if (entry.node.linked()) queue.entries.remove(entry);
}

SleepResult sleep_for(WaitQueue& queue, uint32_t timeout_jiffies, SleepKind kind, IoWait io_wait,
                      Exclusive exclusive) {
    SleepResult result;
    const Task& self = current();
    result.jiffies_left = timeout_jiffies;
    if (killed(self, kind)) {
        result.waker = Waker::Kill;
        return result;
    }
    const uint64_t begin_ns = hal::now_ns();
    WaitEntry entry;
    prepare_to_wait(queue, entry, kind, exclusive);
    result.jiffies_left = schedule_timeout(timeout_jiffies, io_wait);
    finish_wait(queue, entry);
    result.slept_ns = hal::now_ns() - begin_ns;
    if (entry.waker != Waker::None) {
        result.waker = entry.waker;
    } else if (timeout_jiffies != kForever && result.jiffies_left == 0) {
        result.waker = Waker::Timer;
    } else {
        result.waker = killed(self, kind) ? Waker::Kill : Waker::Event;
    }
    return result;
}

SleepResult sleep_until(WaitQueue& queue, bool (*condition)(void*), void* context, SleepKind kind,
                        IoWait io_wait) {
    SleepResult result;
    if (condition(context)) return result;
    const Task& self = current();
    const uint64_t begin_ns = hal::now_ns();
    WaitEntry entry;
    while (true) {
        prepare_to_wait(queue, entry, kind);
        if (condition(context)) break;
        if (killed(self, kind)) {
            result.waker = Waker::Kill;
            break;
        }
        schedule_timeout(kForever, io_wait);
        result.waker = entry.waker != Waker::None ? entry.waker : Waker::Event;
    }
    finish_wait(queue, entry);
    result.slept_ns = hal::now_ns() - begin_ns;
    return result;
}

uint32_t wake_some(WaitQueue& queue, Waker waker, uint32_t exclusive_count, uint64_t key) {
    order_condition_and_queue();
    if (!queue.has_sleepers()) return 0;
    IrqSpinGuard guard(queue.lock);
    uint32_t woken = 0;
    for (WaitEntry* entry = queue.entries.front(); entry; entry = queue.entries.next(*entry)) {
        if (!key_fits(*entry, key)) continue;
        if (entry->exclusive && exclusive_count == 0) continue;
        if (!wake_task(*entry->task)) continue;
        entry->waker = waker;
        ++woken;
        if (entry->exclusive) --exclusive_count;
    }
    return woken;
}

}  // namespace weir::kernel
