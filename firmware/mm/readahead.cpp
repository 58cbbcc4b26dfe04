// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "firmware/mm/readahead.h"

#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/task.h"
#include "firmware/mm/allocator.h"
#include "firmware/mm/cache_insert.h"
#include "firmware/mm/device_state.h"
#include "firmware/mm/lru.h"
#include "firmware/mm/page_io.h"
#include "firmware/mm/pressure.h"
#include "firmware/mm/zone.h"

namespace weir::mm {

namespace {

uint64_t round_up_to_power_of_two(uint64_t value) {
    uint64_t power = 1;
    while (power < value) power <<= 1;
    return power;
}

/// Cached pages right before `page` without a gap, at most `max_pages`.
uint64_t history_pages(const Mapping& mapping, uint64_t page, uint32_t max_pages) {
    uint64_t found = 0;
    while (found < max_pages && found < page && mapping.pages.lookup(page - 1 - found)) ++found;
    return found;
}

/// Cached pages from `page` on without a gap, at most `max_pages`.
uint64_t cached_pages(const Mapping& mapping, uint64_t page, uint32_t max_pages) {
    uint64_t found = 0;
    while (found < max_pages && mapping.pages.lookup(page + found)) ++found;
    return found;
}

uint64_t file_pages(const File& file) {
    return (file.size_bytes + hal::kPageBytes - 1) / hal::kPageBytes;
}

/// A window may not be larger than half of what is free or cheaply reclaimed.
uint32_t sane_window_pages(uint32_t want_pages) {
    const Zone& z = zone();
    const uint64_t half = (lru_size(z, Lru::InactiveFile) + free_frames(z)) / 2;
    return half < want_pages ? static_cast<uint32_t>(half) : want_pages;
}

/// A window right at a reader that has not been followed so far.
void start_stream(ReadaheadState& state, const ReadaheadRequest& request, uint32_t max_pages) {
    state.start_page = request.page;
    state.size_pages = initial_window_pages(request.request_pages, max_pages);
    state.async_size_pages = state.size_pages > request.request_pages
                                 ? state.size_pages - request.request_pages
                                 : state.size_pages;
}

/// The marker of another stream, or of a state that was lost: the pages that are cached beyond it
/// are what that stream's window was.
bool follow_marker(const Mapping& mapping, ReadaheadState& state, const ReadaheadRequest& request,
                   uint32_t max_pages) {
    const uint64_t ahead = cached_pages(mapping, request.page + 1, max_pages);
    if (ahead >= max_pages) return false;  // enough is there already
    state.start_page = request.page + 1 + ahead;
    state.size_pages =
        next_window_pages(static_cast<uint32_t>(ahead) + 1 + request.request_pages, max_pages);
    state.async_size_pages = state.size_pages;
    return true;
}

/// A miss far from this reader's last place: the pages cached before it may show that some stream
/// came along here.
bool follow_history(const Mapping& mapping, ReadaheadState& state, const ReadaheadRequest& request,
                    uint32_t max_pages) {
    uint64_t history = history_pages(mapping, request.page, max_pages);
    if (history == 0) return false;
    if (history >= request.page) history *= 2;  // from the start of the file on: a long stream
    state.start_page = request.page;
    state.size_pages = initial_window_pages(history + request.request_pages, max_pages);
    state.async_size_pages = state.size_pages;
    return true;
}

}  // namespace

uint32_t initial_window_pages(uint64_t request_pages, uint32_t max_pages) {
    const uint64_t size = round_up_to_power_of_two(request_pages);
    if (size <= max_pages / 32) return static_cast<uint32_t>(size * 4);
    if (size <= max_pages / 4) return static_cast<uint32_t>(size * 2);
    return max_pages;
}

uint32_t next_window_pages(uint32_t size_pages, uint32_t max_pages) {
    const uint32_t size = size_pages < max_pages / 16 ? size_pages * 4 : size_pages * 2;
    return size < max_pages ? size : max_pages;
}

ReadaheadWindow plan_readahead(const Mapping& mapping, ReadaheadState& state,
                               const ReadaheadRequest& request, uint32_t max_pages) {
    const uint64_t page = request.page;
    const uint64_t window_end = state.start_page + state.size_pages;
    const bool expected = page == window_end || page == window_end - state.async_size_pages;
    if (page == 0) {
        start_stream(state, request, max_pages);
    } else if (expected) {
        state.start_page = window_end;
        state.size_pages = next_window_pages(state.size_pages, max_pages);
        state.async_size_pages = state.size_pages;
    } else if (request.cause == ReadaheadCause::Marker) {
        if (!follow_marker(mapping, state, request, max_pages)) return {};
    } else if (request.request_pages > max_pages || page - state.prev_page <= 1) {
        // Larger than a window, or sequential: at the page read last or right behind it.
        start_stream(state, request, max_pages);
    } else if (!follow_history(mapping, state, request, max_pages)) {
        return {page, request.request_pages, 0};
    }
    // Would the reader meet the new marker at once? Then read the window after it in the same go.
    if (page == state.start_page && state.size_pages == state.async_size_pages) {
        state.async_size_pages = next_window_pages(state.size_pages, max_pages);
        state.size_pages += state.async_size_pages;
    }
    return {state.start_page, state.size_pages, state.async_size_pages};
}

// ---- reading a window -------------------------------------------------------------------------

namespace {

/// Allocates the missing pages of a window, in order of page. They are on no list that reclaim
/// knows until they are inserted (facts 4.12.10).
void fill_pool(const File& file, const ReadaheadWindow& window, FrameList& pool) {
    const Mapping& mapping = file.mapping;
    const uint64_t marker = window.start_page + window.size_pages - window.async_size_pages;
    const uint64_t end_page = file_pages(file);
    for (uint32_t i = 0; i < window.size_pages; ++i) {
        const uint64_t page = window.start_page + i;
        if (page >= end_page) return;
        if (mapping.pages.lookup(page)) continue;
        Frame* f = alloc_frame({.order = 0, .flags = kAllocUser | kAllocCold});
        if (!f) return;
        f->index = page;
        f->set(kFrameLocked);
        if (window.async_size_pages != 0 && page == marker) f->set(kFrameReadahead);
        pool.push_back(*f);
    }
}

void discard(Frame& f) {
    f.clear(kFrameLocked | kFrameReadahead);
    put_frame(f);
}

/// Moves the head of the pool, as far as it continues in the file, into the page cache under one
/// tree lock. A page that someone else brought meanwhile is discarded.
uint32_t insert_run(Mapping& mapping, FrameList& pool, uint32_t run_pages, FrameList& inserted,
                    FrameList& refused) {
    const uint64_t end = pool.front()->index + run_pages;
    kernel::IrqSpinGuard guard(mapping.tree_lock);
    while (Frame* f = pool.front()) {
        if (f->index >= end) break;
        pool.remove(*f);
        const bool ok = insert_locked(mapping, f->index, *f) == InsertResult::Inserted;
        (ok ? inserted : refused).push_back(*f);
    }
    return inserted.size();
}

/// Reads the pages of one contiguous run. Their own uses go: the lock keeps them while the read is
/// in flight.
uint32_t read_run(File& file, FrameList& pool, uint64_t device_block, uint32_t run_pages) {
    Mapping& mapping = file.mapping;
    const uint64_t first_page = pool.front()->index;
    FrameList inserted;
    FrameList refused;
    const uint32_t count = insert_run(mapping, pool, run_pages, inserted, refused);
    while (Frame* f = refused.pop_front()) discard(*f);
    if (count == 0) return 0;
    count_inserted(mapping, count);
    hal::spend(hal::Op::CacheInsert, count);
    BioRun run{
        .device = mapping.device, .direction = block::Direction::Read, .flags = 0, .end = end_read};
    while (Frame* f = inserted.pop_front()) {
        lru_add(*f);
        const bool taken = run.add(device_block + (f->index - first_page), pfn_of(*f)).ok();
        // Without memory for a bio the page stays out of date; its reader tries by itself.
        if (!taken) unlock_frame(*f);
        put_frame(*f);
    }
    run.submit();
    return count;
}

}  // namespace

uint32_t read_pages(File& file, const ReadaheadWindow& window) {
    FrameList pool;
    fill_pool(file, window, pool);
    hal::spend(hal::Op::CacheLookup, window.size_pages);
    uint32_t read_count = 0;
    while (Frame* first = pool.front()) {
        const uint64_t want = pool.back()->index - first->index + 1;
        uint32_t run_pages = 0;
        const auto device_block =
            map_blocks(file, first->index, static_cast<uint32_t>(want), &run_pages);
        if (!device_block.ok()) {
            while (Frame* f = pool.pop_front()) discard(*f);
            break;
        }
        read_count += read_run(file, pool, device_block.value(), run_pages);
    }
    kernel::count(kernel::VmCounter::ReadaheadPages, read_count);
    return read_count;
}

namespace {

void plan_and_read(File& file, const ReadaheadRequest& request) {
    const uint32_t max_pages = sane_window_pages(file.readahead.max_pages);
    hal::spend(hal::Op::ReadaheadPlan);
    const ReadaheadWindow window = plan_readahead(file.mapping, file.readahead, request, max_pages);
    if (window.size_pages == 0) return;
    hal::trace(hal::Event::Readahead, kernel::current().pid, file.number, window.start_page,
               window.size_pages, window.async_size_pages);
    read_pages(file, window);
}

}  // namespace

void sync_readahead(File& file, uint64_t page, uint32_t request_pages) {
    if (file.readahead.max_pages == 0) return;
    plan_and_read(file, {page, request_pages, ReadaheadCause::Miss});
}

void async_readahead(File& file, Frame& marker, uint64_t page, uint32_t request_pages) {
    if (file.readahead.max_pages == 0) return;
    // In Linux this mark and "reclaim when written" share a bit.
    if (marker.test(kFrameWriteback)) return;
    marker.clear(kFrameReadahead);
    const auto may_read_ahead = pressure().may_read_ahead;
    if (may_read_ahead && !may_read_ahead(file.mapping)) return;
    plan_and_read(file, {page, request_pages, ReadaheadCause::Marker});
}

}  // namespace weir::mm
