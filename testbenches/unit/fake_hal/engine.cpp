// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The fake machine's engine: fibres, clocks, interrupts, and the driver that picks which hart runs
// next.
#include "testbenches/unit/fake_hal/machine_parts.h"

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>
#include <utility>
#if defined(__SANITIZE_ADDRESS__)
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace weir::fake_hal {

namespace {

/// First frame of every fibre: runs the entry, hands exceptions to the driver.
void fibre_main() {
    Machine::Parts& parts = machine().parts();
    hal::Context* self = parts.hart().running;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
    try {
        self->entry(self->argument);
        throw Panic(__FILE__, __LINE__, "a context returned from its entry", 0, 0);
    } catch (...) {
        // Kept in the machine only: this stack is never unwound.
        parts.failure = std::current_exception();
    }
    parts.leave_to_driver();
    std::abort();  // the driver never comes back to a failed fibre
}

}  // namespace

void* map_memory(size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("fake_hal: mmap failed");
    return memory;
}

void unmap_memory(void* memory, size_t bytes) {
    munmap(memory, bytes);
}

// ---- fibres -----------------------------------------------------------------------------------

hal::Context* Machine::Parts::context_storage() {
    if (!exited.empty()) {
        hal::Context* context = exited.back();
        exited.pop_back();
        return context;
    }
    contexts.push_back(std::make_unique<hal::Context>());
    hal::Context* context = contexts.back().get();
    context->stack = map_memory(kStackBytes + kGuardBytes);
    mprotect(context->stack, kGuardBytes, PROT_NONE);
    return context;
}

hal::Context* Machine::Parts::new_context(const char* name, hal::ContextEntry entry,
                                          void* argument) {
    hal::Context* const context = context_storage();
    context->name = name;
    context->entry = entry;
    context->argument = argument;
    getcontext(&context->state);
    context->state.uc_stack.ss_sp = static_cast<uint8_t*>(context->stack) + kGuardBytes;
    context->state.uc_stack.ss_size = kStackBytes;
    context->state.uc_link = nullptr;
    makecontext(&context->state, fibre_main, 0);
    return context;
}

void Machine::Parts::swap(hal::Context* from, hal::Context* to) {
#if defined(__SANITIZE_ADDRESS__)
    const bool to_driver = to == &driver;
    __sanitizer_start_switch_fiber(
        &from->asan_fake_stack, to_driver ? driver.state.uc_stack.ss_sp : to->state.uc_stack.ss_sp,
        to_driver ? driver.state.uc_stack.ss_size : to->state.uc_stack.ss_size);
#endif
    swapcontext(&from->state, &to->state);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(from->asan_fake_stack, nullptr, nullptr);
#endif
}

void Machine::Parts::leave_to_driver() {
    swap(hart().running, &driver);
}

// ---- time and interrupts ----------------------------------------------------------------------

bool Machine::Parts::external_pending(uint32_t hart_index) const {
    if (pending_sources == 0) return false;
    return std::any_of(sources.begin(), sources.end(), [&](const Source& source) {
        return source.pending && source.enabled && !source.in_service && source.hart == hart_index;
    });
}

bool Machine::Parts::interrupt_pending(const Hart& hart_, uint32_t index) const {
    return hart_.kick_pending || hart_.compare_ns <= hart_.clock_ns || external_pending(index);
}

/// When a hart can next do something: now, or at its timer.
uint64_t Machine::Parts::wake_ns(const Hart& hart_) const {
    const auto index = static_cast<uint32_t>(&hart_ - harts.data());
    if (!hart_.waiting || interrupt_pending(hart_, index)) return hart_.clock_ns;
    return hart_.compare_ns;
}

void Machine::Parts::run_due_callbacks(uint64_t now_ns) {
    if (running_callback) return;
    running_callback = true;
    while (next_callback_ns() <= now_ns) {
        auto run = callbacks.top().run;
        const uint64_t time_ns = callbacks.top().time_ns;
        callbacks.pop();
        callback_time_ns = time_ns;
        run();
    }
    running_callback = false;
}

void Machine::Parts::deliver_interrupts() {
    while (hart().irq_on && hart().locks_held == 0 && interrupt_pending(hart(), current)) {
        const hal::Mode interrupted = hart().mode;
        hart().irq_on = false;
        if (hart().compare_ns <= hart().clock_ns) {
            if (!traps.timer) throw Panic(__FILE__, __LINE__, "no timer handler", 0, 0);
            const uint64_t before = hart().compare_ns;
            traps.timer();
            if (hart().compare_ns == before) {
                throw Panic(__FILE__, __LINE__, "timer handler left mtimecmp as it was", before, 0);
            }
        } else if (external_pending(current)) {
            if (!traps.external) throw Panic(__FILE__, __LINE__, "no external handler", 0, 0);
            traps.external();
            if (external_pending(current)) {
                throw Panic(__FILE__, __LINE__, "external handler left a source unclaimed", 0, 0);
            }
        } else {
            hart().kick_pending = false;
            if (traps.kick) traps.kick();
        }
        hart().irq_on = true;
        if (interrupted != hal::Mode::Kernel && traps.after_interrupt) {
            traps.after_interrupt(interrupted);
        }
    }
}

void Machine::Parts::sync_point() {
    if (hart().locks_held != 0 || running_callback) return;
    run_due_callbacks(hart().clock_ns);
    deliver_interrupts();
    if (!in_fibre) return;
    uint64_t slowest_ns = kNever;
    for (uint32_t i = 0; i < harts.size(); ++i) {
        if (i != current) slowest_ns = std::min(slowest_ns, wake_ns(harts[i]));
    }
    if (condition) slowest_ns = std::min(slowest_ns, resumed_at_ns);
    const bool leads = slowest_ns != kNever && hart().clock_ns > slowest_ns + config.quantum_ns;
    if (leads || hart().clock_ns > limit_ns) {
        leave_to_driver();
        deliver_interrupts();
    }
}

Ending Machine::Parts::drive() {
    while (true) {
        if (powered_off) return Ending::PoweredOff;
        if (condition && condition()) return Ending::ConditionMet;
        uint32_t best = 0;
        for (uint32_t i = 1; i < harts.size(); ++i) {
            if (wake_ns(harts[i]) < wake_ns(harts[best])) best = i;
        }
        const uint64_t hart_ns = wake_ns(harts[best]);
        const uint64_t callback_ns = next_callback_ns();
        if (hart_ns == kNever && callback_ns == kNever) return Ending::Stuck;
        if (std::min(hart_ns, callback_ns) > limit_ns) {
            for (Hart& hart_ : harts) {
                if (hart_.waiting) hart_.clock_ns = std::max(hart_.clock_ns, limit_ns);
            }
            return Ending::TimeLimit;
        }
        if (callback_ns <= hart_ns) {
            run_due_callbacks(callback_ns);
            continue;
        }
        current = best;
        hart().clock_ns = std::max(hart().clock_ns, hart_ns);
        resumed_at_ns = hart().clock_ns;
        in_fibre = true;
        swap(&driver, hart().running);
        in_fibre = false;
        if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
    }
}

/// AddressSanitizer must know the bounds of the stack that a fibre switches back to.
void Machine::Parts::learn_driver_stack() {
#if defined(__SANITIZE_ADDRESS__)
    // The driver's stack bounds are learnt by the runtime when a fibre first switches back.
    getcontext(&driver.state);
    driver.state.uc_stack.ss_sp = nullptr;
    driver.state.uc_stack.ss_size = 0;
    {
        pthread_attr_t attributes;
        pthread_getattr_np(pthread_self(), &attributes);
        pthread_attr_getstack(&attributes, &driver.state.uc_stack.ss_sp,
                              &driver.state.uc_stack.ss_size);
        pthread_attr_destroy(&attributes);
    }
#endif
}

}  // namespace weir::fake_hal
