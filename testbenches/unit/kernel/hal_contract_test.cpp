// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: where may an interrupt or another hart come in, as firmware/hal/hal.h promises? Asked
// of the fake machine, so that unit tests meet the same points as a SystemC hart.
#include "firmware/hal/boot_info.h"
#include "firmware/hal/hal.h"
#include "testbenches/unit/fake_hal/fake_hal.h"

#include <gtest/gtest.h>

#include <functional>

namespace weir {
namespace {

uint32_t kicks_taken = 0;

/// Whether a kick that is pending is taken in `call`, interrupts being enabled.
bool takes_interrupts(const std::function<void()>& call) {
    fake_hal::Machine machine;
    kicks_taken = 0;
    hal::TrapHandlers traps;
    traps.kick = [] { ++kicks_taken; };
    hal::set_trap_handlers(traps);
    hal::irq_save();
    hal::kick(0);
    hal::irq_restore(true);
    EXPECT_EQ(kicks_taken, 0u) << "irq_restore() is no synchronisation point";
    call();
    return kicks_taken == 1;
}

uint8_t* ram(uint64_t offset) {
    return static_cast<uint8_t*>(hal::ram_ptr(hal::kRamBase + 0x10'0000)) + offset;
}

TEST(HalSynchronisationPoint, IsEveryCallThatHalHeaderNames) {
    EXPECT_TRUE(takes_interrupts([] { hal::spend(hal::Op::SchedPick); }));
    EXPECT_TRUE(takes_interrupts([] { hal::touch(ram(0), 8, hal::Access::Read); }));
    EXPECT_TRUE(takes_interrupts([] { hal::copy_bytes(ram(0), ram(64), 64); }));
    EXPECT_TRUE(takes_interrupts([] { hal::clear_bytes(ram(0), 64); }));
    EXPECT_TRUE(
        takes_interrupts([] { hal::user_span(hal::VirtAddr{0x1000}, 8, hal::Access::Read); }));
    EXPECT_TRUE(takes_interrupts([] { hal::mmio_read64(hal::kTimerBase + hal::kTimerNowOffset); }));
    EXPECT_TRUE(takes_interrupts(
        [] { hal::mmio_write64(hal::kTimerBase + hal::kTimerCompareOffset, ~0ull); }));
}

TEST(HalSynchronisationPoint, IsNeitherALockNorACallUnderOne) {
    EXPECT_FALSE(takes_interrupts([] {
        hal::LockWord lock;
        hal::lock_acquire(lock);
        hal::spend(hal::Op::SchedPick);
        hal::copy_bytes(ram(0), ram(64), 64);
        hal::clear_bytes(ram(0), 64);
        hal::lock_release(lock);
    }));
}

TEST(HalSynchronisationPoint, OfACopyComesAfterTheBytesHaveMoved) {
    static bool moved;
    fake_hal::Machine machine;
    hal::TrapHandlers traps;
    traps.kick = [] { moved = *ram(0) == 7; };
    hal::set_trap_handlers(traps);
    hal::irq_save();
    *ram(0) = 0;
    *ram(64) = 7;
    hal::kick(0);
    hal::irq_restore(true);
    moved = false;
    hal::copy_bytes(ram(0), ram(64), 1);
    EXPECT_TRUE(moved);
}

}  // namespace
}  // namespace weir
