// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// On-demand readahead of 2.6.33: which pages to read when a reader misses or meets a marker.
// - plan_readahead(): the rule alone, from the reader's state and what the page cache remembers.
// - sync_readahead() / async_readahead(): a miss / a marker page; plan, then read the window.
// - read_pages(): reads what is missing of a window; nobody waits.
// Source: facts book chapter 7 (Linux 2.6.33).
#pragma once

#include "firmware/mm/page_cache.h"

namespace weir::mm {

/// Pages that a fault on a mapped file reads around it, aligned.
inline constexpr uint32_t kFaultReadPages = 16;

enum class ReadaheadCause : uint8_t { Miss, Marker };

struct ReadaheadRequest {
    uint64_t page;           // where the reader is
    uint32_t request_pages;  // how much it still wants, this page included
    ReadaheadCause cause;
};

/// size_pages 0: nothing to read.
struct ReadaheadWindow {
    uint64_t start_page;
    uint32_t size_pages;
    uint32_t async_size_pages;  // the marker goes on page start + size - async_size; 0: no marker
};

/// First window of a stream that asks for so many pages.
uint32_t initial_window_pages(uint64_t request_pages, uint32_t max_pages);
/// The window after one of `size_pages`.
uint32_t next_window_pages(uint32_t size_pages, uint32_t max_pages);
/// Chooses the window and remembers it in `state`, except for a lone random read.
ReadaheadWindow plan_readahead(const Mapping& mapping, ReadaheadState& state,
                               const ReadaheadRequest& request, uint32_t max_pages);

void sync_readahead(File& file, uint64_t page, uint32_t request_pages);
/// Drops the marker and starts the next window, unless the device is congested for reads.
void async_readahead(File& file, Frame& marker, uint64_t page, uint32_t request_pages);
/// Allocates the window's missing pages into a private pool, then puts them into the page cache and
/// reads them by contiguous bios. Returns how many pages are being read.
uint32_t read_pages(File& file, const ReadaheadWindow& window);

}  // namespace weir::mm
