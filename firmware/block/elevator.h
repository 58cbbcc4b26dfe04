// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The interface of an elevator: in which order waiting requests go to the device.
// - One implementation = one file = one line in elevator_ops().
// - Tables of functions instead of virtual classes: no deleting destructors in firmware.
// Contract: every function is called with the queue lock held; the queue merges (merge_index) and
// tells the elevator what changed.
#pragma once

#include "firmware/block/request.h"

namespace weir::block {

/// What the device takes now. Reads need the sync ring, writes either.
struct DispatchRoom {
    bool reads;
    bool writes;
};

struct ElevatorOps {
    const char* name;
    /// State of one queue, in boot memory.
    void* (*create)();
    void (*insert)(void* state, Request& request);
    /// Takes out the request to issue next among those there is room for; null if none.
    Request* (*take)(void* state, DispatchRoom room);
    /// Around a front merge, which changes the sector that requests are sorted by.
    void (*before_front_merge)(void* state, Request& request);
    void (*after_front_merge)(void* state, Request& request);
    /// gone's bios have become part of kept (not yet counted there); takes gone out.
    void (*joined)(void* state, Request& kept, Request& gone);
};

extern const ElevatorOps kNoopElevator;
extern const ElevatorOps kDeadlineElevator;

inline const ElevatorOps& elevator_ops(hal::ElevatorKind kind) {
    return kind == hal::ElevatorKind::Noop ? kNoopElevator : kDeadlineElevator;
}

}  // namespace weir::block
