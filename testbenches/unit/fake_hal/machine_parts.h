// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Insides of the fake machine, shared by its source files; tests use fake_hal.h.
#pragma once

#include "testbenches/unit/fake_hal/fake_hal.h"

#include <exception>
#include <map>
#include <memory>
#include <queue>
#include <ucontext.h>

namespace weir::hal {

/// A fibre. The kernel sees it as an opaque Context.
struct Context {
    std::string name;
    ContextEntry entry = nullptr;
    void* argument = nullptr;
    ucontext_t state{};
    void* stack = nullptr;  // mmap'd, with a guard page below

    void* asan_fake_stack = nullptr;
};

}  // namespace weir::hal

namespace weir::fake_hal {

inline constexpr uint64_t kNever = ~0ull;
inline constexpr uint32_t kSourceCount = 128;
inline constexpr size_t kStackBytes = 256u << 10;  // of a fibre; the page below it traps
inline constexpr size_t kGuardBytes = 4096;

/// Zeroed pages. Errors: throws when the host has none.
void* map_memory(size_t bytes);
void unmap_memory(void* memory, size_t bytes);

struct Hart {
    uint64_t clock_ns = 0;
    uint64_t compare_ns = kNever;
    bool irq_on = true;
    bool kick_pending = false;
    bool waiting = false;  // in wait_for_interrupt
    hal::Mode mode = hal::Mode::Kernel;
    uint32_t pid = 0;
    uint32_t locks_held = 0;
    hal::Pfn root = hal::kNoPfn;
    hal::Context* boot = nullptr;
    hal::Context* running = nullptr;
};

struct Source {
    bool enabled = false;
    bool pending = false;
    bool in_service = false;
    uint32_t hart = 0;
};

struct TimedCallback {
    uint64_t time_ns;
    uint64_t sequence;
    std::function<void()> run;
    bool operator>(const TimedCallback& other) const {
        return time_ns != other.time_ns ? time_ns > other.time_ns : sequence > other.sequence;
    }
};

struct Attached {
    uint64_t bytes;
    MmioDevice* device;
};

struct Machine::Parts {
    Config config;
    uint8_t* ram = nullptr;
    std::vector<Hart> harts;
    uint32_t current = 0;   // hart that runs, or that direct mode acts as
    bool in_fibre = false;  // false: the test body or the driver runs
    hal::Context driver;    // the test body's own stack
    std::function<void()> hart_entry;
    std::function<bool()> condition;
    uint64_t limit_ns = 0;
    std::exception_ptr failure;
    bool powered_off = false;
    uint32_t exit_code = 0;

    hal::TrapHandlers traps;
    std::array<Source, kSourceCount> sources{};
    uint32_t pending_sources = 0;
    std::map<uint64_t, Attached> devices;
    std::priority_queue<TimedCallback, std::vector<TimedCallback>, std::greater<>> callbacks;
    uint64_t next_sequence = 0;
    bool running_callback = false;
    uint64_t callback_time_ns = 0;
    uint64_t resumed_at_ns = 0;  // clock of the running hart when the driver let it run

    std::array<uint32_t, hal::kOpCount> op_cost_ns{};
    std::array<uint64_t, hal::kOpCount> op_counts{};
    uint64_t kicks = 0;
    uint64_t tlb_flushes = 0;
    const uint64_t* counters = nullptr;
    uint32_t counter_count = 0;
    std::vector<TraceRecord> trace;
    std::vector<GaugeRecord> gauges;
    std::map<std::pair<hal::Gauge, uint32_t>, uint64_t> last_gauge;

    std::vector<std::unique_ptr<hal::Context>> contexts;
    std::vector<hal::Context*> exited;  // stacks free for reuse

    Hart& hart() { return harts[current]; }
    hal::Context* context_storage();
    hal::Context* new_context(const char* name, hal::ContextEntry entry, void* argument);
    void swap(hal::Context* from, hal::Context* to);
    void leave_to_driver();
    void learn_driver_stack();

    uint64_t next_callback_ns() const {
        return callbacks.empty() ? kNever : callbacks.top().time_ns;
    }
    uint64_t wake_ns(const Hart& hart_) const;
    bool external_pending(uint32_t hart_index) const;
    bool interrupt_pending(const Hart& hart_, uint32_t index) const;
    void run_due_callbacks(uint64_t now_ns);
    void deliver_interrupts();
    void sync_point();
    Ending drive();
    uint64_t mmio_read(hal::PhysAddr addr, uint32_t bytes);
    void mmio_write(hal::PhysAddr addr, uint64_t value, uint32_t bytes);
};

}  // namespace weir::fake_hal
