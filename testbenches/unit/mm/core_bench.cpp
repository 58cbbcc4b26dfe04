// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/unit/mm/core_bench.h"

#include "firmware/kernel/kernel.h"
#include "firmware/kernel/sched.h"
#include "firmware/kernel/task.h"
#include "firmware/mm/mm.h"
#include "firmware/mm/pressure.h"
#include "firmware/mm/swap.h"

#include <gtest/gtest.h>

namespace weir::mm {

namespace {

constexpr uint64_t kTaskLimitNs = 10ull * 1'000'000'000;

struct Job {
    const std::function<void()>* body;
    bool done = false;
};

int run_job(void* argument) {
    auto& job = *static_cast<Job*>(argument);
    {
        kernel::KernelMode mode;
        (*job.body)();
        job.done = true;  // a killed task leaves the kernel for ever
    }
    return 0;
}

/// Boots before the zone can be named.
Zone& boot(fake_hal::Machine& machine, const CoreConfig& config) {
    hal::BootInfo& info = machine.boot_info();
    info.kernel_reserved_bytes = config.kernel_reserved_bytes;
    fake_block::reset();
    if (config.swap_slots != 0) {
        fake_block::add_disk(machine, config.swap_slots * hal::kSectorsPerPage,
                             hal::DiskRole::Swap);
    }
    pressure() = Pressure{};
    kernel::init();
    init();
    block::init();
    if (config.swap_slots != 0) swap_on(block::device(0));
    return zone();
}

}  // namespace

CoreBench::CoreBench(const CoreConfig& config)
    : machine({.ram_bytes = config.ram_bytes, .harts = config.harts}), z(boot(machine, config)) {
    machine.set_hart_entry(kernel::idle_loop);
}

CoreBench::~CoreBench() {
    pressure() = Pressure{};
}

void CoreBench::in_task(const std::function<void()>& body) {
    Job job{&body};
    AddressSpace* space = create_address_space();
    ASSERT_NE(space, nullptr);
    ASSERT_NE(kernel::create_task("test", kernel::TaskKind::User, run_job, &job, space), nullptr);
    machine.run_until([&] { return job.done; }, kTaskLimitNs);
    ASSERT_TRUE(job.done) << "the task did not come to an end";
}

AddressSpace& CoreBench::use_address_space() {
    AddressSpace* space = create_address_space();
    EXPECT_NE(space, nullptr);
    kernel::current().space = space;
    hal::set_translation_root(space->root, space->asid);
    return *space;
}

std::vector<Frame*> take_frames(uint32_t count, uint32_t flags) {
    std::vector<Frame*> frames;
    for (uint32_t i = 0; i < count; ++i) {
        Frame* f = try_alloc(zone(), {0, flags}, 0, Marks::Ignore);
        EXPECT_NE(f, nullptr);
        frames.push_back(f);
    }
    return frames;
}

void put_frames(std::vector<Frame*>& frames) {
    for (Frame* f : frames) put_frame(*f);
    frames.clear();
}

Frame& lru_frame(uint32_t flags) {
    Frame* f = try_alloc(zone(), {0, kAllocUser}, 0, Marks::Ignore);
    f->set(flags);
    lru_add(*f);
    return *f;
}

}  // namespace weir::mm
