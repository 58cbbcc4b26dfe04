// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Do tasks begin, end, get killed and get reaped as they should?
#include "testbenches/unit/kernel/kernel_bench.h"

#include <vector>

namespace weir::kernel::test {
namespace {

TEST(Task, WaiterGetsTheExitCodeAndReaps) {
    KernelBench bench;
    int code = 0;
    uint32_t child_pid = 0;
    bench.spawn("parent", TaskKind::Kernel, [&] {
        Task& child = bench.spawn("child", TaskKind::User, [] {
            user_work(100'000);
            return 42;
        });
        child_pid = child.pid;
        code = wait_for_task(child);
        return 0;
    });
    bench.run_until([&] { return code != 0; });
    EXPECT_EQ(code, 42);
    EXPECT_EQ(task_by_pid(child_pid), nullptr);
}

TEST(Task, WaitingForATaskThatHasExitedAlreadyReturnsAtOnce) {
    KernelBench bench;
    Task& child = bench.spawn("child", TaskKind::Kernel, [] { return 3; });
    bench.run_for(kMs);
    EXPECT_EQ(child.state, TaskState::Exited);
    int code = 0;
    bench.spawn("parent", TaskKind::Kernel, [&] {
        code = wait_for_task(child);
        return 0;
    });
    bench.run_for(kMs);
    EXPECT_EQ(code, 3);
}

TEST(Task, ThousandTasksInARowUseNoMoreMemoryThanOne) {
    KernelBench bench({.harts = 2});
    int finished = 0;
    bench.spawn("parent", TaskKind::Kernel, [&] {
        const auto end = [] { return boot_alloc_end().value; };
        uint32_t after_first = 0;
        for (int i = 0; i < 1000; ++i) {
            Task* child = create_task(
                "child", TaskKind::User, [](void*) { return 1; }, nullptr);
            finished += wait_for_task(*child);
            if (i == 0) after_first = end();
        }
        EXPECT_EQ(end(), after_first);
        return 0;
    });
    bench.run_until([&] { return finished == 1000; });
}

TEST(Task, HooksSeeExitAndEverySwitch) {
    KernelBench bench;
    static std::vector<uint32_t> switched, exited;
    switched.clear();
    exited.clear();
    set_task_switch_hook([](Task& next) { switched.push_back(next.pid); });
    set_task_exit_hook([](Task& task) {
        EXPECT_EQ(&task, &current());
        exited.push_back(task.pid);
    });
    Task& task = bench.spawn("t", TaskKind::User, [] { return 0; });
    bench.run_for(kMs);
    EXPECT_EQ(switched, (std::vector<uint32_t>{task.pid, 0}));
    EXPECT_EQ(exited, std::vector<uint32_t>{task.pid});
}

TEST(Task, EachLiveTaskIsVisitedInOrderOfPid) {
    KernelBench bench;
    WaitQueue queue;
    for (int i = 0; i < 3; ++i) {
        bench.spawn("t", TaskKind::Kernel, [&, i] {
            if (i != 1) sleep_for(queue, kForever, SleepKind::Uninterruptible, IoWait::No);
            return 0;
        });
    }
    bench.run_for(kMs);
    std::vector<uint32_t> pids;
    for_each_task([](Task& task,
                     void* out) { static_cast<std::vector<uint32_t>*>(out)->push_back(task.pid); },
                  &pids);
    EXPECT_EQ(pids, (std::vector<uint32_t>{1, 3}));
    EXPECT_EQ(task_by_pid(2), nullptr);
    EXPECT_NE(task_by_pid(3), nullptr);
}

TEST(Kill, UserProgramDiesWhereItRunsWithoutASystemCall) {
    for (uint32_t harts : {1u, 2u}) {
        KernelBench bench({.harts = harts});
        Task& hog = bench.spawn("hog", TaskKind::User, user_hog);
        bench.run_for(25 * kMs);
        bench.machine.set_hart(harts - 1);  // killed by another hart, or between two ticks
        kill_task(hog, 9);
        bench.machine.set_hart(0);
        bench.run_for(kTickNs + kMs);
        EXPECT_EQ(hog.state, TaskState::Exited);
        EXPECT_EQ(hog.exit_code, kExitKilled);
        const auto killed = bench.machine.events(hal::Event::TaskKilled);
        ASSERT_EQ(killed.size(), 1u);
        EXPECT_EQ(killed[0].args[0], hog.pid);
        EXPECT_EQ(killed[0].args[1], 9u);
    }
}

TEST(Kill, EndsAnInterruptibleSleepAndTheTaskExitsOnLeavingTheKernel) {
    KernelBench bench;
    WaitQueue queue;
    Waker waker = Waker::None;
    bool cleaned_up = false, returned_to_user = false;
    Task& task = bench.spawn("t", TaskKind::User, [&] {
        {
            KernelMode mode;
            waker = sleep_for(queue, kForever, SleepKind::Interruptible, IoWait::No).waker;
            cleaned_up = true;
        }
        returned_to_user = true;
        return 0;
    });
    bench.run_for(kMs);
    kill_task(task, 0);
    EXPECT_TRUE(task.flags & kTaskDying);
    bench.run_for(kMs);
    EXPECT_EQ(waker, Waker::Kill);
    EXPECT_TRUE(cleaned_up);
    EXPECT_FALSE(returned_to_user);
    EXPECT_EQ(task.exit_code, kExitKilled);
    EXPECT_FALSE(queue.has_sleepers());
}

TEST(Kill, LeavesAnUninterruptibleTimedSleepToEndOnItsOwn) {
    KernelBench bench;
    WaitQueue queue;
    SleepResult result;
    Task& task = bench.spawn("t", TaskKind::User, [&] {
        KernelMode mode;
        result = sleep_for(queue, 3, SleepKind::Uninterruptible, IoWait::Yes);
        return 0;
    });
    bench.run_for(kMs);
    kill_task(task, 0);
    bench.run_for(15 * kMs);
    EXPECT_EQ(task.state, TaskState::DiskSleep);
    bench.run_for(20 * kMs);
    EXPECT_EQ(result.waker, Waker::Timer);
    EXPECT_EQ(task.state, TaskState::Exited);
    EXPECT_EQ(task.exit_code, kExitKilled);
}

TEST(Kill, DyingTaskDoesNotGoIntoAnInterruptibleSleep) {
    KernelBench bench;
    WaitQueue queue;
    Waker first = Waker::None, second = Waker::None;
    Task& task = bench.spawn("t", TaskKind::User, [&] {
        KernelMode mode;
        kill_task(current(), 0);
        first = sleep_for(queue, kForever, SleepKind::Interruptible, IoWait::No).waker;
        second =
            sleep_until(
                queue, [](void*) { return false; }, nullptr, SleepKind::Interruptible, IoWait::No)
                .waker;
        return 0;
    });
    bench.run_for(kMs);
    EXPECT_EQ(first, Waker::Kill);
    EXPECT_EQ(second, Waker::Kill);
    EXPECT_EQ(task.state, TaskState::Exited);
}

TEST(Kill, TaskKilledBeforeItFirstRanNeverEntersItsProgram) {
    KernelBench bench;
    bool entered = false;
    Task& task = bench.spawn("t", TaskKind::User, [&] {
        entered = true;
        return 0;
    });
    kill_task(task, 0);
    bench.run_for(kMs);
    EXPECT_FALSE(entered);
    EXPECT_EQ(task.state, TaskState::Exited);
}

TEST(PageFault, RunsInKernelModeWithInterruptsOnAndMayKill) {
    KernelBench bench;
    static hal::Mode mode_seen;
    static bool irqs_on;
    static Task* victim;
    set_page_fault_handler([](hal::VirtAddr, hal::Access) {
        mode_seen = fake_hal::machine().mode();
        irqs_on = hal::irq_save();
        hal::irq_restore(irqs_on);
        kill_task(*victim, 1);
        return false;
    });
    bool survived = false;
    Task& task = bench.spawn("t", TaskKind::User, [&] {
        hal::user_span(hal::VirtAddr{0x1000}, 8, hal::Access::Read);
        survived = true;
        return 0;
    });
    victim = &task;
    bench.run_for(kMs);
    EXPECT_EQ(mode_seen, hal::Mode::Kernel);
    EXPECT_TRUE(irqs_on);
    EXPECT_FALSE(survived);
    EXPECT_EQ(task.exit_code, kExitKilled);
    set_page_fault_handler(nullptr);
}

}  // namespace
}  // namespace weir::kernel::test
