// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: does an interrupt arrive when and where it should, and only there?
#include "testbenches/unit/models_core/rig.h"

#include <gtest/gtest.h>

namespace weir::test {
namespace {

using hal::Op;

struct Taken {
    uint64_t time_ps;
    uint32_t hart;
    uint64_t what;  // claimed source, 0: timer, 100: kick
};
std::vector<Taken>* taken;
std::vector<hal::Mode>* after_modes;

uint64_t timer_compare(uint32_t hart) {
    return hal::kTimerCompareOffset + 8ull * hart;
}
void set_timer(uint64_t ns) {
    hal::mmio_write64(hal::kTimerBase + timer_compare(hal::hart_id()), ns);
}
uint32_t claim() {
    return hal::mmio_read32(hal::kIntcBase + (hal::kIntcClaimOffset + 8ull * hal::hart_id()));
}
void complete(uint32_t source) {
    hal::mmio_write32(hal::kIntcBase + (hal::kIntcClaimOffset + 8ull * hal::hart_id()), source);
}
void enable(uint32_t source) {
    hal::mmio_write32(hal::kIntcBase + (hal::kIntcEnableOffset + 4ull * source), 1);
}

hal::TrapHandlers handlers() {
    hal::TrapHandlers traps;
    traps.timer = [] {
        taken->push_back({now_ps(), hal::hart_id(), 0});
        EXPECT_FALSE(hal::irq_save());
        set_timer(~0ull);
    };
    traps.kick = [] { taken->push_back({now_ps(), hal::hart_id(), 100}); };
    traps.external = [] {
        const uint64_t begin_ps = now_ps();
        while (const uint32_t source = claim()) {
            taken->push_back({begin_ps, hal::hart_id(), source});
            cpu::platform->handlers.page_fault(hal::VirtAddr{source}, hal::Access::Read);
            complete(source);
        }
    };
    traps.page_fault = [](hal::VirtAddr, hal::Access) { return true; };
    traps.after_interrupt = [](hal::Mode mode) {
        EXPECT_TRUE(cpu::current_hart->interrupt_target().interrupts_enabled);
        after_modes->push_back(mode);
    };
    return traps;
}

class InterruptTest : public testing::Test {
  protected:
    InterruptTest() {
        taken = &taken_;
        after_modes = &modes_;
    }
    std::vector<Taken> taken_;
    std::vector<hal::Mode> modes_;
};

using HartInterrupt = InterruptTest;

TEST_F(HartInterrupt, IsTakenAtTheEndOfTheQuantumWaitInWhichItCame) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        hal::set_trap_handlers(handlers());
        set_timer(4'000);  // takes 3 ns
        hal::irq_restore(true);
        hal::spend(Op::ScanFrame, 60);  // no synchronisation point is due
        EXPECT_TRUE(taken->empty());
        hal::spend(Op::ScanFrame, 60);
        EXPECT_EQ(taken->size(), 1u);
        EXPECT_EQ(taken->at(0).time_ps, 12'003'000u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
    EXPECT_TRUE(modes_.empty());  // kernel code was interrupted
}

TEST_F(HartInterrupt, StaysPendingWhileInterruptsAreOff) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        hal::set_trap_handlers(handlers());
        set_timer(1'000);
        hal::spend(Op::ScanFrame, 500);
        EXPECT_TRUE(taken->empty());
        hal::irq_restore(true);
        EXPECT_TRUE(taken->empty());  // not a synchronisation point
        hal::spend(Op::ScanFrame);
        EXPECT_EQ(taken->size(), 1u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST_F(HartInterrupt, IsNotTakenWhileALockIsHeld) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        hal::set_trap_handlers(handlers());
        set_timer(1'000);
        hal::irq_restore(true);
        hal::LockWord lock;
        hal::lock_acquire(lock);
        hal::spend(Op::ScanFrame, 500);
        hal::mmio_read64(hal::kTimerBase + hal::kTimerNowOffset);  // here it becomes pending
        hal::spend(Op::ScanFrame, 500);
        EXPECT_TRUE(taken->empty());
        hal::lock_release(lock);
        hal::spend(Op::ScanFrame);
        EXPECT_EQ(taken->size(), 1u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST_F(HartInterrupt, CallsAfterInterruptForUserAndIdleCodeWithTheirMode) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        hal::set_trap_handlers(handlers());
        hal::irq_restore(true);
        hal::set_mode(hal::Mode::User);
        set_timer(1'000);
        hal::spend(Op::ScanFrame, 200);
        EXPECT_EQ(hal::set_mode(hal::Mode::Idle), hal::Mode::User);
        set_timer(30'000);
        hal::wait_for_interrupt();
        EXPECT_EQ(now_ps() / 1'000, 30'003u);  // the handler's write took 3 ns
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
    EXPECT_EQ(modes_, (std::vector<hal::Mode>{hal::Mode::User, hal::Mode::Idle}));
}

TEST_F(HartInterrupt, WakesASleepingHartExactlyWhenTheTimerComes) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        hal::set_trap_handlers(handlers());
        hal::irq_restore(true);
        set_timer(250'000);
        hal::wait_for_interrupt();
        EXPECT_EQ(taken->size(), 1u);
        EXPECT_EQ(taken->at(0).time_ps, 250'000'000u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
    EXPECT_GT(rig.host.hart(0).stats().idle_ps, 249'000'000u);
}

TEST_F(HartInterrupt, AKickSentBeforeTheSleepIsNotLost) {
    Rig rig(rig_config(2));
    rig.firmware[0] = [] {
        hal::set_trap_handlers(handlers());
        hal::kick(1);
    };
    rig.firmware[1] = [] {
        hal::irq_restore(true);
        hal::spend(Op::ScanFrame, 90);
        hal::wait_for_interrupt();  // the kick came while this hart ran ahead
        EXPECT_EQ(taken->size(), 1u);
        EXPECT_EQ(taken->at(0).time_ps, 9'000'000u);
        EXPECT_EQ(taken->at(0).hart, 1u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run(kPsPerMs)) << rig.failure;
}

TEST_F(HartInterrupt, AKickArrivesAfterTheSendersClockNotTheSimulators) {
    Rig rig(rig_config(2));
    rig.firmware[0] = [] {
        hal::set_trap_handlers(handlers());
        hal::spend(Op::ScanFrame, 70);  // 7 us ahead
        hal::kick(1);
    };
    rig.firmware[1] = [] {
        hal::irq_restore(true);
        hal::wait_for_interrupt();
        EXPECT_EQ(taken->at(0).time_ps, 7'300'000u);  // latency 300 ns
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run(kPsPerMs)) << rig.failure;
}

TEST_F(HartInterrupt, WfiWithInterruptsOffReturnsWithoutTakingIt) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        hal::set_trap_handlers(handlers());
        set_timer(5'000);
        hal::wait_for_interrupt();
        EXPECT_EQ(now_ps(), 5'000'000u);
        EXPECT_TRUE(taken->empty());
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

// ---- timer --------------------------------------------------------------------------------------

TEST_F(HartInterrupt, TimerLineIsLowJustBeforeTheCompareValueAndHighAtIt) {
    Rig rig(rig_config(1));
    bool before = true;
    bool at = false;
    sc_core::sc_spawn([&] {
        sc_core::wait(from_ps(8'000'000 - 1));
        before = rig.host.hart(0).timer_irq_in.read();
        sc_core::wait(from_ps(1));
        sc_core::wait(sc_core::SC_ZERO_TIME);
        sc_core::wait(sc_core::SC_ZERO_TIME);
        at = rig.host.hart(0).timer_irq_in.read();
        rig.host.state().end.powered_off = true;
        sc_core::sc_stop();
    });
    rig.firmware[0] = [] { set_timer(8'000); };
    EXPECT_TRUE(rig.run()) << rig.failure;
    EXPECT_FALSE(before);
    EXPECT_TRUE(at);
}

TEST_F(HartInterrupt, TimerTellsTheTimeAtTheAnnotatedDelay) {
    Rig rig(rig_config(1));
    rig.run(0);
    const auto read_ns = [&](uint64_t delay_ps) {
        uint64_t ns = 0;
        tlm::tlm_generic_payload trans;
        trans.set_command(tlm::TLM_READ_COMMAND);
        trans.set_address(hal::kTimerNowOffset);
        trans.set_data_ptr(reinterpret_cast<unsigned char*>(&ns));
        trans.set_data_length(8);
        trans.set_streaming_width(8);
        sc_core::sc_time delay = from_ps(delay_ps);
        rig.bus.target_side[1]->b_transport(trans, delay);
        EXPECT_EQ(trans.get_response_status(), tlm::TLM_OK_RESPONSE);
        return ns;
    };
    EXPECT_EQ(read_ns(0), 0u);
    EXPECT_EQ(read_ns(6'999), 6u);
    EXPECT_EQ(read_ns(7'000), 7u);
}

TEST_F(HartInterrupt, TimerWithACompareValueInThePastFiresAtOnce) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        hal::set_trap_handlers(handlers());
        hal::irq_restore(true);
        hal::spend(Op::ScanFrame, 200);
        set_timer(1);
        hal::spend(Op::ScanFrame);
        EXPECT_EQ(taken->size(), 1u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

// ---- interrupt controller -----------------------------------------------------------------------

Rig* the_rig;

/// Device side: each source is high until its own claim is served.
void serve_sources() {
    hal::TrapHandlers traps = handlers();
    traps.page_fault = [](hal::VirtAddr source, hal::Access) {
        the_rig->source[source.value - 1].write(false);
        return true;
    };
    hal::set_trap_handlers(traps);
}

TEST_F(HartInterrupt, SourceReachesAHartOnlyOnceEnabledAndIsServedOnce) {
    Rig rig(rig_config(1));
    the_rig = &rig;
    rig.firmware[0] = [&rig] {
        serve_sources();
        rig.source[1].write(true);
        hal::irq_restore(true);
        hal::spend(Op::ScanFrame, 500);
        EXPECT_TRUE(taken->empty());
        enable(2);
        hal::spend(Op::ScanFrame);
        EXPECT_EQ(taken->size(), 1u);
        EXPECT_EQ(taken->at(0).what, 2u);
        hal::spend(Op::ScanFrame, 500);
        EXPECT_EQ(taken->size(), 1u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST_F(HartInterrupt, SourceThatStaysHighIsPendingAgainAfterComplete) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [&rig] {
        enable(3);
        rig.source[2].write(true);
        hal::spend(Op::ScanFrame, 200);
        EXPECT_EQ(claim(), 3u);
        EXPECT_EQ(claim(), 0u);  // in service
        complete(3);
        EXPECT_EQ(claim(), 3u);
        rig.source[2].write(false);
        complete(3);
        EXPECT_EQ(claim(), 0u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST_F(HartInterrupt, ClaimsTheLowestNumberedSourceFirst) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [&rig] {
        enable(1), enable(2), enable(4);
        rig.source[3].write(true);
        rig.source[1].write(true);
        hal::spend(Op::ScanFrame, 200);
        EXPECT_EQ(claim(), 2u);
        EXPECT_EQ(claim(), 4u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

void run_busy_and_raise(Rig& rig, bool hart2_sleeps) {
    the_rig = &rig;
    for (uint32_t hart = 0; hart < 3; ++hart)
        rig.firmware[hart] = [hart, hart2_sleeps] {
            if (hart == 0) {
                serve_sources();
                for (uint32_t source = 1; source <= Rig::kSources; ++source) enable(source);
            }
            hal::irq_restore(true);
            if (hart == 2 && hart2_sleeps)
                for (;;) hal::wait_for_interrupt();
            for (int i = 0; i < 1000; ++i) hal::spend(Op::ScanFrame, 10);
            hal::power_off(0);
        };
    sc_core::sc_spawn([&rig] {
        for (uint32_t i = 0; i < Rig::kSources; ++i) {
            sc_core::wait(from_ps(100'000'000));
            rig.source[i].write(true);
        }
    });
}

TEST_F(HartInterrupt, FloatingGoesToTheIdleHart) {
    Rig rig(rig_config(3));
    run_busy_and_raise(rig, true);
    EXPECT_TRUE(rig.run()) << rig.failure;
    ASSERT_EQ(taken_.size(), 4u);
    for (const Taken& entry : taken_) EXPECT_EQ(entry.hart, 2u);
}

TEST_F(HartInterrupt, FloatingTakesTurnsAmongBusyHarts) {
    Rig rig(rig_config(3));
    run_busy_and_raise(rig, false);
    EXPECT_TRUE(rig.run()) << rig.failure;
    ASSERT_EQ(taken_.size(), 4u);
    for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(taken_[i].hart, i % 3);
}

TEST_F(HartInterrupt, FixedRoutingBindsSourcesToHarts) {
    machine::MachineConfig config = rig_config(3);
    config.irq_routing = machine::IrqRouting::FixedHart;
    Rig rig(config);
    run_busy_and_raise(rig, true);
    EXPECT_TRUE(rig.run()) << rig.failure;
    ASSERT_EQ(taken_.size(), 4u);
    for (const Taken& entry : taken_) EXPECT_EQ(entry.hart, (entry.what - 1) % 3);
}

}  // namespace
}  // namespace weir::test
