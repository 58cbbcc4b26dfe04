// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Ends runs that get nowhere. Progress is a figure that grows: bytes moved by the disks, pages
// touched by user programs, tasks born or gone. Tasks that only go to sleep and wake up, as in a
// retry loop that never succeeds, are no progress. Plain C++.
// The machine asks it once a period of simulated time. So the last progress is noticed up to one
// period late, and the end of the patience up to another: a run that gets nowhere ends no sooner
// than its patience after its last progress, and at most two periods later.
#pragma once

#include <cstdint>

namespace weir::machine {

/// How often it is asked. Arbitrary: the figure costs a walk over disks and tasks, and patience
/// is usually minutes.
inline constexpr uint64_t kWatchPeriodPs = 1'000'000'000'000;

class Watchdog {
  public:
    explicit Watchdog(uint64_t patience_ps) : patience_ps_(patience_ps) {}
    /// True once the figure has not changed for the whole of patience_ps.
    bool barks(uint64_t now_ps, uint64_t progress) {
        if (progress != progress_ || !started_) {
            started_ = true;
            progress_ = progress;
            since_ps_ = now_ps;
        }
        return now_ps - since_ps_ >= patience_ps_;
    }
    uint64_t since_ps() const { return since_ps_; }

  private:
    uint64_t patience_ps_;
    uint64_t progress_ = 0;
    uint64_t since_ps_ = 0;
    bool started_ = false;
};

}  // namespace weir::machine
