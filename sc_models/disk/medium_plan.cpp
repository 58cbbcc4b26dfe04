// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/disk/medium_plan.h"

#include <cstdio>

namespace weir::disk {

namespace {

std::string milliseconds(uint64_t duration_ps) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f ms", static_cast<double>(duration_ps) / 1e9);
    return text;
}

}  // namespace

void MediumPlan::add(Phase phase, uint64_t duration_ps) {
    if (duration_ps == 0) return;
    done_ps += duration_ps;
    // Beyond the last span a plan keeps its times and loses only the distinction of phases.
    if (span_count > 0 && (spans[span_count - 1].phase == phase || span_count == kMaxSpans)) {
        spans[span_count - 1].duration_ps += duration_ps;
        return;
    }
    spans[span_count++] = {phase, duration_ps};
}

uint64_t MediumPlan::phase_ps(Phase phase) const {
    uint64_t sum_ps = 0;
    for (uint32_t i = 0; i < span_count; ++i) {
        if (spans[i].phase == phase) sum_ps += spans[i].duration_ps;
    }
    return sum_ps;
}

std::string explain(const MediumPlan& plan) {
    std::string text;
    for (uint32_t i = 0; i < plan.span_count; ++i) {
        text += kPhaseNames[static_cast<uint32_t>(plan.spans[i].phase)];
        text += ' ';
        text += milliseconds(plan.spans[i].duration_ps);
        text += i + 1 < plan.span_count ? ", " : "; ";
    }
    text += "total ";
    text += milliseconds(plan.done_ps - plan.start_ps);
    if (plan.cache_hit) text += " (cache hit)";
    return text;
}

}  // namespace weir::disk
