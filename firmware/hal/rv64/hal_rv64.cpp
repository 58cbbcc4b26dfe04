// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// firmware/hal/hal.h on bare RV64, machine mode: time, RAM, devices, interrupts, locks, the end.
// spend() and touch() do nothing: instructions and accesses cost what they cost.
// Contexts are in context.cpp, user memory in user_memory.cpp, the trace port in trace_port.cpp.
// Leaves out: floating point (off; its use traps), privilege separation (programs run in machine
// mode and reach user memory through user_span only).
#include "firmware/hal/rv64/hal_rv64.h"

#include "firmware/boot/boot.h"
#include "firmware/hal/boot_info.h"
#include "firmware/hal/rv64/machine_map.h"

extern "C" char __image_end[];
extern "C" void (*__init_array_start[])();
extern "C" void (*__init_array_end[])();

namespace weir::hal {

namespace rv64 {

TrapHandlers trap_handlers;

namespace {

constexpr uint64_t kMstatusMie = 1u << 3;
constexpr uint64_t kMieSoftware = 1u << 3;
constexpr uint64_t kMieTimer = 1u << 7;
constexpr uint64_t kMieExternal = 1u << 11;
constexpr uint64_t kCauseInterrupt = 1ull << 63;
constexpr uint64_t kCauseSoftware = kCauseInterrupt | 3;
constexpr uint64_t kCauseTimer = kCauseInterrupt | 7;
constexpr uint64_t kCauseExternal = kCauseInterrupt | 11;

HartLocal hart_locals[kMaxHarts];

const BootInfo& boot_info() {
    return *static_cast<const BootInfo*>(ram_ptr(kBootInfoAddr));
}

void set_msip(uint32_t hart, uint32_t value) {
    mmio_write32(kTimerBase + 4ull * hart, value);
}

[[noreturn]] void halt() {
    while (true) asm volatile("wfi");
}

void check_image() {
    const uint64_t image_end = reinterpret_cast<uint64_t>(&__image_end[0]);
    constexpr uint64_t kImageBase = 0x8001'0000;
    WEIR_ASSERT(image_end - kImageBase <= boot_info().kernel_reserved_bytes,
                "kernel_reserved_bytes is smaller than the kernel's image",
                boot_info().kernel_reserved_bytes, image_end - kImageBase);
}

}  // namespace

/// Called by start.S on every hart, on its boot stack.
extern "C" void weir_rv64_hart_main(uint64_t hart_index) {
    if (hart_index >= boot_info().hart_count || hart_index >= kMaxHarts) halt();
    HartLocal& local = hart_locals[hart_index];
    local.index = static_cast<uint32_t>(hart_index);
    local.mode = Mode::Kernel;
    local.running = &local.boot;
    local.root = kNoPfn;
    asm volatile("mv tp, %0" : : "r"(&local));
    if (hart_index == 0) {
        check_image();
        for (auto* run = __init_array_start; run != __init_array_end; ++run) (*run)();
    }
    asm volatile("csrs mie, %0" : : "r"(kMieSoftware | kMieTimer | kMieExternal));
    weir_firmware_main();
}

/// Called by the trap vector with interrupts off, on the interrupted stack.
extern "C" void weir_rv64_trap(uint64_t cause, uint64_t value, uint64_t pc) {
    const Mode interrupted = hart_local().mode;
    void (*handler)() = nullptr;
    switch (cause) {
        case kCauseTimer:
            handler = trap_handlers.timer;
            break;
        case kCauseExternal:
            handler = trap_handlers.external;
            break;
        case kCauseSoftware:
            set_msip(hart_local().index, 0);
            // What the handler reads must not be read before the kick is taken back: the hart that
            // writes next would find its kick swallowed and its news unseen.
            asm volatile("fence o, rw" ::: "memory");
            handler = trap_handlers.kick;
            break;
        default:
            panic(__FILE__, __LINE__, "unexpected exception: pc, value", pc, value);
    }
    if (handler) handler();
    if (interrupted == Mode::Kernel || !trap_handlers.after_interrupt) return;
    irq_restore(true);
    trap_handlers.after_interrupt(interrupted);
    irq_save();
}

}  // namespace rv64

// ---- time -------------------------------------------------------------------------------------

void spend(Op, uint32_t) {}
void touch(const void*, uint32_t, Access) {}
void copy_bytes(void* dst, const void* src, uint32_t bytes) {
    __builtin_memcpy(dst, src, bytes);
}
void clear_bytes(void* dst, uint32_t bytes) {
    __builtin_memset(dst, 0, bytes);
}
uint64_t now_ns() {
    return mmio_read64(kTimerBase + kTimerNowOffset);
}

// ---- RAM and devices --------------------------------------------------------------------------

void* ram_ptr(PhysAddr addr) {
    return reinterpret_cast<void*>(addr.value);
}
PhysAddr ram_addr(const void* ptr) {
    return PhysAddr{reinterpret_cast<uint64_t>(ptr)};
}

uint32_t mmio_read32(PhysAddr addr) {
    const uint32_t value = *reinterpret_cast<const volatile uint32_t*>(addr.value);
    asm volatile("fence i, rw" ::: "memory");
    return value;
}
uint64_t mmio_read64(PhysAddr addr) {
    const uint64_t value = *reinterpret_cast<const volatile uint64_t*>(addr.value);
    asm volatile("fence i, rw" ::: "memory");
    return value;
}
void mmio_write32(PhysAddr addr, uint32_t value) {
    asm volatile("fence rw, o" ::: "memory");
    *reinterpret_cast<volatile uint32_t*>(addr.value) = value;
}
void mmio_write64(PhysAddr addr, uint64_t value) {
    asm volatile("fence rw, o" ::: "memory");
    *reinterpret_cast<volatile uint64_t*>(addr.value) = value;
}

// ---- interrupts -------------------------------------------------------------------------------

void set_trap_handlers(const TrapHandlers& handlers) {
    rv64::trap_handlers = handlers;
}

bool irq_save() {
    uint64_t before;
    asm volatile("csrrci %0, mstatus, 8" : "=r"(before) : : "memory");
    return (before & rv64::kMstatusMie) != 0;
}

void irq_restore(bool were_enabled) {
    if (were_enabled) {
        asm volatile("csrsi mstatus, 8" ::: "memory");
    } else {
        asm volatile("csrci mstatus, 8" ::: "memory");
    }
}

void wait_for_interrupt() {
    asm volatile("wfi" ::: "memory");
}

// ---- harts ------------------------------------------------------------------------------------

uint32_t hart_id() {
    return rv64::hart_local().index;
}
uint32_t hart_count() {
    return rv64::boot_info().hart_count;
}
void kick(uint32_t hart) {
    rv64::set_msip(hart, 1);
}

// ---- locks ------------------------------------------------------------------------------------

// Acquire and release order memory only; the fences put device accesses in order too, so that a
// doorbell rung under a lock is rung before those of the next holder.

void lock_acquire(LockWord& lock) {
    const uint32_t self = hart_id() + 1;
    uint32_t expected = 0;
    if (__atomic_compare_exchange_n(&lock.holder, &expected, self, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED)) {
        asm volatile("fence r, io" ::: "memory");
        return;
    }
    WEIR_ASSERT(expected != self, "a lock is taken twice by one hart", self - 1, 0);
    do {
        while (__atomic_load_n(&lock.holder, __ATOMIC_RELAXED) != 0) {
        }
        expected = 0;
    } while (!__atomic_compare_exchange_n(&lock.holder, &expected, self, false, __ATOMIC_ACQUIRE,
                                          __ATOMIC_RELAXED));
    asm volatile("fence r, io" ::: "memory");
    ++lock.contended_count;
}

void lock_release(LockWord& lock) {
    asm volatile("fence io, w" ::: "memory");
    __atomic_store_n(&lock.holder, 0u, __ATOMIC_RELEASE);
}

// ---- the end ----------------------------------------------------------------------------------

void panic(const char* file, uint32_t line, const char* what, uint64_t a, uint64_t b) {
    using namespace rv64;
    irq_save();
    mmio_write64(kFinisherBase + kFinishFile, reinterpret_cast<uint64_t>(file));
    mmio_write64(kFinisherBase + kFinishLine, line);
    mmio_write64(kFinisherBase + kFinishWhat, reinterpret_cast<uint64_t>(what));
    mmio_write64(kFinisherBase + kFinishA, a);
    mmio_write64(kFinisherBase + kFinishB, b);
    mmio_write64(kFinisherBase + kFinishCommand, kFinishPanic);
    halt();
}

void power_off(uint32_t exit_code) {
    using namespace rv64;
    const uint64_t command = exit_code == 0 ? kFinishPass : kFinishFail | uint64_t{exit_code} << 32;
    mmio_write64(kFinisherBase + kFinishCommand, command);
}

}  // namespace weir::hal
