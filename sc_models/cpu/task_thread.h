// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A firmware context: a stack and a program counter of its own, held by a SystemC thread.
// - create() spawns the thread; it starts when a hart first switches to it.
// - resume() makes it runnable in this delta; suspend() parks the calling one until then.
// A context that has exited stays parked: its stack is given back when the simulator ends.
#pragma once

#include "firmware/hal/hal.h"

#include <systemc>

#include <string>

namespace weir::cpu {
class Hart;
}

namespace weir::hal {

struct Context {
    std::string name;
    ContextEntry entry = nullptr;
    void* argument = nullptr;
    cpu::Hart* hart = nullptr;        // where it runs; null while it does not
    uint64_t left_at_ps = 0;          // hart clock when it was last switched away from
    bool in_after_interrupt = false;  // its stack holds a call of after_interrupt
    sc_core::sc_event resumed;
};

}  // namespace weir::hal

namespace weir::cpu {

// Firmware uses little of its stack, but SystemC, the models and, in tests, sanitizers run on it
// too. Our choice: smaller risks an overflow that nothing reports, larger costs address space per
// task.
inline constexpr int kContextStackBytes = 256 * 1024;

/// The context is owned by the simulation and never freed.
hal::Context* create_context(const std::string& name, hal::ContextEntry entry, void* argument);
/// Makes a parked context runnable on a hart, in this delta cycle.
void resume_context(hal::Context& context, Hart& hart);
/// Parks the running context until resume_context(); afterwards its hart is the current one.
void suspend_context(hal::Context& context);

}  // namespace weir::cpu
