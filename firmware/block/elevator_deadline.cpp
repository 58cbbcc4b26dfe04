// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The deadline elevator: sorted batches, each direction with a soft time limit.
// - A batch runs on in ascending order for up to 16 requests.
// - A new batch: reads first, unless writes have been passed over twice. It starts at the oldest
//   request if that has expired or nothing follows in order, else at the next in order.
// Source: facts 7, deadline of 2.6.33. One addition for two rings: a direction whose ring has no
// room counts as empty.
#include "firmware/block/elevator.h"
#include "firmware/block/param.h"
#include "firmware/block/request_tree.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/timer.h"

#include <new>

namespace weir::block {

namespace {

struct Deadline {
    RequestTree sorted[2];  // by Direction
    RequestList fifo[2];
    Request* next[2] = {};  // where the batch of that direction goes on
    uint32_t batch_count = 0;
    uint32_t writes_passed_over = 0;
};

constexpr uint32_t kRead = static_cast<uint32_t>(Direction::Read);
constexpr uint32_t kWrite = static_cast<uint32_t>(Direction::Write);

Deadline& deadline(void* state) {
    return *static_cast<Deadline*>(state);
}

constexpr uint32_t index_of(const Request& request) {
    return static_cast<uint32_t>(request.direction);
}

uint64_t expiry_jiffies(uint32_t direction) {
    return direction == kRead ? kernel::hz_over(kReadExpireHzDivisor)
                              : uint64_t{kWriteExpireHzFactor} * kernel::tick_hz();
}

void* create() {
    return new (kernel::boot_alloc(sizeof(Deadline))) Deadline;
}

void insert(void* state, Request& request) {
    Deadline& dd = deadline(state);
    const uint32_t direction = index_of(request);
    request.fifo_expires_jiffy = kernel::jiffies() + expiry_jiffies(direction);
    dd.sorted[direction].insert(request);
    dd.fifo[direction].push_back(request);
}

void take_out(Deadline& dd, Request& request) {
    const uint32_t direction = index_of(request);
    if (dd.next[direction] == &request) dd.next[direction] = dd.sorted[direction].after(request);
    dd.sorted[direction].remove(request);
    dd.fifo[direction].remove(request);
}

Request* start_batch(Deadline& dd, uint32_t direction) {
    Request* oldest = dd.fifo[direction].front();
    const bool expired = kernel::jiffies() > oldest->fifo_expires_jiffy;
    dd.batch_count = 0;
    return expired || !dd.next[direction] ? oldest : dd.next[direction];
}

Request* choose(Deadline& dd, DispatchRoom room) {
    Request* following = dd.next[kWrite] ? dd.next[kWrite] : dd.next[kRead];
    if (following && dd.batch_count < kFifoBatch) {
        const bool has_room = following->direction == Direction::Read ? room.reads : room.writes;
        if (has_room) return following;
    }
    const bool reads = room.reads && !dd.fifo[kRead].empty();
    const bool writes = room.writes && !dd.fifo[kWrite].empty();
    if (reads && !(writes && dd.writes_passed_over++ >= kWritesStarvedMax)) {
        return start_batch(dd, kRead);
    }
    if (!writes) return nullptr;
    dd.writes_passed_over = 0;
    return start_batch(dd, kWrite);
}

Request* take(void* state, DispatchRoom room) {
    Deadline& dd = deadline(state);
    Request* request = choose(dd, room);
    if (!request) return nullptr;
    const uint32_t direction = index_of(*request);
    ++dd.batch_count;
    dd.next[kRead] = dd.next[kWrite] = nullptr;
    dd.next[direction] = dd.sorted[direction].after(*request);
    take_out(dd, *request);
    return request;
}

void before_front_merge(void* state, Request& request) {
    deadline(state).sorted[index_of(request)].remove(request);
}

void after_front_merge(void* state, Request& request) {
    deadline(state).sorted[index_of(request)].insert(request);
}

void joined(void* state, Request& kept, Request& gone) {
    Deadline& dd = deadline(state);
    // The older of the two promises holds for the whole, in the place that was promised.
    if (gone.fifo_expires_jiffy < kept.fifo_expires_jiffy) {
        RequestList& fifo = dd.fifo[index_of(kept)];
        kept.fifo_expires_jiffy = gone.fifo_expires_jiffy;
        fifo.remove(kept);
        fifo.insert_before(&gone, kept);
    }
    take_out(dd, gone);
}

}  // namespace

const ElevatorOps kDeadlineElevator = {
    "deadline", create, insert, take, before_front_merge, after_front_merge, joined,
};

}  // namespace weir::block
