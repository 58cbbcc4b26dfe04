// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A request: bios that are contiguous on the device, issued as one command.
// - It lives inside the first bio it was made for (BioBox), so making one cannot fail and costs no
//   memory of its own. Ending its bios ends the request.
// - Guarded by the lock of its device's queue from insertion to completion.
#pragma once

#include "firmware/block/block.h"

namespace weir::block {

struct Request {
    kernel::ListNode node;  // the elevator's FIFO, the requeue list, in flight, or done

    // Sorted tree and merge index; see there.
    Request* tree_left = nullptr;
    Request* tree_right = nullptr;
    uint64_t tree_priority = 0;
    Request* start_next = nullptr;
    Request** start_link = nullptr;
    Request* end_next = nullptr;
    Request** end_link = nullptr;

    Bio* first_bio = nullptr;
    Bio* last_bio = nullptr;
    hal::Sector sector{};
    uint32_t page_count = 0;
    uint32_t flags = 0;  // of the bio it was made for
    Direction direction = Direction::Read;
    IoClass io_class = IoClass::Sync;
    hal::Error error = hal::Error::None;
    uint64_t sequence = 0;            // order of insertion in its queue
    uint64_t fifo_expires_jiffy = 0;  // deadline elevator

    // The driver's.
    uint64_t issued_ns = 0;
    uint32_t done_pages = 0;     // by earlier commands, where one command cannot hold the request
    uint32_t command_pages = 0;  // of the command in flight
    uint16_t command_id = 0;
    uint8_t error_retries = 0;
    uint8_t reset_retries = 0;

    bool flush() const { return (flags & kBioFlush) != 0; }
    hal::Sector end_sector() const { return sector + uint64_t{page_count} * hal::kSectorsPerPage; }
};

using RequestList = kernel::List<Request, &Request::node>;

struct BioBox : Bio {
    Request request;
};

/// Makes the request that a bio carries. The bio must come from alloc_bio.
Request& make_request(Bio& bio);
void append_bio(Request& request, Bio& bio);
void prepend_bio(Request& request, Bio& bio);
/// Moves every bio of tail, which starts where request ends, to the end of request.
void append_request(Request& request, Request& tail);

/// The rwbs argument of block events.
uint32_t rwbs_of(Direction direction, uint32_t bio_flags);

void bio_init();

}  // namespace weir::block
