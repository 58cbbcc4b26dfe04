// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The hal contract in host mode: each function finds the hart that its caller runs on and calls it.
// A call that synchronises may come back on another hart, so nothing here keeps a hart across one.
#include "firmware/hal/hal.h"
#include "firmware/hal/trace.h"
#include "sc_models/common/check.h"
#include "sc_models/common/units.h"
#include "sc_models/cpu/platform.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace weir::hal {

using cpu::current_hart;
using cpu::Hart;
using cpu::platform;

namespace {

// From the store of the sender to the trap of the receiver: the order of a few hundred ns on real
// machines. Our choice; at 0 a kick could be taken in the delta cycle in which it was sent.
constexpr uint64_t kKickLatencyPs = 300 * kPsPerNs;
constexpr uint32_t kCostedLineBytes = 256;  // the unit of CopyLine and ClearLine

uint64_t ram_offset_of(const void* ptr) {
    return static_cast<uint64_t>(static_cast<const uint8_t*>(ptr) - platform->ram);
}

void charge_if_ram(Hart& hart, const void* ptr, uint32_t bytes, Access access) {
    const uint64_t offset = ram_offset_of(ptr);
    if (offset < platform->ram_bytes && bytes) hart.charge_access(offset, bytes, access);
}

cpu::TraceStamp stamp() {
    return {current_hart->local_ps(), current_hart->id(), current_hart->pid()};
}

uint64_t mmio(tlm::tlm_command command, PhysAddr addr, uint32_t bytes, uint64_t value) {
    current_hart->wait_until_local();
    current_hart->synchronise();
    return current_hart->mmio(command, addr, bytes, value);
}

}  // namespace

// ---- time -------------------------------------------------------------------------------------

void spend(Op op, uint32_t count) {
    current_hart->spend(op, count);
}

void touch(const void* ptr, uint32_t bytes, Access access) {
    const uint64_t offset = ram_offset_of(ptr);
    if (offset >= platform->ram_bytes || bytes == 0) [[unlikely]]
        return;
    current_hart->touch(offset, bytes, access);
}

void copy_bytes(void* dst, const void* src, uint32_t bytes) {
    Hart& hart = *current_hart;
    charge_if_ram(hart, src, bytes, Access::Read);
    charge_if_ram(hart, dst, bytes, Access::Write);
    std::memcpy(dst, src, bytes);
    hart.spend(Op::CopyLine, (bytes + kCostedLineBytes - 1) / kCostedLineBytes);
}

void clear_bytes(void* dst, uint32_t bytes) {
    Hart& hart = *current_hart;
    charge_if_ram(hart, dst, bytes, Access::Write);
    std::memset(dst, 0, bytes);
    hart.spend(Op::ClearLine, (bytes + kCostedLineBytes - 1) / kCostedLineBytes);
}

uint64_t now_ns() {
    return current_hart->local_ps() / kPsPerNs;
}

// ---- RAM and devices --------------------------------------------------------------------------

void* ram_ptr(PhysAddr addr) {
    const uint64_t offset = addr.value - platform->ram_base.value;
    WEIR_CHECK(offset < platform->ram_bytes, *current_hart, "address outside RAM (address, pid)",
               addr.value, current_hart->pid());
    return platform->ram + offset;
}

PhysAddr ram_addr(const void* ptr) {
    const uint64_t offset = ram_offset_of(ptr);
    WEIR_CHECK(offset < platform->ram_bytes, *current_hart, "pointer outside RAM (offset, pid)",
               offset, current_hart->pid());
    return platform->ram_base + offset;
}

uint32_t mmio_read32(PhysAddr addr) {
    return static_cast<uint32_t>(mmio(tlm::TLM_READ_COMMAND, addr, 4, 0));
}
uint64_t mmio_read64(PhysAddr addr) {
    return mmio(tlm::TLM_READ_COMMAND, addr, 8, 0);
}
void mmio_write32(PhysAddr addr, uint32_t value) {
    mmio(tlm::TLM_WRITE_COMMAND, addr, 4, value);
}
void mmio_write64(PhysAddr addr, uint64_t value) {
    mmio(tlm::TLM_WRITE_COMMAND, addr, 8, value);
}

// ---- interrupts -------------------------------------------------------------------------------

void set_trap_handlers(const TrapHandlers& handlers) {
    platform->handlers = handlers;
}
bool irq_save() {
    return current_hart->disable_interrupts();
}
void irq_restore(bool were_enabled) {
    current_hart->restore_interrupts(were_enabled);
}
void wait_for_interrupt() {
    current_hart->wait_for_interrupt();
}

// ---- harts and contexts -----------------------------------------------------------------------

uint32_t hart_id() {
    return current_hart->id();
}
uint32_t hart_count() {
    return static_cast<uint32_t>(platform->harts.size());
}

void kick(uint32_t hart) {
    WEIR_CHECK(hart < platform->harts.size(), *current_hart, "kick of a hart that is not there",
               hart, platform->harts.size());
    const uint64_t ahead_ps = current_hart->local_ps() - simulator_now_ps();
    platform->harts[hart]->raise_kick(ahead_ps + kKickLatencyPs);
}

Context* context_current() {
    return current_hart->current_context();
}

Context* context_create(const char* name, ContextEntry entry, void* argument) {
    return cpu::create_context(name, entry, argument);
}

void context_switch(Context* from, Context* to) {
    current_hart->switch_context(*from, *to);
}
void context_exit(Context* to) {
    current_hart->exit_context(*to);
}
Mode set_mode(Mode mode) {
    return current_hart->set_mode(mode);
}
void set_current_task(uint32_t pid) {
    current_hart->set_pid(pid);
}

// ---- user memory ------------------------------------------------------------------------------

void set_translation_root(Pfn root, uint16_t asid) {
    current_hart->set_translation_root(root, asid);
}

void tlb_flush_page(VirtAddr addr, uint16_t asid) {
    for (Hart* hart : platform->harts) hart->flush_page(addr, asid);
}

void tlb_flush_asid(uint16_t asid) {
    for (Hart* hart : platform->harts) hart->flush_asid(asid);
}

void* user_span(VirtAddr addr, uint32_t bytes, Access access) {
    WEIR_CHECK((addr.value & (kPageBytes - 1)) + bytes <= kPageBytes, *current_hart,
               "a user access crosses a page (address, bytes)", addr.value, bytes);
    for (;;) {
        // Synchronise first: what is returned must hold until the next synchronisation point.
        current_hart->sync_if_due();
        Hart& hart = *current_hart;
        const Hart::Translation found = hart.translate(addr, access);
        if (found.ok) [[likely]] {
            if (bytes) hart.charge_access(found.ram_offset, bytes, access);
            hart.note_user_span();
            return platform->ram + found.ram_offset;
        }
        hart.note_page_fault();
        const bool were_enabled = hart.disable_interrupts();
        const bool retry =
            platform->handlers.page_fault && platform->handlers.page_fault(addr, access);
        current_hart->restore_interrupts(were_enabled);
        if (!retry) return nullptr;
    }
}

// ---- locks ------------------------------------------------------------------------------------

void lock_acquire(LockWord& lock) {
    current_hart->acquire(lock);
}
void lock_release(LockWord& lock) {
    current_hart->release(lock);
}

// ---- the end ----------------------------------------------------------------------------------

void panic(const char* file, uint32_t line, const char* what, uint64_t a, uint64_t b) {
    const Hart& hart = *current_hart;
    char values[80];
    std::snprintf(values, sizeof values,
                  " (a=%" PRIu64 " 0x%" PRIx64 ", b=%" PRIu64 " 0x%" PRIx64 ")", a, a, b, b);
    cpu::FirmwareEnd& end = platform->end;
    if (!end.panicked && !end.powered_off) {
        end.panicked = true;
        end.time_ps = hart.local_ps();
        end.message = std::string(hart.name()) + ": kernel panic: " + what + values + " at " +
                      file + ":" + std::to_string(line) + ", " + time_text(hart.local_ps()) +
                      ", task " + platform->trace->task_name(hart.pid());
    }
    stop_and_park();
}

void power_off(uint32_t exit_code) {
    current_hart->wait_until_local();
    cpu::FirmwareEnd& end = platform->end;
    if (!end.panicked && !end.powered_off) {
        end.powered_off = true;
        end.exit_code = exit_code;
        end.time_ps = current_hart->local_ps();
    }
    stop_and_park();
}

// ---- the trace port ---------------------------------------------------------------------------

void trace(Event event, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
           uint64_t a5) {
    const uint64_t args[6] = {a0, a1, a2, a3, a4, a5};
    platform->trace->event(stamp(), event, args);
}

void gauge(Gauge id, uint32_t index, uint64_t value) {
    platform->trace->gauge(stamp(), id, index, value);
}

void export_counters(const uint64_t* counters, uint32_t count) {
    platform->trace->export_counters(counters, count);
}

}  // namespace weir::hal
