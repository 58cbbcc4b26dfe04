// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The narrow interface through which mm calls the policy above it. Set once at boot; this is what
// keeps every include arrow pointing down.
#pragma once

#include <cstdint>

namespace weir::mm {

struct AllocRequest;
struct Frame;
struct Mapping;
struct Zone;

struct Pressure {
    /// The allocator's slow path. Returns a frame, or null when the request must fail.
    Frame* (*out_of_frames)(Zone& zone, const AllocRequest& request) = nullptr;
    /// A batch went back to the zone from a per-CPU list; the zone lock is not held any more.
    void (*frames_returned)(Zone& zone, uint32_t frame_count) = nullptr;
    /// The running task dirtied pages of a mapping; may sleep (balance_dirty_pages).
    void (*page_dirtied)(Mapping& mapping, uint32_t page_count) = nullptr;
    /// A page fault could not get a frame: choose and kill a task. True: retry the fault.
    bool (*out_of_memory)(uint32_t order) = nullptr;
    /// May readahead be started for this mapping's device (false while read-congested)?
    bool (*may_read_ahead)(Mapping& mapping) = nullptr;
};

Pressure& pressure();

}  // namespace weir::mm
