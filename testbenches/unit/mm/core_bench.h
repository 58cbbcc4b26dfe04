// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A booted memory layer without policy and, but for swap, without disks: for tests of frames,
// zones, lists, page tables and swap.
// - Direct mode: the test body is hart 0 and may call anything that does not sleep.
// - in_task(body) runs body in a user task with an address space, where it may sleep.
#pragma once

#include "firmware/kernel/counters.h"
#include "firmware/mm/address_space.h"
#include "firmware/mm/allocator.h"
#include "firmware/mm/lru.h"
#include "testbenches/unit/fake_hal/fake_hal.h"
#include "testbenches/unit/mm/fake_block.h"

#include <functional>
#include <vector>

namespace weir::mm {

struct CoreConfig {
    uint64_t ram_bytes = 256ull << 20;
    uint32_t harts = 4;
    uint64_t kernel_reserved_bytes = 0;
    /// Slots of the swap disk, the header's included; 0: no swap.
    uint64_t swap_slots = 0;
};

class CoreBench {
  public:
    explicit CoreBench(const CoreConfig& config = {});
    ~CoreBench();

    fake_block::Disk& swap_disk() { return fake_block::disk(0); }
    /// Runs body in a new user task; fails the test if it does not return within 10 s.
    void in_task(const std::function<void()>& body);
    /// Makes the test body the program of an address space: user_span then faults into it.
    AddressSpace& use_address_space();

    fake_hal::Machine machine;
    Zone& z;
};

/// `count` frames, taken at the min mark.
std::vector<Frame*> take_frames(uint32_t count, uint32_t flags = kAllocUser);
void put_frames(std::vector<Frame*>& frames);
/// A file frame on the inactive list (or in this hart's add batch), one use.
Frame& lru_frame(uint32_t flags = 0);

inline uint64_t counter(kernel::VmCounter c) {
    return kernel::counter_value(c);
}

}  // namespace weir::mm
