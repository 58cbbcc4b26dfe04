// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Jiffies and timers. Each hart's timer interrupts at whole multiples of 1/HZ of machine time. The
// first hart that reaches an edge advances jiffies to it, so jiffies never depends on which hart is
// simulated first and never runs back. A hart runs its own timers at its own edge.
#include "firmware/kernel/timer.h"

#include "firmware/hal/hal.h"
#include "firmware/kernel/hart.h"
#include "firmware/kernel/kernel.h"

namespace weir::kernel {

namespace {

uint64_t jiffies_now = 0;
uint32_t hz = 100;
uint64_t tick_ns = 10'000'000;

void program_tick(Hart& hart, uint64_t now_ns) {
    hart.next_tick_ns = (now_ns / tick_ns + 1) * tick_ns;
    hal::mmio_write64(hal::kTimerBase + (hal::kTimerCompareOffset + 8ull * hart.index),
                      hart.next_tick_ns);
}

void reach_jiffy(uint64_t jiffy) {
    uint64_t seen = __atomic_load_n(&jiffies_now, __ATOMIC_RELAXED);
    while (seen < jiffy && !__atomic_compare_exchange_n(&jiffies_now, &seen, jiffy, true,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

void run_timers(Hart& hart, uint64_t jiffy) {
    while (true) {
        Timer* timer;
        {
            SpinGuard guard(hart.timer_lock);
            hart.running_timer = nullptr;
            timer = hart.timers.front();
            if (!timer || timer->expires_jiffy > jiffy) return;
            hart.timers.remove(*timer);
            hart.running_timer = timer;
        }
        timer->run(*timer);
    }
}

}  // namespace

uint64_t jiffies() {
    return __atomic_load_n(&jiffies_now, __ATOMIC_RELAXED);
}
uint32_t tick_hz() {
    return hz;
}
uint32_t hz_over(uint32_t divisor) {
    return hz >= divisor ? hz / divisor : 1;
}

uint32_t ms_to_jiffies(uint32_t ms) {
    return static_cast<uint32_t>((uint64_t{ms} * hz + 999) / 1000);
}

uint64_t jiffies_to_us(uint64_t jiffy_count) {
    return jiffy_count * 1'000'000 / hz;
}

void timer_init() {
    hz = boot_info().tick_hz;
    tick_ns = 1'000'000'000 / hz;
    jiffies_now = hal::now_ns() / tick_ns;
}

void timer_join() {
    program_tick(this_hart(), hal::now_ns());
}

void timer_interrupt() {
    Hart& hart = this_hart();
    const uint64_t now_ns = hal::now_ns();
    // An interrupt that is taken late catches up with every edge it missed.
    const uint64_t jiffy = now_ns / tick_ns;
    reach_jiffy(jiffy);
    program_tick(hart, now_ns);
    hal::spend(hal::Op::TimerTick);
    run_timers(hart, jiffy);
    sched_tick(hart, hal::now_ns());
}

void timer_start(Timer& timer, uint64_t expires_jiffy) {
    IrqGuard irq;
    Hart& hart = this_hart();
    SpinGuard guard(hart.timer_lock);
    WEIR_ASSERT(!timer.pending(), "a timer is started twice", timer.expires_jiffy, expires_jiffy);
    timer.expires_jiffy = expires_jiffy;
    timer.hart = hart.index;
    // Most timers are as long as those before them: look from the back.
    Timer* before = hart.timers.back();
    Timer* position = nullptr;
    while (before && before->expires_jiffy > expires_jiffy) {
        position = before;
        before = hart.timers.prev(*before);
    }
    hart.timers.insert_before(position, timer);
}

bool timer_cancel(Timer& timer) {
    if (!timer.pending()) return false;
    IrqGuard irq;
    Hart& hart = hart_at(timer.hart);
    SpinGuard guard(hart.timer_lock);
    if (!timer.pending()) return false;
    hart.timers.remove(timer);
    return true;
}

bool timer_cancel_sync(Timer& timer) {
    if (timer_cancel(timer)) return true;
    const Hart& hart = hart_at(timer.hart);
    while (__atomic_load_n(&hart.running_timer, __ATOMIC_ACQUIRE) == &timer &&
           hart.index != hal::hart_id()) {
        hal::spend(hal::Op::LockPair);
    }
    return false;
}

}  // namespace weir::kernel
