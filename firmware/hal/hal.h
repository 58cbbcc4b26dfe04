// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The contract between the kernel and the machine under it. Three implementations, chosen at link
// time: sc_models/cpu (host mode, SystemC), firmware/hal/rv64 (bare metal), testbenches/unit
// (a fake for unit tests).
//
// Rules of host mode, which kernel code must be written for:
// - A hart runs ahead of simulated time by at most a quantum. spend(), touch(), copy_bytes(),
//   clear_bytes(), user_span(), MMIO and wait_for_interrupt() are *synchronisation points*: other
//   harts and, where enabled, interrupts may run there. irq_restore() and lock_release() are none:
//   an interrupt that is pending is taken at the next point.
// - While a LockWord is held nothing else runs at a synchronisation point, except at MMIO. Code
//   under a lock is therefore atomic if it does no MMIO and takes no second lock under which MMIO
//   is done (other harts run while it waits for that one). Code outside a lock is not.
// - A lock that became free later than this hart's clock advances this hart's clock: harts contend
//   in simulated time.
#pragma once

#include "firmware/hal/op.h"
#include "firmware/hal/types.h"

namespace weir::hal {

// ---- time -------------------------------------------------------------------------------------

/// Charges CPU work of one kind. A synchronisation point.
void spend(Op op, uint32_t count = 1);
/// Runs a kernel access to modelled DRAM through cache and SDRAM timing (no translation: the kernel
/// map is linear). Does not move bytes. Ignored for host addresses outside RAM.
void touch(const void* ptr, uint32_t bytes, Access access);
/// Moves bytes inside modelled DRAM and charges cache, SDRAM and CopyLine for them. The bytes move
/// at once; the synchronisation point comes after them.
void copy_bytes(void* dst, const void* src, uint32_t bytes);
/// Zeroes bytes inside modelled DRAM and charges cache, SDRAM and ClearLine for them; a
/// synchronisation point after them, like copy_bytes().
void clear_bytes(void* dst, uint32_t bytes);
/// This hart's clock.
uint64_t now_ns();

// ---- RAM and devices --------------------------------------------------------------------------

/// Where the kernel's linear map shows a physical address of RAM.
void* ram_ptr(PhysAddr addr);
PhysAddr ram_addr(const void* ptr);
uint32_t mmio_read32(PhysAddr addr);
uint64_t mmio_read64(PhysAddr addr);
void mmio_write32(PhysAddr addr, uint32_t value);
void mmio_write64(PhysAddr addr, uint64_t value);

// ---- interrupts -------------------------------------------------------------------------------

/// What the kernel does on a trap. Called on the interrupted task's stack, interrupts disabled.
struct TrapHandlers {
    void (*timer)() = nullptr;
    void (*external)() = nullptr;
    void (*kick)() = nullptr;
    /// Called with interrupts enabled after one of the three above, when the interrupted code was
    /// user code or an idle loop: the place where a preemptible task may be switched away.
    void (*after_interrupt)(Mode interrupted) = nullptr;
    /// True if the access may be retried, false if the address is bad (user_span then returns
    /// null).
    bool (*page_fault)(VirtAddr addr, Access access) = nullptr;
};
void set_trap_handlers(const TrapHandlers& handlers);
/// Disables interrupts on this hart; returns whether they were enabled.
bool irq_save();
void irq_restore(bool were_enabled);
/// Sleeps until an interrupt is pending on this hart, then takes it (interrupts must be enabled).
void wait_for_interrupt();

// ---- harts and contexts -----------------------------------------------------------------------

struct Context;
using ContextEntry = void (*)(void* argument);

uint32_t hart_id();
uint32_t hart_count();
/// Raises an inter-hart interrupt.
void kick(uint32_t hart);
/// The context that is running: at boot, the hart's own.
Context* context_current();
Context* context_create(const char* name, ContextEntry entry, void* argument);
/// Leaves `from` (the running context) and runs `to` on this hart; returns when switched back to,
/// perhaps on another hart.
void context_switch(Context* from, Context* to);
/// Leaves the running context for ever.
[[noreturn]] void context_exit(Context* to);
/// Says whose work this hart's time is (for accounting, traces and preemption).
Mode set_mode(Mode mode);
void set_current_task(uint32_t pid);

// ---- user memory ------------------------------------------------------------------------------

/// Selects the Sv39 root page table that user addresses go through. kNoPfn: none.
void set_translation_root(Pfn root, uint16_t asid);
void tlb_flush_page(VirtAddr addr, uint16_t asid);
void tlb_flush_asid(uint16_t asid);
/// Translates a user access inside one page as the hart's MMU would: TLB, walk, accessed and dirty
/// bits, page fault into the kernel. Charges translation, cache and SDRAM time for `bytes`.
/// Returns where the bytes are, valid until the next synchronisation point; null on a bad address.
void* user_span(VirtAddr addr, uint32_t bytes, Access access);

// ---- locks ------------------------------------------------------------------------------------

/// How a lock makes harts meet in simulated time (host mode only).
enum class LockOrder : uint8_t {
    Causal,   // taking it moves this hart's clock to where it last became free
    Overlap,  // so too, unless this hart's clock is before the whole last holding: for data locks
              // so hot that harts which run ahead by a quantum would drag each other along
};

/// A spin lock's storage. holder is hart + 1 while held.
struct LockWord {
    uint64_t free_at_ps = 0;
    uint32_t holder = 0;
    uint32_t contended_count = 0;
    uint64_t taken_at_ps = 0;
    LockOrder order = LockOrder::Causal;
};
void lock_acquire(LockWord& lock);
void lock_release(LockWord& lock);

// ---- the end ----------------------------------------------------------------------------------

/// Stops the machine because an invariant of the kernel is broken.
[[noreturn]] void panic(const char* file, uint32_t line, const char* what, uint64_t a = 0,
                        uint64_t b = 0);
/// Stops the machine because the workload has ended.
void power_off(uint32_t exit_code);

}  // namespace weir::hal

/// Checks an invariant of the kernel. a and b are shown beside the message.
#define WEIR_ASSERT(cond, what, a, b)                                              \
    do {                                                                           \
        if (!(cond)) [[unlikely]]                                                  \
            ::weir::hal::panic(__FILE__, __LINE__, what, static_cast<uint64_t>(a), \
                               static_cast<uint64_t>(b));                          \
    } while (false)
