// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What a medium is asked, and how it answers: a request becomes a chain of phases with durations.
// - MediumRequest: a run of sectors to read or write.
// - MediumPlan: the phases one after another from start to done, and whether a cache answered.
// - explain(): the same as one line of text, for people who ask why a request took so long.
#pragma once

#include "firmware/hal/types.h"

#include <array>
#include <cstdint>
#include <string>

namespace weir::disk {

/// What a device does at a moment. The names are those of the waveform.
enum class Phase : uint8_t { Idle, Overhead, Seek, Rotate, Media, Bus };
inline constexpr uint32_t kPhaseCount = 6;
inline constexpr std::array<const char*, kPhaseCount> kPhaseNames{"idle",   "overhead", "seek",
                                                                  "rotate", "media",    "bus"};

/// `fua`: a write must be on the medium itself before it is reported done.
struct MediumRequest {
    hal::Sector sector;
    uint32_t sector_count;
    bool write = false;
    bool fua = false;
};

struct PhaseSpan {
    Phase phase;
    uint64_t duration_ps;
};

/// Units: times in picoseconds since time 0. The spans add up to done_ps - start_ps.
struct MediumPlan {
    static constexpr uint32_t kMaxSpans = 10;

    uint64_t start_ps = 0;
    uint64_t done_ps = 0;
    bool cache_hit = false;
    uint32_t span_count = 0;
    std::array<PhaseSpan, kMaxSpans> spans{};

    static MediumPlan begin(uint64_t start_ps) {
        MediumPlan plan;
        plan.start_ps = plan.done_ps = start_ps;
        return plan;
    }
    /// Appends a phase. No span is made of no time; equal phases in a row become one.
    void add(Phase phase, uint64_t duration_ps);
    /// Appends a phase that ends at `end_ps`; nothing if that is past.
    void add_until(Phase phase, uint64_t end_ps) {
        if (end_ps > done_ps) add(phase, end_ps - done_ps);
    }
    uint64_t phase_ps(Phase phase) const;
};

/// For example "overhead 0.608 ms, seek 7.788 ms, media 0.245 ms, bus 0.013 ms; total 8.654 ms".
std::string explain(const MediumPlan& plan);

}  // namespace weir::disk
