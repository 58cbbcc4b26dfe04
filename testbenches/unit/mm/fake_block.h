// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A block layer for unit tests of mm: all of firmware/block/block.h, without queues or a
// controller. Disks are those that add_disk() put into BootInfo; call block::init() after
// mm::init().
// - Each bio takes Disk::latency_ns and completes in an interrupt; bios of a disk overlap.
// - Content is real: a block never written reads as the pristine pattern, format() writes an image.
// - fail_block() makes every bio that covers a block end with IoError; hold() keeps bios in flight.
// - transfers() lists what was asked of a disk, in order of submission.
// Leaves out: slots, plugging (unplugs are counted), merging, timeouts.
#pragma once

#include "firmware/block/block.h"
#include "testbenches/unit/fake_hal/fake_hal.h"

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace weir::fake_block {

struct Transfer {
    uint64_t time_ns;
    block::Direction direction;
    uint32_t flags;
    uint64_t first_block;
    uint32_t page_count;
};

class Disk {
  public:
    uint64_t latency_ns = 100'000;

    /// mkfs: one preallocated file for each size.
    void format(const std::vector<uint64_t>& file_bytes);
    /// First block of a file made by format().
    uint64_t first_block_of(uint32_t file) const { return first_blocks_.at(file); }

    void read_block(uint64_t block, void* to) const;
    void write_block(uint64_t block, const void* from);
    /// First word of a block: the base of its pattern.
    uint64_t base_of(uint64_t block) const;

    void fail_block(uint64_t block) { bad_blocks_.insert(block); }
    void heal_block(uint64_t block) { bad_blocks_.erase(block); }
    /// Keeps everything submitted from now on in flight until release().
    void hold() { held_ = true; }
    void release();

    const std::vector<Transfer>& transfers() const { return transfers_; }
    /// Those of one direction, metadata left out.
    std::vector<Transfer> data_transfers(block::Direction direction) const;
    void clear_transfers() { transfers_.clear(); }
    uint32_t in_flight_count() const { return in_flight_count_; }
    uint64_t unplug_count = 0;
    std::array<bool, block::kIoClassCount> congested{};

    // The rest is the block layer's.
    void submit(block::Bio& bio);
    void finish_ready();
    void attach(uint32_t index, const hal::DiskInfo& info);
    const hal::DiskInfo& info() const { return *info_; }
    uint32_t index() const { return index_; }
    void* mm_state = nullptr;

  private:
    void start(block::Bio& bio);

    uint32_t index_ = 0;
    const hal::DiskInfo* info_ = nullptr;
    std::map<uint64_t, std::array<uint8_t, hal::kPageBytes>> written_;
    std::vector<uint64_t> first_blocks_;
    std::set<uint64_t> bad_blocks_;
    std::vector<block::Bio*> waiting_;  // held back
    std::vector<block::Bio*> ready_;    // done, to be ended by the interrupt
    std::vector<Transfer> transfers_;
    uint32_t in_flight_count_ = 0;
    bool held_ = false;
};

/// Adds a disk to BootInfo; before block::init(). Its content may be prepared at once. The first
/// disk of a machine drops those of the machine before.
Disk& add_disk(fake_hal::Machine& machine, uint64_t sectors,
               hal::DiskRole role = hal::DiskRole::Data);
Disk& disk(uint32_t index = 0);
/// Forgets all disks.
void reset();
/// Bios that were allocated and not freed.
int64_t live_bio_count();
/// The next so many allocations of a bio fail.
void fail_bio_allocations(uint32_t count);

}  // namespace weir::fake_block
