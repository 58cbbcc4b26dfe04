// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A machine with the kernel layer started on every hart: what all tests of firmware/kernel use.
// - KernelBench bench({.harts = 2}, [](hal::BootInfo& info) {...});  boots; all harts online.
// - bench.spawn(kind, lambda): a task that runs a lambda of the test.
// - bench.run_until(condition): fails the test if it is not met within the limit.
#pragma once

#include "firmware/hal/boot_info.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/nap.h"
#include "firmware/kernel/object_cache.h"
#include "firmware/kernel/sched.h"
#include "firmware/kernel/task.h"
#include "firmware/kernel/timer.h"
#include "firmware/kernel/wait_queue.h"
#include "testbenches/unit/fake_hal/fake_hal.h"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <string>

namespace weir::kernel::test {

inline constexpr uint64_t kMs = 1'000'000;
inline constexpr uint64_t kTickNs = 10 * kMs;  // HZ 100
inline constexpr uint32_t kUserUnitNs = 1000;  // price of Op::UserWorkPage

class KernelBench {
  public:
    explicit KernelBench(const fake_hal::Config& config = {},
                         const std::function<void(hal::BootInfo&)>& edit = nullptr)
        : machine(config) {
        if (edit) edit(machine.boot_info());
        machine.set_op_cost(hal::Op::UserWorkPage, kUserUnitNs);
        kernel::init();
        machine.set_hart_entry([] { kernel::idle_loop(); });
        EXPECT_EQ(machine.run_until([&] { return online_hart_count() == config.harts; }, kMs),
                  fake_hal::Ending::ConditionMet);
    }

    Task& spawn(const char* name, TaskKind kind, std::function<int()> body) {
        bodies_.push_back(std::move(body));
        Task* task = create_task(
            name, kind, [](void* body_) { return (*static_cast<std::function<int()>*>(body_))(); },
            &bodies_.back());
        EXPECT_NE(task, nullptr);
        return *task;
    }
    void run_until(const std::function<bool()>& condition, uint64_t limit_ns = 10'000 * kMs) {
        ASSERT_EQ(machine.run_until(condition, limit_ns), fake_hal::Ending::ConditionMet)
            << "condition not met after " << limit_ns << " ns";
    }
    void run_for(uint64_t ns) { ASSERT_EQ(machine.run_for_ns(ns), fake_hal::Ending::TimeLimit); }

    fake_hal::Machine machine;

  private:
    std::deque<std::function<int()>> bodies_;
};

/// Kernel work of about `ns`, with scheduling points.
inline void work(uint64_t ns) {
    const uint64_t until_ns = current().system_ns + ns;
    do {
        hal::spend(hal::Op::ScanFrame, 50);
        cond_resched();
        account_time();
    } while (current().system_ns < until_ns);
}

/// User work without any scheduling point of its own.
inline void user_work(uint64_t ns) {
    for (uint64_t done_ns = 0; done_ns < ns; done_ns += kUserUnitNs) {
        hal::spend(hal::Op::UserWorkPage);
    }
}

/// A program that never ends.
inline int user_hog() {
    while (true) user_work(kMs);
}

}  // namespace weir::kernel::test
