// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Common ground of the block tests: a fake machine with the kernel booted, bios that record how
// they ended, and a request queue whose device is a list.
#pragma once

#include "firmware/block/block.h"
#include "firmware/block/congestion.h"
#include "firmware/block/request_queue.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/timer.h"
#include "testbenches/unit/fake_hal/fake_hal.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace weir::block_test {

inline constexpr uint32_t kSectors = hal::kSectorsPerPage;

struct Ended {
    uint64_t sector;
    hal::Error error;
    friend bool operator==(const Ended&, const Ended&) = default;
};
inline std::vector<Ended> ended_bios;

inline void record_end(block::Bio& bio, hal::Error error) {
    ended_bios.push_back({bio.sector.value, error});
    block::free_bio(bio);
}

/// A bio of whole pages; page i of it is frame first_pfn + i.
inline block::Bio& make_bio(uint64_t page, uint32_t page_count, block::Direction direction,
                            uint32_t flags = 0, uint32_t first_pfn = 0x80100) {
    block::Bio* bio = block::alloc_bio();
    bio->device = nullptr;
    bio->sector = hal::Sector{page * kSectors};
    bio->direction = direction;
    bio->flags = flags;
    bio->page_count = page_count;
    for (uint32_t i = 0; i < page_count; ++i) bio->pages[i] = hal::Pfn{first_pfn + i};
    bio->end = record_end;
    bio->context = nullptr;
    return *bio;
}

struct Issued {
    uint64_t page;
    uint32_t page_count;
    block::Direction direction;
    friend bool operator==(const Issued&, const Issued&) = default;
};

/// A device that takes requests and finishes them when told to.
struct ListDevice {
    uint32_t room[block::kIoClassCount] = {1000, 1000};  // by IoClass
    std::vector<Issued> issued;
    std::vector<block::Request*> inside;
    uint32_t rings = 0;

    block::IssuePort port() {
        block::IssuePort port;
        port.context = this;
        port.has_room = [](void* self, block::IoClass io_class) {
            return static_cast<ListDevice*>(self)->room[static_cast<uint32_t>(io_class)] > 0;
        };
        port.issue = [](void* self, block::Request& request) {
            auto& device = *static_cast<ListDevice*>(self);
            --device.room[static_cast<uint32_t>(request.io_class)];
            device.issued.push_back(
                {request.sector.value / kSectors, request.page_count, request.direction});
            device.inside.push_back(&request);
        };
        port.ring = [](void* self) { ++static_cast<ListDevice*>(self)->rings; };
        return port;
    }
    std::vector<uint64_t> issued_pages() const {
        std::vector<uint64_t> pages;
        for (const Issued& one : issued) pages.push_back(one.page);
        return pages;
    }
};

/// The kernel on a fake machine, and one queue in front of a ListDevice.
struct QueueRig {
    explicit QueueRig(const hal::DiskInfo& overrides = {}, const fake_hal::Config& config = {})
        : machine(config) {
        ended_bios.clear();
        kernel::init();
        block::congestion_init();
        block::batches_init();
        block::bio_init();
        info = overrides;
        if (info.nr_requests == 0) info.nr_requests = 128;
        if (info.max_request_pages == 0) info.max_request_pages = 128;
        queue = std::make_unique<block::RequestQueue>();
        queue->init(0, info, device.port());
    }

    hal::Status submit(uint64_t page, block::Direction direction, uint32_t page_count = 1,
                       uint32_t flags = 0) {
        return queue->submit(make_bio(page, page_count, direction, flags));
    }
    hal::Status read(uint64_t page, uint32_t page_count = 1, uint32_t flags = 0) {
        return submit(page, block::Direction::Read, page_count, flags);
    }
    hal::Status write(uint64_t page, uint32_t page_count = 1, uint32_t flags = 0) {
        return submit(page, block::Direction::Write, page_count, flags);
    }
    /// Finishes the n oldest requests inside the device.
    void finish(uint32_t n = 1, hal::Error error = hal::Error::None) {
        block::RequestList done;
        for (uint32_t i = 0; i < n && !device.inside.empty(); ++i) {
            block::Request* request = device.inside.front();
            device.inside.erase(device.inside.begin());
            ++device.room[static_cast<uint32_t>(request->io_class)];
            request->error = error;
            done.push_back(*request);
        }
        queue->complete(done);
    }
    uint32_t count(block::IoClass io_class) { return queue->slots().count(io_class); }

    fake_hal::Machine machine;
    hal::DiskInfo info{};
    ListDevice device;
    std::unique_ptr<block::RequestQueue> queue;
};

inline hal::DiskInfo disk_with(uint32_t nr_requests, uint32_t max_request_pages = 128,
                               hal::ElevatorKind elevator = hal::ElevatorKind::Noop) {
    hal::DiskInfo info{};
    info.nr_requests = nr_requests;
    info.max_request_pages = max_request_pages;
    info.elevator = elevator;
    return info;
}

}  // namespace weir::block_test
