// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "firmware/workload/record.h"

#include "firmware/hal/hal.h"
#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/task.h"

namespace weir::workload {

namespace {

/// Calls visit(part, file_page, whole) for each piece of the record that lies in one page of the
/// file and one page of the buffer, until it returns false.
template <typename Visit>
bool for_each_part(const Record& record, Visit&& visit) {
    uint64_t done = 0;
    while (done < record.bytes) {
        const uint64_t file_at = record.file_offset + done;
        const hal::VirtAddr at = record.buffer + done;
        const auto page_offset = static_cast<uint32_t>(file_at % hal::kPageBytes);
        const auto buffer_offset = static_cast<uint32_t>(at.value % hal::kPageBytes);
        uint64_t bytes =
            hal::kPageBytes - (page_offset > buffer_offset ? page_offset : buffer_offset);
        if (bytes > record.bytes - done) bytes = record.bytes - done;
        if (!visit(PagePart{at, page_offset, static_cast<uint32_t>(bytes)},
                   file_at / hal::kPageBytes)) {
            return false;
        }
        done += bytes;
    }
    return true;
}

bool is_whole(const PagePart& part) {
    return part.bytes == hal::kPageBytes;
}

}  // namespace

bool store_record(const Record& record, const FileContent& content) {
    return for_each_part(record, [&](const PagePart& part, uint64_t page) {
        const uint64_t base = expected_base(content, page);
        return is_whole(part) ? store_page(part.at, base) : store_part(part, base);
    });
}

Outcome check_record(const Record& record, const FileContent& content) {
    uint32_t verified = 0;
    uint32_t wrong = 0;
    const bool readable = for_each_part(record, [&](const PagePart& part, uint64_t page) {
        const uint64_t base = expected_base(content, page);
        const PageCheck check = is_whole(part) ? check_page(part.at, base) : check_part(part, base);
        if (!check.readable) return false;
        ++verified;
        if (!check.ok) [[unlikely]] {
            ++wrong;
            hal::trace(hal::Event::DataMismatch, kernel::current().pid,
                       page * hal::kPageBytes + check.first_bad_word * 8ull, check.expected,
                       check.got, content.place.disk);
        }
        return true;
    });
    kernel::count(kernel::VmCounter::PagesVerified, verified);
    if (wrong != 0) kernel::count(kernel::VmCounter::PagesWrong, wrong);
    if (!readable) return Outcome::IoError;
    return wrong != 0 ? Outcome::DataMismatch : Outcome::Ok;
}

}  // namespace weir::workload
