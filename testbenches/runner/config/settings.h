// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Everything that one simulated run depends on, before it starts: what machine.toml, scenario.toml
// and --set say together. Two equal Settings give equal runs.
#pragma once

#include "sc_models/machine/config.h"
#include "waveforms/run_outputs.h"

#include <cstdint>
#include <map>
#include <string>

namespace weir::runner {

/// Values of the keys that no file gives.
hal::WorkloadInfo default_workload();
waveforms::OutputOptions default_record();

struct Settings {
    machine::RunConfig run{{}, default_workload(), {}, {}, 1};
    waveforms::OutputOptions record = default_record();
    uint64_t time_limit_ms = 0;  // of simulated time; 0: none

    /// Where each key's value came from: "file:line", "--set"; absent: the built-in default.
    std::map<std::string, std::string> places;
};

inline hal::WorkloadInfo default_workload() {
    hal::WorkloadInfo workload{};
    workload.kind = hal::WorkloadKind::Iozone;
    workload.threads = 4;
    workload.file_bytes = 2048ull << 20;
    workload.record_bytes = 64 << 10;
    workload.phases = hal::kPhaseRead;
    workload.drop_caches = 1;
    workload.one_disk_per_task = 1;
    workload.memset_bytes = 768ull << 20;
    workload.memset_passes = 1;
    workload.verify = 1;
    return workload;
}

inline waveforms::OutputOptions default_record() {
    waveforms::OutputOptions record;
    record.max_bytes = 190ull << 20;  // a little under 200 MB
    return record;
}

}  // namespace weir::runner
