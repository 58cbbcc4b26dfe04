// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The functions of firmware/hal/hal.h and trace.h on the fake machine.
#include "testbenches/unit/fake_hal/fake_hal.h"
#include "testbenches/unit/fake_hal/machine_parts.h"

#include <cstring>

using weir::fake_hal::Hart;
using weir::fake_hal::kNever;
using weir::fake_hal::kSourceCount;
using weir::fake_hal::Machine;
using weir::fake_hal::Panic;
using weir::fake_hal::Source;

namespace {

Machine::Parts& parts() {
    return weir::fake_hal::machine().parts();
}

// Sv39 page-table entry.
constexpr uint64_t kPteValid = 1u << 0;
constexpr uint64_t kPteRead = 1u << 1;
constexpr uint64_t kPteWrite = 1u << 2;
constexpr uint64_t kPteExecute = 1u << 3;
constexpr uint64_t kPteUser = 1u << 4;
constexpr uint64_t kPteAccessed = 1u << 6;
constexpr uint64_t kPteDirty = 1u << 7;
constexpr uint32_t kPtePpnShift = 10;
constexpr uint64_t kPtePpnMask = (1ull << 44) - 1;
constexpr uint32_t kFaultRetriesMax = 1000;

/// One hardware walk. Returns where the byte is, or null for a page fault.
void* walk(uint64_t addr, weir::hal::Access access) {
    weir::hal::Pfn root = parts().hart().root;
    if (root == weir::hal::kNoPfn || addr >> 38 != 0) return nullptr;
    weir::hal::PhysAddr table = weir::hal::addr_of(root);
    for (int level = 2; level >= 0; --level) {
        const uint64_t index = addr >> (12 + 9 * level) & 511;
        auto* pte = static_cast<uint64_t*>(weir::hal::ram_ptr(table + 8 * index));
        if (!(*pte & kPteValid)) return nullptr;
        const uint64_t ppn = *pte >> kPtePpnShift & kPtePpnMask;
        if (!(*pte & (kPteRead | kPteWrite | kPteExecute))) {
            table = weir::hal::PhysAddr{ppn << 12};
            continue;
        }
        const bool write = access == weir::hal::Access::Write;
        if (!(*pte & kPteUser) || !(*pte & (write ? kPteWrite : kPteRead))) return nullptr;
        *pte |= kPteAccessed | (write ? kPteDirty : 0);
        const uint64_t offset_mask = (1ull << (12 + 9 * level)) - 1;
        return weir::hal::ram_ptr(weir::hal::PhysAddr{(ppn << 12) + (addr & offset_mask)});
    }
    return nullptr;
}

}  // namespace

namespace weir::hal {

// ---- time -------------------------------------------------------------------------------------

void spend(Op op, uint32_t count) {
    const auto index = static_cast<uint32_t>(op);
    parts().op_counts[index] += count;
    parts().hart().clock_ns += uint64_t{parts().op_cost_ns[index]} * count;
    parts().sync_point();
}

void touch(const void*, uint32_t, Access) {
    parts().sync_point();
}

void copy_bytes(void* dst, const void* src, uint32_t bytes) {
    std::memcpy(dst, src, bytes);
    spend(Op::CopyLine, (bytes + 255) / 256);
}

void clear_bytes(void* dst, uint32_t bytes) {
    std::memset(dst, 0, bytes);
    spend(Op::ClearLine, (bytes + 255) / 256);
}

uint64_t now_ns() {
    return parts().hart().clock_ns;
}

// ---- RAM and devices --------------------------------------------------------------------------

void* ram_ptr(PhysAddr addr) {
    const uint64_t offset = addr.value - kRamBase.value;
    if (addr.value < kRamBase.value || offset > parts().config.ram_bytes) {
        throw Panic(__FILE__, __LINE__, "ram_ptr outside RAM", addr.value, 0);
    }
    return parts().ram + offset;
}

PhysAddr ram_addr(const void* ptr) {
    const auto* byte = static_cast<const uint8_t*>(ptr);
    if (byte < parts().ram || byte > parts().ram + parts().config.ram_bytes) {
        throw Panic(__FILE__, __LINE__, "ram_addr of a pointer outside RAM",
                    reinterpret_cast<uintptr_t>(ptr), 0);
    }
    return kRamBase + static_cast<uint64_t>(byte - parts().ram);
}

}  // namespace weir::hal

namespace weir::fake_hal {

uint64_t Machine::Parts::mmio_read(hal::PhysAddr addr, uint32_t bytes) {
    hart().clock_ns += config.mmio_cost_ns;
    sync_point();
    if (addr == hal::kTimerBase + hal::kTimerNowOffset) return hart().clock_ns;
    const uint64_t claim_base = hal::kIntcBase.value + hal::kIntcClaimOffset;
    if (addr.value >= claim_base && addr.value < claim_base + 8 * harts.size()) {
        const auto hart_index = static_cast<uint32_t>((addr.value - claim_base) / 8);
        for (uint32_t i = 1; i < kSourceCount; ++i) {
            Source& source = sources[i];
            if (!source.pending || !source.enabled || source.in_service) continue;
            if (source.hart != hart_index) continue;
            source.pending = false;
            --pending_sources;
            source.in_service = true;
            return i;
        }
        return 0;
    }
    auto found = devices.upper_bound(addr.value);
    if (found != devices.begin()) {
        --found;
        const uint64_t offset = addr.value - found->first;
        if (offset < found->second.bytes) return found->second.device->read(offset, bytes);
    }
    throw Panic(__FILE__, __LINE__, "MMIO read of an address with no device", addr.value, bytes);
}

void Machine::Parts::mmio_write(hal::PhysAddr addr, uint64_t value, uint32_t bytes) {
    hart().clock_ns += config.mmio_cost_ns;
    sync_point();
    const uint64_t compare_base = hal::kTimerBase.value + hal::kTimerCompareOffset;
    if (addr.value >= compare_base && addr.value < compare_base + 8 * harts.size()) {
        harts[(addr.value - compare_base) / 8].compare_ns = value;
        return;
    }
    const uint64_t claim_base = hal::kIntcBase.value + hal::kIntcClaimOffset;
    if (addr.value >= claim_base && addr.value < claim_base + 8 * harts.size()) {
        if (value == 0 || value >= kSourceCount || !sources[value].in_service) {
            throw Panic(__FILE__, __LINE__, "completing a source that is not claimed", value, 0);
        }
        sources[value].in_service = false;
        return;
    }
    const uint64_t enable_base = hal::kIntcBase.value + hal::kIntcEnableOffset;
    if (addr.value >= enable_base && addr.value < enable_base + 4 * kSourceCount) {
        sources[(addr.value - enable_base) / 4].enabled = (value & 1) != 0;
        return;
    }
    auto found = devices.upper_bound(addr.value);
    if (found != devices.begin()) {
        --found;
        const uint64_t offset = addr.value - found->first;
        if (offset < found->second.bytes) {
            found->second.device->write(offset, value, bytes);
            return;
        }
    }
    throw Panic(__FILE__, __LINE__, "MMIO write to an address with no device", addr.value, value);
}

}  // namespace weir::fake_hal

namespace weir::hal {

uint32_t mmio_read32(PhysAddr addr) {
    return static_cast<uint32_t>(parts().mmio_read(addr, 4));
}
uint64_t mmio_read64(PhysAddr addr) {
    return parts().mmio_read(addr, 8);
}
void mmio_write32(PhysAddr addr, uint32_t value) {
    parts().mmio_write(addr, value, 4);
}
void mmio_write64(PhysAddr addr, uint64_t value) {
    parts().mmio_write(addr, value, 8);
}

// ---- interrupts -------------------------------------------------------------------------------

void set_trap_handlers(const TrapHandlers& handlers) {
    parts().traps = handlers;
}

bool irq_save() {
    const bool was_on = parts().hart().irq_on;
    parts().hart().irq_on = false;
    return was_on;
}

void irq_restore(bool were_enabled) {
    parts().hart().irq_on = were_enabled;
}

void wait_for_interrupt() {
    Hart& hart = parts().hart();
    if (hart.locks_held) throw Panic(__FILE__, __LINE__, "waiting with a lock held", 0, 0);
    if (!hart.irq_on) throw Panic(__FILE__, __LINE__, "waiting with interrupts off", 0, 0);
    parts().run_due_callbacks(hart.clock_ns);
    if (!parts().interrupt_pending(hart, parts().current)) {
        if (parts().in_fibre) {
            hart.waiting = true;
            parts().leave_to_driver();
            hart.waiting = false;
        } else {
            const uint64_t next_ns = std::min(parts().next_callback_ns(), hart.compare_ns);
            if (next_ns == kNever) throw Panic(__FILE__, __LINE__, "waiting for ever", 0, 0);
            hart.clock_ns = std::max(hart.clock_ns, next_ns);
        }
    }
    parts().sync_point();
}

// ---- harts and contexts -----------------------------------------------------------------------

uint32_t hart_id() {
    return parts().current;
}
uint32_t hart_count() {
    return static_cast<uint32_t>(parts().harts.size());
}

void kick(uint32_t hart) {
    Hart& target = parts().harts.at(hart);
    target.kick_pending = true;
    ++parts().kicks;
    // A sleeping hart wakes no earlier than the kick was sent.
    if (target.waiting) target.clock_ns = std::max(target.clock_ns, parts().hart().clock_ns);
}

Context* context_current() {
    return parts().hart().running;
}

Context* context_create(const char* name, ContextEntry entry, void* argument) {
    return parts().new_context(name, entry, argument);
}

void context_switch(Context* from, Context* to) {
    Hart& hart = parts().hart();
    if (hart.locks_held) throw Panic(__FILE__, __LINE__, "switching with a lock held", 0, 0);
    if (!parts().in_fibre) {
        throw Panic(__FILE__, __LINE__, "the test body itself cannot sleep: use a task", 0, 0);
    }
    if (hart.running != from) throw Panic(__FILE__, __LINE__, "switching from a stranger", 0, 0);
    hart.running = to;
    parts().swap(from, to);
}

void context_exit(Context* to) {
    Context* from = parts().hart().running;
    if (parts().hart().locks_held) throw Panic(__FILE__, __LINE__, "exit with a lock held", 0, 0);
    parts().hart().running = to;
    parts().exited.push_back(from);
    parts().swap(from, to);
    std::abort();  // nobody switches back to an exited context
}

Mode set_mode(Mode mode) {
    const Mode before = parts().hart().mode;
    parts().hart().mode = mode;
    gauge(Gauge::HartMode, parts().current, static_cast<uint64_t>(mode));
    return before;
}

void set_current_task(uint32_t pid) {
    parts().hart().pid = pid;
}

// ---- user memory ------------------------------------------------------------------------------

void set_translation_root(Pfn root, uint16_t) {
    parts().hart().root = root;
}
void tlb_flush_page(VirtAddr, uint16_t) {
    ++parts().tlb_flushes;
}
void tlb_flush_asid(uint16_t) {
    ++parts().tlb_flushes;
}

void* user_span(VirtAddr addr, uint32_t bytes, Access access) {
    if ((addr.value & (kPageBytes - 1)) + bytes > kPageBytes) {
        throw Panic(__FILE__, __LINE__, "user_span crosses a page", addr.value, bytes);
    }
    for (uint32_t tries = 0; tries < kFaultRetriesMax; ++tries) {
        parts().sync_point();
        if (void* span = walk(addr.value, access)) return span;
        if (parts().hart().locks_held) {
            throw Panic(__FILE__, __LINE__, "page fault with a lock held", addr.value, 0);
        }
        if (!parts().traps.page_fault) return nullptr;
        const bool were_on = irq_save();
        const bool retry = parts().traps.page_fault(addr, access);
        irq_restore(were_on);
        if (!retry) return nullptr;
    }
    throw Panic(__FILE__, __LINE__, "a page fault that is never resolved", addr.value, 0);
}

// ---- locks ------------------------------------------------------------------------------------

void lock_acquire(LockWord& lock) {
    Hart& hart = parts().hart();
    if (lock.holder) {
        throw Panic(__FILE__, __LINE__, "a lock is taken twice", lock.holder - 1, hart_id());
    }
    const uint64_t free_at_ns = lock.free_at_ps / 1000;
    if (free_at_ns > hart.clock_ns) {
        hart.clock_ns = free_at_ns;
        ++lock.contended_count;
    }
    lock.holder = hart_id() + 1;
    ++hart.locks_held;
}

void lock_release(LockWord& lock) {
    if (lock.holder != hart_id() + 1) {
        throw Panic(__FILE__, __LINE__, "a lock is released by another", lock.holder, hart_id());
    }
    lock.holder = 0;
    lock.free_at_ps = parts().hart().clock_ns * 1000;
    --parts().hart().locks_held;
}

// ---- the end ----------------------------------------------------------------------------------

void panic(const char* file, uint32_t line, const char* what, uint64_t a, uint64_t b) {
    throw Panic(file, line, what, a, b);
}

void power_off(uint32_t exit_code) {
    parts().powered_off = true;
    parts().exit_code = exit_code;
    if (parts().in_fibre) parts().leave_to_driver();
}

// ---- trace port -------------------------------------------------------------------------------

void trace(Event event, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
           uint64_t a5) {
    const Hart& hart = parts().hart();
    parts().trace.push_back(
        {hart.clock_ns, parts().current, hart.pid, event, {a0, a1, a2, a3, a4, a5}});
}

void gauge(Gauge id, uint32_t index, uint64_t value) {
    auto [slot, is_new] = parts().last_gauge.try_emplace({id, index}, value);
    if (!is_new && slot->second == value) return;
    slot->second = value;
    parts().gauges.push_back({parts().hart().clock_ns, id, index, value});
}

void export_counters(const uint64_t* counters, uint32_t count) {
    parts().counters = counters;
    parts().counter_count = count;
}

}  // namespace weir::hal
