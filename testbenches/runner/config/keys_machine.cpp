// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Keys of the machine: one line a key, in the order of MachineConfig. Ranges say what the models
// can hold, not what is sensible; cross_checks.cpp holds what several keys must satisfy together.
#include "testbenches/runner/config/key_builder.h"

namespace weir::runner {

namespace {

using machine::CacheConfig;
using machine::MachineConfig;
using Range = KeyBuilder::Range;

/// A member of MachineConfig.
#define M(expression)                                                                     \
    Member<std::remove_reference_t<decltype(std::declval<MachineConfig&>().expression)>>( \
        [](Settings & s) -> auto& { return s.run.machine.expression; })

void add_cache_keys(std::vector<Key>& keys, const std::string& prefix,
                    const Member<CacheConfig>& cache) {
    KeyBuilder add(keys, prefix);
    const auto size = [cache](Settings& s) -> uint64_t& { return cache(s).size_bytes; };
    const auto ways = [cache](Settings& s) -> uint32_t& { return cache(s).ways; };
    const auto line = [cache](Settings& s) -> uint32_t& { return cache(s).line_bytes; };
    const auto hit = [cache](Settings& s) -> uint32_t& { return cache(s).hit_cycles; };
    add.integer<uint64_t>("size_bytes", size, {0, 1 << 30}, "bytes",
                          "Size of the cache of each hart; 0: there is none.");
    add.integer<uint32_t>("ways", ways, {1, 32}, "", "Ways of each set.");
    add.integer<uint32_t>("line_bytes", line, {16, 4096, 16}, "bytes", "Size of a line.");
    add.integer<uint32_t>("hit_cycles", hit, {0, 1000}, "cycles",
                          "What an access that hits here adds.");
}

void add_cpu_keys(std::vector<Key>& keys) {
    KeyBuilder add(keys, "machine.cpu.");
    add.integer<uint32_t>("count", M(cpu.count), {1, hal::kMaxHarts}, "harts", "Number of CPUs.");
    add.integer<uint64_t>("clock_hz", M(cpu.clock_hz), {1'000'000, 10'000'000'000}, "Hz",
                          "Clock of the CPUs.");
    add.integer<uint64_t>("quantum_ns", M(cpu.quantum_ns), {100, 1'000'000}, "ns",
                          "How far a hart may run ahead of the others.");
    add.integer<uint32_t>("tlb_entries", M(cpu.tlb_entries), {8, 65'536}, "",
                          "Translations that each hart keeps.");
    add.integer<uint32_t>("tlb_ways", M(cpu.tlb_ways), {1, 64}, "", "Ways of the TLB.");
    add.integer<uint32_t>("tlb_walk_cycles", M(cpu.tlb_walk_cycles), {0, 10'000}, "cycles",
                          "Fixed cost of a table walk, beside its memory accesses.");
    add_cache_keys(keys, "machine.cpu.l1.", M(cpu.l1));
    add_cache_keys(keys, "machine.cpu.l2.", M(cpu.l2));
    for (uint32_t op = 0; op < hal::kOpCount; ++op) {
        KeyBuilder price(keys, "machine.cpu.cost_cycles.");
        const auto member = [op](Settings& s) -> uint32_t& {
            return s.run.machine.cpu.cost_cycles[op];
        };
        Key& key =
            price.integer<uint32_t>(hal::kOpInfo[op].key, member, {0, 10'000'000}, "cycles", "");
        key.sentence = std::string("Price of ") + hal::kOpInfo[op].what + ".";
    }
}

void add_memory_keys(std::vector<Key>& keys) {
    KeyBuilder bus(keys, "machine.bus.");
    bus.integer<uint64_t>("clock_hz", M(bus.clock_hz), {1'000'000, 10'000'000'000}, "Hz",
                          "Clock of the bus.");
    bus.integer<uint32_t>("width_bytes", M(bus.width_bytes), {1, 256}, "bytes",
                          "What the bus moves in one cycle.");
    bus.integer<uint32_t>("arbitration_cycles", M(bus.arbitration_cycles), {0, 1000}, "cycles",
                          "Bus cycles until a waiting master is granted.");
    KeyBuilder dram(keys, "machine.dram.");
    const auto text = [&](const char* name, Member<std::string> member, const char* sentence) {
        Key& key = dram.add(name, KeyType::Text, "", sentence);
        key.store = [member](Settings& s, const Value& value) {
            member(s) = std::get<std::string>(value.data);
        };
        key.load = [member](const Settings& s) {
            return Value{member(const_cast<Settings&>(s))};
        };
    };
    text("config", M(dram.config),
         "SDRAM and its controller: a file of testbenches/dram, or a path.");
    text("scheduler", M(dram.scheduler),
         "fcfs, frfcfs or frfcfs_drain; as_config: what that file says.");
    text("page", M(dram.page),
         "Page policy: open, closed, adaptive or timeout; as_config: what that file says.");
    text("refresh", M(dram.refresh),
         "none, all_bank or per_bank; as_config: what that file says.");
    dram.integer_or<uint32_t>("power_down_after_clocks", M(dram.power_down_after_clocks),
                              {0, 1'000'000}, "as_config", machine::DramConfig::kAsConfig, "clocks",
                              "Idle this long, a rank powers down; 0: never.");
    dram.boolean<bool>("audit", M(dram.audit),
                       "Every access is also scheduled at command level, with the independent "
                       "checker; costs speed.");
    dram.boolean<bool>("record_banks", M(dram.record_banks),
                       "State and row of each bank are signals of the waveform, by the audit; costs "
                       "speed.");
}

void add_kernel_keys(std::vector<Key>& keys) {
    KeyBuilder add(keys, "machine.kernel.");
    add.integer<uint32_t>("reserved_mib", M(kernel.reserved_mib), {1, 4096}, "MiB",
                          "Kernel text and other memory that is never reclaimed.");
    add.integer<uint32_t>("system_anon_mib", M(kernel.system_anon_mib), {0, 65'536}, "MiB",
                          "Anonymous memory of the rest of the system, mapped and idle.");
    add.integer_or<uint32_t>("min_free_kib", M(kernel.min_free_kib), {128, 65'536}, "auto", 0u,
                             "KiB", "Base of the watermarks; auto: computed as Linux does.");
    add.integer<uint32_t>("swappiness", M(kernel.swappiness), {0, 100}, "",
                          "Preference for anonymous pages in reclaim.");
    add.integer<uint32_t>("dirty_ratio_pct", M(kernel.dirty_ratio_pct), {5, 100}, "%",
                          "Dirty share of dirtyable memory at which writers are throttled.");
    add.integer<uint32_t>("dirty_background_pct", M(kernel.dirty_background_pct), {0, 100}, "%",
                          "Dirty share at which the flusher starts.");
    add.integer<uint32_t>("swap_cluster_log2", M(kernel.swap_cluster_log2), {0, 5}, "",
                          "Swap-in reads 2 to this power pages at once.");
    add.choice<hal::WakePlacement>("wake_placement", M(kernel.wake_placement),
                                   {"previous_hart", "idle_hart", "waking_hart", "affine"},
                                   "Where a woken task is put.");
    add.boolean<bool>("idle_balance", M(kernel.idle_balance), "An idle hart pulls a waiting task.");
    add.integer<uint32_t>("sched_migration_cost_us", M(kernel.sched_migration_cost_us),
                          {0, 1'000'000}, "us",
                          "Idle balancing leaves a task that ran within this time where it is.");
    add.integer<uint32_t>("sched_latency_us", M(kernel.sched_latency_us), {100, 1'000'000}, "us",
                          "One round of all runnable tasks of a hart.");
}

}  // namespace

void add_machine_keys(std::vector<Key>& keys) {
    KeyBuilder add(keys, "machine.");
    add.integer<uint32_t>("ram_mib", M(ram_mib), {8, 65'536}, "MiB", "Size of RAM.");
    add.integer<uint32_t>("hz", M(hz), {10, 1000}, "Hz", "Ticks of the kernel's clock a second.");
    add.choice<machine::IrqRouting>("irq_routing", M(irq_routing), {"fixed_hart", "floating"},
                                    "Which hart takes a device interrupt.");
    add.integer_or<uint32_t>("data_disks", M(data_disks), {1, hal::kMaxDisks - 1}, "auto", 0u, "",
                             "Data disks; auto: as many as the workload needs.");
    add.boolean<bool>("has_swap", M(has_swap), "There is a swap device of its own.");
    add.integer<uint32_t>("watchdog_ms", M(watchdog_ms), {100, 3'600'000}, "ms",
                          "Simulated time without progress that ends a run, up to 2000 ms later.");
    add_cpu_keys(keys);
    add_memory_keys(keys);
    add_kernel_keys(keys);
    add_disk_keys(keys, "machine.disk.", M(disk));
    add_disk_keys(keys, "machine.swap.", M(swap));
}

#undef M

}  // namespace weir::runner
