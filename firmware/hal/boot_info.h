// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What the machine tells the kernel at power-on, as a device tree would: plain data at a fixed
// place in RAM (kBootInfoAddr), written by the machine before hart 0 starts.
// Address map of the machine (all of it in one table, for people and for code):
//
//   0x0200_0000  timer: mtime and one compare register a hart        (interconnect/timer)
//   0x0C00_0000  interrupt controller: claim/complete and masks (interconnect/interrupt_controller)
//   0x1000_0000  disk controllers, 0x1_0000 bytes each               (disk/controller)
//   0x8000_0000  RAM                                                 (dram)
//   0x8000_1000  BootInfo
#pragma once

#include "firmware/hal/types.h"

#include <cstdint>

namespace weir::hal {

inline constexpr PhysAddr kTimerBase{0x0200'0000};
inline constexpr PhysAddr kIntcBase{0x0C00'0000};
inline constexpr PhysAddr kDiskBase{0x1000'0000};
inline constexpr uint64_t kDiskStrideBytes = 0x1'0000;
inline constexpr PhysAddr kRamBase{0x8000'0000};
inline constexpr PhysAddr kBootInfoAddr{0x8000'1000};

// Timer: mtime (64 bits, nanoseconds since power-on) at +0xBFF8, mtimecmp of hart h at +0x4000 +
// 8h.
inline constexpr uint64_t kTimerNowOffset = 0xBFF8;
inline constexpr uint64_t kTimerCompareOffset = 0x4000;
// Interrupt controller: reading +0x0 + 8h claims the highest pending source for hart h (0: none),
// writing the source number back completes it. +0x1000 + 4s: enable of source s (bit 0).
inline constexpr uint64_t kIntcClaimOffset = 0x0;
inline constexpr uint64_t kIntcEnableOffset = 0x1000;

inline constexpr uint32_t kMaxDisks = 64;
inline constexpr uint32_t kMaxHarts = 16;
inline constexpr uint32_t kNameBytes = 48;

enum class ElevatorKind : uint32_t { Noop, Deadline };
enum class WakePlacement : uint32_t { PreviousHart, IdleHart, WakingHart, Affine };
enum class DiskRole : uint32_t { Data, Swap };

struct DiskInfo {
    PhysAddr mmio;
    uint32_t irq_source;  // 1-based
    DiskRole role;
    uint64_t sectors;
    uint32_t nr_requests;        // per class, 128 by default
    uint32_t readahead_pages;    // largest window
    uint32_t max_request_pages;  // cap of a merged request
    ElevatorKind elevator;
    uint32_t ring_entries;  // I/O queue size to ask of the controller
    uint32_t request_timeout_ms;
};

enum class WorkloadKind : uint32_t { Iozone, Memset };

// Phases of iozone, bits of WorkloadInfo::phases, run in this order.
inline constexpr uint32_t kPhaseWrite = 1u << 0;
inline constexpr uint32_t kPhaseRewrite = 1u << 1;
inline constexpr uint32_t kPhaseRead = 1u << 2;
inline constexpr uint32_t kPhaseReread = 1u << 3;

struct WorkloadInfo {
    WorkloadKind kind;
    uint32_t threads;
    uint64_t file_bytes;
    uint32_t record_bytes;
    uint32_t phases;
    uint32_t direct;             // 1: O_DIRECT
    uint32_t drop_caches;        // 1: before each phase
    uint32_t one_disk_per_task;  // 0: all files on disk 0
    uint64_t memset_bytes;       // size of the anonymous region of each task
    uint32_t memset_passes;      // stores over the region; then one checking read if verify
    uint32_t verify;             // 1: check every page read
};

/// The switches of one policy that a scenario may override, for ablation. kFromPolicy: as the
/// policy has it. Each is one detail of the fact book, named where it is used.
inline constexpr uint32_t kFromPolicy = 0xffffffffu;
inline constexpr uint32_t kBulkFreeOnly = 2;  // a value of wake_on_bulk_free, beside 0 and 1
struct PolicyOverrides {
    uint32_t shared_scan_carry = kFromPolicy;
    uint32_t kswapd_nap_before_exit_test = kFromPolicy;
    uint32_t kswapd_tests_after_shrink = kFromPolicy;
    uint32_t kswapd_skips_nap_below_min = kFromPolicy;
    uint32_t kswapd_probation = kFromPolicy;
    uint32_t kswapd_unlimited_target = kFromPolicy;
    uint32_t approximate_free_count = kFromPolicy;
    uint32_t metadata_on_active_list = kFromPolicy;
    uint32_t evict_once = kFromPolicy;
    uint32_t skipped_active_scan_takes_inactive = kFromPolicy;
    uint32_t wake_needs_below_off_mark = kFromPolicy;
    uint32_t completion_cost = kFromPolicy;
    uint32_t per_cpu_lists = kFromPolicy;
    uint32_t watermark_wait = kFromPolicy;       // patch 1/3
    uint32_t wake_on_bulk_free = kFromPolicy;    // patch 2/3
    uint32_t wakeable_kswapd_nap = kFromPolicy;  // patch 3/3
    uint32_t watermark_wait_checks_first = kFromPolicy;
    uint32_t watermark_queue_global = kFromPolicy;
};

struct BootInfo {
    static constexpr uint64_t kMagic = 0x5745'4952'424f'4f54;  // "WEIRBOOT"
    uint64_t magic;
    uint64_t ram_bytes;
    uint32_t hart_count;
    uint32_t tick_hz;
    uint64_t seed;
    uint64_t kernel_reserved_bytes;  // kernel text and other memory that is never reclaimed
    uint64_t system_anon_bytes;      // anonymous memory of the rest of the system, mapped and idle
    uint32_t min_free_kib;           // 0: computed as Linux does
    uint32_t swappiness;
    uint32_t dirty_ratio_pct;
    uint32_t dirty_background_pct;
    uint32_t swap_cluster_log2;  // page_cluster
    WakePlacement wake_placement;
    uint32_t idle_balance;      // 1: an idle hart pulls a waiting task
    uint32_t sched_latency_us;  // fair scheduler: one round of all runnable tasks
    uint32_t sched_migration_cost_us;  // idle balancing leaves a task that ran within this time
    uint32_t disk_count;
    DiskInfo disks[kMaxDisks];
    WorkloadInfo workload;
    PolicyOverrides overrides;
    char policy[kNameBytes];
};

}  // namespace weir::hal
