// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Finds out that a memory has stopped answering. Plain C++: it is told what was seen from time to
// time, and by its patience later it knows.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weir::runner {

class StallWatch {
  public:
    explicit StallWatch(uint64_t patience_ps) : patience_ps_(patience_ps) {}

    struct Seen {
        uint64_t now_ps = 0;
        uint64_t offered = 0;
        uint64_t answered = 0;
        uint64_t last_arrival_ps = 0;   // may lie ahead: before it nothing need happen
        uint64_t last_response_ps = 0;  // may lie ahead
    };
    /// True if requests are open and nothing has happened for the whole of the patience.
    bool stalled(const Seen& seen) {
        const bool open = seen.answered != seen.offered;
        if (!open || seen.answered != answered_) active_ps_ = seen.now_ps;
        answered_ = seen.answered;
        active_ps_ = std::max({active_ps_, seen.last_arrival_ps, seen.last_response_ps});
        return open && seen.now_ps > active_ps_ + patience_ps_;
    }

  private:
    uint64_t patience_ps_;
    uint64_t answered_ = 0;
    uint64_t active_ps_ = 0;
};

}  // namespace weir::runner
