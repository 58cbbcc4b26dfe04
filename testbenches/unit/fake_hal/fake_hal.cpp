// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What a test sees of the fake machine. Its engine is in engine.cpp, the functions of the hal in
// hal_functions.cpp.
#include "testbenches/unit/fake_hal/fake_hal.h"

#include "testbenches/unit/fake_hal/machine_parts.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace weir::fake_hal {

namespace {

Machine* the_machine = nullptr;

std::string describe(const char* file, uint32_t line, const std::string& what, uint64_t a,
                     uint64_t b) {
    return std::string(file) + ":" + std::to_string(line) + ": " + what + " (" + std::to_string(a) +
           ", " + std::to_string(b) + ")";
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

// ---- Machine ----------------------------------------------------------------------------------

Machine::Machine(const Config& config) : parts_(std::make_unique<Parts>()) {
    if (the_machine) throw std::logic_error("fake_hal: a Machine exists already");
    the_machine = this;
    parts_->config = config;
    parts_->ram = static_cast<uint8_t*>(map_memory(config.ram_bytes));
    parts_->harts.resize(config.harts);
    parts_->op_cost_ns.fill(config.op_cost_ns);
    parts_->learn_driver_stack();
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
    for (auto& context : parts_->contexts) unmap_memory(context->stack, kStackBytes + kGuardBytes);
    unmap_memory(parts_->ram, parts_->config.ram_bytes);
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
