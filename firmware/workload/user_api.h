// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// System calls as a user program sees them. A workload is written with nothing but these, so that
// it reads like the program it re-enacts.
// - Each call enters kernel mode, charges SyscallEntry and counts as system time.
// - load/store/check go through the MMU and may fault; they count as user time.
#pragma once

#include "firmware/hal/page_content.h"
#include "firmware/hal/types.h"

namespace weir::mm {
struct File;
}

namespace weir::workload {

using FileHandle = mm::File*;

FileHandle open(uint32_t disk, uint32_t file_number);
hal::Result<hal::VirtAddr> map_anonymous(uint64_t bytes);
hal::Result<hal::VirtAddr> map_shared(FileHandle file, uint64_t offset_bytes, uint64_t bytes);
hal::Result<hal::VirtAddr> map_private(FileHandle file, uint64_t offset_bytes, uint64_t bytes);
hal::Status unmap(hal::VirtAddr begin, uint64_t bytes);
hal::Result<uint64_t> read(FileHandle file, uint64_t offset_bytes, hal::VirtAddr to,
                           uint64_t bytes);
hal::Result<uint64_t> write(FileHandle file, uint64_t offset_bytes, hal::VirtAddr from,
                            uint64_t bytes);
hal::Result<uint64_t> read_direct(FileHandle file, uint64_t offset_bytes, hal::VirtAddr to,
                                  uint64_t bytes);
hal::Result<uint64_t> write_direct(FileHandle file, uint64_t offset_bytes, hal::VirtAddr from,
                                   uint64_t bytes);
hal::Status fsync(FileHandle file);
hal::Status msync(hal::VirtAddr begin, uint64_t bytes);
uint64_t drop_caches();
[[noreturn]] void exit(int code);
uint64_t clock_ns();

/// Stores the pattern over one page of user memory. False on a bad address.
bool store_page(hal::VirtAddr page, uint64_t base);
/// Loads one page of user memory and compares every word with the pattern.
struct PageCheck {
    bool ok = false;
    bool readable = true;  // false: a bad address, or the task is being killed
    uint32_t first_bad_word = 0;
    uint64_t expected = 0;
    uint64_t got = 0;
};
PageCheck check_page(hal::VirtAddr page, uint64_t base);

/// Part of a page of data that lies inside one page of user memory, for transfers that are not
/// whole pages. Byte page_offset + i of the data page is at address at + i.
struct PagePart {
    hal::VirtAddr at;
    uint32_t page_offset;
    uint32_t bytes;
};
bool store_part(const PagePart& part, uint64_t base);
PageCheck check_part(const PagePart& part, uint64_t base);

}  // namespace weir::workload
