// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The public face of the block layer.
#include "firmware/block/block.h"

#include "firmware/block/block_device.h"
#include "firmware/block/congestion.h"
#include "firmware/hal/hal.h"
#include "firmware/kernel/kernel.h"

#include <new>

namespace weir::block {

namespace {

BlockDevice* devices;
uint32_t device_total;

/// detail: device * kIoClassCount + class.
bool request_slot_free(uint64_t detail) {
    BlockDevice& owner = device(static_cast<uint32_t>(detail / kIoClassCount));
    return owner.queue.slots().slot_free(static_cast<IoClass>(detail % kIoClassCount));
}

}  // namespace

void init() {
    const hal::BootInfo& boot = kernel::boot_info();
    WEIR_ASSERT(boot.disk_count <= hal::kMaxDisks, "BootInfo has too many disks", boot.disk_count,
                hal::kMaxDisks);
    congestion_init();
    batches_init();
    bio_init();
    kernel::set_wish_test(kernel::NapWish::RequestSlotFree, request_slot_free);
    device_total = boot.disk_count;
    devices =
        static_cast<BlockDevice*>(kernel::boot_alloc(uint64_t{device_total} * sizeof(BlockDevice)));
    for (uint32_t i = 0; i < device_total; ++i) {
        BlockDevice& made = *new (&devices[i]) BlockDevice;
        made.index = i;
        made.info = &boot.disks[i];
        made.queue.init(i, *made.info, made.driver.port());
        made.driver.attach(i, *made.info, made.queue);
    }
}

hal::Status submit_bio(Bio& bio) {
    const BlockDevice& target = *bio.device;
    const uint64_t sectors = uint64_t{bio.page_count} * hal::kSectorsPerPage;
    if (bio.page_count > kMaxBioPages) return hal::Error::Invalid;
    if (((bio.flags & kBioFlush) != 0) != (bio.page_count == 0)) return hal::Error::Invalid;
    if (sectors > target.info->sectors || bio.sector.value > target.info->sectors - sectors) {
        return hal::Error::OutOfRange;
    }
    return bio.device->queue.submit(bio);
}

void unplug(BlockDevice& device) {
    device.queue.unplug();
}

void unplug_all() {
    for (uint32_t i = 0; i < device_total; ++i) devices[i].queue.unplug();
}

bool congested(const BlockDevice& device, IoClass io_class) {
    return device.queue.congested(io_class);
}

uint32_t device_count() {
    return device_total;
}

BlockDevice& device(uint32_t index) {
    WEIR_ASSERT(index < device_total, "no such block device", index, device_total);
    return devices[index];
}

uint32_t device_index(const BlockDevice& device) {
    return device.index;
}

uint64_t sector_count(const BlockDevice& device) {
    return device.info->sectors;
}

const hal::DiskInfo& disk_info(const BlockDevice& device) {
    return *device.info;
}

void*& mm_state(BlockDevice& device) {
    return device.mm_state;
}

const QueueStats& queue_stats(const BlockDevice& device) {
    return device.queue.stats();
}

}  // namespace weir::block
