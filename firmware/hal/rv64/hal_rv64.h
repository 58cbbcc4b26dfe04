// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Insides of the bare-metal hal, shared by its source files and start.S.
#pragma once

#include "firmware/hal/hal.h"

#include <cstddef>
#include <cstdint>

namespace weir::hal {

/// Registers that a function call preserves, in the order of weir_rv64_switch.
struct SavedRegisters {
    uint64_t ra;
    uint64_t sp;
    uint64_t s[12];
};
static_assert(offsetof(SavedRegisters, s) == 16);

struct Context {
    SavedRegisters registers;
    ContextEntry entry;
    void* argument;
    uint32_t used;  // 0: free; taken by an atomic exchange
};

namespace rv64 {

/// One a hart; tp points to it.
struct HartLocal {
    uint32_t index;
    Mode mode;
    Context boot;
    Context* running;
    Context* exited;  // left for ever, to be freed by whoever runs next
    Pfn root;
};

inline HartLocal& hart_local() {
    HartLocal* local;
    // Volatile: a task may come back from a switch on another hart.
    asm volatile("mv %0, tp" : "=r"(local));
    return *local;
}

extern TrapHandlers trap_handlers;

}  // namespace rv64

}  // namespace weir::hal
