// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// O_DIRECT: between the disk and the user's own frames, past the page cache.
// - The cached copy of the range is written and forgotten first, and again after a write.
// - Frames are held by a use while the device works on them; all bios of a batch are in flight at
//   once.
// Leaves out: transfers that are not whole pages (Error::Invalid).
#include "firmware/kernel/sched.h"
#include "firmware/mm/cache_insert.h"
#include "firmware/mm/page_cache.h"
#include "firmware/mm/page_io.h"

namespace weir::mm {

namespace {

/// Held frames at once: bounds the array on the stack and what a task withdraws from reclaim.
constexpr uint32_t kBatchPages = 256;

/// Bios in flight on behalf of one waiting task.
struct InFlight {
    kernel::WaitQueue queue;
    uint32_t bio_count = 0;
    hal::Error error = hal::Error::None;
};

void end_direct(block::Bio& bio, hal::Error error) {
    auto& flight = *static_cast<InFlight*>(bio.context);
    if (error != hal::Error::None) flight.error = error;
    block::free_bio(bio);
    --flight.bio_count;
    kernel::wake_all(flight.queue, kernel::Waker::Event);
}

bool landed(void* context) {
    return static_cast<InFlight*>(context)->bio_count == 0;
}

/// One batch: user pages, held, with their device blocks.
struct Batch {
    Frame* frames[kBatchPages];
    uint64_t blocks[kBatchPages];
    uint32_t page_count = 0;

    ~Batch() {
        for (uint32_t i = 0; i < page_count; ++i) put_frame(*frames[i]);
    }
};

/// Moves pages [first, first + count) of a batch and waits for them.
hal::Status transfer(File& file, const Batch& batch, uint32_t first, uint32_t count,
                     block::Direction direction) {
    block::BlockDevice& device = *file.mapping.device;
    InFlight flight;
    BioRun run{.device = &device,
               .direction = direction,
               .flags = block::kBioSync,
               .end = end_direct,
               .context = &flight};
    hal::Status status;
    for (uint32_t i = first; i < first + count && status.ok(); ++i) {
        const block::Bio* before = run.bio;
        // Counted before add() may submit it; add() starts at most one new bio.
        ++flight.bio_count;
        status = run.add(batch.blocks[i], pfn_of(*batch.frames[i]));
        if (!status.ok() || run.bio == before) --flight.bio_count;
    }
    run.submit();
    block::unplug(device);
    kernel::sleep_until(flight.queue, landed, &flight, kernel::SleepKind::Uninterruptible,
                        kernel::IoWait::Yes);
    if (!status.ok()) return status;
    return flight.error == hal::Error::None ? hal::Status{} : hal::Status{flight.error};
}

/// Translates and holds the user's pages, and finds their blocks.
hal::Status gather(File& file, uint64_t page, hal::VirtAddr buffer, hal::Access user_access,
                   uint32_t page_count, Batch& batch) {
    for (uint32_t i = 0; i < page_count; ++i) {
        constexpr uint32_t kTranslateBytes = 8;
        const void* place =
            hal::user_span(buffer + uint64_t{i} * hal::kPageBytes, kTranslateBytes, user_access);
        if (!place) return hal::Error::BadAddress;
        Frame& f = frame_of(hal::pfn_of(hal::ram_addr(place)));
        get_frame(f);
        batch.frames[batch.page_count++] = &f;
    }
    for (uint32_t i = 0; i < page_count;) {
        uint32_t run_pages = 0;
        const auto device_block = map_blocks(file, page + i, page_count - i, &run_pages);
        if (!device_block.ok()) return device_block.error();
        for (uint32_t k = 0; k < run_pages; ++k) batch.blocks[i++] = device_block.value() + k;
    }
    return {};
}

/// What DMA has put into file pages is not on their disk.
void dirty_targets(const Batch& batch, block::Direction direction) {
    if (direction == block::Direction::Write) return;
    for (uint32_t i = 0; i < batch.page_count; ++i)
        if (batch.frames[i]->mapping != nullptr) set_frame_dirty(*batch.frames[i]);
}

hal::Status transfer_batch(File& file, const Batch& batch, block::Direction direction) {
    const hal::Status status = transfer(file, batch, 0, batch.page_count, direction);
    dirty_targets(batch, direction);
    if (status.ok()) return status;
    // One bad sector must not fail its neighbours: each page by itself, up to the first bad one.
    for (uint32_t i = 0; i < batch.page_count; ++i) {
        const hal::Status single = transfer(file, batch, i, 1, direction);
        if (!single.ok()) return single;
    }
    return {};
}

/// Writes and forgets the cached pages of a range, so that cache and disk agree.
hal::Status flush_range(File& file, uint64_t first_page, uint64_t page_count) {
    const hal::Status status = file_sync(file, first_page, page_count);
    if (!status.ok()) return status;
    Mapping& mapping = file.mapping;
    const uint64_t end = first_page + page_count;
    for (uint64_t index = first_page; index < end; ++index) {
        Frame* f;
        {
            kernel::IrqSpinGuard guard(mapping.tree_lock);
            f = mapping.pages.next(index, &index);
            if (!f || index >= end) break;
            get_frame(*f);
        }
        lock_frame(*f);
        if (f->mapping == &mapping) {
            if (f->map_count != 0) try_to_unmap(*f);
            invalidate_frame(*f);
        }
        unlock_frame(*f);
        put_frame(*f);
    }
    return {};
}

}  // namespace

hal::Result<uint64_t> direct_io(File& file, uint64_t offset_bytes, hal::VirtAddr buffer,
                                uint64_t bytes, hal::Access access) {
    if ((offset_bytes | bytes | buffer.value) % hal::kPageBytes != 0) return hal::Error::Invalid;
    const bool reading = access == hal::Access::Read;
    if (reading && offset_bytes >= file.size_bytes) return uint64_t{0};
    const uint64_t file_bytes =
        (file.size_bytes + hal::kPageBytes - 1) / hal::kPageBytes * hal::kPageBytes;
    if (!reading && (offset_bytes > file_bytes || bytes > file_bytes - offset_bytes)) {
        return hal::Error::OutOfRange;
    }
    if (bytes > file_bytes - offset_bytes) bytes = file_bytes - offset_bytes;
    if (bytes == 0) return uint64_t{0};

    const uint64_t first_page = offset_bytes / hal::kPageBytes;
    const uint64_t page_count = bytes / hal::kPageBytes;
    const hal::Status flushed = flush_range(file, first_page, page_count);
    if (!flushed.ok()) return flushed.error();
    // Reading the disk stores into user memory, and the other way round.
    const hal::Access user_access = reading ? hal::Access::Write : hal::Access::Read;
    const auto direction = reading ? block::Direction::Read : block::Direction::Write;
    uint64_t done_pages = 0;
    hal::Status status;
    while (done_pages < page_count && status.ok()) {
        const uint64_t left = page_count - done_pages;
        const auto count = static_cast<uint32_t>(left < kBatchPages ? left : kBatchPages);
        Batch batch;
        status = gather(file, first_page + done_pages, buffer + done_pages * hal::kPageBytes,
                        user_access, count, batch);
        if (status.ok()) status = transfer_batch(file, batch, direction);
        if (status.ok()) done_pages += count;
    }
    if (!reading) {
        // Pages that a fault or a reader brought in meanwhile may show the old content.
        const hal::Status again = flush_range(file, first_page, page_count);
        if (status.ok()) status = again;
    }
    if (!status.ok()) return status.error();
    return reading && offset_bytes + bytes > file.size_bytes ? file.size_bytes - offset_bytes
                                                             : bytes;
}

}  // namespace weir::mm
