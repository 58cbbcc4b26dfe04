// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The fake machine: RAM, BootInfo, fibres, clocks, interrupts and the driver that picks which hart
// runs next. The hal functions themselves are in hal_functions.cpp.
#include "testbenches/unit/fake_hal/fake_hal.h"

#include "testbenches/unit/fake_hal/machine_parts.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <utility>
#if defined(__SANITIZE_ADDRESS__)
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace weir::fake_hal {

namespace {

constexpr size_t kStackBytes = 256u << 10;
constexpr size_t kGuardBytes = 4096;
Machine* the_machine = nullptr;

std::string describe(const char* file, uint32_t line, const std::string& what, uint64_t a,
                     uint64_t b) {
    return std::string(file) + ":" + std::to_string(line) + ": " + what + " (" + std::to_string(a) +
           ", " + std::to_string(b) + ")";
}

void* map_memory(size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("fake_hal: mmap failed");
    return memory;
}

/// First frame of every fibre: runs the entry, hands exceptions to the driver.
void fibre_main() {
    Machine::Parts& parts = machine().parts();
    hal::Context* self = parts.hart().running;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
    try {
        self->entry(self->argument);
        throw Panic(__FILE__, __LINE__, "a context returned from its entry", 0, 0);
    } catch (...) {
        // Kept in the machine only: this stack is never unwound.
        parts.failure = std::current_exception();
    }
    parts.leave_to_driver();
    std::abort();  // the driver never comes back to a failed fibre
}

}  // namespace

Panic::Panic(const char* file, uint32_t line, const std::string& what, uint64_t a_, uint64_t b_)
    : std::runtime_error(describe(file, line, what, a_, b_)), reason(what), a(a_), b(b_) {}

Machine& machine() {
    if (!the_machine) throw std::logic_error("fake_hal: no Machine exists");
    return *the_machine;
}

uint64_t test_seed(uint64_t fallback) {
    const char* text = std::getenv("WEIR_SEED");
    const uint64_t seed = text ? std::strtoull(text, nullptr, 0) : fallback;
    std::printf("seed: %llu (set WEIR_SEED to change)\n", static_cast<unsigned long long>(seed));
    return seed;
}

// ---- fibres -----------------------------------------------------------------------------------

hal::Context* Machine::Parts::context_storage() {
    if (!exited.empty()) {
        hal::Context* context = exited.back();
        exited.pop_back();
        return context;
    }
    contexts.push_back(std::make_unique<hal::Context>());
    hal::Context* context = contexts.back().get();
    context->stack = map_memory(kStackBytes + kGuardBytes);
    mprotect(context->stack, kGuardBytes, PROT_NONE);
    return context;
}

hal::Context* Machine::Parts::new_context(const char* name, hal::ContextEntry entry,
                                          void* argument) {
    hal::Context* const context = context_storage();
    context->name = name;
    context->entry = entry;
    context->argument = argument;
    getcontext(&context->state);
    context->state.uc_stack.ss_sp = static_cast<uint8_t*>(context->stack) + kGuardBytes;
    context->state.uc_stack.ss_size = kStackBytes;
    context->state.uc_link = nullptr;
    makecontext(&context->state, fibre_main, 0);
    return context;
}

void Machine::Parts::swap(hal::Context* from, hal::Context* to) {
#if defined(__SANITIZE_ADDRESS__)
    const bool to_driver = to == &driver;
    __sanitizer_start_switch_fiber(
        &from->asan_fake_stack, to_driver ? driver.state.uc_stack.ss_sp : to->state.uc_stack.ss_sp,
        to_driver ? driver.state.uc_stack.ss_size : to->state.uc_stack.ss_size);
#endif
    swapcontext(&from->state, &to->state);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(from->asan_fake_stack, nullptr, nullptr);
#endif
}

void Machine::Parts::leave_to_driver() {
    swap(hart().running, &driver);
}

// ---- time and interrupts ----------------------------------------------------------------------

bool Machine::Parts::external_pending(uint32_t hart_index) const {
    if (pending_sources == 0) return false;
    return std::any_of(sources.begin(), sources.end(), [&](const Source& source) {
        return source.pending && source.enabled && !source.in_service && source.hart == hart_index;
    });
}

bool Machine::Parts::interrupt_pending(const Hart& hart_, uint32_t index) const {
    return hart_.kick_pending || hart_.compare_ns <= hart_.clock_ns || external_pending(index);
}

/// When a hart can next do something: now, or at its timer.
uint64_t Machine::Parts::wake_ns(const Hart& hart_) const {
    const auto index = static_cast<uint32_t>(&hart_ - harts.data());
    if (!hart_.waiting || interrupt_pending(hart_, index)) return hart_.clock_ns;
    return hart_.compare_ns;
}

void Machine::Parts::run_due_callbacks(uint64_t now_ns) {
    if (running_callback) return;
    running_callback = true;
    while (next_callback_ns() <= now_ns) {
        auto run = callbacks.top().run;
        const uint64_t time_ns = callbacks.top().time_ns;
        callbacks.pop();
        callback_time_ns = time_ns;
        run();
    }
    running_callback = false;
}

void Machine::Parts::deliver_interrupts() {
    while (hart().irq_on && hart().locks_held == 0 && interrupt_pending(hart(), current)) {
        const hal::Mode interrupted = hart().mode;
        hart().irq_on = false;
        if (hart().compare_ns <= hart().clock_ns) {
            if (!traps.timer) throw Panic(__FILE__, __LINE__, "no timer handler", 0, 0);
            const uint64_t before = hart().compare_ns;
            traps.timer();
            if (hart().compare_ns == before) {
                throw Panic(__FILE__, __LINE__, "timer handler left mtimecmp as it was", before, 0);
            }
        } else if (external_pending(current)) {
            if (!traps.external) throw Panic(__FILE__, __LINE__, "no external handler", 0, 0);
            traps.external();
            if (external_pending(current)) {
                throw Panic(__FILE__, __LINE__, "external handler left a source unclaimed", 0, 0);
            }
        } else {
            hart().kick_pending = false;
            if (traps.kick) traps.kick();
        }
        hart().irq_on = true;
        if (interrupted != hal::Mode::Kernel && traps.after_interrupt) {
            traps.after_interrupt(interrupted);
        }
    }
}

void Machine::Parts::sync_point() {
    if (hart().locks_held != 0 || running_callback) return;
    run_due_callbacks(hart().clock_ns);
    deliver_interrupts();
    if (!in_fibre) return;
    uint64_t slowest_ns = kNever;
    for (uint32_t i = 0; i < harts.size(); ++i) {
        if (i != current) slowest_ns = std::min(slowest_ns, wake_ns(harts[i]));
    }
    if (condition) slowest_ns = std::min(slowest_ns, resumed_at_ns);
    const bool leads = slowest_ns != kNever && hart().clock_ns > slowest_ns + config.quantum_ns;
    if (leads || hart().clock_ns > limit_ns) {
        leave_to_driver();
        deliver_interrupts();
    }
}

Ending Machine::Parts::drive() {
    while (true) {
        if (powered_off) return Ending::PoweredOff;
        if (condition && condition()) return Ending::ConditionMet;
        uint32_t best = 0;
        for (uint32_t i = 1; i < harts.size(); ++i) {
            if (wake_ns(harts[i]) < wake_ns(harts[best])) best = i;
        }
        const uint64_t hart_ns = wake_ns(harts[best]);
        const uint64_t callback_ns = next_callback_ns();
        if (hart_ns == kNever && callback_ns == kNever) return Ending::Stuck;
        if (std::min(hart_ns, callback_ns) > limit_ns) {
            for (Hart& hart_ : harts) {
                if (hart_.waiting) hart_.clock_ns = std::max(hart_.clock_ns, limit_ns);
            }
            return Ending::TimeLimit;
        }
        if (callback_ns <= hart_ns) {
            run_due_callbacks(callback_ns);
            continue;
        }
        current = best;
        hart().clock_ns = std::max(hart().clock_ns, hart_ns);
        resumed_at_ns = hart().clock_ns;
        in_fibre = true;
        swap(&driver, hart().running);
        in_fibre = false;
        if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
    }
}

// ---- Machine ----------------------------------------------------------------------------------

Machine::Machine(const Config& config) : parts_(std::make_unique<Parts>()) {
    if (the_machine) throw std::logic_error("fake_hal: a Machine exists already");
    the_machine = this;
    parts_->config = config;
    parts_->ram = static_cast<uint8_t*>(map_memory(config.ram_bytes));
    parts_->harts.resize(config.harts);
    parts_->op_cost_ns.fill(config.op_cost_ns);
#if defined(__SANITIZE_ADDRESS__)
    // The driver's stack bounds are learnt by the runtime when a fibre first switches back.
    getcontext(&parts_->driver.state);
    parts_->driver.state.uc_stack.ss_sp = nullptr;
    parts_->driver.state.uc_stack.ss_size = 0;
    {
        pthread_attr_t attributes;
        pthread_getattr_np(pthread_self(), &attributes);
        pthread_attr_getstack(&attributes, &parts_->driver.state.uc_stack.ss_sp,
                              &parts_->driver.state.uc_stack.ss_size);
        pthread_attr_destroy(&attributes);
    }
#endif
    for (uint32_t i = 0; i < config.harts; ++i) {
        parts_->harts[i].boot = parts_->new_context(
            "boot", [](void*) { machine().parts().hart_entry(); }, nullptr);
        parts_->harts[i].running = parts_->harts[i].boot;
    }
    hal::BootInfo& info = *new (&boot_info()) hal::BootInfo{};
    info.magic = hal::BootInfo::kMagic;
    info.ram_bytes = config.ram_bytes;
    info.hart_count = config.harts;
    info.tick_hz = config.tick_hz;
    info.seed = config.seed;
    info.kernel_reserved_bytes = 1u << 20;
    info.swappiness = 60;
    info.dirty_ratio_pct = 20;
    info.dirty_background_pct = 10;
    info.swap_cluster_log2 = 3;
    info.wake_placement = hal::WakePlacement::IdleHart;
    info.idle_balance = 1;
    info.sched_latency_us = 20'000;
    info.workload.kind = hal::WorkloadKind::Iozone;
    info.workload.threads = 1;
    info.workload.file_bytes = 1u << 20;
    info.workload.record_bytes = 64u << 10;
    info.workload.phases = hal::kPhaseWrite | hal::kPhaseRead;
    info.workload.memset_bytes = 1u << 20;
    info.workload.memset_passes = 1;
    info.workload.verify = 1;
    std::strncpy(info.policy, "2.6.32", hal::kNameBytes - 1);
}

Machine::~Machine() {
    for (auto& context : parts_->contexts) munmap(context->stack, kStackBytes + kGuardBytes);
    munmap(parts_->ram, parts_->config.ram_bytes);
    the_machine = nullptr;
}

hal::BootInfo& Machine::boot_info() {
    return *reinterpret_cast<hal::BootInfo*>(parts_->ram +
                                             (hal::kBootInfoAddr.value - hal::kRamBase.value));
}

hal::DiskInfo& Machine::add_disk(MmioDevice& device, uint64_t sectors, hal::DiskRole role) {
    hal::BootInfo& info = boot_info();
    const uint32_t index = info.disk_count++;
    hal::DiskInfo& disk = info.disks[index];
    disk.mmio = hal::kDiskBase + index * hal::kDiskStrideBytes;
    disk.irq_source = index + 1;
    disk.role = role;
    disk.sectors = sectors;
    disk.nr_requests = 128;
    disk.readahead_pages = 32;
    disk.max_request_pages = 128;
    disk.elevator = hal::ElevatorKind::Noop;
    disk.ring_entries = 32;
    disk.request_timeout_ms = 30'000;
    attach(disk.mmio, hal::kDiskStrideBytes, device);
    return disk;
}

void Machine::attach(hal::PhysAddr base, uint64_t bytes, MmioDevice& device) {
    parts_->devices[base.value] = {bytes, &device};
}
void Machine::set_op_cost(hal::Op op, uint32_t cost_ns) {
    parts_->op_cost_ns[static_cast<uint32_t>(op)] = cost_ns;
}
void Machine::set_all_op_costs(uint32_t cost_ns) {
    parts_->op_cost_ns.fill(cost_ns);
}
void Machine::set_hart(uint32_t hart) {
    parts_->current = hart;
}
void Machine::set_hart_entry(std::function<void()> entry) {
    parts_->hart_entry = std::move(entry);
}

uint64_t Machine::now_ns() const {
    if (parts_->running_callback) return parts_->callback_time_ns;
    if (parts_->in_fibre) return parts_->hart().clock_ns;
    uint64_t latest_ns = 0;
    for (const Hart& hart : parts_->harts) latest_ns = std::max(latest_ns, hart.clock_ns);
    return latest_ns;
}

void Machine::advance_ns(uint64_t ns) {
    const uint64_t until_ns = parts_->hart().clock_ns + ns;
    while (true) {
        Hart& hart = parts_->hart();
        const uint64_t next_ns = std::min(parts_->next_callback_ns(), hart.compare_ns);
        if (next_ns > until_ns) break;
        hart.clock_ns = std::max(hart.clock_ns, next_ns);
        const uint64_t compare_before_ns = hart.compare_ns;
        parts_->sync_point();
        if (parts_->next_callback_ns() > next_ns && compare_before_ns == hart.compare_ns &&
            compare_before_ns <= next_ns) {
            break;  // the timer is masked: it stays pending
        }
    }
    parts_->hart().clock_ns = std::max(parts_->hart().clock_ns, until_ns);
    parts_->sync_point();
}

void Machine::at_ns(uint64_t time_ns, std::function<void()> callback) {
    parts_->callbacks.push({time_ns, parts_->next_sequence++, std::move(callback)});
}
void Machine::after_ns(uint64_t delay_ns, std::function<void()> callback) {
    at_ns(now_ns() + delay_ns, std::move(callback));
}

Ending Machine::run_for_ns(uint64_t ns) {
    return run_until(nullptr, ns);
}

Ending Machine::run_until(const std::function<bool()>& condition, uint64_t limit_ns) {
    if (!parts_->hart_entry) throw std::logic_error("fake_hal: run without set_hart_entry()");
    parts_->condition = condition;
    parts_->limit_ns = now_ns() + limit_ns;
    const uint32_t direct_hart = parts_->current;
    // The test body may have changed what this hart sleeps for: it wakes and looks, as wfi may.
    parts_->hart().waiting = false;
    const Ending ending = parts_->drive();
    const uint64_t end_ns = now_ns();
    for (Hart& hart : parts_->harts) {
        if (hart.waiting) {
            hart.clock_ns = std::max(hart.clock_ns, std::min(end_ns, parts_->wake_ns(hart)));
        }
    }
    parts_->current = direct_hart;
    return ending;
}

void Machine::raise(uint32_t source) {
    Source& line = parts_->sources.at(source);
    if (!line.pending) ++parts_->pending_sources;
    line.pending = true;
    // A sleeping hart wakes no earlier than the interrupt was raised.
    Hart& target = parts_->harts.at(line.hart);
    if (target.waiting && (parts_->running_callback || parts_->in_fibre)) {
        target.clock_ns = std::max(target.clock_ns, now_ns());
    }
}
void Machine::set_irq_hart(uint32_t source, uint32_t hart) {
    parts_->sources.at(source).hart = hart;
}
bool Machine::irq_enabled(uint32_t source) const {
    return parts_->sources.at(source).enabled;
}
bool Machine::irq_in_service(uint32_t source) const {
    return parts_->sources.at(source).in_service;
}

const std::vector<TraceRecord>& Machine::trace() const {
    return parts_->trace;
}
std::vector<TraceRecord> Machine::events(hal::Event event) const {
    std::vector<TraceRecord> found;
    for (const TraceRecord& record : parts_->trace) {
        if (record.event == event) found.push_back(record);
    }
    return found;
}
const std::vector<GaugeRecord>& Machine::gauges() const {
    return parts_->gauges;
}
uint64_t Machine::gauge_value(hal::Gauge id, uint32_t index) const {
    auto found = parts_->last_gauge.find({id, index});
    return found == parts_->last_gauge.end() ? 0 : found->second;
}
void Machine::clear_records() {
    parts_->trace.clear();
    parts_->gauges.clear();
}
const uint64_t* Machine::counters() const {
    return parts_->counters;
}
uint32_t Machine::counter_count() const {
    return parts_->counter_count;
}
uint64_t Machine::op_count(hal::Op op) const {
    return parts_->op_counts[static_cast<uint32_t>(op)];
}
uint64_t Machine::kick_count() const {
    return parts_->kicks;
}
uint64_t Machine::tlb_flush_count() const {
    return parts_->tlb_flushes;
}
bool Machine::powered_off() const {
    return parts_->powered_off;
}
uint32_t Machine::exit_code() const {
    return parts_->exit_code;
}
hal::Pfn Machine::translation_root(uint32_t hart) const {
    return parts_->harts.at(hart).root;
}
hal::Mode Machine::mode(uint32_t hart) const {
    return parts_->harts.at(hart).mode;
}
uint32_t Machine::locks_held() const {
    return parts_->hart().locks_held;
}

}  // namespace weir::fake_hal
