// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Where the time of a hart goes: user, system, idle, and idle while one of its tasks waits for I/O.
// Intervals are closed at every change of mode or task, so the four add up to elapsed time.
#include "firmware/kernel/counters.h"
#include "firmware/kernel/hart.h"
#include "firmware/kernel/sched.h"

namespace weir::kernel {

void account_until(Hart& hart, uint64_t now_ns) {
    // Another hart's clock may be behind this one's by a quantum.
    if (now_ns <= hart.accounted_until_ns) return;
    const auto elapsed_ns = static_cast<int64_t>(now_ns - hart.accounted_until_ns);
    hart.accounted_until_ns = now_ns;
    switch (hart.mode) {
        case hal::Mode::User:
            hart.running->user_ns += static_cast<uint64_t>(elapsed_ns);
            count(VmCounter::UserNs, elapsed_ns);
            break;
        case hal::Mode::Kernel:
            hart.running->system_ns += static_cast<uint64_t>(elapsed_ns);
            count(VmCounter::SystemNs, elapsed_ns);
            break;
        case hal::Mode::Idle:
            count(hart.io_sleepers ? VmCounter::IoWaitNs : VmCounter::IdleNs, elapsed_ns);
            break;
    }
}

void account_time() {
    IrqGuard irq;
    account_until(this_hart(), hal::now_ns());
}

hal::Mode change_mode(hal::Mode mode) {
    IrqGuard irq;
    Hart& hart = this_hart();
    const hal::Mode before = hart.mode;
    if (before == mode) return before;
    account_until(hart, hal::now_ns());
    hart.mode = mode;
    hal::set_mode(mode);
    return before;
}

KernelMode::KernelMode() : previous_(change_mode(hal::Mode::Kernel)) {}

KernelMode::~KernelMode() {
    if (previous_ == hal::Mode::Kernel) return;
    if (previous_ == hal::Mode::User) {
        exit_if_killed();
        cond_resched();
        exit_if_killed();
    }
    change_mode(previous_);
}

}  // namespace weir::kernel
