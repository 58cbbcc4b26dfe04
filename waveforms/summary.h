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

namespace weir::waveforms {

struct RecordFigures {
    uint64_t hash = 0;
    uint64_t count = 0;
    uint64_t wave_truncated_at_ps = 0;
    uint64_t ftrace_truncated_at_ps = 0;
};

nlohmann::ordered_json make_summary(const RunFacts& facts, const PhaseCollector& work,
                                    const NapCollector& naps, const RecordFigures& record);

}  // namespace weir::waveforms
