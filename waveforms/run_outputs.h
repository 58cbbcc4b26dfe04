// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Everything that one simulated run leaves in its folder, fed from the ordered event record.
// - RunOutputs adds its sinks to the recorder: wave, naps, ftrace, vmstat, summary.
// - finish() writes summary.json, naps.csv, view.gtkw and closes the rest.
#pragma once

#include "sc_models/disk/device_stats.h"
#include "sc_models/probe/recorder.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weir::waveforms {

enum class WaveFormat { None, Fst, Vcd };

struct OutputOptions {
    WaveFormat wave = WaveFormat::Fst;
    bool ftrace = true;
    bool vmstat = true;
    bool naps = true;
    std::vector<std::string> wave_paths;  // prefixes of signals to record; empty: all
    uint64_t window_begin_ps = 0;         // what is recorded in wave and ftrace
    uint64_t window_end_ps = ~0ull;
    uint64_t max_bytes = 200'000'000;  // of one run's files; wave and ftrace stop, and say so
};

/// What the SDRAM did. Latencies: of loosely timed accesses, from arrival to their last data.
struct MemoryFacts {
    std::string standard;
    uint64_t reads = 0, writes = 0;  // bursts
    uint64_t row_hits = 0, row_misses = 0, row_conflicts = 0;
    uint64_t refreshes = 0;
    double bus_utilisation_pct = 0;
    double read_latency_ns = 0, write_latency_ns = 0;
    // The same accesses at command level; absent without machine.dram.audit.
    struct Audit {
        uint64_t accesses, commands, violations;
        double loose_latency_ns, command_level_latency_ns;
    };
    std::optional<Audit> audit;
};

/// What the runner knows about a run and the summary repeats.
struct RunFacts {
    std::string scenario, machine, policy, variant;  // variant: "threads4" and the like
    std::map<std::string, std::string> params;       // dotted key -> value, as swept or set
    uint64_t seed = 1;
    uint64_t simulated_ps = 0;
    double host_s = 0;
    uint64_t peak_rss_bytes = 0;
    std::string ending;  // "powered_off", "panicked", ...
    std::string message;
    int exit_code = 0;
    std::vector<uint64_t> counters;  // at the end, kVmCounterNames order
    std::vector<disk::DeviceStats> devices;
    MemoryFacts memory;
    uint64_t kernel_events = 0;
    bool booted_only = false;
};

class RunOutputs {
  public:
    /// Errors: std::runtime_error if a file cannot be made; nothing is left half-written.
    RunOutputs(const std::filesystem::path& folder, const OutputOptions& options,
               probe::Recorder& recorder);
    ~RunOutputs();
    /// One sample a simulated second, for vmstat.txt.
    void sample_counters(uint64_t simulated_ps, const std::vector<uint64_t>& counters);
    /// Ends every file. The recorder's finish() has been called.
    void finish(const RunFacts& facts);

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace weir::waveforms
