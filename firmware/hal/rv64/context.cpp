// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Contexts on bare RV64: a pool of stacks and the callee-saved registers.
#include "firmware/hal/boot_info.h"
#include "firmware/hal/rv64/hal_rv64.h"
#include "firmware/hal/rv64/machine_map.h"

namespace weir::hal {

namespace {

// Room for 64 programs, 64 flushers and the kernel's own threads.
constexpr uint32_t kContextsMax = 160;
// As a kernel stack of 64-bit Linux; the deepest path is a fault that reclaims and writes.
constexpr uint32_t kStackBytes = 16u << 10;

Context pool[kContextsMax];
alignas(16) unsigned char stacks[kContextsMax][kStackBytes];

extern "C" void weir_rv64_switch(SavedRegisters* from, const SavedRegisters* to);

/// Gives back the context that this hart has just left for ever.
void free_exited() {
    rv64::HartLocal& local = rv64::hart_local();
    if (!local.exited) return;
    __atomic_store_n(&local.exited->used, 0u, __ATOMIC_RELEASE);
    local.exited = nullptr;
}

void first_frame() {
    free_exited();
    const Context& self = *rv64::hart_local().running;
    self.entry(self.argument);
    panic(__FILE__, __LINE__, "a context returned from its entry");
}

}  // namespace

Context* context_current() {
    return rv64::hart_local().running;
}

Context* context_create(const char*, ContextEntry entry, void* argument) {
    for (uint32_t i = 0; i < kContextsMax; ++i) {
        if (__atomic_exchange_n(&pool[i].used, 1u, __ATOMIC_ACQUIRE) != 0) continue;
        Context& context = pool[i];
        context.entry = entry;
        context.argument = argument;
        context.registers.ra = reinterpret_cast<uint64_t>(&first_frame);
        context.registers.sp = reinterpret_cast<uint64_t>(&stacks[i][0]) + kStackBytes;
        return &context;
    }
    return nullptr;
}

void context_switch(Context* from, Context* to) {
    rv64::hart_local().running = to;
    weir_rv64_switch(&from->registers, &to->registers);
    free_exited();
}

void context_exit(Context* to) {
    rv64::HartLocal& local = rv64::hart_local();
    Context* from = local.running;
    local.exited = from;
    local.running = to;
    weir_rv64_switch(&from->registers, &to->registers);
    panic(__FILE__, __LINE__, "an exited context came back");
}

Mode set_mode(Mode mode) {
    rv64::HartLocal& local = rv64::hart_local();
    const Mode before = local.mode;
    local.mode = mode;
    mmio_write64(rv64::kTraceBase + (rv64::kTraceStrideBytes * local.index + rv64::kTraceMode),
                 static_cast<uint64_t>(mode));
    return before;
}

void set_current_task(uint32_t pid) {
    mmio_write64(rv64::kTraceBase + (rv64::kTraceStrideBytes * hart_id() + rv64::kTracePid), pid);
}

}  // namespace weir::hal
