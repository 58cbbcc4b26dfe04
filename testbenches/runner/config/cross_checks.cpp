// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/config/cross_checks.h"

#include "testbenches/runner/config/key_table.h"
#include "testbenches/runner/dram/machine_dram.h"

#include <fmt/format.h>

namespace weir::runner {

namespace {

// Frame table, page tables, kernel stacks and a working set for reclaim to turn over. Arbitrary
// within reason: half of it leaves watermarks that nothing can meet.
constexpr uint32_t kWorkingMib = 8;
// File-system metadata beside a file's data, in permille of it: one 4-byte pointer a 4 KiB page,
// and as much again for inodes and bitmaps.
constexpr uint64_t kMetadataPermille = 2;

[[noreturn]] void refuse(const Settings& settings, const char* path, const std::string& problem) {
    const Key* key = find_key(path);
    const auto place = settings.places.find(path);
    const Leaf leaf{path, key->load(settings),
                    place == settings.places.end() ? "default" : place->second, 0};
    throw ConfigError(complaint(leaf, problem));
}

bool power_of_two(uint64_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

void check_memory(const Settings& settings) {
    const machine::MachineConfig& machine = settings.run.machine;
    const uint32_t smallest = smallest_ram_mib(machine);
    if (machine.ram_mib < smallest) {
        refuse(settings, "machine.ram_mib",
               fmt::format("too small to boot; at least {} MiB: {} reserved + {} of the rest of "
                           "the system + {} to work in",
                           smallest, machine.kernel.reserved_mib, machine.kernel.system_anon_mib,
                           kWorkingMib));
    }
    if (machine.kernel.dirty_background_pct >= machine.kernel.dirty_ratio_pct) {
        refuse(settings, "machine.kernel.dirty_background_pct",
               fmt::format("must be below machine.kernel.dirty_ratio_pct = {}",
                           machine.kernel.dirty_ratio_pct));
    }
    machine::DramConfig dram = machine.dram;
    resolve_dram(dram, machine.ram_mib);
}

void check_cache(const Settings& settings, const machine::CacheConfig& cache,
                 const std::string& prefix) {
    if (cache.size_bytes == 0) {
        return;
    }
    if (!power_of_two(cache.line_bytes)) {
        refuse(settings, (prefix + "line_bytes").c_str(), "must be a power of two");
    }
    const uint64_t set_bytes = uint64_t{cache.ways} * cache.line_bytes;
    if (cache.size_bytes % set_bytes != 0 || !power_of_two(cache.size_bytes / set_bytes)) {
        refuse(settings, (prefix + "size_bytes").c_str(),
               fmt::format("must be a power of two times ways x line_bytes = {}", set_bytes));
    }
}

void check_cpu(const Settings& settings) {
    const machine::CpuConfig& cpu = settings.run.machine.cpu;
    check_cache(settings, cpu.l1, "machine.cpu.l1.");
    check_cache(settings, cpu.l2, "machine.cpu.l2.");
    if (cpu.l1.size_bytes != 0 && cpu.l2.size_bytes != 0 &&
        cpu.l1.line_bytes != cpu.l2.line_bytes) {
        refuse(settings, "machine.cpu.l2.line_bytes",
               fmt::format("must equal machine.cpu.l1.line_bytes = {}", cpu.l1.line_bytes));
    }
    if (cpu.tlb_entries % cpu.tlb_ways != 0 || !power_of_two(cpu.tlb_entries / cpu.tlb_ways)) {
        refuse(settings, "machine.cpu.tlb_entries",
               fmt::format("must be a power of two times machine.cpu.tlb_ways = {}", cpu.tlb_ways));
    }
}

void check_rotating(const Settings& settings, const machine::DiskConfig& disk,
                    const std::string& prefix) {
    const machine::RotatingConfig& rotating = disk.rotating;
    if (rotating.zones.empty()) {
        refuse(settings, (prefix + "rotating.zones").c_str(),
               "a rotating disk needs at least one zone");
    }
    if (rotating.seek_points.empty()) {
        refuse(settings, (prefix + "rotating.seek_points").c_str(),
               "a rotating disk needs at least one seek point");
    }
    uint64_t sectors = 0;
    for (const machine::DiskZone& zone : rotating.zones) {
        if (zone.last_cylinder < zone.first_cylinder || zone.sectors_per_track == 0) {
            refuse(settings, (prefix + "rotating.zones").c_str(),
                   fmt::format("zone [{}, {}, {}] is empty", zone.first_cylinder,
                               zone.last_cylinder, zone.sectors_per_track));
        }
        sectors += uint64_t{zone.last_cylinder - zone.first_cylinder + 1} * rotating.heads *
                   zone.sectors_per_track;
    }
    for (size_t i = 1; i < rotating.seek_points.size(); ++i) {
        if (rotating.seek_points[i].cylinders <= rotating.seek_points[i - 1].cylinders) {
            refuse(settings, (prefix + "rotating.seek_points").c_str(),
                   "distances must rise from point to point");
        }
    }
    const uint64_t holds_mib = sectors * hal::kSectorBytes >> 20;
    if (disk.size_mib > holds_mib) {
        refuse(settings, (prefix + "size_mib").c_str(),
               fmt::format("more than its zones hold; at most {} MiB", holds_mib));
    }
}

void check_disk(const Settings& settings, const machine::DiskConfig& disk,
                const std::string& prefix) {
    if (disk.medium == machine::MediumKind::RotatingDisk) {
        check_rotating(settings, disk, prefix);
    }
    if (disk.nr_requests < 4) {
        refuse(settings, (prefix + "nr_requests").c_str(), "must be at least 4");
    }
}

void check_iozone(const Settings& settings, uint32_t disks) {
    const hal::WorkloadInfo& workload = settings.run.workload;
    const machine::DiskConfig& disk = settings.run.machine.disk;
    if (workload.phases == 0) {
        refuse(settings, "workload.phases", "iozone needs at least one phase");
    }
    if (workload.file_bytes % workload.record_bytes != 0) {
        refuse(settings, "workload.record_kib",
               fmt::format("must divide workload.file_mib = {}", workload.file_bytes >> 20));
    }
    if (workload.one_disk_per_task != 0 && disks < workload.threads) {
        refuse(settings, "machine.data_disks",
               fmt::format("one disk a task needs {} data disks; \"auto\" gives as many",
                           workload.threads));
    }
    const uint64_t files = workload.one_disk_per_task != 0 ? 1 : workload.threads;
    const uint64_t need_mib =
        files * ((workload.file_bytes >> 20) * (1000 + kMetadataPermille) / 1000 + 1);
    if (need_mib > disk.size_mib) {
        refuse(settings, "machine.disk.size_mib",
               fmt::format("{} file(s) of {} MiB a disk need {} MiB with their metadata", files,
                           workload.file_bytes >> 20, need_mib));
    }
}

}  // namespace

uint32_t smallest_ram_mib(const machine::MachineConfig& machine) {
    return machine.kernel.reserved_mib + machine.kernel.system_anon_mib + kWorkingMib;
}

uint32_t data_disk_count(const machine::RunConfig& run) {
    if (run.machine.data_disks != 0) {
        return run.machine.data_disks;
    }
    if (run.workload.kind == hal::WorkloadKind::Memset) {
        return 0;
    }
    return run.workload.one_disk_per_task != 0 ? run.workload.threads : 1;
}

void cross_check(const Settings& settings) {
    const machine::RunConfig& run = settings.run;
    check_memory(settings);
    check_cpu(settings);
    const uint32_t disks = data_disk_count(run);
    const uint32_t all_disks = disks + (run.machine.has_swap ? 1 : 0);
    if (all_disks > hal::kMaxDisks) {
        refuse(settings, "workload.threads",
               fmt::format("needs {} disks; at most {}", all_disks, hal::kMaxDisks));
    }
    if (disks > 0) {
        check_disk(settings, run.machine.disk, "machine.disk.");
    }
    if (run.machine.has_swap) {
        check_disk(settings, run.machine.swap, "machine.swap.");
    }
    if (run.workload.kind == hal::WorkloadKind::Iozone) {
        check_iozone(settings, disks);
    }
    if (settings.record.window_begin_ps >= settings.record.window_end_ps) {
        refuse(settings, "record.window_end_ms", "must lie after record.window_begin_ms");
    }
}

}  // namespace weir::runner
