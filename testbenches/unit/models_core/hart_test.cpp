// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: does a hart's clock keep the rules of host mode (quantum, contexts, locks, MMIO)?
#include "testbenches/unit/models_core/rig.h"

#include <gtest/gtest.h>

namespace weir::test {
namespace {

using hal::Op;

TEST(HartClock, ChargesThePriceOfEachUnit) {
    machine::MachineConfig config = rig_config(1);
    config.cpu.clock_hz = 1'700'000'000;
    config.cpu.cost_cycles[static_cast<size_t>(Op::ScanFrame)] = 17;
    Rig rig(config);
    rig.firmware[0] = [] {
        const uint64_t before_ps = now_ps();
        hal::spend(Op::ScanFrame, 3);
        EXPECT_EQ(now_ps() - before_ps, 30'000u);  // 3 x 17 cycles of 1/1.7 ns
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run());
}

TEST(HartClock, RunsAheadUpToOneQuantumAndThenWaits) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        hal::spend(Op::ScanFrame, 99);  // 9900 of 10000 ns
        EXPECT_EQ(now_ps(), 9'900'000u);
        EXPECT_EQ(simulator_now_ps(), 0u);
        hal::spend(Op::ScanFrame);  // reaches the quantum
        EXPECT_EQ(now_ps(), 10'000'000u);
        EXPECT_EQ(simulator_now_ps(), 10'000'000u);
        hal::spend(Op::ScanFrame);  // a new quantum has begun
        EXPECT_EQ(simulator_now_ps(), 10'000'000u);
        hal::power_off(7);
    };
    EXPECT_TRUE(rig.run());
    EXPECT_EQ(rig.host.state().end.exit_code, 7u);
    EXPECT_EQ(rig.host.state().end.time_ps, 10'100'000u);
}

TEST(HartClock, HartsTakeTurnsAQuantumAtATime) {
    Rig rig(rig_config(2));
    std::vector<uint32_t> order;
    for (uint32_t hart = 0; hart < 2; ++hart)
        rig.firmware[hart] = [&order, hart] {
            for (int step = 0; step < 4; ++step) {
                order.push_back(hart);
                hal::spend(Op::ScanFrame, 50);
            }
            if (hart == 1) hal::power_off(0);
        };
    EXPECT_TRUE(rig.run());
    EXPECT_EQ(order, (std::vector<uint32_t>{0, 0, 1, 1, 0, 0, 1, 1}));
}

TEST(HartClock, MmioSynchronisesBeforeAndAfter) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        hal::spend(Op::ScanFrame, 5);
        const uint64_t mtime_ns = hal::mmio_read64(hal::kTimerBase + hal::kTimerNowOffset);
        EXPECT_EQ(mtime_ns, 502u);  // behind the arbitration
        // Bus: two cycles of arbitration and one of transfer at 1 GHz.
        EXPECT_EQ(now_ps(), 503'000u);
        EXPECT_EQ(simulator_now_ps(), 503'000u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run());
}

TEST(HartClock, MmioToNowhereStopsTheMachineAndSaysWhere) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] { hal::mmio_read32(hal::PhysAddr{0x4000'0000}); };
    EXPECT_FALSE(rig.run());
    EXPECT_NE(rig.failure.find("rig.cpu0"), std::string::npos) << rig.failure;
    EXPECT_NE(rig.failure.find("TLM_ADDRESS_ERROR_RESPONSE"), std::string::npos) << rig.failure;
    EXPECT_NE(rig.failure.find("0x40000000"), std::string::npos) << rig.failure;
}

// ---- contexts -----------------------------------------------------------------------------------

hal::Context* boot_context;
hal::Context* other_context;
std::vector<int>* steps;

TEST(HartContext, SwitchesBackAndForthWithoutTime) {
    Rig rig(rig_config(1));
    std::vector<int> seen;
    steps = &seen;
    rig.firmware[0] = [] {
        boot_context = hal::context_current();
        other_context = hal::context_create(
            "other",
            [](void* argument) {
                for (int i = 0;; ++i) {
                    steps->push_back(10 * *static_cast<int*>(argument) + i);
                    hal::context_switch(other_context, boot_context);
                }
            },
            new int{4});
        for (int i = 0; i < 2; ++i) {
            steps->push_back(i);
            hal::context_switch(boot_context, other_context);
        }
        EXPECT_EQ(now_ps(), 0u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run());
    EXPECT_EQ(seen, (std::vector<int>{0, 40, 1, 41}));
}

TEST(HartContext, MovesToTheHartThatSwitchesToItAndItsClockNeverGoesBack) {
    Rig rig(rig_config(2));
    rig.firmware[0] = [] {
        boot_context = hal::context_current();
        other_context = hal::context_create(
            "traveller",
            [](void*) {
                EXPECT_EQ(hal::hart_id(), 0u);
                hal::spend(Op::ScanFrame, 80);
                const uint64_t left_ps = now_ps();
                hal::context_switch(other_context, boot_context);
                EXPECT_EQ(hal::hart_id(), 1u);
                EXPECT_EQ(now_ps(), left_ps);  // hart 1 was behind
                hal::power_off(0);
            },
            nullptr);
        hal::context_switch(boot_context, other_context);
    };
    rig.firmware[1] = [] {
        hal::mmio_read64(hal::kTimerBase + hal::kTimerNowOffset);  // lets hart 0 go first
        hal::spend(Op::ScanFrame, 20);
        hal::context_switch(hal::context_current(), other_context);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(HartContext, RefusesAContextThatRunsElsewhere) {
    Rig rig(rig_config(2));
    rig.firmware[0] = [] { boot_context = hal::context_current(); };
    rig.firmware[1] = [] { hal::context_switch(hal::context_current(), boot_context); };
    EXPECT_FALSE(rig.run());
    EXPECT_NE(rig.failure.find("runs on a hart already"), std::string::npos) << rig.failure;
}

// ---- locks --------------------------------------------------------------------------------------

TEST(HartLock, NothingSynchronisesWhileItIsHeld) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        hal::LockWord lock;
        hal::lock_acquire(lock);
        hal::spend(Op::ScanFrame, 1000);  // ten quanta
        EXPECT_EQ(simulator_now_ps(), 0u);
        hal::lock_release(lock);
        EXPECT_EQ(simulator_now_ps(), 0u);
        hal::spend(Op::ScanFrame);
        EXPECT_EQ(simulator_now_ps(), 100'100'000u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run());
}

TEST(HartLock, ALaterHartSpinsUntilItCameFree) {
    Rig rig(rig_config(2));
    hal::LockWord lock;
    rig.firmware[0] = [&lock] {
        hal::lock_acquire(lock);
        hal::spend(Op::ScanFrame, 30);
        hal::lock_release(lock);
        EXPECT_EQ(lock.free_at_ps, 3'000'000u);
    };
    rig.firmware[1] = [&lock] {
        hal::spend(Op::ScanFrame, 10);
        hal::lock_acquire(lock);
        EXPECT_EQ(now_ps(), 3'000'000u);
        EXPECT_EQ(lock.contended_count, 1u);
        EXPECT_EQ(lock.holder, 2u);
        hal::lock_release(lock);
        hal::spend(Op::ScanFrame, 1);
        hal::lock_acquire(lock);  // free since this hart released it: no contention
        EXPECT_EQ(now_ps(), 3'100'000u);
        EXPECT_EQ(lock.contended_count, 1u);
        hal::lock_release(lock);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(HartLock, AnOverlapLockLetsAHartThatIsBeforeTheWholeHoldingPass) {
    Rig rig(rig_config(2));
    hal::LockWord lock;
    lock.order = hal::LockOrder::Overlap;
    rig.firmware[0] = [&lock] {
        hal::spend(Op::ScanFrame, 50);
        hal::lock_acquire(lock);
        hal::spend(Op::ScanFrame, 10);  // held from 5 to 6 us
        hal::lock_release(lock);
    };
    rig.firmware[1] = [&lock] {
        hal::spend(Op::ScanFrame, 10);
        hal::lock_acquire(lock);
        EXPECT_EQ(now_ps(), 1'000'000u);  // before 5 us: no contention
        hal::lock_release(lock);
        hal::spend(Op::ScanFrame, 45);
        hal::lock_acquire(lock);
        EXPECT_EQ(now_ps(), 6'000'000u);  // 5.5 us lies inside the holding
        EXPECT_EQ(lock.contended_count, 1u);
        hal::lock_release(lock);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(HartLock, AHartWaitsWhileTheHolderIsInMmio) {
    Rig rig(rig_config(2));
    hal::LockWord lock;
    bool inside = false;
    rig.firmware[0] = [&] {
        hal::lock_acquire(lock);
        hal::spend(Op::ScanFrame, 20);
        inside = true;
        hal::mmio_read64(hal::kTimerBase + hal::kTimerNowOffset);  // at 2 us, 3 ns long
        inside = false;
        hal::lock_release(lock);
    };
    rig.firmware[1] = [&] {
        hal::lock_acquire(lock);
        EXPECT_FALSE(inside);
        EXPECT_EQ(now_ps(), 2'003'000u);
        hal::lock_release(lock);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(HartLock, TakingItTwiceStopsTheMachine) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        hal::LockWord lock;
        hal::lock_acquire(lock);
        hal::lock_acquire(lock);
    };
    EXPECT_FALSE(rig.run());
    EXPECT_NE(rig.failure.find("takes a lock that it holds"), std::string::npos) << rig.failure;
}

TEST(HartEnd, PanicSaysFileLineTextValuesTaskAndTime) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        hal::set_current_task(42);
        hal::spend(Op::ScanFrame, 10);
        hal::panic("mm/zone.cpp", 120, "free list is broken", 5, 16);
    };
    EXPECT_FALSE(rig.run());
    const std::string& text = rig.host.state().end.message;
    EXPECT_TRUE(rig.host.state().end.panicked);
    for (const char* part : {"rig.cpu0", "mm/zone.cpp:120", "free list is broken", "a=5 0x5",
                             "b=16 0x10", "0.000001000000 s", "pid 42"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
}

}  // namespace
}  // namespace weir::test
