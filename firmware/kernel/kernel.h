// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Start of the kernel layer, and the boot allocator.
// - boot_info(): what the machine said.
// - boot_alloc(): early memory, before the frame allocator takes over what is left.
#pragma once

#include "firmware/hal/boot_info.h"
#include "firmware/hal/types.h"

namespace weir::kernel {

const hal::BootInfo& boot_info();
/// Zeroed memory in RAM that is never given back; panics when RAM is too small to boot.
void* boot_alloc(uint64_t bytes, uint64_t align = 64);
/// First frame that boot_alloc has not used: the frame allocator owns the frames from here on.
hal::Pfn boot_alloc_end();
/// Sets up counters, run queues, timers, traps and the boot task of hart 0.
void init();
/// Joins the scheduler on this hart and idles for ever.
[[noreturn]] void idle_loop();

/// Registers an interrupt handler for a source of the interrupt controller and enables it.
void register_interrupt(uint32_t source, void (*handler)(void* context), void* context);
/// Set by mm: the work of a page fault (hal::TrapHandlers::page_fault), callable before or after
/// init().
void set_page_fault_handler(bool (*handler)(hal::VirtAddr addr, hal::Access access));
/// A deterministic pseudo-random stream seeded from BootInfo (splitmix64).
uint64_t random_u64();

}  // namespace weir::kernel
