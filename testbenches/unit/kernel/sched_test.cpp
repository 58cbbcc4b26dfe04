// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Is the scheduler fair, and does it put tasks where BootInfo says?
#include "testbenches/unit/kernel/kernel_bench.h"

namespace weir::kernel::test {
namespace {

using hal::WakePlacement;

TEST(Scheduler, SharesOneHartEquallyBetweenKernelTasks) {
    KernelBench bench;
    Task* tasks[4];
    for (Task*& task : tasks) {
        task = &bench.spawn("worker", TaskKind::Kernel, [] {
            while (true) work(kMs);
            return 0;
        });
    }
    bench.run_for(2000 * kMs);
    account_time();
    for (const Task* task : tasks) {
        EXPECT_NEAR(static_cast<double>(task->system_ns), 500.0 * kMs, 40.0 * kMs);
    }
}

TEST(Scheduler, PreemptsUserCodeAtATickWithoutItsHelp) {
    KernelBench bench;
    bool other_ran = false;
    Task& hog = bench.spawn("hog", TaskKind::User, user_hog);
    bench.run_for(50 * kMs);
    EXPECT_EQ(hog.state, TaskState::Running);
    bench.spawn("other", TaskKind::User, [&] {
        other_ran = true;
        return 0;
    });
    bench.run_for(3 * kTickNs);
    EXPECT_TRUE(other_ran);
    EXPECT_GT(hog.user_ns, 40 * kMs);
    EXPECT_LT(hog.system_ns, kMs);
}

TEST(Scheduler, NeverPreemptsKernelCodeOutsideCondResched) {
    KernelBench bench;
    bool finished = false, other_ran_before = false, other_ran = false;
    bench.spawn("kernel", TaskKind::Kernel, [&] {
        for (int i = 0; i < 1'000'000; ++i) hal::spend(hal::Op::ScanFrame);  // 100 ms
        other_ran_before = other_ran;
        cond_resched();
        finished = true;
        return 0;
    });
    bench.spawn("other", TaskKind::Kernel, [&] {
        other_ran = true;
        return 0;
    });
    bench.run_until([&] { return finished; });
    EXPECT_FALSE(other_ran_before);
    EXPECT_TRUE(other_ran);
}

TEST(Scheduler, WakeeThatSleptLongPreemptsAUserHogAtOnce) {
    KernelBench bench;
    WaitQueue queue;
    uint64_t woken_ns = 0;
    bench.spawn("sleeper", TaskKind::Kernel, [&] {
        sleep_for(queue, kForever, SleepKind::Uninterruptible, IoWait::No);
        woken_ns = hal::now_ns();
        return 0;
    });
    bench.spawn("hog", TaskKind::User, user_hog);
    bench.run_for(95 * kMs);
    // From an interrupt in the middle of a tick: the hog must go then, not at the next tick.
    register_interrupt(
        5, [](void* q) { wake_all(*static_cast<WaitQueue*>(q), Waker::Event); }, &queue);
    const uint64_t raised_ns = bench.machine.now_ns() + 3 * kMs;
    bench.machine.at_ns(raised_ns, [&] { bench.machine.raise(5); });
    bench.run_until([&] { return woken_ns != 0; });
    EXPECT_GE(woken_ns, raised_ns);
    EXPECT_LT(woken_ns, raised_ns + 100'000);
}

/// How long a wakee waits that is `lead_ns` of vruntime behind the hog it would preempt.
uint64_t wake_latency_ns(uint64_t lead_ns) {
    KernelBench bench;
    WaitQueue queue;
    uint64_t woken_ns = 0;
    Task& sleeper = bench.spawn("sleeper", TaskKind::Kernel, [&] {
        sleep_for(queue, kForever, SleepKind::Uninterruptible, IoWait::No);
        woken_ns = hal::now_ns();
        return 0;
    });
    Task& hog = bench.spawn("hog", TaskKind::User, user_hog);
    register_interrupt(
        5, [](void* q) { wake_all(*static_cast<WaitQueue*>(q), Waker::Event); }, &queue);
    // 2 ms after a tick, at which the hog's vruntime was brought up to date.
    bench.run_for(10 * kTickNs + 2 * kMs - bench.machine.now_ns());
    sleeper.vruntime_ns = hog.vruntime_ns + 2 * kMs - lead_ns;
    const uint64_t raised_ns = bench.machine.now_ns();
    bench.machine.raise(5);
    bench.run_until([&] { return woken_ns != 0; });
    return woken_ns - raised_ns;
}

TEST(Scheduler, WakeePreemptsOnlyWithAGranularityOfLead) {
    // sched_latency_us 20000: granularity 4 ms.
    EXPECT_LT(wake_latency_ns(4 * kMs + 100'000), 100'000u);
    EXPECT_GT(wake_latency_ns(4 * kMs - 100'000), 7 * kMs);
    EXPECT_LE(wake_latency_ns(4 * kMs - 100'000), 2 * kTickNs);
}

TEST(Scheduler, YieldLetsEveryEqualGoFirst) {
    KernelBench bench;
    std::string order;
    for (char name : {'a', 'b', 'c'}) {
        bench.spawn("y", TaskKind::Kernel, [&order, name] {
            for (int i = 0; i < 3; ++i) {
                order += name;
                yield();
            }
            return 0;
        });
    }
    bench.run_until([&] { return order.size() == 9; });
    EXPECT_EQ(order, "abcabcabc");
}

TEST(Scheduler, SpreadsNewTasksOverHarts) {
    KernelBench bench({.harts = 4});
    for (int i = 0; i < 4; ++i) {
        bench.spawn("worker", TaskKind::User, user_hog);
    }
    bench.run_for(100 * kMs);
    uint32_t seen = 0;
    for (uint32_t pid = 1; pid <= 4; ++pid) seen |= 1u << task_by_pid(pid)->hart;
    EXPECT_EQ(seen, 0b1111u);
}

/// A sleeper whose previous hart is busy with a user hog when it is woken by hart `waking`.
enum class Others { IdleWaker, BusyWaker, BusyWakerIdlePrevious };
uint32_t hart_of_wakee(WakePlacement placement, Others others = Others::IdleWaker) {
    KernelBench bench({.harts = 3}, [&](hal::BootInfo& info) {
        info.wake_placement = placement;
        info.idle_balance = 0;
    });
    WaitQueue queue;
    Task& sleeper = bench.spawn("sleeper", TaskKind::Kernel, [&] {
        sleep_for(queue, kForever, SleepKind::Uninterruptible, IoWait::No);
        while (true) work(kMs);
        return 0;
    });
    bench.run_for(20 * kMs);
    EXPECT_EQ(sleeper.hart, 0u);
    const bool brief = others == Others::BusyWakerIdlePrevious;
    Task& hog = bench.spawn("hog", TaskKind::User, [brief] { return brief ? 0 : user_hog(); });
    EXPECT_EQ(hog.hart, 0u);
    // Hart 1 gets the first of these, hart 2 the second.
    for (uint32_t i = 0; i < 2 && others != Others::IdleWaker; ++i)
        bench.spawn("other", TaskKind::User, user_hog);
    register_interrupt(
        5, [](void* q) { wake_all(*static_cast<WaitQueue*>(q), Waker::Event); }, &queue);
    bench.machine.set_irq_hart(5, 2);
    bench.run_for(kMs);
    bench.machine.raise(5);
    bench.run_for(kMs);
    EXPECT_NE(sleeper.state, TaskState::DiskSleep);
    return sleeper.hart;
}

TEST(WakePlacement, PreviousHartKeepsTheTaskWhereItRan) {
    EXPECT_EQ(hart_of_wakee(WakePlacement::PreviousHart), 0u);
}
TEST(WakePlacement, IdleHartAvoidsABusyPreviousHart) {
    EXPECT_EQ(hart_of_wakee(WakePlacement::IdleHart), 1u);
}
TEST(WakePlacement, WakingHartTakesTheTask) {
    EXPECT_EQ(hart_of_wakee(WakePlacement::WakingHart), 2u);
}

TEST(WakePlacement, AffineMovesToAWakerThatIsLoadedNoMore) {
    EXPECT_EQ(hart_of_wakee(WakePlacement::Affine), 2u) << "the waker's hart is idle";
    EXPECT_EQ(hart_of_wakee(WakePlacement::Affine, Others::BusyWaker), 2u) << "both run one task";
}
TEST(WakePlacement, AffineStaysWhereTheWakerIsLoadedMore) {
    EXPECT_EQ(hart_of_wakee(WakePlacement::Affine, Others::BusyWakerIdlePrevious), 0u);
}

/// Harts of two tasks 100 ms after both were woken on hart 1, while hart 0 has nothing else to do.
struct TwoHarts {
    uint32_t first, second;
};
TwoHarts harts_of_two_woken(uint32_t idle_balance, uint32_t migration_cost_us) {
    KernelBench bench({.harts = 2}, [&](hal::BootInfo& info) {
        info.wake_placement = WakePlacement::WakingHart;
        info.idle_balance = idle_balance;
        info.sched_migration_cost_us = migration_cost_us;
    });
    WaitQueue queue;
    Task* tasks[2];
    for (Task*& task : tasks) {
        task = &bench.spawn("worker", TaskKind::User, [&queue] {
            {
                KernelMode mode;
                sleep_for(queue, kForever, SleepKind::Uninterruptible, IoWait::No);
            }
            return user_hog();
        });
    }
    bench.run_for(10 * kMs);
    register_interrupt(
        5, [](void* q) { wake_all(*static_cast<WaitQueue*>(q), Waker::Event); }, &queue);
    bench.machine.set_irq_hart(5, 1);
    bench.machine.raise(5);
    bench.run_for(100 * kMs);
    return {tasks[0]->hart, tasks[1]->hart};
}

TEST(IdleBalance, IdleHartPullsAWaitingTask) {
    const TwoHarts balanced = harts_of_two_woken(1, 0);
    EXPECT_NE(balanced.first, balanced.second);
    const TwoHarts left = harts_of_two_woken(0, 0);
    EXPECT_EQ(left.first, 1u);
    EXPECT_EQ(left.second, 1u);
}

TEST(IdleBalance, LeavesATaskThatRanWithinTheMigrationCost) {
    const TwoHarts hot = harts_of_two_woken(1, 50'000);
    EXPECT_EQ(hot.first, hot.second) << "they take turns: the one that waits is always hot";
}

TEST(Scheduler, KicksASleepingHartThatGetsATask) {
    KernelBench bench({.harts = 2}, [](hal::BootInfo& info) {
        info.wake_placement = WakePlacement::PreviousHart;
    });
    WaitQueue queue;
    uint64_t woken_ns = 0, waked_ns = 0;
    bench.spawn("first", TaskKind::User, user_hog);
    Task& sleeper = bench.spawn("sleeper", TaskKind::Kernel, [&] {
        sleep_for(queue, kForever, SleepKind::Uninterruptible, IoWait::No);
        woken_ns = hal::now_ns();
        return 0;
    });
    bench.run_for(12 * kMs);
    ASSERT_EQ(sleeper.hart, 1u);
    register_interrupt(
        5, [](void* q) { wake_all(*static_cast<WaitQueue*>(q), Waker::Event); }, &queue);
    const uint64_t kicks = bench.machine.kick_count();
    waked_ns = bench.machine.now_ns();
    bench.machine.raise(5);  // taken by hart 0
    bench.run_until([&] { return woken_ns != 0; });
    EXPECT_EQ(bench.machine.kick_count(), kicks + 1);
    EXPECT_LT(woken_ns - waked_ns, 100'000u) << "waited for a tick instead of the kick";
}

TEST(Scheduler, RunsTheSameScheduleTwice) {
    auto run = [] {
        KernelBench bench({.harts = 3});
        WaitQueue queue;
        for (int i = 0; i < 7; ++i) {
            bench.spawn("t", TaskKind::User, [&queue, i] {
                while (true) {
                    user_work(5000 + 1300 * static_cast<uint64_t>(i));
                    KernelMode mode;
                    wake_some(queue, Waker::Event, 1);
                    sleep_for(queue, 1 + random_u64() % 3, SleepKind::Uninterruptible, IoWait::Yes,
                              Exclusive::Yes);
                }
                return 0;
            });
        }
        bench.run_for(500 * kMs);
        std::string text;
        for (const auto& record : bench.machine.trace()) {
            text += std::to_string(record.time_ns) + " " + std::to_string(record.hart) + " " +
                    std::to_string(static_cast<int>(record.event)) + " " +
                    std::to_string(record.args[0]) + "\n";
        }
        return text;
    };
    const std::string first = run();
    EXPECT_GT(first.size(), 1000u);
    EXPECT_EQ(first, run());
}

}  // namespace
}  // namespace weir::kernel::test
