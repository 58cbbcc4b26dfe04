// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Ends runs that get nowhere. Progress is a figure that grows: bytes moved by the disks, pages
// touched by user programs, tasks born or gone. Tasks that only go to sleep and wake up, as in a
// retry loop that never succeeds, are no progress. Plain C++.
#pragma once

#include <cstdint>

namespace weir::machine {

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
