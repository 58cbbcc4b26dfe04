// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/machine/boot_image.h"

#include <cstring>
#include <stdexcept>
#include <string>

namespace weir::machine {
namespace {

constexpr uint64_t kMib = 1024 * 1024;

void require(bool condition, const std::string& message) {
    if (!condition) throw std::invalid_argument(message);
}

uint32_t disks_wanted(const hal::WorkloadInfo& workload) {
    if (workload.kind == hal::WorkloadKind::Memset) return 0;
    return workload.one_disk_per_task ? workload.threads : 1;
}

hal::DiskInfo disk_info(const DiskConfig& config, uint32_t index, hal::DiskRole role) {
    hal::DiskInfo info{};
    info.mmio = hal::kDiskBase + index * hal::kDiskStrideBytes;
    info.irq_source = index + 1;
    info.role = role;
    info.sectors = config.size_mib * (kMib / hal::kSectorBytes);
    info.nr_requests = config.nr_requests;
    info.readahead_pages = config.readahead_kib * 1024 / hal::kPageBytes;
    info.max_request_pages = config.max_request_kib * 1024 / hal::kPageBytes;
    info.elevator = config.elevator;
    info.ring_entries = config.ring_entries;
    info.request_timeout_ms = config.request_timeout_ms;
    return info;
}

}  // namespace

uint32_t data_disk_count(const RunConfig& config) {
    const uint32_t wanted = disks_wanted(config.workload);
    const uint32_t count = config.machine.data_disks ? config.machine.data_disks : wanted;
    require(count >= wanted, "machine.data_disks: " + std::to_string(count) +
                                 " given, but the workload needs " + std::to_string(wanted));
    const uint32_t most = hal::kMaxDisks - (config.machine.has_swap ? 1 : 0);
    require(count <= most, "machine.data_disks: " + std::to_string(count) +
                               " wanted (by the key or by workload.threads), at most " +
                               std::to_string(most) + " fit");
    return count;
}

std::vector<std::vector<uint64_t>> files_of_disks(const RunConfig& config) {
    const hal::WorkloadInfo& workload = config.workload;
    std::vector<std::vector<uint64_t>> files(data_disk_count(config));
    if (workload.kind == hal::WorkloadKind::Memset) return files;
    for (uint32_t task = 0; task < workload.threads; ++task)
        files[workload.one_disk_per_task ? task : 0].push_back(workload.file_bytes);
    return files;
}

hal::BootInfo make_boot_info(const RunConfig& config) {
    const MachineConfig& machine = config.machine;
    require(machine.ram_mib > 0, "machine.ram_mib: must not be 0");
    require(machine.hz > 0, "machine.hz: must not be 0");
    require(config.policy.size() < hal::kNameBytes,
            "policy: the name \"" + config.policy + "\" is longer than " +
                std::to_string(hal::kNameBytes - 1) + " letters");
    hal::BootInfo info{};
    info.magic = hal::BootInfo::kMagic;
    info.ram_bytes = machine.ram_mib * kMib;
    info.hart_count = machine.cpu.count;
    info.tick_hz = machine.hz;
    info.seed = config.seed;
    info.kernel_reserved_bytes = machine.kernel.reserved_mib * kMib;
    info.system_anon_bytes = machine.kernel.system_anon_mib * kMib;
    info.min_free_kib = machine.kernel.min_free_kib;
    info.swappiness = machine.kernel.swappiness;
    info.dirty_ratio_pct = machine.kernel.dirty_ratio_pct;
    info.dirty_background_pct = machine.kernel.dirty_background_pct;
    info.swap_cluster_log2 = machine.kernel.swap_cluster_log2;
    info.wake_placement = machine.kernel.wake_placement;
    info.idle_balance = machine.kernel.idle_balance ? 1 : 0;
    info.sched_latency_us = machine.kernel.sched_latency_us;
    info.sched_migration_cost_us = machine.kernel.sched_migration_cost_us;
    const uint32_t data_disks = data_disk_count(config);
    for (uint32_t i = 0; i < data_disks; ++i)
        info.disks[i] = disk_info(machine.disk, i, hal::DiskRole::Data);
    info.disk_count = data_disks;
    if (machine.has_swap) {
        info.disks[data_disks] = disk_info(machine.swap, data_disks, hal::DiskRole::Swap);
        ++info.disk_count;
    }
    info.workload = config.workload;
    info.overrides = config.overrides;
    std::memcpy(info.policy, config.policy.c_str(), config.policy.size() + 1);
    return info;
}

}  // namespace weir::machine
