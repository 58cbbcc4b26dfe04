// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The noop elevator: first come, first served; merging is done by the queue.
#include "firmware/block/elevator.h"
#include "firmware/kernel/kernel.h"

#include <new>

namespace weir::block {

namespace {

struct Noop {
    RequestList fifo[2];  // by Direction; the sequence orders them against each other
};

Noop& noop(void* state) {
    return *static_cast<Noop*>(state);
}

RequestList& fifo_of(void* state, const Request& request) {
    return noop(state).fifo[static_cast<uint32_t>(request.direction)];
}

void* create() {
    return new (kernel::boot_alloc(sizeof(Noop))) Noop;
}

void insert(void* state, Request& request) {
    fifo_of(state, request).push_back(request);
}

Request* take(void* state, DispatchRoom room) {
    Request* read = room.reads ? noop(state).fifo[0].front() : nullptr;
    Request* write = room.writes ? noop(state).fifo[1].front() : nullptr;
    Request* oldest = !write || (read && read->sequence < write->sequence) ? read : write;
    if (oldest) fifo_of(state, *oldest).remove(*oldest);
    return oldest;
}

void ignore_front_merge(void*, Request&) {}

void joined(void* state, Request&, Request& gone) {
    fifo_of(state, gone).remove(gone);
}

}  // namespace

const ElevatorOps kNoopElevator = {
    "noop", create, insert, take, ignore_front_merge, ignore_front_merge, joined,
};

}  // namespace weir::block
