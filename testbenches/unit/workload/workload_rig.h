// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A whole small machine with fake disks that boots, runs the workload of its BootInfo and stops.
#pragma once

#include "firmware/block/block.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/task.h"
#include "firmware/mm/mm.h"
#include "firmware/policy/policy.h"
#include "firmware/workload/workload.h"
#include "testbenches/unit/fake_hal/fake_hal.h"
#include "testbenches/unit/mm/fake_block.h"

#include <gtest/gtest.h>

#include <vector>

namespace weir::workload {

struct RigConfig {
    uint64_t ram_bytes = 16ull << 20;
    std::vector<std::vector<uint64_t>> disk_files{};  // sizes of the files of each data disk
    uint64_t swap_bytes = 0;
};

class WorkloadRig {
  public:
    explicit WorkloadRig(const RigConfig& config) : machine({.ram_bytes = config.ram_bytes}) {
        machine.set_all_op_costs(20);
        for (const auto& files : config.disk_files) {
            fake_block::add_disk(machine, 1u << 20).format(files);
        }
        if (config.swap_bytes != 0) {
            fake_block::add_disk(machine, config.swap_bytes / hal::kSectorBytes,
                                 hal::DiskRole::Swap);
        } else if (config.disk_files.empty()) {
            fake_block::reset();
        }
        info().workload = {};
        info().workload.verify = 1;
        info().workload.threads = 1;
        info().system_anon_bytes = 0;
        info().kernel_reserved_bytes = 0;
        info().swappiness = 60;
        info().dirty_ratio_pct = 20;
        info().dirty_background_pct = 10;
    }
    hal::BootInfo& info() { return machine.boot_info(); }
    hal::WorkloadInfo& workload() { return machine.boot_info().workload; }

    /// Boots and runs to the end. Returns the exit code; -1 if there was no end.
    int run(uint64_t limit_s = 2000) {
        kernel::init();
        mm::init();
        block::init();
        machine.set_hart_entry(kernel::idle_loop);
        kernel::create_task(
            "init", kernel::TaskKind::Kernel,
            [](void*) {
                mm::start();
                policy::activate();
                const int code = run_from_boot_info();
                hal::power_off(static_cast<uint32_t>(code));
                return code;
            },
            nullptr);
        const auto ending = machine.run_until([] { return false; }, limit_s * 1'000'000'000);
        return ending == fake_hal::Ending::PoweredOff ? static_cast<int>(machine.exit_code()) : -1;
    }
    uint64_t counter(kernel::VmCounter c) const { return kernel::counter_value(c); }
    /// Phases in the order in which they ended, of all tasks.
    std::vector<uint64_t> phases_ended() const {
        std::vector<uint64_t> phases;
        for (const auto& r : machine.events(hal::Event::PhaseEnd)) phases.push_back(r.args[1]);
        return phases;
    }

    fake_hal::Machine machine;
};

}  // namespace weir::workload
