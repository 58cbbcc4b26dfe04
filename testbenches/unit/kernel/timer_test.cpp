// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Do timers end on the tick edge they name, not one before and not one after?
#include "testbenches/unit/kernel/kernel_bench.h"

#include <vector>

namespace weir::kernel::test {
namespace {

struct Fired {
    Timer timer;
    uint64_t jiffy = 0;
    uint64_t time_ns = 0;
    uint32_t hart = 99;
    std::vector<int>* order = nullptr;
    int name = 0;
};

void record(Timer& timer) {
    auto& fired = *static_cast<Fired*>(timer.context);
    fired.jiffy = jiffies();
    fired.time_ns = hal::now_ns();
    fired.hart = hal::hart_id();
    if (fired.order) fired.order->push_back(fired.name);
}

void arm(Fired& fired, uint64_t expires) {
    fired.timer.run = record;
    fired.timer.context = &fired;
    timer_start(fired.timer, expires);
}

TEST(Jiffies, CountTicksOfMachineTime) {
    KernelBench bench;
    for (uint64_t edge = 1; edge < 5; ++edge) {
        bench.machine.run_for_ns(edge * kTickNs - 1 - bench.machine.now_ns());
        EXPECT_EQ(jiffies(), edge - 1);
        bench.machine.run_for_ns(200'000);  // the interrupt itself takes a little
        EXPECT_EQ(jiffies(), edge);
    }
}

TEST(Jiffies, ConvertAsLinuxDoes) {
    KernelBench bench;
    EXPECT_EQ(tick_hz(), 100u);
    EXPECT_EQ(hz_over(50), 2u);
    EXPECT_EQ(hz_over(10), 10u);
    EXPECT_EQ(hz_over(1000), 1u);
    EXPECT_EQ(ms_to_jiffies(3), 1u);
    EXPECT_EQ(ms_to_jiffies(30), 3u);
    EXPECT_EQ(ms_to_jiffies(31), 4u);
    EXPECT_EQ(jiffies_to_us(2), 20'000u);
}

TEST(Timer, FiresAtItsJiffyAndNotOneBefore) {
    KernelBench bench;
    bench.run_for(23 * kMs);  // jiffy 2, in the middle of a tick
    Fired fired;
    arm(fired, jiffies() + 3);
    bench.machine.run_for_ns(5 * kTickNs - 1 - bench.machine.now_ns());
    EXPECT_TRUE(fired.timer.pending());
    EXPECT_EQ(fired.jiffy, 0u);
    bench.run_for(200'000);
    EXPECT_FALSE(fired.timer.pending());
    EXPECT_EQ(fired.jiffy, 5u);
    EXPECT_GE(fired.time_ns, 5 * kTickNs);
    EXPECT_LT(fired.time_ns, 5 * kTickNs + 100'000);
}

TEST(Timer, RunsInOrderOfExpiryThenOfArming) {
    KernelBench bench;
    std::vector<int> order;
    Fired fired[4];
    const uint64_t expires[4] = {4, 2, 4, 3};
    for (int i = 0; i < 4; ++i) {
        fired[i].order = &order;
        fired[i].name = i;
        arm(fired[i], expires[i]);
    }
    bench.run_for(5 * kTickNs);
    EXPECT_EQ(order, (std::vector<int>{1, 3, 0, 2}));
}

TEST(Timer, RunsOnTheHartThatArmedIt) {
    KernelBench bench({.harts = 2});
    Fired fired;
    bench.machine.set_hart(1);
    arm(fired, jiffies() + 2);
    bench.machine.set_hart(0);
    bench.run_for(4 * kTickNs);
    EXPECT_EQ(fired.hart, 1u);
}

TEST(Timer, CancelledTimerNeverRuns) {
    KernelBench bench;
    Fired fired;
    arm(fired, jiffies() + 2);
    EXPECT_TRUE(timer_cancel(fired.timer));
    EXPECT_FALSE(timer_cancel(fired.timer));
    bench.run_for(4 * kTickNs);
    EXPECT_EQ(fired.jiffy, 0u);
}

TEST(Timer, MayArmItselfAgain) {
    KernelBench bench;
    static int runs;
    runs = 0;
    Timer timer;
    timer.run = [](Timer& self) {
        ++runs;
        timer_start(self, jiffies() + 1);
    };
    timer_start(timer, jiffies() + 1);
    bench.run_for(5 * kTickNs + kMs);
    EXPECT_EQ(runs, 5);
    timer_cancel(timer);
}

TEST(Timer, PastExpiryFiresAtTheNextTick) {
    KernelBench bench;
    bench.run_for(25 * kMs);
    Fired fired;
    arm(fired, 0);
    bench.run_for(10 * kMs);
    EXPECT_EQ(fired.jiffy, 3u);
}

TEST(TimedSleep, OfNJiffiesLastsBetweenNMinusOneAndNTicks) {
    const uint64_t seed = fake_hal::test_seed(42);
    KernelBench bench({.seed = seed});
    WaitQueue queue;
    int done = 0;
    bench.spawn("sleeper", TaskKind::Kernel, [&] {
        for (int i = 0; i < 40; ++i) {
            work(random_u64() % (12 * kMs));
            const auto n = static_cast<uint32_t>(1 + random_u64() % 4);
            const uint64_t begin_ns = hal::now_ns();
            const uint64_t edge_ns = (begin_ns / kTickNs + n) * kTickNs;
            const SleepResult slept = sleep_for(queue, n, SleepKind::Uninterruptible, IoWait::No);
            EXPECT_EQ(slept.waker, Waker::Timer);
            EXPECT_EQ(slept.jiffies_left, 0u);
            EXPECT_GE(hal::now_ns(), edge_ns);
            EXPECT_LT(hal::now_ns(), edge_ns + 100'000);
            EXPECT_GT(slept.slept_ns + 100'000, (n - 1) * kTickNs);
            ++done;
        }
        return 0;
    });
    bench.run_until([&] { return done == 40; });
}

}  // namespace
}  // namespace weir::kernel::test
