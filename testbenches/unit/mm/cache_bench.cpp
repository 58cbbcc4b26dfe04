// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/unit/mm/cache_bench.h"

#include "firmware/hal/page_content.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/sched.h"
#include "firmware/mm/address_space.h"
#include "firmware/mm/mm.h"
#include "firmware/mm/pressure.h"

#include <gtest/gtest.h>

#include <cstring>

namespace weir::mm {

namespace {

constexpr uint64_t kDiskSectors = 1ull << 24;
constexpr uint64_t kTaskLimitNs = 600ull * 1'000'000'000;

struct Job {
    const std::function<void()>* body;
    bool done = false;
};

int run_job(void* argument) {
    auto& job = *static_cast<Job*>(argument);
    {
        kernel::KernelMode mode;
        (*job.body)();
    }
    job.done = true;
    return 0;
}

}  // namespace

CacheBench::CacheBench(const BenchConfig& config)
    : machine({.ram_bytes = config.ram_bytes, .harts = config.harts}) {
    hal::BootInfo& info = machine.boot_info();
    info.dirty_ratio_pct = config.dirty_ratio_pct;
    info.dirty_background_pct = config.dirty_background_pct;
    for (const auto& files : config.disks)
        fake_block::add_disk(machine, kDiskSectors).format(files);
    for (uint32_t d = 0; d < info.disk_count; ++d) {
        info.disks[d].readahead_pages = config.readahead_pages;
    }
    pressure() = Pressure{};
    kernel::init();
    mm::init();
    block::init();
    machine.set_hart_entry(kernel::idle_loop);
    in_task([] { mm::start(); });
    for (uint32_t d = 0; d < info.disk_count; ++d) disk(d).clear_transfers();
}

void CacheBench::in_task(const std::function<void()>& body) {
    Job job{&body};
    AddressSpace* space = create_address_space();
    ASSERT_NE(space, nullptr);
    ASSERT_NE(kernel::create_task("test", kernel::TaskKind::User, run_job, &job, space), nullptr);
    machine.run_until([&] { return job.done; }, kTaskLimitNs);
    ASSERT_TRUE(job.done) << "the task did not come to an end";
}

File& CacheBench::open(uint32_t file, uint32_t disk_index) {
    File* opened = open_file(block::device(disk_index), file);
    EXPECT_NE(opened, nullptr);
    return *opened;
}

DeviceState& CacheBench::state(uint32_t disk_index) {
    return *device_state(block::device(disk_index));
}

hal::VirtAddr user_buffer(uint64_t bytes) {
    const auto mapped = map_anon(*kernel::current().space, bytes);
    EXPECT_TRUE(mapped.ok());
    return mapped.value();
}

void user_store(hal::VirtAddr page, uint64_t base) {
    void* place = hal::user_span(page, hal::kPageBytes, hal::Access::Write);
    ASSERT_NE(place, nullptr);
    hal::fill_page(place, base);
}

uint64_t user_word(hal::VirtAddr addr) {
    void* place = hal::user_span(addr, sizeof(uint64_t), hal::Access::Read);
    EXPECT_NE(place, nullptr);
    uint64_t word = 0;
    if (place) std::memcpy(&word, place, sizeof word);
    return word;
}

bool user_page_is(hal::VirtAddr page, uint64_t base) {
    void* place = hal::user_span(page, hal::kPageBytes, hal::Access::Read);
    return place && hal::page_matches(place, base);
}

}  // namespace weir::mm
