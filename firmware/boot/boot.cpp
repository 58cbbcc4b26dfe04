// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Where the machine enters the kernel, and the order in which the layers start.
// - weir_firmware_main() is called on every hart, on that hart's own boot context.
// - Hart 0 starts the layers and the other harts, then makes the init task and idles.
// - The init task does what needs a scheduler, runs the workload and switches the machine off.
#include "firmware/boot/boot.h"

#include "firmware/block/block.h"
#include "firmware/hal/hal.h"
#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/sched.h"
#include "firmware/kernel/task.h"
#include "firmware/mm/mm.h"
#include "firmware/policy/policy.h"
#include "firmware/workload/workload.h"

namespace weir::boot {

namespace {

// Arbitrary, because a hart answers its first kick: a machine with a dead hart must say so.
constexpr uint32_t kKicksMax = 100'000;

bool layers_ready = false;

/// Lets the other harts join the scheduler. A kick may come before a hart first waits for one, so
/// it is repeated until all have joined.
void start_other_harts() {
    __atomic_store_n(&layers_ready, true, __ATOMIC_RELEASE);
    const uint32_t harts = hal::hart_count();
    for (uint32_t tries = 0; kernel::online_hart_count() < harts; ++tries) {
        WEIR_ASSERT(tries < kKicksMax, "a hart does not start: harts online, harts",
                    kernel::online_hart_count(), harts);
        for (uint32_t hart = 1; hart < harts; ++hart) hal::kick(hart);
        // Any device access lets simulated time and the other harts go on.
        hal::mmio_read64(hal::kTimerBase + hal::kTimerNowOffset);
    }
}

int init_task(void*) {
    mm::start();
    policy::activate();
    hal::trace(hal::Event::Booted, kernel::boot_info().ram_bytes / hal::kPageBytes,
               kernel::counter_value(kernel::VmCounter::NrFreePages));
    const int exit_code = workload::run_from_boot_info();
    kernel::account_time();
    hal::power_off(static_cast<uint32_t>(exit_code));
    return exit_code;
}

void boot_first_hart() {
    kernel::init();
    WEIR_ASSERT(policy::find(kernel::boot_info().policy) != nullptr,
                "BootInfo names a policy that the kernel does not have", policy::policy_count(), 0);
    // Rings and requests are boot memory, which ends when mm takes the frames that are left.
    block::init();
    mm::init();
    start_other_harts();
    kernel::Task* init = kernel::create_task("init", kernel::TaskKind::Kernel, init_task, nullptr);
    WEIR_ASSERT(init != nullptr, "RAM is too small to boot: no memory for the init task",
                kernel::boot_info().ram_bytes, 0);
}

}  // namespace

}  // namespace weir::boot

extern "C" void weir_firmware_main() {
    using namespace weir;
    if (hal::hart_id() == 0) {
        boot::boot_first_hart();
    } else {
        hal::irq_restore(true);
        while (!__atomic_load_n(&boot::layers_ready, __ATOMIC_ACQUIRE)) hal::wait_for_interrupt();
    }
    kernel::idle_loop();
}
