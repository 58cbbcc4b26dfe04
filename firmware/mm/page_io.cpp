// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "firmware/mm/page_io.h"

#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/nap.h"
#include "firmware/kernel/wait_queue.h"
#include "firmware/mm/device_state.h"
#include "firmware/mm/page_cache.h"
#include "firmware/mm/swap.h"

namespace weir::mm {

using kernel::count;
using kernel::VmCounter;

namespace {

constexpr uint64_t sector_of_block(uint64_t device_block) {
    return device_block * hal::kSectorsPerPage;
}

kernel::WaitQueue bio_memory_queue;  // nobody wakes it: sleepers look again every jiffy

}  // namespace

block::Bio* alloc_bio_patiently() {
    constexpr uint32_t kTries = 100;
    for (uint32_t i = 0; i < kTries; ++i) {
        if (block::Bio* bio = block::alloc_bio()) return bio;
        block::unplug_all();
        kernel::sleep_for(bio_memory_queue, 1, kernel::SleepKind::Uninterruptible,
                          kernel::IoWait::Yes);
    }
    return nullptr;
}

// ---- building bios ----------------------------------------------------------------------------

hal::Status BioRun::add(uint64_t device_block, hal::Pfn pfn) {
    const uint64_t sector = sector_of_block(device_block);
    if (bio) {
        const uint64_t next = bio->sector.value + uint64_t{bio->page_count} * hal::kSectorsPerPage;
        if (next != sector || bio->page_count == block::kMaxBioPages) submit();
    }
    if (!bio) {
        bio = alloc_bio_patiently();
        if (!bio) return hal::Error::NoMemory;
        bio->device = device;
        bio->sector = hal::Sector{sector};
        bio->direction = direction;
        bio->flags = flags;
        bio->page_count = 0;
        bio->end = end;
        bio->context = context;
        bio->next = nullptr;
    }
    bio->pages[bio->page_count++] = pfn;
    return {};
}

void BioRun::submit() {
    if (!bio) return;
    block::Bio& full = *bio;
    bio = nullptr;
    hal::spend(hal::Op::BioPage, full.page_count);
    const hal::Status status = block::submit_bio(full);
    if (!status.ok()) full.end(full, status.error());
}

// ---- ends of reads ----------------------------------------------------------------------------

void end_read(block::Bio& bio, hal::Error error) {
    const bool believed = bio.page_count == 1;
    for (uint32_t i = 0; i < bio.page_count; ++i) {
        Frame& f = frame_of(bio.pages[i]);
        if (error == hal::Error::None) {
            f.flags = (f.flags & ~kFrameError) | kFrameUptodate;
        } else if (believed) {
            f.set(kFrameError);
        }
        unlock_frame(f);
    }
    if (error != hal::Error::None) {
        hal::trace(hal::Event::BufferIoError, block::device_index(*bio.device), bio.sector.value,
                   static_cast<uint64_t>(error));
    }
    block::free_bio(bio);
}

hal::Status read_frame_and_wait(block::BlockDevice& device, uint64_t device_block, Frame& f,
                                uint32_t bio_flags) {
    f.clear(kFrameError);
    BioRun run{.device = &device,
               .direction = block::Direction::Read,
               .flags = bio_flags,
               .end = end_read};
    const hal::Status status = run.add(device_block, pfn_of(f));
    if (!status.ok()) {
        unlock_frame(f);
        return status;
    }
    run.submit();
    wait_frame_unlocked(f);
    return f.test(kFrameUptodate) ? hal::Status{} : hal::Status{hal::Error::IoError};
}

// ---- writes -----------------------------------------------------------------------------------

void start_frame_writeback(Frame& f) {
    Mapping& mapping = *f.mapping;
    f.set(kFrameWriteback);
    count(VmCounter::NrWriteback);
    if (mapping.kind == MappingKind::Swap) return;
    kernel::IrqSpinGuard guard(mapping.tree_lock);
    mapping.pages.set_tag(f.index, Tag::Writeback);
    if (!f.test(kFrameDirty)) mapping.pages.clear_tag(f.index, Tag::Dirty);
    if (DeviceState* state = mapping.device_state) {
        kernel::SpinGuard dirty_guard(state->dirty_lock);
        ++state->writeback_pages;
    }
}

namespace {

void record_lost_write(Mapping& mapping, uint64_t device_sector, hal::Error error) {
    if (mapping.io_error == hal::Error::None) mapping.io_error = error;
    count(VmCounter::LostWrites);
    hal::trace(hal::Event::BufferIoError, block::device_index(*mapping.device), device_sector,
               static_cast<uint64_t>(error));
}

}  // namespace

void abandon_write(Frame& f, hal::Error error) {
    Mapping& mapping = *f.mapping;
    clear_dirty_for_io(f);
    {
        kernel::IrqSpinGuard guard(mapping.tree_lock);
        if (!f.test(kFrameDirty)) mapping.pages.clear_tag(f.index, Tag::Dirty);
    }
    record_lost_write(mapping, 0, error);
}

namespace {

/// One page of a finished write bio. `believed`: its failure is its own.
void end_page_write(Frame& f, uint64_t sector, hal::Error error, bool believed) {
    Mapping& mapping = *f.mapping;
    if (mapping.kind == MappingKind::Swap) {
        // The frame is the only copy: it stays, dirty, and reclaim may try again.
        if (error != hal::Error::None) {
            f.clear(kFrameReclaim);
            f.set(kFrameDirty);
        }
        end_frame_writeback(f);
        return;
    }
    {
        kernel::IrqSpinGuard guard(mapping.tree_lock);
        mapping.pages.clear_tag(f.index, Tag::Writeback);
    }
    if (error == hal::Error::None) {
        f.clear(kFrameError);
    } else if (believed) {
        record_lost_write(mapping, sector, error);
    } else {
        f.clear(kFrameReclaim);
        f.set(kFrameError);  // from now on written by itself
        mapping.write_retry = true;
        set_frame_dirty(f);
    }
    end_frame_writeback(f);
}

/// Takes the pages of one finished bio off the device's account.
void account_written(DeviceState& state, uint32_t page_count, hal::Error error) {
    {
        kernel::IrqSpinGuard guard(state.dirty_lock);
        state.writeback_pages -= page_count;
    }
    if (error == hal::Error::None) note_writeout(state, page_count);
}

}  // namespace

void end_write(block::Bio& bio, hal::Error error) {
    const Mapping& mapping = *frame_of(bio.pages[0]).mapping;
    DeviceState* state = mapping.device_state;
    const bool believed = bio.page_count == 1;
    if (error != hal::Error::None && (!believed || mapping.kind == MappingKind::Swap)) {
        hal::trace(hal::Event::BufferIoError, block::device_index(*bio.device), bio.sector.value,
                   static_cast<uint64_t>(error));
    }
    for (uint32_t i = 0; i < bio.page_count; ++i) {
        end_page_write(frame_of(bio.pages[i]), bio.sector.value + i * hal::kSectorsPerPage, error,
                       believed);
    }
    count(VmCounter::NrWriteback, -static_cast<int64_t>(bio.page_count));
    if (state) account_written(*state, bio.page_count, error);
    block::free_bio(bio);
    report_dirty_gauges();
    kernel::note_state(kernel::NapWish::WritebackFell);
    kernel::note_state(kernel::NapWish::DirtyFell);
}

// ---- pageout ----------------------------------------------------------------------------------

namespace {

/// Where a frame's content belongs on its device.
hal::Result<uint64_t> block_of_frame(const Frame& f) {
    Mapping& mapping = *f.mapping;
    switch (mapping.kind) {
        case MappingKind::File:
            return map_block(*mapping.file, f.index);
        case MappingKind::Metadata:
            return f.index;
        case MappingKind::Swap:
            return swap_sector(SwapSlot{static_cast<uint32_t>(f.index)}).value /
                   hal::kSectorsPerPage;
    }
    return hal::Error::Invalid;
}

}  // namespace

PageoutResult write_frame_for_reclaim(Frame& f) {
    if (!f.mapping || f.use_count != 2) return PageoutResult::Busy;
    if (!f.test(kFrameDirty)) return PageoutResult::Clean;
    Mapping& mapping = *f.mapping;
    const bool swap = mapping.kind == MappingKind::Swap;

    // The bio comes first: once the frame counts as clean there must be no way back.
    const hal::Result<uint64_t> device_block = block_of_frame(f);
    if (!device_block.ok() && device_block.error() == hal::Error::NoMemory) {
        return PageoutResult::Busy;
    }
    if (!device_block.ok()) {
        abandon_write(f, device_block.error());
        return PageoutResult::Error;
    }
    BioRun run{.device = swap ? &swap_device() : mapping.device,
               .direction = block::Direction::Write,
               .flags = 0,
               .end = end_write};
    if (!run.add(device_block.value(), pfn_of(f)).ok()) return PageoutResult::Busy;
    clear_dirty_for_io(f);
    f.set(kFrameReclaim);
    start_frame_writeback(f);
    if (swap) count(VmCounter::PswpOut);
    unlock_frame(f);
    run.submit();
    return PageoutResult::Submitted;
}

}  // namespace weir::mm
