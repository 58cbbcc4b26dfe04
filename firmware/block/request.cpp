// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Bios and the requests inside them.
#include "firmware/block/request.h"

#include "firmware/block/param.h"
#include "firmware/hal/trace.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/object_cache.h"

#include <new>

namespace weir::block {

namespace {

struct BioPool {
    kernel::SpinLock lock;  // bios are freed in interrupts
    kernel::ObjectCache<BioBox> cache;
};

BioPool* pool;

}  // namespace

void bio_init() {
    pool = new (kernel::boot_alloc(sizeof(BioPool))) BioPool;
    // A cache keeps its frames for ever, so these objects stay at hand.
    Bio* reserved = nullptr;
    for (uint32_t i = 0; i < kReservedBios; ++i) {
        Bio* bio = alloc_bio();
        WEIR_ASSERT(bio != nullptr, "no memory for the reserve of bios", i, kReservedBios);
        bio->next = reserved;
        reserved = bio;
    }
    while (reserved) {
        Bio* next = reserved->next;
        free_bio(*reserved);
        reserved = next;
    }
}

Bio* alloc_bio() {
    kernel::IrqSpinGuard guard(pool->lock);
    return pool->cache.create();
}

void free_bio(Bio& bio) {
    kernel::IrqSpinGuard guard(pool->lock);
    pool->cache.destroy(static_cast<BioBox&>(bio));
}

Request& make_request(Bio& bio) {
    Request& request = *new (&static_cast<BioBox&>(bio).request) Request;
    bio.next = nullptr;
    request.first_bio = request.last_bio = &bio;
    request.sector = bio.sector;
    request.page_count = bio.page_count;
    request.flags = bio.flags;
    request.direction = bio.direction;
    request.io_class = class_of(bio.direction, bio.flags);
    return request;
}

void append_bio(Request& request, Bio& bio) {
    bio.next = nullptr;
    request.last_bio->next = &bio;
    request.last_bio = &bio;
    request.page_count += bio.page_count;
}

void prepend_bio(Request& request, Bio& bio) {
    bio.next = request.first_bio;
    request.first_bio = &bio;
    request.sector = bio.sector;
    request.page_count += bio.page_count;
}

void append_request(Request& request, Request& tail) {
    request.last_bio->next = tail.first_bio;
    request.last_bio = tail.last_bio;
    request.page_count += tail.page_count;
}

uint32_t rwbs_of(Direction direction, uint32_t bio_flags) {
    return (direction == Direction::Write ? hal::kRwbsWrite : 0) |
           (bio_flags & kBioSync ? hal::kRwbsSync : 0) |
           (bio_flags & kBioAhead ? hal::kRwbsAhead : 0) |
           (bio_flags & kBioMeta ? hal::kRwbsMeta : 0) |
           (bio_flags & kBioFlush ? hal::kRwbsFlush : 0);
}

}  // namespace weir::block
