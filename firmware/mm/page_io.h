// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Between frames and the block layer: bios and what happens when they end.
// - BioRun gathers pages that are contiguous on the device into bios of up to kMaxBioPages.
// - end_read / end_write are the completion handlers of page-cache and swap-cache pages.
// - read_frame_and_wait() reads one locked frame for a task that waits.
// A failed bio of several pages does not condemn them all: its pages stay out of date (reads) or
// turn dirty again (writes) with no data lost, and whoever needs them tries each page by itself.
// Only a bio of a single page is believed: the page gets kFrameError, a lost write is counted and
// told.
#pragma once

#include "firmware/block/block.h"
#include "firmware/mm/frame.h"

namespace weir::mm {

struct BioRun {
    block::BlockDevice* device;
    block::Direction direction;
    uint32_t flags;  // of each bio
    void (*end)(block::Bio& bio, hal::Error error);
    void* context = nullptr;
    block::Bio* bio = nullptr;

    /// Appends a page; submits what is held first if the page does not continue it.
    /// Errors: NoMemory if no bio could be had; the page was not taken.
    hal::Status add(uint64_t device_block, hal::Pfn pfn);
    /// Submits what is held. A bio that the block layer refuses ends here with its error.
    void submit();
};

/// alloc_bio, or waits a while for one. Errors: null after about a second.
block::Bio* alloc_bio_patiently();

/// Completion of a read of page-cache frames: up to date or not, unlocked.
void end_read(block::Bio& bio, hal::Error error);
/// Completion of a write of page-cache or swap-cache frames: accounts, ends writeback.
void end_write(block::Bio& bio, hal::Error error);

/// Reads one locked frame that is not up to date and waits; the frame is unlocked afterwards.
/// Errors: NoMemory, IoError.
hal::Status read_frame_and_wait(block::BlockDevice& device, uint64_t device_block, Frame& f,
                                uint32_t bio_flags);

/// Marks a locked frame as being written and tags it. Before its bio is submitted.
void start_frame_writeback(Frame& f);
/// Gives up on a locked dirty frame whose data cannot reach the disk: the loss is told by fsync,
/// counted and traced.
void abandon_write(Frame& f, hal::Error error);

}  // namespace weir::mm
