// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Jiffies and timers. Timers end on tick edges, so a sleep of n jiffies lasts between n-1 and n
// ticks after its start rounded up as Linux does: expires = jiffies + n, run at that tick.
#pragma once

#include "firmware/kernel/list.h"

#include <cstdint>

namespace weir::kernel {

uint64_t jiffies();
uint32_t tick_hz();
/// HZ / divisor, at least 1: naps are written as in Linux, HZ/10 or HZ/50.
uint32_t hz_over(uint32_t divisor);
uint32_t ms_to_jiffies(uint32_t ms);
uint64_t jiffies_to_us(uint64_t jiffy_count);

struct Timer {
    ListNode node;
    uint64_t expires_jiffy = 0;
    void (*run)(Timer& timer) = nullptr;  // in the tick interrupt, interrupts off
    void* context = nullptr;
    uint32_t hart = 0;
    bool pending() const { return node.linked(); }
};
void timer_start(Timer& timer, uint64_t expires_jiffy);
/// True if the timer was pending.
bool timer_cancel(Timer& timer);
/// The same, and waits until a run() of this timer on another hart is over, so that the timer's
/// storage may go. Not under a lock that run() takes.
bool timer_cancel_sync(Timer& timer);

}  // namespace weir::kernel
