// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Everything a machine file can say, as plain structs. testbenches/runner/config_schema binds each
// member to its TOML key, range, unit and sentence; sc_models/machine/machine.cpp wires by it.
#pragma once

#include "firmware/hal/boot_info.h"
#include "firmware/hal/op.h"
#include "sc_models/dram/core/config.h"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weir::machine {

struct CacheConfig {
    uint64_t size_bytes = 0;  // 0: absent
    uint32_t ways = 8;
    uint32_t line_bytes = 256;
    uint32_t hit_cycles = 0;  // added to an access that hits here
};

struct CpuConfig {
    uint32_t count = 4;
    uint64_t clock_hz = 1'700'000'000;
    uint64_t quantum_ns = 10'000;
    uint32_t tlb_entries = 512;
    uint32_t tlb_ways = 2;
    uint32_t tlb_walk_cycles = 60;  // beside the memory accesses of the walk
    CacheConfig l1;
    CacheConfig l2;                                     // private to each hart
    std::array<uint32_t, hal::kOpCount> cost_cycles{};  // price list, by Op
};

struct BusConfig {
    uint64_t clock_hz = 600'000'000;
    uint32_t width_bytes = 16;
    uint32_t arbitration_cycles = 2;
};

/// The SDRAM controller: a file of testbenches/dram, and what a machine or scenario changes of it.
struct DramConfig {
    std::string config = "ddr3-1600";
    // "as_config": what that file says.
    std::string scheduler = "as_config";
    std::string page = "as_config";
    std::string refresh = "as_config";
    uint32_t power_down_after_clocks = kAsConfig;
    bool audit = false;         // also at command level, with the independent checker; costs speed
    bool record_banks = false;  // bank states as signals, by the audit; costs speed
    dram::ControllerConfig controller;  // all of this, resolved

    static constexpr uint32_t kAsConfig = ~0u;
};

enum class MediumKind { RotatingDisk, CachedLun, Flash };

struct SeekPoint {
    uint32_t cylinders;
    uint32_t time_us;
};
struct DiskZone {
    uint32_t first_cylinder;
    uint32_t last_cylinder;
    uint32_t sectors_per_track;
};

struct RotatingConfig {
    uint32_t rpm = 10033;
    uint32_t heads = 8;
    std::vector<DiskZone> zones;
    std::vector<SeekPoint> seek_points;
    uint32_t head_switch_us = 195;
    uint32_t write_settle_us = 0;
    uint32_t track_skew_sectors = 22;
    uint32_t cylinder_skew_sectors = 37;
    uint32_t cache_segments = 3;
    uint32_t segment_sectors = 282;
    uint32_t write_segments = 1;  // 0: no write cache
    uint32_t read_ahead_sectors = 282;
    // Command overheads, us: [read, write] x [hit, miss] x [after read, after write].
    std::array<uint32_t, 8> overhead_us{68, 309, 608, 569, 474, 95, 431, 538};
    uint64_t bus_bytes_per_s = 40'000'000;
};

/// A LUN behind a caching array, as seen through its channel.
struct CachedLunConfig {
    uint32_t hit_us = 350;                       // read hit, end to end without transfer
    uint32_t miss_us = 6000;                     // first read of a cold place
    uint32_t write_us = 500;                     // into mirrored non-volatile store
    uint64_t stream_bytes_per_s = 155'000'000;   // ceiling of one LUN
    uint64_t channel_bytes_per_s = 400'000'000;  // shared by the LUNs of one port
    uint32_t ports = 4;                          // LUN i is on port i mod ports
    // Service times of single commands lie evenly within +- this much of the figures above.
    uint32_t service_spread_pct = 0;
    uint64_t spread_seed = 0;              // set by the machine from the run's seed and the LUN
    uint32_t sequential_after_tracks = 2;  // tracks read in order before prefetch starts
    uint32_t track_bytes = 65'536;
    uint32_t prefetch_tracks = 32;
    uint64_t write_store_bytes = 268'435'456;
    uint64_t destage_bytes_per_s = 60'000'000;
    uint64_t cache_bytes = 268'435'456;  // read cache that one LUN may fill
    uint32_t rank_disks = 8;             // reads that the disks behind it do at once
};

struct FlashConfig {
    uint32_t channels = 8;
    uint32_t dies_per_channel = 2;
    uint32_t page_bytes = 32'768;
    uint32_t read_us = 36;
    uint32_t program_us = 185;
    uint32_t erase_us = 3000;
    uint32_t pages_per_block = 256;
    uint64_t channel_bytes_per_s = 800'000'000;
    uint64_t link_bytes_per_s = 3'360'000'000;
    uint32_t firmware_read_us = 22;
    uint32_t firmware_write_us = 4;
    uint64_t write_buffer_bytes = 1'048'576;
    uint32_t over_provision_permille = 70;
    // Slow episodes: a busy period after so many random writes (0: never). SD and eMMC.
    uint32_t busy_after_writes = 0;
    uint32_t busy_us = 0;
};

/// Errors to put in, for tests of what the kernel does about them.
struct FaultConfig {
    std::vector<uint64_t> unreadable_sectors;  // status: unrecovered read error, every time
    uint32_t error_every_commands = 0;         // every n-th command fails once (0: never)
    uint32_t drop_interrupt_every = 0;         // every n-th interrupt is lost (0: never)
    uint32_t hang_after_commands = 0;          // then never answers again (0: never)
};

struct DiskConfig {
    MediumKind medium = MediumKind::CachedLun;
    uint64_t size_mib = 4096;
    uint32_t nr_requests = 128;
    uint32_t readahead_kib = 128;
    uint32_t max_request_kib = 512;
    uint32_t ring_entries = 64;        // largest I/O queue the controller offers (CAP.MQES + 1)
    uint32_t device_queue_depth = 32;  // commands it works on at once
    uint32_t request_timeout_ms = 30'000;
    hal::ElevatorKind elevator = hal::ElevatorKind::Deadline;
    RotatingConfig rotating;
    CachedLunConfig lun;
    FlashConfig flash;
    FaultConfig fault;
};

enum class IrqRouting { FixedHart, Floating };

struct KernelConfig {
    uint32_t reserved_mib = 8;
    uint32_t system_anon_mib = 60;
    uint32_t min_free_kib = 0;
    uint32_t swappiness = 60;
    uint32_t dirty_ratio_pct = 20;
    uint32_t dirty_background_pct = 10;
    uint32_t swap_cluster_log2 = 3;
    hal::WakePlacement wake_placement = hal::WakePlacement::PreviousHart;
    bool idle_balance = true;
    uint32_t sched_latency_us = 20'000;
    uint32_t sched_migration_cost_us = 0;
};

struct MachineConfig {
    std::string name;
    uint32_t ram_mib = 256;
    uint32_t hz = 100;
    CpuConfig cpu;
    BusConfig bus;
    DramConfig dram;
    IrqRouting irq_routing = IrqRouting::Floating;
    DiskConfig disk;          // every data disk
    uint32_t data_disks = 0;  // 0: as many as the workload needs
    bool has_swap = false;
    DiskConfig swap;
    KernelConfig kernel;
    uint32_t watchdog_ms = 60'000;  // simulated time without progress that ends a run
};

/// One run: a machine, a policy, a workload.
struct RunConfig {
    MachineConfig machine;
    hal::WorkloadInfo workload{};
    hal::PolicyOverrides overrides{};
    std::string policy;
    uint64_t seed = 1;
};

}  // namespace weir::machine
