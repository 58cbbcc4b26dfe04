// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Who sleeps for slots and for congestion, and who is woken when?
#include "firmware/kernel/sched.h"
#include "firmware/kernel/task.h"
#include "testbenches/unit/block/block_rig.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <vector>

namespace weir::block_test {
namespace {

using block::IoClass;

/// A queue on a machine whose harts run; jobs run in tasks.
struct SleepersRig : QueueRig {
    explicit SleepersRig(const hal::DiskInfo& disk, const fake_hal::Config& config = {})
        : QueueRig(disk, config) {
        for (uint32_t& room : device.room) room = 0;
        machine.set_hart_entry([] { kernel::idle_loop(); });
    }
    /// Runs job in a new task. The job must outlive the task.
    void spawn(const std::function<void()>& job) {
        kernel::create_task(
            "job", kernel::TaskKind::Kernel,
            [](void* argument) {
                (*static_cast<const std::function<void()>*>(argument))();
                return 0;
            },
            const_cast<std::function<void()>*>(&job));
    }
    void run_ms(uint64_t ms) { machine.run_for_ns(ms * 1'000'000); }
    /// Runs job in a task and lets it come to its end or to sleep.
    void run(const std::function<void()>& job) {
        spawn(job);
        run_ms(9);
    }
    /// Async slots filled up to count by the calling task.
    void fill(uint32_t slot_count) {
        while (count(IoClass::Async) < slot_count) {
            ASSERT_TRUE(write(next_page += 10).ok());
        }
    }
    /// Frees one slot: lets one request into the device and finishes it.
    void finish_one() {
        device.room[static_cast<uint32_t>(IoClass::Async)] = 1;
        block::RequestList none;
        queue->complete(none);
        device.room[static_cast<uint32_t>(IoClass::Async)] = 0;
        block::RequestList done;
        done.push_back(*device.inside.front());
        device.inside.clear();
        queue->complete(done);
    }
    uint64_t next_page = 1000;
};

TEST(SlotWait, TasksBeyondTheSlotsSleepAndEachFreedSlotWakesOne) {
    SleepersRig rig(disk_with(32));
    rig.run([&] { rig.fill(32); });
    std::vector<int> asked;
    std::vector<int> went_on;
    std::vector<std::function<void()>> jobs;
    for (int i = 0; i < 3; ++i) {
        jobs.push_back([&rig, &asked, &went_on, i] {
            asked.push_back(i);
            ASSERT_TRUE(rig.write(100 + static_cast<uint64_t>(i) * 10).ok());
            went_on.push_back(i);
        });
    }
    for (const auto& job : jobs) rig.spawn(job);
    rig.run_ms(50);
    EXPECT_TRUE(went_on.empty());
    EXPECT_EQ(rig.queue->stats().slot_waits, 3u);
    EXPECT_EQ(rig.machine.events(hal::Event::BlockSleeprq).size(), 3u);
    const std::function<void()> finish = [&] { rig.finish_one(); };
    for (int expected = 1; expected <= 3; ++expected) {
        rig.spawn(finish);
        rig.run_ms(50);
        EXPECT_EQ(went_on.size(), static_cast<size_t>(expected)) << "one slot, one task";
    }
    EXPECT_EQ(went_on, asked) << "in order of their sleep";
}

TEST(SlotWait, LeavesANapRecordOfItsSite) {
    SleepersRig rig(disk_with(32));
    rig.run([&] { rig.fill(32); });
    const std::function<void()> job = [&] { ASSERT_TRUE(rig.write(100).ok()); };
    rig.spawn(job);
    rig.run_ms(20);
    const auto begins = rig.machine.events(hal::Event::NapBegin);
    ASSERT_EQ(begins.size(), 1u);
    EXPECT_EQ(begins[0].args[0], static_cast<uint64_t>(kernel::NapSite::RequestSlot));
    EXPECT_EQ(begins[0].args[3], static_cast<uint64_t>(kernel::NapClass::Own));
    rig.run([&] { rig.finish_one(); });
    const auto ends = rig.machine.events(hal::Event::NapEnd);
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_EQ(ends[0].args[3], static_cast<uint64_t>(kernel::Waker::RequestFreed));
}

TEST(SlotWait, AtTheHardCapABatcherSleepsUntilCountIsBelowTheSlots) {
    SleepersRig rig(disk_with(32));
    bool went_on = false;
    const std::function<void()> job = [&] {
        rig.fill(48);
        ASSERT_TRUE(rig.write(100).ok());
        went_on = true;
    };
    rig.spawn(job);
    rig.run_ms(20);
    EXPECT_EQ(rig.count(IoClass::Async), 48u);
    rig.run([&] {
        while (rig.count(IoClass::Async) > 32) rig.finish_one();
    });
    rig.run_ms(20);
    EXPECT_FALSE(went_on) << "at 32 in use no slot is free";
    rig.run([&] { rig.finish_one(); });
    EXPECT_TRUE(went_on);
}

TEST(SlotWait, ABioThatSleptGetsARequestOfItsOwn) {
    SleepersRig rig(disk_with(32));
    rig.run([&] { rig.fill(32); });  // pages 1010, 1020, ...
    const std::function<void()> sleeper = [&] { ASSERT_TRUE(rig.write(1022).ok()); };
    rig.spawn(sleeper);
    rig.run_ms(20);
    rig.run([&] { ASSERT_TRUE(rig.write(1021).ok()); });
    ASSERT_EQ(rig.queue->stats().merges, 1u) << "1020 and 1021: now 1022 would fit as well";
    rig.run([&] { rig.finish_one(); });
    EXPECT_EQ(rig.queue->stats().merges, 1u);
    EXPECT_EQ(rig.count(IoClass::Async), 32u);
}

TEST(SlotWait, AWakeUpThatCameBeforeTheSleepIsRepeated) {
    SleepersRig rig(disk_with(32));
    rig.run([&] { rig.fill(32); });
    bool woken = false;
    const std::function<void()> late_sleeper = [&] {
        rig.queue->slots().begin_wait(IoClass::Async);
        rig.finish_one();  // the wake-up finds nobody
        kernel::sleep_for(rig.queue->slots().waiters(IoClass::Async), kernel::kForever,
                          kernel::SleepKind::Uninterruptible, kernel::IoWait::Yes,
                          kernel::Exclusive::Yes);
        rig.queue->slots().end_wait(IoClass::Async, 99);
        woken = true;
    };
    rig.spawn(late_sleeper);
    rig.run_ms(50);
    EXPECT_TRUE(woken);
}

TEST(SlotWait, NobodyIsForgottenWhenManyTasksOnFourHartsShareFewSlots) {
    fake_hal::Config config;
    config.harts = 4;
    config.quantum_ns = 300;  // harts change places often
    SleepersRig rig(disk_with(4, 8, hal::ElevatorKind::Deadline), config);
    rig.device.room[0] = rig.device.room[1] = 3;
    std::mt19937_64 random(fake_hal::test_seed(11));
    constexpr uint32_t kTasks = 12;
    constexpr uint32_t kBiosPerTask = 200;
    uint32_t tasks_done = 0;
    const std::function<void()> submitter = [&] {
        for (uint32_t i = 0; i < kBiosPerTask; ++i) {
            const auto direction = random() % 2 ? block::Direction::Write : block::Direction::Read;
            const uint32_t flags = random() % 4 == 0 ? block::kBioSync : 0;
            const auto pages = static_cast<uint32_t>(1 + random() % 4);
            ASSERT_TRUE(rig.submit(random() % 300, direction, pages, flags).ok());
            if (random() % 16 == 0) kernel::yield();
        }
        ++tasks_done;
    };
    bool stop = false;
    const std::function<void()> device_task = [&] {
        while (!stop) {
            hal::spend(hal::Op::LockPair);  // time passes though nothing else happens
            if (rig.device.inside.empty()) {
                rig.queue->unplug();
            } else {
                rig.finish(static_cast<uint32_t>(1 + random() % 2));
            }
            kernel::yield();
        }
    };
    rig.spawn(device_task);
    for (uint32_t i = 0; i < kTasks; ++i) rig.spawn(submitter);
    const auto all_ended = [&] { return ended_bios.size() == kTasks * kBiosPerTask; };
    EXPECT_EQ(rig.machine.run_until(all_ended, 3'000'000'000), fake_hal::Ending::ConditionMet)
        << ended_bios.size() << " bios ended";
    stop = true;
    rig.run_ms(50);
    EXPECT_EQ(tasks_done, kTasks);
    EXPECT_GT(rig.queue->stats().slot_waits, 0u);
    EXPECT_EQ(rig.count(IoClass::Sync) + rig.count(IoClass::Async), 0u);
    EXPECT_EQ(rig.queue->queued_count(), 0u);
    EXPECT_FALSE(block::any_congested(IoClass::Sync));
    EXPECT_FALSE(block::any_congested(IoClass::Async));
}

struct Nap {
    bool done = false;
    kernel::SleepResult result{};
    std::function<void()> job;
    explicit Nap(IoClass io_class) {
        job = [this, io_class] {
            result = block::congestion_wait(kernel::NapSite::DirectReclaim, io_class,
                                            kernel::hz_over(10), kernel::NapWish::NotCongested,
                                            static_cast<uint64_t>(io_class));
            done = true;
        };
    }
};

TEST(CongestionQueue, WakesSleepersOnceDepthFallsBelowOffThreshold) {
    SleepersRig rig(disk_with(128));
    rig.run([&] { rig.fill(104); });
    Nap nap(IoClass::Async);
    rig.run(nap.job);
    rig.run([&] { rig.finish_one(); });
    EXPECT_FALSE(nap.done) << "103 in use: not below the mark";
    rig.run([&] { rig.finish_one(); });
    ASSERT_TRUE(nap.done) << "102 in use";
    EXPECT_EQ(nap.result.waker, kernel::Waker::AsyncCompletion);
    EXPECT_EQ(rig.queue->slots().congested_entries(IoClass::Async), 0u)
        << "the bit was never set, and still the sleeper was woken";
}

TEST(CongestionQueue, WithoutTheRuleEveryFreedRequestWakes) {
    SleepersRig rig(disk_with(128));
    block::set_rules({.wake_needs_below_off_mark = false, .completion_cost = true});
    rig.run([&] { rig.fill(120); });
    Nap nap(IoClass::Async);
    rig.run(nap.job);
    EXPECT_FALSE(nap.done);
    rig.run([&] { rig.finish_one(); });
    EXPECT_TRUE(nap.done);
    EXPECT_TRUE(rig.queue->congested(IoClass::Async)) << "the bit keeps to its mark";
}

TEST(CongestionQueue, CompletionsOfOneClassDoNotWakeTheOther) {
    SleepersRig rig(disk_with(128));
    rig.run([&] { rig.fill(2); });
    Nap nap(IoClass::Sync);
    rig.run(nap.job);
    rig.run([&] { rig.finish_one(); });
    EXPECT_FALSE(nap.done);
}

TEST(CongestionQueue, WithNoCompletionTheNapEndsByTheTimerAndNotATickEarlier) {
    SleepersRig rig(disk_with(128));
    Nap nap(IoClass::Async);
    rig.run(nap.job);
    const uint64_t start = kernel::jiffies();
    while (kernel::jiffies() < start + 9) rig.run_ms(1);
    EXPECT_FALSE(nap.done);
    rig.run_ms(15);
    ASSERT_TRUE(nap.done);
    EXPECT_EQ(nap.result.waker, kernel::Waker::Timer);
    EXPECT_EQ(nap.result.jiffies_left, 0u);
}

TEST(CongestionQueue, ASleeperOfOneDeviceIsWokenByAnother) {
    // One queue frees, the sleeper never named a device: the queue of sleepers is global.
    SleepersRig rig(disk_with(128));
    Nap nap(IoClass::Async);
    rig.run(nap.job);
    rig.run([&] {
        rig.fill(1);
        rig.finish_one();
    });
    EXPECT_TRUE(nap.done);
}

}  // namespace
}  // namespace weir::block_test
