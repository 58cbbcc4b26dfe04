// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A booted kernel with formatted disks, for tests of the page cache and what stands on it.
// - in_task(body) runs body in a user task with an address space, until it returns.
// - user_bytes()/user_fill() look at and store user memory as a program would.
#pragma once

#include "firmware/kernel/counters.h"
#include "firmware/mm/device_state.h"
#include "firmware/mm/page_cache.h"
#include "testbenches/unit/fake_hal/fake_hal.h"
#include "testbenches/unit/mm/fake_block.h"

#include <functional>
#include <vector>

namespace weir::mm {

struct BenchConfig {
    uint64_t ram_bytes = 64ull << 20;
    uint32_t harts = 1;
    /// Sizes of the files of each data disk.
    std::vector<std::vector<uint64_t>> disks{{16ull << 20}};
    uint32_t readahead_pages = 32;
    uint32_t dirty_ratio_pct = 20;
    uint32_t dirty_background_pct = 10;
};

class CacheBench {
  public:
    explicit CacheBench(const BenchConfig& config = {});

    /// Runs body in a new user task. Fails the test if it does not return in time.
    void in_task(const std::function<void()>& body);
    /// Lets simulated time pass with nobody but kernel threads running.
    void pass_ms(uint64_t ms) { machine.run_for_ns(ms * 1'000'000); }

    fake_block::Disk& disk(uint32_t index = 0) { return fake_block::disk(index); }
    File& open(uint32_t file = 0, uint32_t disk_index = 0);
    DeviceState& state(uint32_t disk_index = 0);

    fake_hal::Machine machine;
};

/// In a task: fresh anonymous memory, not touched yet.
hal::VirtAddr user_buffer(uint64_t bytes);
/// In a task: one page of user memory stored with a pattern, or its first word.
void user_store(hal::VirtAddr page, uint64_t base);
uint64_t user_word(hal::VirtAddr addr);
/// In a task: every word of the page follows the pattern.
bool user_page_is(hal::VirtAddr page, uint64_t base);

inline uint64_t counter(kernel::VmCounter c) {
    return kernel::counter_value(c);
}

}  // namespace weir::mm
