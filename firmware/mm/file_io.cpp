// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Buffered reads and writes of files: the generic loops of 2.6, page by page.
// Cache lookups, whose number a call knows from its start, are charged once per call.
#include "firmware/kernel/counters.h"
#include "firmware/kernel/sched.h"
#include "firmware/mm/allocator.h"
#include "firmware/mm/cache_insert.h"
#include "firmware/mm/device_state.h"
#include "firmware/mm/lru.h"
#include "firmware/mm/page_cache.h"
#include "firmware/mm/page_io.h"
#include "firmware/mm/readahead.h"
#include "firmware/mm/writeback.h"

namespace weir::mm {

using kernel::VmCounter;

namespace {

/// user_span only has to translate here: copy_bytes pays for the bytes.
constexpr uint32_t kTranslateBytes = 8;

bool dying() {
    return (kernel::current().flags & kernel::kTaskDying) != 0;
}

uint32_t offset_in_page(uint64_t address) {
    return static_cast<uint32_t>(address % hal::kPageBytes);
}

uint32_t bytes_to_page_end(uint64_t address) {
    return hal::kPageBytes - offset_in_page(address);
}

template <typename T>
T smaller(T a, T b) {
    return a < b ? a : b;
}

void* translate(hal::VirtAddr addr, hal::Access access) {
    const uint32_t bytes = smaller(kTranslateBytes, bytes_to_page_end(addr.value));
    return hal::user_span(addr, bytes, access);
}

/// Copies out of a cached page to user memory. Returns bytes copied: fewer on a bad address.
uint32_t copy_to_user(hal::VirtAddr to, const Frame& f, uint32_t offset_bytes, uint32_t bytes) {
    const auto* from = static_cast<const uint8_t*>(frame_bytes(f)) + offset_bytes;
    uint32_t done = 0;
    while (done < bytes) {
        const uint32_t part = smaller(bytes - done, bytes_to_page_end(to.value + done));
        void* place = translate(to + done, hal::Access::Write);
        if (!place) break;
        hal::copy_bytes(place, from + done, part);
        done += part;
    }
    return done;
}

/// Waits for a page that is not up to date, and reads it by itself if its readahead failed.
/// Errors: Again if it was reclaimed meanwhile; IoError, NoMemory, Killed.
hal::Status make_uptodate(File& file, Frame& f, uint64_t page) {
    block::BlockDevice& device = *file.mapping.device;
    wait_frame_unlocked(f);
    if (f.test(kFrameUptodate)) return {};
    if (dying()) return hal::Error::Killed;
    lock_frame(f);
    if (f.mapping != &file.mapping || f.test(kFrameUptodate)) {
        const bool gone = f.mapping != &file.mapping;
        unlock_frame(f);
        return gone ? hal::Status{hal::Error::Again} : hal::Status{};
    }
    const hal::Result<uint64_t> device_block = map_block(file, page);
    if (!device_block.ok()) {
        unlock_frame(f);
        return device_block.error();
    }
    const hal::Status status = read_frame_and_wait(device, device_block.value(), f, 0);
    // A stream that runs into bad sectors gets smaller windows, so that fewer reads fail with it.
    if (!status.ok()) file.readahead.max_pages /= 4;
    return status;
}

/// The page that a reader needs next: from the cache, by readahead, or by a read of its own.
hal::Result<Frame*> frame_for_read(File& file, uint64_t page, uint32_t request_pages) {
    while (true) {
        Frame* f = find_frame(file.mapping, page);
        if (f) {
            kernel::count(VmCounter::ReadaheadHits);
        } else {
            sync_readahead(file, page, request_pages);
            f = find_frame(file.mapping, page);
        }
        if (!f) {
            const auto created = find_or_create_locked(file.mapping, page, kAllocUser | kAllocCold);
            if (!created.ok()) return created.error();
            f = created.value();
            unlock_frame(*f);
        }
        if (f->test(kFrameReadahead)) async_readahead(file, *f, page, request_pages);
        if (f->test(kFrameUptodate)) return f;
        const hal::Status status = make_uptodate(file, *f, page);
        if (status.ok()) return f;
        put_frame(*f);
        if (status.error() != hal::Error::Again) return status.error();
    }
}

}  // namespace

hal::Result<uint64_t> file_read(File& file, uint64_t offset_bytes, hal::VirtAddr to,
                                uint64_t bytes) {
    if (offset_bytes >= file.size_bytes || bytes == 0) return uint64_t{0};
    bytes = smaller(bytes, file.size_bytes - offset_bytes);
    const uint64_t last_page = (offset_bytes + bytes - 1) / hal::kPageBytes;
    const auto page_count = static_cast<uint32_t>(last_page - offset_bytes / hal::kPageBytes + 1);
    hal::spend(hal::Op::CacheLookup, page_count);

    ReadaheadState& state = file.readahead;
    uint64_t done = 0;
    hal::Error error = hal::Error::None;
    while (done < bytes) {
        kernel::cond_resched();
        const uint64_t position = offset_bytes + done;
        const uint64_t page = position / hal::kPageBytes;
        const uint32_t in_page = offset_in_page(position);
        const auto found = frame_for_read(file, page, static_cast<uint32_t>(last_page - page + 1));
        if (!found.ok()) {
            error = found.error();
            break;
        }
        Frame& f = *found.value();
        // Going on where the last read stopped is the same use of the page. As in Linux, the end of
        // a page is remembered as its offset 0.
        if (state.prev_page != page || state.prev_offset_bytes != in_page) mark_accessed(f);
        const auto part =
            static_cast<uint32_t>(smaller(uint64_t{bytes_to_page_end(position)}, bytes - done));
        const uint32_t copied = copy_to_user(to + done, f, in_page, part);
        put_frame(f);
        done += copied;
        state.prev_page = page;
        state.prev_offset_bytes = offset_in_page(offset_bytes + done);
        if (copied != part) {
            error = hal::Error::BadAddress;
            break;
        }
    }
    if (done == 0 && error != hal::Error::None) return error;
    return done;
}

hal::Result<Frame*> file_page_for_fault(File& file, uint64_t page) {
    const uint64_t page_count = (file.size_bytes + hal::kPageBytes - 1) / hal::kPageBytes;
    if (page >= page_count) return hal::Error::OutOfRange;
    hal::spend(hal::Op::CacheLookup);
    if (!file.mapping.pages.lookup(page)) {
        const uint64_t start = page - page % kFaultReadPages;
        read_pages(file, {start, kFaultReadPages, 0});
    }
    // What is missing still is read by itself: a window of one page has no marker.
    while (true) {
        const auto found = find_frame(file.mapping, page);
        Frame* f = found;
        if (!f) {
            const auto created = find_or_create_locked(file.mapping, page, kAllocUser | kAllocCold);
            if (!created.ok()) return created.error();
            f = created.value();
            unlock_frame(*f);
        }
        if (f->test(kFrameReadahead)) async_readahead(file, *f, page, 1);
        if (f->test(kFrameUptodate)) return f;
        const hal::Status status = make_uptodate(file, *f, page);
        if (status.ok()) return f;
        put_frame(*f);
        if (status.error() != hal::Error::Again) return status.error();
    }
}

// ---- writing ----------------------------------------------------------------------------------

namespace {

/// Up to one page of user bytes, translated and held in place by a use of their frames, so that no
/// fault can happen while the page that they go to is locked.
class HeldSource {
  public:
    HeldSource(hal::VirtAddr from, uint32_t bytes) {
        uint32_t done = 0;
        while (done < bytes) {
            const uint32_t part = smaller(bytes - done, bytes_to_page_end(from.value + done));
            const void* place = translate(from + done, hal::Access::Read);
            if (!place) return;
            Part& next = parts_[part_count_++];
            next = {place, part, &frame_of(hal::pfn_of(hal::ram_addr(place)))};
            get_frame(*next.frame);
            done += part;
        }
        ok_ = true;
    }
    ~HeldSource() {
        for (uint32_t i = 0; i < part_count_; ++i) put_frame(*parts_[i].frame);
    }
    HeldSource(const HeldSource&) = delete;
    HeldSource& operator=(const HeldSource&) = delete;

    bool ok() const { return ok_; }
    void copy_to(uint8_t* to) const {
        for (uint32_t i = 0; i < part_count_; ++i) {
            hal::copy_bytes(to, parts_[i].bytes_at, parts_[i].byte_count);
            to += parts_[i].byte_count;
        }
    }

  private:
    struct Part {
        const void* bytes_at;
        uint32_t byte_count;
        Frame* frame;
    };
    Part parts_[2];
    uint32_t part_count_ = 0;
    bool ok_ = false;
};

/// The locked frame that a write goes to. A partial write needs the rest of the page: read first.
hal::Result<Frame*> frame_for_write(File& file, uint64_t page, bool whole_page) {
    while (true) {
        const auto created = find_or_create_locked(file.mapping, page, kAllocUser);
        if (!created.ok()) return created.error();
        Frame* f = created.value();
        if (whole_page || f->test(kFrameUptodate)) return f;
        unlock_frame(*f);
        const hal::Status status = make_uptodate(file, *f, page);
        if (!status.ok()) {
            put_frame(*f);
            if (status.error() != hal::Error::Again) return status.error();
            continue;
        }
        lock_frame(*f);
        if (f->mapping == &file.mapping && f->test(kFrameUptodate)) return f;
        unlock_frame(*f);
        put_frame(*f);
    }
}

hal::Status write_page(File& file, uint64_t position, hal::VirtAddr from, uint32_t bytes) {
    const HeldSource source(from, bytes);
    if (!source.ok()) return hal::Error::BadAddress;
    const auto target = frame_for_write(file, position / hal::kPageBytes, bytes == hal::kPageBytes);
    if (!target.ok()) return target.error();
    Frame& f = *target.value();
    source.copy_to(static_cast<uint8_t*>(frame_bytes(f)) + offset_in_page(position));
    f.flags = (f.flags & ~kFrameError) | kFrameUptodate;
    set_frame_dirty(f);
    unlock_frame(f);
    mark_accessed(f);
    put_frame(f);
    return {};
}

/// Marks the running task as a writer to a device: reclaim may then page out to it though
/// congested.
class [[nodiscard]] WritingTo {
  public:
    explicit WritingTo(const block::BlockDevice& device) : task_(kernel::current()) {
        task_.writes_to = &device;
    }
    ~WritingTo() { task_.writes_to = nullptr; }
    WritingTo(const WritingTo&) = delete;
    WritingTo& operator=(const WritingTo&) = delete;

  private:
    kernel::Task& task_;
};

}  // namespace

hal::Result<uint64_t> file_write(File& file, uint64_t offset_bytes, hal::VirtAddr from,
                                 uint64_t bytes) {
    if (offset_bytes > file.size_bytes || bytes > file.size_bytes - offset_bytes) {
        return hal::Error::OutOfRange;
    }
    if (bytes == 0) return uint64_t{0};
    const uint64_t last_page = (offset_bytes + bytes - 1) / hal::kPageBytes;
    const auto page_count = static_cast<uint32_t>(last_page - offset_bytes / hal::kPageBytes + 1);
    hal::spend(hal::Op::CacheLookup, page_count);
    uint64_t done = 0;
    const WritingTo writing(*file.mapping.device);
    while (done < bytes) {
        kernel::cond_resched();
        const auto part = static_cast<uint32_t>(
            smaller(uint64_t{bytes_to_page_end(offset_bytes + done)}, bytes - done));
        const hal::Status status = write_page(file, offset_bytes + done, from + done, part);
        if (!status.ok() && done == 0) return status.error();
        if (!status.ok()) break;
        done += part;
        dirtied_ratelimited(file.mapping, 1);
        if (dying()) break;
    }
    report_dirty_gauges();
    return done;
}

}  // namespace weir::mm
