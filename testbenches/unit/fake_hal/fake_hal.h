// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A machine for unit tests of kernel code: firmware/hal/hal.h and trace.h without SystemC.
// One Machine at a time; it is the hal from its constructor to its destructor.
//
// Direct mode: the test body itself acts as hart 0 (or set_hart(n)). Good for code that never
// sleeps: call kernel::init(), mm::init(), a function under test. Sleeping here throws Panic.
//
//     fake_hal::Machine machine({.ram_bytes = 64 << 20});
//     machine.boot_info().swappiness = 0;      // before the kernel reads it
//     kernel::init();
//
// Running harts: set_hart_entry() says what each hart does on its own boot context, run_*() lets
// simulated time pass. State survives, so a test may look, poke and run on.
//
//     machine.set_hart_entry(kernel::idle_loop);
//     kernel::create_task("a", kernel::TaskKind::Kernel, body, nullptr);
//     machine.run_for_ns(50'000'000);          // or run_until([&] { return done; }, limit)
//
// What is modelled:
// - Each hart has a clock; spend() adds the price of its Op (default Config::op_cost_ns). A hart
//   runs until it leads the slowest hart or next event by Config::quantum_ns, then that one runs.
//   A hart in wait_for_interrupt() sleeps until its timer, an interrupt, or a kick. All of this is
//   deterministic and on one host thread; contexts are ucontext fibres.
// - Interrupts and hart changes happen only at synchronisation points (spend, touch, copy, clear,
//   user_span, MMIO) and never while this hart holds a lock, as hal.h promises.
// - Timer and interrupt controller at their addresses; raise(source) latches an interrupt for the
//   hart of set_irq_hart() (default 0). Other MMIO goes to devices that the test attaches.
// - at_ns(time, callback) runs a callback at a time: how a test models a device's completion.
// - user_span() walks the Sv39 tables in RAM on every access (no TLB, so no stale entries), sets A
//   and D, calls the page-fault handler and retries. tlb_flush_count() counts flushes.
// - Locks: taking one twice, releasing one not held, sleeping or switching while holding one:
// Panic.
// - panic() throws Panic, out of the test's own call or of run_*(). power_off() ends run_*().
#pragma once

#include "firmware/hal/boot_info.h"
#include "firmware/hal/hal.h"
#include "firmware/hal/op.h"
#include "firmware/hal/trace.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace weir::fake_hal {

/// Thrown where the kernel panics or breaks the hal contract.
struct Panic : std::runtime_error {
    Panic(const char* file, uint32_t line, const std::string& what, uint64_t a, uint64_t b);
    std::string reason;  // the text given to panic()
    uint64_t a;
    uint64_t b;
};

/// A device's registers. `bytes` is 4 or 8; offset is from where it was attached.
struct MmioDevice {
    virtual ~MmioDevice() = default;
    virtual uint64_t read(uint64_t offset, uint32_t bytes) = 0;
    virtual void write(uint64_t offset, uint64_t value, uint32_t bytes) = 0;
};

struct TraceRecord {
    uint64_t time_ns;
    uint32_t hart;
    uint32_t pid;
    hal::Event event;
    std::array<uint64_t, 6> args;
};

struct GaugeRecord {
    uint64_t time_ns;
    hal::Gauge id;
    uint32_t index;
    uint64_t value;
};

enum class Ending {
    ConditionMet,
    TimeLimit,
    PoweredOff,
    Stuck,  // every hart sleeps and nothing will ever wake one
};

struct Config {
    uint64_t ram_bytes = 64ull << 20;
    uint32_t harts = 1;
    uint32_t tick_hz = 100;
    uint32_t op_cost_ns = 100;  // price of one unit of every Op, until set_op_cost()
    uint32_t mmio_cost_ns = 100;
    uint64_t quantum_ns = 10'000;
    uint64_t seed = 1;
};

class Machine {
  public:
    explicit Machine(const Config& config = {});
    ~Machine();
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    // ---- before and around boot ----------------------------------------------------------------
    /// In RAM at kBootInfoAddr. Defaults: one task of every kind possible, no disks, policy
    /// "2.6.32"; edit before the kernel reads it.
    hal::BootInfo& boot_info();
    /// Adds a disk to BootInfo with sane queue figures and attaches `device` at its MMIO window.
    /// Interrupt source: disk number + 1.
    hal::DiskInfo& add_disk(MmioDevice& device, uint64_t sectors,
                            hal::DiskRole role = hal::DiskRole::Data);
    void attach(hal::PhysAddr base, uint64_t bytes, MmioDevice& device);
    void set_op_cost(hal::Op op, uint32_t cost_ns);
    void set_all_op_costs(uint32_t cost_ns);
    /// Which hart the test body acts as in direct mode.
    void set_hart(uint32_t hart);
    /// What every hart runs when run_*() first lets it. Without one, only direct mode works.
    void set_hart_entry(std::function<void()> entry);

    // ---- time ----------------------------------------------------------------------------------
    /// The clock of the hart that runs, or of the latest hart while none does.
    uint64_t now_ns() const;
    /// Direct mode: lets time pass on this hart, with callbacks and interrupts on the way.
    void advance_ns(uint64_t ns);
    /// Runs callback once simulated time reaches time_ns (at the next synchronisation point).
    void at_ns(uint64_t time_ns, std::function<void()> callback);
    void after_ns(uint64_t delay_ns, std::function<void()> callback);
    Ending run_for_ns(uint64_t ns);
    Ending run_until(const std::function<bool()>& condition, uint64_t limit_ns);

    // ---- interrupts ----------------------------------------------------------------------------
    /// Latches an interrupt of a source (1-based). Delivered if the kernel has enabled the source.
    void raise(uint32_t source);
    void set_irq_hart(uint32_t source, uint32_t hart);
    bool irq_enabled(uint32_t source) const;
    bool irq_in_service(uint32_t source) const;

    // ---- what happened -------------------------------------------------------------------------
    const std::vector<TraceRecord>& trace() const;
    std::vector<TraceRecord> events(hal::Event event) const;
    const std::vector<GaugeRecord>& gauges() const;
    /// Last value of a gauge; 0 if it was never set.
    uint64_t gauge_value(hal::Gauge id, uint32_t index = 0) const;
    void clear_records();
    /// The kernel's exported counters.
    const uint64_t* counters() const;
    uint32_t counter_count() const;
    uint64_t op_count(hal::Op op) const;
    uint64_t kick_count() const;
    uint64_t tlb_flush_count() const;
    bool powered_off() const;
    uint32_t exit_code() const;
    /// Translation root and mode in force on a hart.
    hal::Pfn translation_root(uint32_t hart = 0) const;
    hal::Mode mode(uint32_t hart = 0) const;
    /// Locks held by the hart that runs: 0 between two calls of a well-behaved kernel.
    uint32_t locks_held() const;

    struct Parts;
    Parts& parts() { return *parts_; }

  private:
    std::unique_ptr<Parts> parts_;
};

/// The machine that is the hal now.
Machine& machine();

/// Seed of a randomised test: WEIR_SEED from the environment or `fallback`; prints it.
uint64_t test_seed(uint64_t fallback = 1);

}  // namespace weir::fake_hal
