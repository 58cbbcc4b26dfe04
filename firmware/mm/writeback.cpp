// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Writing dirty pages: one mapping in order of index, the mappings of a device in turn, fsync.
#include "firmware/mm/writeback.h"

#include "firmware/kernel/counters.h"
#include "firmware/kernel/sched.h"
#include "firmware/kernel/timer.h"
#include "firmware/mm/device_state.h"
#include "firmware/mm/page_io.h"

namespace weir::mm {

namespace {

constexpr uint32_t kBatchFrames = 14;

/// Writes the dirty pages of one mapping. Bios of neighbours are as long as the device allows.
class MappingWriter {
  public:
    MappingWriter(Mapping& mapping, const WriteTarget& target)
        : mapping_(mapping),
          target_(target),
          run_{.device = mapping.device,
               .direction = block::Direction::Write,
               .flags = target.sync ? block::kBioSync : 0,
               .end = end_write} {}
    ~MappingWriter() { run_.submit(); }
    MappingWriter(const MappingWriter&) = delete;
    MappingWriter& operator=(const MappingWriter&) = delete;

    /// Goes through [first, end). Stops early at the target's amount or when memory is short.
    void write_range(uint64_t first, uint64_t end) {
        next_index_ = first;
        Frame* batch[kBatchFrames];
        while (!done()) {
            const uint32_t count = collect(end, batch);
            if (count == 0) {
                next_index_ = end;
                return;
            }
            for (uint32_t i = 0; i < count; ++i) {
                if (!done()) {
                    next_index_ = batch[i]->index + 1;
                    write_frame(*batch[i]);
                }
                put_frame(*batch[i]);
            }
            kernel::cond_resched();
        }
    }

    uint64_t written_pages() const { return written_pages_; }
    uint64_t next_index() const { return next_index_; }
    bool done() const { return stopped_ || written_pages_ >= target_.max_pages; }

  private:
    /// The next dirty frames, one use taken of each.
    uint32_t collect(uint64_t end, Frame** batch) {
        kernel::IrqSpinGuard guard(mapping_.tree_lock);
        uint32_t count = 0;
        uint64_t index = next_index_;
        while (count < kBatchFrames && index < end) {
            Frame* f = mapping_.pages.next_tagged(index, Tag::Dirty, &index);
            if (!f || index >= end) break;
            get_frame(*f);
            batch[count++] = f;
            ++index;
        }
        return count;
    }

    /// What is gathered must not wait for what this task is about to wait for.
    void lock(Frame& f) {
        if (try_lock_frame(f)) return;
        run_.submit();
        lock_frame(f);
    }

    void write_frame(Frame& f) {
        lock(f);
        if (f.mapping == &mapping_ && f.test(kFrameWriteback) && target_.sync) {
            run_.submit();
            wait_frame_writeback(f);
        }
        if (f.mapping != &mapping_ || !f.test(kFrameDirty) || f.test(kFrameWriteback)) {
            unlock_frame(f);
            return;
        }
        const hal::Result<uint64_t> device_block = locate(f.index);
        if (!device_block.ok()) {
            stopped_ = device_block.error() == hal::Error::NoMemory;
            if (!stopped_) abandon_write(f, device_block.error());
            unlock_frame(f);
            return;
        }
        start(f, device_block.value());
    }

    void start(Frame& f, uint64_t device_block) {
        const bool alone = f.test(kFrameError);  // a bio that it was part of has failed
        if (alone) run_.submit();
        if (!run_.add(device_block, pfn_of(f)).ok()) {
            stopped_ = true;
            unlock_frame(f);
            return;
        }
        clear_dirty_for_io(f);
        start_frame_writeback(f);
        unlock_frame(f);
        ++written_pages_;
        if (alone) run_.submit();
    }

    /// The device block of a page; asks the indirect block once per run of contiguous blocks.
    hal::Result<uint64_t> locate(uint64_t index) {
        if (mapping_.kind != MappingKind::File) return index;
        if (index - mapped_index_ >= mapped_pages_) {
            run_.submit();  // the lookup may read a block and wait
            const auto device_block =
                map_blocks(*mapping_.file, index, block::kMaxBioPages, &mapped_pages_);
            if (!device_block.ok()) {
                mapped_pages_ = 0;
                return device_block.error();
            }
            mapped_index_ = index;
            mapped_block_ = device_block.value();
        }
        return mapped_block_ + (index - mapped_index_);
    }

    Mapping& mapping_;
    const WriteTarget& target_;
    BioRun run_;
    uint64_t written_pages_ = 0;
    uint64_t next_index_ = 0;
    bool stopped_ = false;
    uint64_t mapped_index_ = 0;
    uint64_t mapped_block_ = 0;
    uint32_t mapped_pages_ = 0;
};

/// Goes on behind the page written last and comes round once.
uint64_t write_cyclic(Mapping& mapping, const WriteTarget& target) {
    const uint64_t start = mapping.writeback_index;
    MappingWriter writer(mapping, target);
    writer.write_range(start, ~0ull);
    if (!writer.done() && start > 0) writer.write_range(0, start);
    mapping.writeback_index = writer.done() ? writer.next_index() : 0;
    return writer.written_pages();
}

/// The mapping that waits longest for its turn; it goes to the end of the list.
Mapping* take_turn(DeviceState& state) {
    kernel::IrqSpinGuard guard(state.dirty_lock);
    Mapping* mapping = state.dirty_mappings.pop_front();
    if (mapping) state.dirty_mappings.push_back(*mapping);
    return mapping;
}

/// After a visit: a clean mapping leaves the list; one that turned dirty again while it was written
/// as a whole counts as dirty since now.
void finish_visit(DeviceState& state, Mapping& mapping, bool visited_all) {
    kernel::IrqSpinGuard guard(mapping.tree_lock);
    kernel::SpinGuard dirty_guard(state.dirty_lock);
    if (mapping.pages.any_tagged(Tag::Dirty)) {
        const uint64_t now = kernel::jiffies();
        if (visited_all) mapping.dirty_since_jiffy = now ? now : 1;
        return;
    }
    mapping.dirty_since_jiffy = 0;
    if (mapping.dirty_node.linked()) state.dirty_mappings.remove(mapping);
}

}  // namespace

uint64_t write_mapping(Mapping& mapping, uint64_t first_page, uint64_t page_count,
                       const WriteTarget& target) {
    const uint64_t end = page_count > ~first_page ? ~0ull : first_page + page_count;
    uint64_t written_pages;
    {
        MappingWriter writer(mapping, target);
        writer.write_range(first_page, end);
        written_pages = writer.written_pages();
    }
    if (mapping.device_state) finish_visit(*mapping.device_state, mapping, false);
    return written_pages;
}

uint64_t write_dirty_pages(block::BlockDevice& device, const WriteTarget& target) {
    DeviceState* state = device_state(device);
    if (!state) return 0;
    uint64_t written_pages = 0;
    for (uint32_t left = state->dirty_mappings.size(); left > 0; --left) {
        if (written_pages >= target.max_pages) break;
        Mapping* mapping = take_turn(*state);
        if (!mapping) break;
        const bool young =
            target.older_than_jiffy != 0 && mapping->dirty_since_jiffy >= target.older_than_jiffy;
        // Two writers of one mapping would only take turns with its locks.
        if (young || mapping->writeback_busy) continue;
        mapping->writeback_busy = true;
        WriteTarget rest = target;
        rest.max_pages = target.max_pages - written_pages;
        const uint64_t written = write_cyclic(*mapping, rest);
        mapping->writeback_busy = false;
        written_pages += written;
        finish_visit(*state, *mapping, written < rest.max_pages);
    }
    report_dirty_gauges();
    return written_pages;
}

// ---- fsync ------------------------------------------------------------------------------------

namespace {

void wait_for_writeback(Mapping& mapping, uint64_t first, uint64_t end) {
    for (uint64_t index = first; index < end; ++index) {
        Frame* f;
        {
            kernel::IrqSpinGuard guard(mapping.tree_lock);
            f = mapping.pages.next_tagged(index, Tag::Writeback, &index);
            if (!f || index >= end) return;
            get_frame(*f);
        }
        wait_frame_writeback(*f);
        put_frame(*f);
    }
}

}  // namespace

hal::Status file_sync(File& file, uint64_t first_page, uint64_t page_count) {
    Mapping& mapping = file.mapping;
    const uint64_t end = page_count > ~first_page ? ~0ull : first_page + page_count;
    const WriteTarget everything{.max_pages = ~0ull, .older_than_jiffy = 0, .sync = true};
    // A second pass writes the pages of a failed bio one by one; whatever fails then is lost.
    constexpr uint32_t kPasses = 2;
    for (uint32_t pass = 0; pass < kPasses; ++pass) {
        mapping.write_retry = false;
        write_mapping(mapping, first_page, page_count, everything);
        wait_for_writeback(mapping, first_page, end);
        if (!mapping.write_retry) break;
    }
    const hal::Error error = mapping.io_error;
    mapping.io_error = hal::Error::None;
    return error == hal::Error::None ? hal::Status{} : hal::Status{error};
}

}  // namespace weir::mm
