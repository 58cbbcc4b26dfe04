// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/dram/core/scheduler.h"

#include "sc_models/dram/core/registry.h"

namespace weir::dram {
namespace {

constexpr Maker<Scheduler, SchedulerConfig> kMakers[]{
    {"fcfs", make_fcfs},
    {"frfcfs", make_frfcfs},
    {"frfcfs_drain", make_frfcfs_drain},
};

}  // namespace

std::vector<std::string> scheduler_names() {
    return names_of(std::span<const Maker<Scheduler, SchedulerConfig>>(kMakers));
}

std::unique_ptr<Scheduler> make_scheduler(const SchedulerConfig& config) {
    return make_by_name(std::span<const Maker<Scheduler, SchedulerConfig>>(kMakers),
                        "scheduler.name", config.name, config);
}

}  // namespace weir::dram
