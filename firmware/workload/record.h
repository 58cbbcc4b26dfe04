// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A record: a run of bytes of a file in a user buffer, stored with and checked against the pattern.
// - store_record(), check_record(): whole pages the fast way, ragged ends byte by byte.
// - expected_base(): what a page of the file must hold.
#pragma once

#include "firmware/hal/disk_image.h"
#include "firmware/hal/page_content.h"
#include "firmware/workload/disks.h"
#include "firmware/workload/user_api.h"
#include "firmware/workload/workload.h"

namespace weir::workload {

inline constexpr uint32_t kWritePhases = hal::kPhaseWrite | hal::kPhaseRewrite;

/// What a file holds during a run. generation: stores so far; 0: still as the disk was delivered.
struct FileContent {
    FilePlace place;
    uint64_t first_block;
    uint64_t generation;
};

/// A number for every file of the machine, small enough for stored_base.
constexpr uint64_t object_of(const FilePlace& place) {
    return static_cast<uint64_t>(place.disk) * hal::kMaxFiles + place.file_number;
}

constexpr uint64_t expected_base(const FileContent& content, uint64_t page) {
    return content.generation == 0
               ? hal::pristine_base(content.place.disk,
                                    hal::data_block_of(content.first_block, page))
               : hal::stored_base(object_of(content.place), page, content.generation);
}

struct Record {
    hal::VirtAddr buffer;  // page-aligned
    uint64_t file_offset;
    uint64_t bytes;
};

/// False on a bad address.
bool store_record(const Record& record, const FileContent& content);
/// Counts pages_verified and pages_wrong and traces each wrong page.
Outcome check_record(const Record& record, const FileContent& content);

}  // namespace weir::workload
