// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Life of a task: creation, exit, waiting for it, killing it.
// A task that exits stays in the list as a zombie until the last wait_for_task() on it returns.
#include "firmware/kernel/task.h"

#include "firmware/hal/trace.h"
#include "firmware/kernel/hart.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/object_cache.h"
#include "firmware/kernel/sched.h"
#include "firmware/kernel/wait_queue.h"

#include <new>

namespace weir::kernel {

namespace {

struct TaskTable {
    SpinLock lock;                    // guards all, next_pid and waiter_count
    List<Task, &Task::all_node> all;  // by pid, without the idle tasks
    uint32_t next_pid = 1;
    ObjectCache<Task> cache;
    WaitQueue exits;  // key: pid
};

TaskTable* tasks = nullptr;
void (*exit_hook)(Task& task) = nullptr;
void (*switch_hook)(Task& next) = nullptr;

void set_name(Task& task, const char* name) {
    uint32_t i = 0;
    for (; name[i] && i + 1 < kTaskNameBytes; ++i) task.name[i] = name[i];
    for (; i < kTaskNameBytes; ++i) task.name[i] = '\0';
}

/// First thing a new task's context runs.
void task_main(void*) {
    finish_switch();
    Task& self = current();
    hal::irq_restore(true);
    exit_if_killed();
    if (self.kind == TaskKind::User) change_mode(hal::Mode::User);
    exit_task(self.entry(self.argument));
}

bool is_gone(void* argument) {
    const auto& task = *static_cast<const Task*>(argument);
    return task.state == TaskState::Exited && !__atomic_load_n(&task.on_hart, __ATOMIC_ACQUIRE);
}

}  // namespace

void task_init() {
    tasks = new (boot_alloc(sizeof(TaskTable), alignof(TaskTable))) TaskTable;
    exit_hook = nullptr;
    switch_hook = nullptr;
    for (uint32_t i = 0; i < hart_state_count; ++i) {
        auto& idle = *new (boot_alloc(sizeof(Task), alignof(Task))) Task();
        set_name(idle, "swapper");
        idle.kind = TaskKind::Idle;
        idle.state = TaskState::Running;
        idle.hart = i;
        idle.on_hart = true;
        hart_at(i).idle = hart_at(i).running = &idle;
    }
}

void set_task_exit_hook(void (*hook)(Task& task)) {
    exit_hook = hook;
}
void set_task_switch_hook(void (*hook)(Task& next)) {
    switch_hook = hook;
}

void task_switch_hook(Task& next) {
    if (switch_hook) switch_hook(next);
}

Task* create_task(const char* name, TaskKind kind, TaskEntry entry, void* argument,
                  mm::AddressSpace* space) {
    Task* task = tasks->cache.create();
    if (!task) return nullptr;
    set_name(*task, name);
    task->kind = kind;
    task->state = TaskState::Runnable;
    task->entry = entry;
    task->argument = argument;
    task->space = space;
    task->context = hal::context_create(task->name, task_main, task);
    if (!task->context) {
        tasks->cache.destroy(*task);
        return nullptr;
    }
    {
        IrqSpinGuard guard(tasks->lock);
        task->pid = tasks->next_pid++;
        tasks->all.push_back(*task);
    }
    uint64_t name_words[2];
    static_assert(sizeof(name_words) == kTaskNameBytes);
    __builtin_memcpy(name_words, task->name, sizeof(name_words));
    hal::trace(hal::Event::TaskCreated, task->pid, name_words[0], name_words[1],
               static_cast<uint64_t>(kind));
    sched_start(*task);
    return task;
}

void exit_task(int exit_code) {
    change_mode(hal::Mode::Kernel);
    Task& self = current();
    WEIR_ASSERT(self.kind != TaskKind::Idle, "the boot task exits", exit_code, 0);
    self.exit_code = exit_code;
    if (exit_hook) exit_hook(self);
    account_time();
    hal::trace(hal::Event::TaskExited, self.pid, static_cast<uint64_t>(exit_code), self.user_ns,
               self.system_ns, self.iowait_ns);
    sched_exit();
}

void task_is_gone(uint32_t pid) {
    wake_all(tasks->exits, Waker::Event, pid);
}

int wait_for_task(Task& task) {
    {
        IrqSpinGuard guard(tasks->lock);
        ++task.waiter_count;
    }
    sleep_until(tasks->exits, is_gone, &task, SleepKind::Uninterruptible, IoWait::No);
    const int exit_code = task.exit_code;
    {
        IrqSpinGuard guard(tasks->lock);
        if (--task.waiter_count != 0) return exit_code;
        tasks->all.remove(task);
    }
    tasks->cache.destroy(task);
    return exit_code;
}

void kill_task(Task& task, uint64_t reason) {
    if (task.state == TaskState::Exited) return;
    hal::trace(hal::Event::TaskKilled, task.pid, reason);
    __atomic_fetch_or(&task.flags, kTaskDying, __ATOMIC_RELAXED);
    __atomic_store_n(&task.kill_pending, true, __ATOMIC_RELEASE);
    if (task.state == TaskState::Sleeping) {
        wake_task(task);
        return;
    }
    // A program that runs elsewhere in user mode notices when its hart takes an interrupt.
    if (&task != &current() && hart_at(task.hart).running == &task) hal::kick(task.hart);
}

void exit_if_killed() {
    const Task& self = current();
    if (self.kind == TaskKind::User && self.kill_pending) exit_task(kExitKilled);
}

Task* task_by_pid(uint32_t pid) {
    IrqSpinGuard guard(tasks->lock);
    for (Task* task = tasks->all.front(); task; task = tasks->all.next(*task)) {
        if (task->pid == pid) return task->state == TaskState::Exited ? nullptr : task;
    }
    return nullptr;
}

void for_each_task(void (*visit)(Task& task, void* context), void* context) {
    IrqSpinGuard guard(tasks->lock);
    for (Task* task = tasks->all.front(); task; task = tasks->all.next(*task)) {
        if (task->state != TaskState::Exited) visit(*task, context);
    }
}

}  // namespace weir::kernel
