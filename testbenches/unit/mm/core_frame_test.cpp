// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: who sleeps for a frame, and who wakes exactly those who should wake?
#include "firmware/kernel/task.h"
#include "firmware/mm/frame.h"
#include "testbenches/unit/mm/core_bench.h"

#include <gtest/gtest.h>

namespace weir::mm {
namespace {

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kHartSkewNs = 10'000;  // clocks of two harts differ by up to a quantum

TEST(FrameLock, IsHeldByOneAtATime) {
    CoreBench bench;
    Frame* f = alloc_frame({});
    EXPECT_TRUE(try_lock_frame(*f));
    EXPECT_FALSE(try_lock_frame(*f));
    unlock_frame(*f);
    EXPECT_TRUE(try_lock_frame(*f));
}

TEST(FrameLock, UnlockWithoutWaitersTouchesNoWaitQueue) {
    CoreBench bench;
    Frame* f = alloc_frame({});
    const uint64_t before = bench.machine.op_count(hal::Op::WaitQueueOp);
    lock_frame(*f);
    unlock_frame(*f);
    wait_frame_unlocked(*f);
    EXPECT_EQ(bench.machine.op_count(hal::Op::WaitQueueOp), before);
}

TEST(FrameLock, UnlockOfAnUnlockedFramePanics) {
    CoreBench bench;
    Frame* f = alloc_frame({});
    EXPECT_THROW(unlock_frame(*f), fake_hal::Panic);
}

TEST(FrameLock, SleeperGetsItWhenTheInterruptUnlocks) {
    CoreBench bench;
    Frame* f = alloc_frame({});
    ASSERT_TRUE(try_lock_frame(*f));
    const uint64_t unlock_ns = bench.machine.now_ns() + 50 * kMs;
    bench.machine.at_ns(unlock_ns, [&] { unlock_frame(*f); });
    uint64_t woken_ns = 0;
    bench.in_task([&] {
        lock_frame(*f);
        woken_ns = hal::now_ns();
    });
    EXPECT_GE(woken_ns + kHartSkewNs, unlock_ns);
    EXPECT_LT(woken_ns, unlock_ns + kMs);
    EXPECT_TRUE(f->test(kFrameLocked));
    EXPECT_FALSE(f->test(kFrameWaiters));
}

TEST(FrameLock, WaitingCountsAsIoWait) {
    CoreBench bench;
    Frame* f = alloc_frame({});
    ASSERT_TRUE(try_lock_frame(*f));
    bench.machine.after_ns(50 * kMs, [&] { unlock_frame(*f); });
    uint64_t iowait_ns = 0;
    bench.in_task([&] {
        wait_frame_unlocked(*f);
        iowait_ns = kernel::current().iowait_ns;
    });
    EXPECT_GT(iowait_ns, 40 * kMs);
}

TEST(FrameWriteback, WaiterSleepsThroughUnlocks) {
    CoreBench bench;
    Frame* f = alloc_frame({});
    f->set(kFrameLocked | kFrameWriteback);
    const uint64_t start_ns = bench.machine.now_ns();
    bench.machine.at_ns(start_ns + 20 * kMs, [&] { unlock_frame(*f); });
    bench.machine.at_ns(start_ns + 60 * kMs, [&] { end_frame_writeback(*f); });
    uint64_t woken_ns = 0;
    bench.in_task([&] {
        wait_frame_writeback(*f);
        woken_ns = hal::now_ns();
    });
    EXPECT_GE(woken_ns + kHartSkewNs, start_ns + 60 * kMs);
}

TEST(FrameWriteback, EndRotatesAFrameMarkedForReclaim) {
    CoreBench bench;
    Frame& first = lru_frame();
    Frame& second = lru_frame();
    lru_add_drain();
    second.set(kFrameWriteback | kFrameReclaim);
    end_frame_writeback(second);
    EXPECT_FALSE(second.test(kFrameWriteback | kFrameReclaim));
    FrameList taken;
    isolate(bench.z, Lru::InactiveFile, 1, 0, taken);
    EXPECT_EQ(taken.front(), &second);
    EXPECT_EQ(counter(kernel::VmCounter::PgRotated), 1u);
    (void)first;
}

TEST(FrameUse, TheLastUseTakesTheFrameOffTheLruAndFreesIt) {
    CoreBench bench;
    Frame& f = lru_frame();
    lru_add_drain();
    ASSERT_EQ(lru_size(bench.z, Lru::InactiveFile), 1u);
    get_frame(f);
    put_frame(f);
    EXPECT_EQ(lru_size(bench.z, Lru::InactiveFile), 1u);
    put_frame(f);
    EXPECT_EQ(lru_size(bench.z, Lru::InactiveFile), 0u);
    EXPECT_TRUE(f.test(kFramePcp));
}

}  // namespace
}  // namespace weir::mm
