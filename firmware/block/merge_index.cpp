// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Chained hash tables threaded through the requests.
#include "firmware/block/merge_index.h"

namespace weir::block {

namespace {

uint32_t bucket_of(hal::Sector sector) {
    // Fibonacci hashing; pages are 8 sectors, so the low three bits say nothing.
    constexpr uint64_t kGolden = 0x9E37'79B9'7F4A'7C15ull;
    return static_cast<uint32_t>((sector.value / hal::kSectorsPerPage * kGolden) >> 32) &
           (kMergeBuckets - 1);
}

void link(Request*& bucket, Request& request, Request* Request::*next, Request** Request::*back) {
    request.*next = bucket;
    request.*back = &bucket;
    if (bucket) bucket->*back = &(request.*next);
    bucket = &request;
}

void unlink(Request& request, Request* Request::*next, Request** Request::*back) {
    *(request.*back) = request.*next;
    if (request.*next) (request.*next)->*back = request.*back;
    request.*next = nullptr;
    request.*back = nullptr;
}

bool same_kind(const Request& request, Direction direction, IoClass io_class) {
    return request.direction == direction && request.io_class == io_class;
}

}  // namespace

void MergeIndex::insert(Request& request) {
    link(by_start_[bucket_of(request.sector)], request, &Request::start_next, &Request::start_link);
    link(by_end_[bucket_of(request.end_sector())], request, &Request::end_next, &Request::end_link);
}

void MergeIndex::remove(Request& request) {
    unlink(request, &Request::start_next, &Request::start_link);
    unlink(request, &Request::end_next, &Request::end_link);
}

Request* MergeIndex::ending_at(hal::Sector sector, Direction direction, IoClass io_class) const {
    Request* request = by_end_[bucket_of(sector)];
    while (request &&
           !(request->end_sector() == sector && same_kind(*request, direction, io_class))) {
        request = request->end_next;
    }
    return request;
}

Request* MergeIndex::starting_at(hal::Sector sector, Direction direction, IoClass io_class) const {
    Request* request = by_start_[bucket_of(sector)];
    while (request && !(request->sector == sector && same_kind(*request, direction, io_class))) {
        request = request->start_next;
    }
    return request;
}

}  // namespace weir::block
