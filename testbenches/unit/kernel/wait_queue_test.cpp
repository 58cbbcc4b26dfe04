// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Is no wake-up lost, is nobody woken who should not be, and does each sleeper know its waker?
#include "testbenches/unit/kernel/kernel_bench.h"

#include <vector>

namespace weir::kernel::test {
namespace {

struct Sleeper {
    SleepResult result;
    bool done = false;
};

void spawn_sleepers(KernelBench& bench, WaitQueue& queue, std::vector<Sleeper>& sleepers,
                    Exclusive exclusive, uint32_t timeout = kForever) {
    for (Sleeper& sleeper : sleepers) {
        bench.spawn("s", TaskKind::Kernel, [&queue, &sleeper, exclusive, timeout] {
            sleeper.result =
                sleep_for(queue, timeout, SleepKind::Uninterruptible, IoWait::No, exclusive);
            sleeper.done = true;
            return 0;
        });
    }
    bench.run_for(2 * kMs);
}

int done_count(const std::vector<Sleeper>& sleepers) {
    int done = 0;
    for (const Sleeper& sleeper : sleepers) done += sleeper.done;
    return done;
}

TEST(WaitQueue, WakerBetweenPrepareAndSleepIsNotLost) {
    KernelBench bench;
    WaitQueue queue;
    bool done = false;
    bench.spawn("s", TaskKind::Kernel, [&] {
        WaitEntry entry;
        prepare_to_wait(queue, entry, SleepKind::Uninterruptible);
        EXPECT_EQ(wake_all(queue, Waker::Watermark), 1u);  // as an interrupt would
        schedule_timeout(kForever);
        EXPECT_EQ(entry.waker, Waker::Watermark);
        finish_wait(queue, entry);
        done = true;
        return 0;
    });
    bench.run_for(kMs);
    EXPECT_TRUE(done);
    EXPECT_FALSE(queue.has_sleepers());
}

TEST(WaitQueue, NoWakeUpIsLostBetweenTwoHarts) {
    const uint64_t seed = fake_hal::test_seed(7);
    KernelBench bench({.harts = 2, .quantum_ns = 300, .seed = seed});
    WaitQueue full, empty;
    constexpr int kItems = 3000;
    int buffered = 0, taken = 0;
    auto has_item = [](void* n) { return *static_cast<int*>(n) > 0; };
    auto has_room = [](void* n) { return *static_cast<int*>(n) < 2; };
    bench.spawn("producer", TaskKind::Kernel, [&] {
        for (int i = 0; i < kItems; ++i) {
            hal::spend(hal::Op::ScanFrame, static_cast<uint32_t>(random_u64() % 8));
            sleep_until(empty, has_room, &buffered, SleepKind::Uninterruptible, IoWait::No);
            ++buffered;
            wake_all(full, Waker::Event);
        }
        return 0;
    });
    bench.spawn("consumer", TaskKind::Kernel, [&] {
        for (int i = 0; i < kItems; ++i) {
            hal::spend(hal::Op::ScanFrame, static_cast<uint32_t>(random_u64() % 8));
            sleep_until(full, has_item, &buffered, SleepKind::Uninterruptible, IoWait::No);
            --buffered;
            ++taken;
            wake_all(empty, Waker::Event);
        }
        return 0;
    });
    bench.run_until([&] { return taken == kItems; }, 1000 * kMs);
    EXPECT_FALSE(full.has_sleepers());
    EXPECT_FALSE(empty.has_sleepers());
}

TEST(WaitQueue, WakesAllSharedButOnlySoManyExclusiveSleepersOldestFirst) {
    KernelBench bench;
    WaitQueue queue;
    std::vector<Sleeper> exclusive(4), shared(2);
    spawn_sleepers(bench, queue, exclusive, Exclusive::Yes);
    spawn_sleepers(bench, queue, shared, Exclusive::No);
    EXPECT_EQ(wake_some(queue, Waker::RequestFreed, 1), 3u);
    bench.run_for(kMs);
    EXPECT_EQ(done_count(shared), 2);
    EXPECT_EQ(done_count(exclusive), 1);
    EXPECT_TRUE(exclusive[0].done);
    EXPECT_EQ(wake_some(queue, Waker::RequestFreed, 2), 2u);
    bench.run_for(kMs);
    EXPECT_EQ(done_count(exclusive), 3);
    EXPECT_FALSE(exclusive[3].done);
}

TEST(WaitQueue, SecondExclusiveWakeBeforeTheFirstRanGoesToTheNextSleeper) {
    KernelBench bench;
    WaitQueue queue;
    std::vector<Sleeper> sleepers(3);
    spawn_sleepers(bench, queue, sleepers, Exclusive::Yes);
    EXPECT_EQ(wake_some(queue, Waker::Event, 1), 1u);
    EXPECT_EQ(wake_some(queue, Waker::Event, 1), 1u);
    bench.run_for(kMs);
    EXPECT_EQ(done_count(sleepers), 2);
}

TEST(WaitQueue, OnlyTheKeyThatFitsWakes) {
    KernelBench bench;
    WaitQueue queue;
    int woken[3] = {};
    for (uint64_t key = 1; key <= 2; ++key) {
        bench.spawn("s", TaskKind::Kernel, [&, key] {
            WaitEntry entry;
            entry.key = key;
            prepare_to_wait(queue, entry, SleepKind::Uninterruptible);
            schedule_timeout(kForever);
            finish_wait(queue, entry);
            ++woken[key];
            return 0;
        });
    }
    bench.run_for(kMs);
    EXPECT_EQ(wake_all(queue, Waker::PageUnlock, 2), 1u);
    bench.run_for(kMs);
    EXPECT_EQ(woken[1], 0);
    EXPECT_EQ(woken[2], 1);
    EXPECT_EQ(wake_all(queue, Waker::PageUnlock), 1u);
    bench.run_for(kMs);
    EXPECT_EQ(woken[1], 1);
}

TEST(WaitQueue, EachSleeperLearnsItsWaker) {
    for (Waker waker :
         {Waker::AsyncCompletion, Waker::SyncCompletion, Waker::Watermark, Waker::Kswapd,
          Waker::Isolation, Waker::PageUnlock, Waker::RequestFreed, Waker::Event}) {
        KernelBench bench;
        WaitQueue queue;
        std::vector<Sleeper> sleepers(2);
        spawn_sleepers(bench, queue, sleepers, Exclusive::No, 50);
        wake_all(queue, waker);
        bench.run_for(kMs);
        for (const Sleeper& sleeper : sleepers) {
            ASSERT_TRUE(sleeper.done);
            EXPECT_EQ(sleeper.result.waker, waker);
            EXPECT_EQ(sleeper.result.jiffies_left, 50u);
        }
    }
}

TEST(WaitQueue, TimerIsTheWakerWhenNobodyCame) {
    KernelBench bench;
    WaitQueue queue;
    std::vector<Sleeper> sleepers(1);
    spawn_sleepers(bench, queue, sleepers, Exclusive::No, 2);
    bench.run_for(kTickNs);
    EXPECT_FALSE(sleepers[0].done);
    bench.run_for(kTickNs);
    ASSERT_TRUE(sleepers[0].done);
    EXPECT_EQ(sleepers[0].result.waker, Waker::Timer);
    EXPECT_FALSE(queue.has_sleepers());
}

TEST(WaitQueue, WakerAfterTheTimerIsNotRecordedNorCounted) {
    KernelBench bench;
    WaitQueue queue;
    std::vector<Sleeper> sleepers(1);
    uint32_t woken = 99;
    bool hog_done = false;
    spawn_sleepers(bench, queue, sleepers, Exclusive::Yes, 1);
    // A kernel task keeps the hart, so that the sleeper is runnable but has not run.
    bench.spawn("hog", TaskKind::Kernel, [&] {
        while (jiffies() < 2) hal::spend(hal::Op::ScanFrame);
        woken = wake_some(queue, Waker::Event, 1);
        hog_done = true;
        return 0;
    });
    bench.run_until([&] { return hog_done && sleepers[0].done; });
    EXPECT_EQ(woken, 0u);
    EXPECT_EQ(sleepers[0].result.waker, Waker::Timer);
}

TEST(WaitQueue, SleepUntilReturnsAtOnceWhenTheConditionHolds) {
    KernelBench bench;
    WaitQueue queue;
    SleepResult result{Waker::Event, 99, 99};
    bool done = false;
    bench.spawn("s", TaskKind::Kernel, [&] {
        result = sleep_until(
            queue, [](void*) { return true; }, nullptr, SleepKind::Uninterruptible, IoWait::No);
        done = true;
        return 0;
    });
    bench.run_for(kMs);
    EXPECT_TRUE(done);
    EXPECT_EQ(result.waker, Waker::None);
    EXPECT_EQ(result.slept_ns, 0u);
}

TEST(WaitQueue, SleepUntilSleepsAgainWhenWokenTooEarly) {
    KernelBench bench;
    WaitQueue queue;
    bool ready = false, done = false;
    bench.spawn("s", TaskKind::Kernel, [&] {
        sleep_until(
            queue, [](void* flag) { return *static_cast<bool*>(flag); }, &ready,
            SleepKind::Uninterruptible, IoWait::No);
        done = true;
        return 0;
    });
    bench.run_for(kMs);
    wake_all(queue, Waker::Event);
    bench.run_for(kMs);
    EXPECT_FALSE(done);
    EXPECT_TRUE(queue.has_sleepers());
    ready = true;
    wake_all(queue, Waker::Event);
    bench.run_for(kMs);
    EXPECT_TRUE(done);
}

}  // namespace
}  // namespace weir::kernel::test
