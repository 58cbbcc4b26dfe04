// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "firmware/workload/user_api.h"

#include "firmware/block/block.h"
#include "firmware/hal/hal.h"
#include "firmware/kernel/sched.h"
#include "firmware/kernel/task.h"
#include "firmware/mm/address_space.h"
#include "firmware/mm/page_cache.h"

namespace weir::workload {

namespace {

/// One system call: kernel mode and its price while alive.
class Syscall {
  public:
    Syscall() { hal::spend(hal::Op::SyscallEntry); }

  private:
    kernel::KernelMode mode_;
};

mm::AddressSpace& my_space() {
    mm::AddressSpace* space = kernel::current().space;
    WEIR_ASSERT(space != nullptr, "a kernel thread called a user function", kernel::current().pid,
                0);
    return *space;
}

uint64_t pages_of(uint64_t bytes) {
    return (bytes + hal::kPageBytes - 1) / hal::kPageBytes;
}

struct SyncRange {
    hal::VirtAddr begin;
    hal::VirtAddr end;
};

/// Syncs the part of one area that lies in the range.
hal::Status sync_area(mm::Area& area, const SyncRange& range) {
    const hal::VirtAddr begin = area.begin < range.begin ? range.begin : area.begin;
    const hal::VirtAddr end = range.end < area.end ? range.end : area.end;
    if (area.file == nullptr || area.sharing != mm::Sharing::Shared || !(begin < end)) return {};
    const uint64_t first_page = area.file_page + (begin.value - area.begin.value) / hal::kPageBytes;
    return mm::file_sync(*area.file, first_page, pages_of(end.value - begin.value));
}

}  // namespace

FileHandle open(uint32_t disk, uint32_t file_number) {
    Syscall call;
    if (disk >= block::device_count()) return nullptr;
    return mm::open_file(block::device(disk), file_number);
}

hal::Result<hal::VirtAddr> map_anonymous(uint64_t bytes) {
    Syscall call;
    return mm::map_anon(my_space(), bytes);
}

hal::Result<hal::VirtAddr> map_shared(FileHandle file, uint64_t offset_bytes, uint64_t bytes) {
    Syscall call;
    if (offset_bytes % hal::kPageBytes != 0) return hal::Error::Invalid;
    return mm::map_file(my_space(), *file, offset_bytes / hal::kPageBytes, bytes,
                        mm::Sharing::Shared, true);
}

hal::Result<hal::VirtAddr> map_private(FileHandle file, uint64_t offset_bytes, uint64_t bytes) {
    Syscall call;
    if (offset_bytes % hal::kPageBytes != 0) return hal::Error::Invalid;
    return mm::map_file(my_space(), *file, offset_bytes / hal::kPageBytes, bytes,
                        mm::Sharing::Private, true);
}

hal::Status unmap(hal::VirtAddr begin, uint64_t bytes) {
    Syscall call;
    return mm::unmap(my_space(), begin, bytes);
}

hal::Result<uint64_t> read(FileHandle file, uint64_t offset_bytes, hal::VirtAddr to,
                           uint64_t bytes) {
    Syscall call;
    return mm::file_read(*file, offset_bytes, to, bytes);
}

hal::Result<uint64_t> write(FileHandle file, uint64_t offset_bytes, hal::VirtAddr from,
                            uint64_t bytes) {
    Syscall call;
    return mm::file_write(*file, offset_bytes, from, bytes);
}

hal::Result<uint64_t> read_direct(FileHandle file, uint64_t offset_bytes, hal::VirtAddr to,
                                  uint64_t bytes) {
    Syscall call;
    return mm::direct_io(*file, offset_bytes, to, bytes, hal::Access::Read);
}

hal::Result<uint64_t> write_direct(FileHandle file, uint64_t offset_bytes, hal::VirtAddr from,
                                   uint64_t bytes) {
    Syscall call;
    return mm::direct_io(*file, offset_bytes, from, bytes, hal::Access::Write);
}

hal::Status fsync(FileHandle file) {
    Syscall call;
    return mm::file_sync(*file, 0, pages_of(file->size_bytes));
}

hal::Status msync(hal::VirtAddr begin, uint64_t bytes) {
    Syscall call;
    const SyncRange range{begin, begin + bytes};
    mm::AddressSpace& space = my_space();
    for (mm::Area* area = space.areas.front(); area != nullptr; area = space.areas.next(*area)) {
        const hal::Status status = sync_area(*area, range);
        if (!status.ok()) return status;
    }
    return {};
}

uint64_t drop_caches() {
    Syscall call;
    return mm::drop_caches();
}

void exit(int code) {
    kernel::exit_task(code);
}

uint64_t clock_ns() {
    return hal::now_ns();
}

bool store_page(hal::VirtAddr page, uint64_t base) {
    void* bytes = hal::user_span(page, hal::kPageBytes, hal::Access::Write);
    if (bytes == nullptr) return false;
    hal::fill_page(bytes, base);
    hal::spend(hal::Op::UserWorkPage);
    return true;
}

PageCheck check_page(hal::VirtAddr page, uint64_t base) {
    const void* bytes = hal::user_span(page, hal::kPageBytes, hal::Access::Read);
    if (bytes == nullptr) return {.readable = false};
    PageCheck check{.ok = hal::page_matches(bytes, base)};
    if (!check.ok) [[unlikely]] {
        const auto* words = static_cast<const uint64_t*>(bytes);
        uint32_t i = 0;
        while (words[i] == base + i * hal::kPatternStep) ++i;
        check.first_bad_word = i;
        check.expected = base + i * hal::kPatternStep;
        check.got = words[i];
    }
    hal::spend(hal::Op::UserWorkPage);
    return check;
}

namespace {

uint8_t pattern_byte(uint64_t base, uint32_t offset_bytes) {
    const uint64_t word = base + offset_bytes / 8 * hal::kPatternStep;
    return static_cast<uint8_t>(word >> (offset_bytes % 8 * 8));
}

}  // namespace

bool store_part(const PagePart& part, uint64_t base) {
    auto* bytes = static_cast<uint8_t*>(hal::user_span(part.at, part.bytes, hal::Access::Write));
    if (bytes == nullptr) return false;
    for (uint32_t i = 0; i < part.bytes; ++i) bytes[i] = pattern_byte(base, part.page_offset + i);
    hal::spend(hal::Op::UserWorkPage);
    return true;
}

PageCheck check_part(const PagePart& part, uint64_t base) {
    const auto* bytes =
        static_cast<const uint8_t*>(hal::user_span(part.at, part.bytes, hal::Access::Read));
    if (bytes == nullptr) return {.readable = false};
    PageCheck check{.ok = true};
    for (uint32_t i = 0; i < part.bytes && check.ok; ++i) {
        const uint8_t expected = pattern_byte(base, part.page_offset + i);
        if (bytes[i] == expected) continue;
        check.ok = false;
        check.first_bad_word = (part.page_offset + i) / 8;
        check.expected = expected;
        check.got = bytes[i];
    }
    hal::spend(hal::Op::UserWorkPage);
    return check;
}

}  // namespace weir::workload
