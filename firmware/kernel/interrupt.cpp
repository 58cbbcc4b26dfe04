// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Traps: timer, external interrupts through the interrupt controller, kicks, page faults, and the
// reschedule on the way back to user code or an idle loop.
#include "firmware/hal/boot_info.h"
#include "firmware/hal/hal.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/hart.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/sched.h"

namespace weir::kernel {

namespace {

constexpr uint32_t kSourcesMax = 128;  // kMaxDisks, twice over

struct InterruptHandler {
    void (*run)(void* context) = nullptr;
    void* context = nullptr;
};

InterruptHandler* handlers = nullptr;
bool (*fault_handler)(hal::VirtAddr addr, hal::Access access) = nullptr;

/// Work in an interrupt is system time of the task that happens to run.
class InterruptScope {
  public:
    InterruptScope() : interrupted_(change_mode(hal::Mode::Kernel)) {
        count(VmCounter::Interrupts);
        hal::spend(hal::Op::InterruptEntry);
    }
    ~InterruptScope() { change_mode(interrupted_); }
    InterruptScope(const InterruptScope&) = delete;
    InterruptScope& operator=(const InterruptScope&) = delete;

  private:
    hal::Mode interrupted_;
};

void on_timer() {
    InterruptScope scope;
    timer_interrupt();
}

void on_external() {
    InterruptScope scope;
    const hal::PhysAddr claim = hal::kIntcBase + (hal::kIntcClaimOffset + 8ull * hal::hart_id());
    while (const uint32_t source = hal::mmio_read32(claim)) {
        WEIR_ASSERT(source < kSourcesMax && handlers[source].run,
                    "interrupt of a source without a handler", source, 0);
        handlers[source].run(handlers[source].context);
        hal::mmio_write32(claim, source);
    }
}

void on_kick() {
    // need_resched says what it is about; before this hart joined there is nothing to do.
    if (!this_hart().online) return;
    InterruptScope scope;
}

void on_after_interrupt(hal::Mode interrupted) {
    const Hart& hart = this_hart();
    const bool killed = interrupted == hal::Mode::User && hart.running->kill_pending;
    if (!hart.need_resched && !killed) return;
    change_mode(hal::Mode::Kernel);
    while (true) {
        if (interrupted == hal::Mode::User) exit_if_killed();
        hal::irq_save();
        if (!this_hart().need_resched) break;
        schedule();
        hal::irq_restore(true);
    }
    // With interrupts off until the mode is right again: one that comes later sees that mode and
    // brings its own reschedule, so that an idle hart never sleeps over a waiting task.
    change_mode(interrupted);
    hal::irq_restore(true);
}

bool on_page_fault(hal::VirtAddr addr, hal::Access access) {
    if (!fault_handler) return false;
    bool retry;
    const bool irqs_were_on = hal::irq_save();
    {
        KernelMode mode;
        hal::irq_restore(true);
        retry = fault_handler(addr, access);
    }
    hal::irq_save();
    hal::irq_restore(irqs_were_on);
    return retry;
}

}  // namespace

void interrupt_init() {
    handlers = static_cast<InterruptHandler*>(boot_alloc(sizeof(InterruptHandler) * kSourcesMax));
    hal::TrapHandlers traps;
    traps.timer = on_timer;
    traps.external = on_external;
    traps.kick = on_kick;
    traps.after_interrupt = on_after_interrupt;
    traps.page_fault = on_page_fault;
    hal::set_trap_handlers(traps);
}

void set_page_fault_handler(bool (*handler)(hal::VirtAddr addr, hal::Access access)) {
    fault_handler = handler;
}

void register_interrupt(uint32_t source, void (*handler)(void* context), void* context) {
    WEIR_ASSERT(source > 0 && source < kSourcesMax, "no such interrupt source", source,
                kSourcesMax);
    handlers[source] = {handler, context};
    hal::mmio_write32(hal::kIntcBase + (hal::kIntcEnableOffset + 4ull * source), 1);
}

}  // namespace weir::kernel
