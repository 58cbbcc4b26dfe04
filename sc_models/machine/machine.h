// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The whole machine, wired: the only place that knows every part.
// - Machine(config, recorder) elaborates; run() simulates until power-off, panic or watchdog.
// - Afterwards the counters and device figures can be read.
#pragma once

#include "sc_models/disk/device_stats.h"
#include "sc_models/dram/audit.h"
#include "sc_models/machine/config.h"
#include "sc_models/probe/recorder.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weir::machine {

enum class Ending { PoweredOff, Panicked, NoProgress, TimeLimit };
/// As in summary.json: "powered_off", "panicked", "no_progress", "time_limit".
const char* ending_name(Ending ending);

struct RunOutcome {
    Ending ending = Ending::PoweredOff;
    int exit_code = 0;
    std::string message;  // panic text, or who waits for what
    uint64_t simulated_ps = 0;
    uint64_t kernel_events = 0;  // SystemC delta cycles, for the benchmark
};

struct Progress {
    uint64_t simulated_ps;
    uint64_t bytes_done;  // by the disks, both directions
};

/// What the SDRAM did, and what the audit made of it if there was one.
struct MemoryStats {
    dram::ChannelStats channel;
    std::optional<dram::AuditResult> audit;
    dram::Spec spec;
};

class Machine {
  public:
    /// Errors: throws std::invalid_argument if the configuration cannot be built (the runner's
    /// schema should have caught it: message names the key).
    Machine(const RunConfig& config, probe::Recorder& recorder);
    ~Machine();
    Machine(const Machine&) = delete;

    /// on_progress is called every `progress_period_ps` of simulated time.
    /// every_second is called at each whole simulated second (vmstat).
    struct Hooks {
        std::function<void(const Progress&)> on_progress;
        uint64_t progress_period_ps = 100'000'000'000;
        std::function<void(uint64_t simulated_ps)> every_second;
        uint64_t time_limit_ps = 0;  // 0: none
    };
    RunOutcome run(const Hooks& hooks);

    /// The kernel's counters (names: firmware/kernel/counters.h), read through transport_dbg.
    std::vector<uint64_t> counters() const;
    std::vector<disk::DeviceStats> device_stats() const;
    MemoryStats memory_stats() const;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace weir::machine
