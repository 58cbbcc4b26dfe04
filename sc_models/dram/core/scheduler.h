// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Which request is served next. The channel asks, and does the rest: timing is not a policy.
// Contract:
// - traits() is asked once. Among commands that may go at the same clock, an aged request's comes
//   first, then (hits_first) column commands before row commands, then the older request's.
// - serve() is asked before every command: which direction has commands on the bus.
// One implementation = one file = one line in scheduler.cpp.
#pragma once

#include "sc_models/dram/core/config.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weir::dram {

enum class Serve : uint8_t { Reads = 1, Writes = 2, Both = 3 };

struct SchedulerTraits {
    bool only_oldest = false;  // strict order of arrival
    bool hits_first = true;
};

struct QueueView {
    uint32_t reads;
    uint32_t writes;
};

class Scheduler {
  public:
    virtual ~Scheduler() = default;
    virtual SchedulerTraits traits() const = 0;
    virtual Serve serve(const QueueView& view) = 0;
};

std::vector<std::string> scheduler_names();
/// Errors: std::invalid_argument naming the key and the known names.
std::unique_ptr<Scheduler> make_scheduler(const SchedulerConfig& config);

// The implementations, for the registry.
std::unique_ptr<Scheduler> make_fcfs(const SchedulerConfig& config);
std::unique_ptr<Scheduler> make_frfcfs(const SchedulerConfig& config);
std::unique_ptr<Scheduler> make_frfcfs_drain(const SchedulerConfig& config);

}  // namespace weir::dram
