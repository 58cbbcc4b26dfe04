// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A storage medium behind a controller: timing only, no bytes (those are the block store's).
// Contract:
// - serve() and flush() are called with start times that never fall, at most max_in_flight() plans
//   unfinished at a time; they commit the medium's resources and say when the work will be done.
// - Plain C++, deterministic: equal calls give equal plans. No path exceeds its slowest stage.
#pragma once

#include "sc_models/disk/medium_plan.h"

#include <cstdint>

namespace weir::disk {

class Medium {
  public:
    virtual ~Medium() = default;
    /// The sectors lie inside sector_count(); the controller has checked that.
    virtual MediumPlan serve(const MediumRequest& request, uint64_t start_ps) = 0;
    /// Plans until everything reported written before is on the medium.
    virtual MediumPlan flush(uint64_t start_ps) = 0;
    virtual uint32_t max_in_flight() const = 0;
    virtual uint64_t sector_count() const = 0;
};

}  // namespace weir::disk
