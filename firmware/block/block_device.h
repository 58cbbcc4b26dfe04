// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What the block layer keeps for one disk. mm sees only the name.
#pragma once

#include "firmware/block/nvme_driver.h"
#include "firmware/block/request_queue.h"

namespace weir::block {

struct BlockDevice {
    uint32_t index = 0;
    const hal::DiskInfo* info = nullptr;
    void* mm_state = nullptr;
    RequestQueue queue;
    NvmeDriver driver;
};

}  // namespace weir::block
