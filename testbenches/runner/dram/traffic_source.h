// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Where the requests of `weir dram` come from: a pattern or a trace.
#pragma once

#include "sc_models/dram/core/request_queue.h"

#include <cstdint>

namespace weir::runner {

/// One burst to read or write. cycle: the earliest memory clock at which it is offered; 0: as soon
/// as the memory takes it.
struct TrafficRequest {
    uint64_t cycle = 0;
    uint64_t address = 0;  // of the first byte of a burst
    dram::Direction direction = dram::Direction::Read;
};

/// Contract: cycles never fall; addresses lie within the device; several initiators may share one.
class TrafficSource {
  public:
    virtual ~TrafficSource() = default;
    /// False at the end, and from then on.
    /// Errors: ConfigError, from a trace that is wrong.
    virtual bool next(TrafficRequest& request) = 0;
};

}  // namespace weir::runner
