// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Does every nanosecond of every hart go to the right account?
#include "testbenches/unit/kernel/kernel_bench.h"

namespace weir::kernel::test {
namespace {

uint64_t accounted_ns() {
    return counter_value(VmCounter::UserNs) + counter_value(VmCounter::SystemNs) +
           counter_value(VmCounter::IoWaitNs) + counter_value(VmCounter::IdleNs);
}

TEST(TimeAccounting, FourAccountsAddUpToElapsedTimeOfAllHarts) {
    KernelBench bench({.harts = 2});
    WaitQueue queue;
    for (int i = 0; i < 3; ++i) {
        bench.spawn("t", TaskKind::User, [&] {
            while (true) {
                user_work(200'000);
                KernelMode mode;
                work(300'000);
                sleep_for(queue, 2, SleepKind::Uninterruptible, IoWait::Yes);
            }
            return 0;
        });
    }
    const uint64_t begin_ns = accounted_ns();
    const uint64_t begin_clock_ns = bench.machine.now_ns();
    bench.run_for(1000 * kMs);
    const uint64_t elapsed_ns = bench.machine.now_ns() - begin_clock_ns;
    // Open intervals (at most one tick a hart) are not booked yet.
    EXPECT_NEAR(static_cast<double>(accounted_ns() - begin_ns),
                2.0 * static_cast<double>(elapsed_ns), 2.0 * kTickNs);
}

TEST(TimeAccounting, UserWorkIsUserTimeAndKernelWorkIsSystemTime) {
    KernelBench bench;
    Task& task = bench.spawn("t", TaskKind::User, [] {
        user_work(3 * kMs);
        {
            KernelMode mode;
            hal::spend(hal::Op::ScanFrame, 20'000);  // 2 ms
        }
        user_work(kMs);
        KernelMode mode;
        account_time();
        WaitQueue never;
        sleep_for(never, kForever, SleepKind::Uninterruptible, IoWait::No);
        return 0;
    });
    bench.run_until([&] { return task.state == TaskState::DiskSleep; });
    EXPECT_NEAR(static_cast<double>(task.user_ns), 4.0 * kMs, 0.02 * kMs);
    EXPECT_NEAR(static_cast<double>(task.system_ns), 2.0 * kMs, 0.05 * kMs);
}

TEST(TimeAccounting, IdleIsIoWaitOnlyWhileATaskOfThatHartWaitsForIo) {
    for (IoWait io_wait : {IoWait::No, IoWait::Yes}) {
        KernelBench bench;
        WaitQueue queue;
        Task& task = bench.spawn("t", TaskKind::Kernel, [&] {
            sleep_for(queue, 20, SleepKind::Uninterruptible, io_wait);
            sleep_for(queue, kForever, SleepKind::Uninterruptible, IoWait::No);
            return 0;
        });
        bench.run_for(400 * kMs);
        const auto io_ns = static_cast<double>(counter_value(VmCounter::IoWaitNs));
        if (io_wait == IoWait::Yes) {
            EXPECT_NEAR(io_ns, 195.0 * kMs, 6.0 * kMs);
            EXPECT_NEAR(static_cast<double>(task.iowait_ns), 195.0 * kMs, 6.0 * kMs);
        } else {
            EXPECT_EQ(io_ns, 0.0);
            EXPECT_EQ(task.iowait_ns, 0u);
        }
    }
}

TEST(TimeAccounting, BlockedAndRunnableCountsFollowTheTasks) {
    KernelBench bench;
    WaitQueue queue;
    for (int i = 0; i < 3; ++i) {
        bench.spawn("t", TaskKind::Kernel, [&] {
            sleep_for(queue, kForever, SleepKind::Uninterruptible, IoWait::Yes);
            return 0;
        });
    }
    EXPECT_EQ(runnable_count(), 3u);
    bench.run_for(5 * kMs);
    EXPECT_EQ(runnable_count(), 0u);
    EXPECT_EQ(counter_value(VmCounter::BlockedTasks), 3u);
    wake_all(queue, Waker::Event);
    EXPECT_EQ(runnable_count(), 3u);
    EXPECT_EQ(counter_value(VmCounter::BlockedTasks), 0u);
    bench.run_for(5 * kMs);
    EXPECT_EQ(runnable_count(), 0u);
    EXPECT_EQ(bench.machine.locks_held(), 0u);
}

TEST(TraceEvents, SwitchesAndStatesAreShown) {
    KernelBench bench;
    bench.machine.clear_records();
    Task& task = bench.spawn("shown", TaskKind::Kernel, [] {
        work(kMs);
        return 7;
    });
    const uint32_t pid = task.pid;
    bench.run_for(5 * kMs);
    const auto created = bench.machine.events(hal::Event::TaskCreated);
    ASSERT_EQ(created.size(), 1u);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(&created[0].args[1])), "shown");
    const auto switches = bench.machine.events(hal::Event::SchedSwitch);
    ASSERT_EQ(switches.size(), 2u);
    EXPECT_EQ(switches[0].args[0], 0u);
    EXPECT_EQ(switches[0].args[2], pid);
    EXPECT_EQ(switches[1].args[0], pid);
    EXPECT_EQ(switches[1].args[1], static_cast<uint64_t>(TaskState::Exited));
    const auto exits = bench.machine.events(hal::Event::TaskExited);
    ASSERT_EQ(exits.size(), 1u);
    EXPECT_EQ(exits[0].args[0], pid);
    EXPECT_EQ(exits[0].args[1], 7u);
    EXPECT_GT(exits[0].args[3], kMs - 1);
    EXPECT_EQ(bench.machine.gauge_value(hal::Gauge::TaskState, pid),
              static_cast<uint64_t>(TaskState::Exited));
    EXPECT_EQ(bench.machine.gauge_value(hal::Gauge::HartTask, 0), 0u);
}

}  // namespace
}  // namespace weir::kernel::test
