// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// summary.json of a run (schema: docs/summary.schema.json). Figures of the host carry the prefix
// "host_" and are the only ones that may differ between two equal runs.
#pragma once

#include "waveforms/nap_collector.h"
#include "waveforms/phase_collector.h"
#include "waveforms/run_outputs.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace weir::waveforms {

struct RecordFigures {
    uint64_t hash = 0;
    uint64_t count = 0;
    uint64_t wave_truncated_at_ps = 0;
    uint64_t ftrace_truncated_at_ps = 0;
    std::vector<std::string> warnings;  // why a file of the record is empty
};

nlohmann::ordered_json make_summary(const RunFacts& facts, const PhaseCollector& work,
                                    const NapCollector& naps, const RecordFigures& record);

/// A summary of a run that never was, with one of everything: each phase, each nap site, a task and
/// a device of these names. It is the list of the figures that there are.
inline constexpr const char* kExampleTask = "task-1";
inline constexpr const char* kExampleDisk = "disk0";
inline constexpr const char* kExampleSwap = "swap";
nlohmann::ordered_json example_summary();

}  // namespace weir::waveforms
