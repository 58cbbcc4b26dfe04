// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/unit/mm/fake_block.h"

#include "firmware/hal/disk_image.h"
#include "firmware/hal/page_content.h"
#include "firmware/kernel/kernel.h"

#include <cstring>
#include <memory>
#include <new>

namespace weir::block {
/// A device of the fake is its disk.
struct BlockDevice {
    fake_block::Disk disk;
};
}  // namespace weir::block

namespace weir::fake_block {

namespace {

std::vector<std::unique_ptr<block::BlockDevice>> devices;
// Owned here, so that bios still in flight when a test ends are no leak.
std::map<block::Bio*, std::unique_ptr<block::Bio>> live_bios;
uint32_t bio_failures = 0;
kernel::WaitQueue queues[block::kIoClassCount];

}  // namespace

// ---- content ----------------------------------------------------------------------------------

void Disk::read_block(uint64_t block, void* to) const {
    const auto found = written_.find(block);
    if (found != written_.end()) {
        std::memcpy(to, found->second.data(), hal::kPageBytes);
    } else {
        hal::fill_page(to, hal::pristine_base(index_, block));
    }
}

void Disk::write_block(uint64_t block, const void* from) {
    std::memcpy(written_[block].data(), from, hal::kPageBytes);
}

uint64_t Disk::base_of(uint64_t block) const {
    uint64_t words[hal::kWordsPerPage];
    read_block(block, words);
    return words[0];
}

void Disk::format(const std::vector<uint64_t>& file_bytes) {
    std::array<hal::Inode, hal::kMaxFiles> inodes{};
    first_blocks_.clear();
    uint64_t next_block = hal::kFirstDataBlock;
    for (size_t i = 0; i < file_bytes.size(); ++i) {
        const uint64_t pages = (file_bytes[i] + hal::kPageBytes - 1) / hal::kPageBytes;
        inodes[i] = {file_bytes[i], next_block, pages, {}};
        first_blocks_.push_back(next_block);
        for (uint64_t page = 0; page < pages; page += hal::kPointersPerBlock) {
            std::array<uint32_t, hal::kPointersPerBlock> pointers{};
            for (uint32_t k = 0; k < hal::kPointersPerBlock && page + k < pages; ++k) {
                pointers[k] = static_cast<uint32_t>(hal::data_block_of(next_block, page + k));
            }
            write_block(hal::indirect_block_of(next_block, page), pointers.data());
        }
        next_block += hal::blocks_of_file(pages);
    }
    std::array<uint8_t, hal::kPageBytes> page{};
    const hal::Superblock super{hal::kSuperblockMagic, info_->sectors / hal::kSectorsPerPage,
                                static_cast<uint32_t>(file_bytes.size()), index_};
    std::memcpy(page.data(), &super, sizeof super);
    write_block(0, page.data());
    write_block(hal::kInodeTableBlock, inodes.data());
}

// ---- transfers --------------------------------------------------------------------------------

void Disk::attach(uint32_t index, const hal::DiskInfo& info) {
    index_ = index;
    info_ = &info;
}

std::vector<Transfer> Disk::data_transfers(block::Direction direction) const {
    std::vector<Transfer> found;
    for (const Transfer& t : transfers_) {
        if (t.direction == direction && !(t.flags & block::kBioMeta)) found.push_back(t);
    }
    return found;
}

void Disk::submit(block::Bio& bio) {
    transfers_.push_back({fake_hal::machine().now_ns(), bio.direction, bio.flags,
                          bio.sector.value / hal::kSectorsPerPage, bio.page_count});
    ++in_flight_count_;
    if (held_) {
        waiting_.push_back(&bio);
    } else {
        start(bio);
    }
}

void Disk::start(block::Bio& bio) {
    fake_hal::machine().after_ns(latency_ns, [this, &bio] {
        ready_.push_back(&bio);
        fake_hal::machine().raise(index_ + 1);
    });
}

void Disk::release() {
    held_ = false;
    for (block::Bio* bio : waiting_) start(*bio);
    waiting_.clear();
}

void Disk::finish_ready() {
    std::vector<block::Bio*> ready;
    ready.swap(ready_);
    for (block::Bio* bio : ready) {
        const uint64_t first = bio->sector.value / hal::kSectorsPerPage;
        hal::Error error = hal::Error::None;
        for (uint32_t i = 0; i < bio->page_count; ++i) {
            if (bad_blocks_.contains(first + i)) error = hal::Error::IoError;
        }
        for (uint32_t i = 0; i < bio->page_count && error == hal::Error::None; ++i) {
            void* bytes = hal::ram_ptr(hal::addr_of(bio->pages[i]));
            if (bio->direction == block::Direction::Read) {
                read_block(first + i, bytes);
            } else {
                write_block(first + i, bytes);
            }
        }
        --in_flight_count_;
        bio->end(*bio, error);
    }
}

Disk& add_disk(fake_hal::Machine& machine, uint64_t sectors, hal::DiskRole role) {
    hal::BootInfo& info = machine.boot_info();
    if (info.disk_count == 0) reset();
    const uint32_t index = info.disk_count++;
    hal::DiskInfo& entry = info.disks[index];
    entry = {};
    entry.irq_source = index + 1;
    entry.role = role;
    entry.sectors = sectors;
    entry.nr_requests = 128;
    entry.readahead_pages = 32;
    entry.max_request_pages = block::kMaxBioPages;
    devices.push_back(std::make_unique<block::BlockDevice>());
    devices.back()->disk.attach(index, entry);
    return devices.back()->disk;
}

Disk& disk(uint32_t index) {
    return devices.at(index)->disk;
}

void reset() {
    devices.clear();
    live_bios.clear();
    bio_failures = 0;
}

int64_t live_bio_count() {
    return static_cast<int64_t>(live_bios.size());
}

void fail_bio_allocations(uint32_t count) {
    bio_failures = count;
}

}  // namespace weir::fake_block

// ---- block.h ----------------------------------------------------------------------------------

namespace weir::block {

using fake_block::devices;

Bio* alloc_bio() {
    if (fake_block::bio_failures > 0) {
        --fake_block::bio_failures;
        return nullptr;
    }
    auto bio = std::make_unique<Bio>();
    Bio* raw = bio.get();
    fake_block::live_bios[raw] = std::move(bio);
    return raw;
}

void free_bio(Bio& bio) {
    fake_block::live_bios.erase(&bio);
}

hal::Status submit_bio(Bio& bio) {
    fake_block::Disk& disk = bio.device->disk;
    const uint64_t end = bio.sector.value + uint64_t{bio.page_count} * hal::kSectorsPerPage;
    if (end > disk.info().sectors) return hal::Error::OutOfRange;
    disk.submit(bio);
    return {};
}

void unplug(BlockDevice& device) {
    ++device.disk.unplug_count;
}
void unplug_all() {
    for (auto& device : devices) unplug(*device);
}

bool congested(const BlockDevice& device, IoClass io_class) {
    return device.disk.congested[static_cast<uint32_t>(io_class)];
}
bool any_congested(IoClass io_class) {
    for (auto& device : devices) {
        if (congested(*device, io_class)) return true;
    }
    return false;
}
kernel::WaitQueue& congestion_queue(IoClass io_class) {
    return fake_block::queues[static_cast<uint32_t>(io_class)];
}
kernel::SleepResult congestion_wait(kernel::NapSite site, IoClass io_class,
                                    uint32_t timeout_jiffies, kernel::NapWish wish,
                                    uint64_t wish_detail) {
    const bool async = io_class == IoClass::Async;
    return kernel::nap({.site = site,
                        .klass = async ? kernel::NapClass::Async : kernel::NapClass::Sync,
                        .timeout_jiffies = timeout_jiffies,
                        .wish = wish,
                        .wish_detail = wish_detail},
                       congestion_queue(io_class));
}

uint32_t device_count() {
    return static_cast<uint32_t>(devices.size());
}
BlockDevice& device(uint32_t index) {
    return *devices.at(index);
}
uint32_t device_index(const BlockDevice& device) {
    return device.disk.index();
}
uint64_t sector_count(const BlockDevice& device) {
    return device.disk.info().sectors;
}
const hal::DiskInfo& disk_info(const BlockDevice& device) {
    return device.disk.info();
}
void*& mm_state(BlockDevice& device) {
    return device.disk.mm_state;
}

void set_rules(const Rules&) {}

const QueueStats& queue_stats(const BlockDevice&) {
    static const QueueStats none{};
    return none;
}

void init() {
    for (kernel::WaitQueue& queue : fake_block::queues) new (&queue) kernel::WaitQueue;
    for (auto& device : devices) {
        kernel::register_interrupt(
            device->disk.index() + 1,
            [](void* context) { static_cast<fake_block::Disk*>(context)->finish_ready(); },
            &device->disk);
    }
}

}  // namespace weir::block
