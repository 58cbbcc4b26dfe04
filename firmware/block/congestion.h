// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Congestion: the marks, the bit a device and class, and the two global queues of sleepers.
// - note_congested/note_uncongested: called by the slots of a device when its bit turns.
// - wake_congestion_sleepers: called on a freed request that the wake rule lets through.
// A sleeper learns nothing about the device that freed the request: the queues are global, as in
// Linux. Source: facts 4.4.
#pragma once

#include "firmware/block/block.h"

namespace weir::block {

/// Slots in use at which a class turns congested (>= on) and stops being so (< off).
struct CongestionMarks {
    uint32_t on;
    uint32_t off;
};

/// Source: facts 4.4 and disk.md 3.3: 128 gives 113 and 103.
constexpr CongestionMarks congestion_marks(uint32_t nr_requests) {
    const uint32_t on = nr_requests - nr_requests / 8 + 1;
    const uint32_t off = nr_requests - nr_requests / 8 - nr_requests / 16 - 1;
    return {on > nr_requests ? nr_requests : on, off < 1 || off > nr_requests ? 1 : off};
}

void congestion_init();
const Rules& rules();
void note_congested(IoClass io_class);
void note_uncongested(IoClass io_class);
void wake_congestion_sleepers(IoClass io_class);

}  // namespace weir::block
