// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A booted kernel with a policy in force, for tests of mechanisms that sleep.
// - start(body) runs body in a kernel task; asleep_at(site) says whether somebody naps there.
// - run_to_ns(t) lets time pass; jiffy edges are multiples of kJiffyNs.
// - set_free(frames) takes frames away until exactly so many are free.
#pragma once

#include "firmware/kernel/counters.h"
#include "firmware/kernel/nap.h"
#include "firmware/kernel/task.h"
#include "firmware/kernel/timer.h"
#include "firmware/mm/allocator.h"
#include "firmware/mm/zone.h"
#include "firmware/policy/policy.h"
#include "testbenches/unit/mm/cache_bench.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <vector>

namespace weir::policy {

inline constexpr uint64_t kJiffyNs = 10'000'000;  // HZ 100
inline constexpr uint64_t kEdgeNs = 200'000;      // how close to a tick edge the tests look

struct Nap {
    kernel::NapSite site;
    uint64_t timeout_us;
    uint64_t begin_ns;
    uint64_t slept_us;
    kernel::Waker waker;
};

class ReclaimRig {
  public:
    explicit ReclaimRig(const char* policy_name, const mm::BenchConfig& config = {})
        : bench(config) {
        hal::BootInfo& info = bench.machine.boot_info();
        std::strncpy(info.policy, policy_name, sizeof(info.policy) - 1);
        // Exact counts, so that a test can put the zone one frame above a mark.
        info.overrides.per_cpu_lists = 0;
        info.overrides.approximate_free_count = 0;
        info.system_anon_bytes = 0;
    }
    void activate() {
        bench.in_task([] { policy::activate(); });
    }

    struct Job {
        std::function<void()> body;
        bool done = false;
        kernel::Task* task = nullptr;
    };
    Job& start(std::function<void()> body) {
        jobs_.push_back(std::make_unique<Job>());
        Job& job = *jobs_.back();
        job.body = std::move(body);
        job.task = kernel::create_task(
            "job", kernel::TaskKind::Kernel,
            [](void* argument) {
                auto& self = *static_cast<Job*>(argument);
                self.body();
                self.done = true;
                return 0;
            },
            &job);
        return job;
    }
    /// Lets a started job come to its first nap.
    void run_until_nap(size_t count = 1) {
        const size_t want = naps_begun() + count;
        bench.machine.run_until([&] { return naps_begun() >= want; }, 1'000'000'000);
        ASSERT_GE(naps_begun(), want) << "nobody went to sleep";
    }
    /// Lets those run whom the test body has just woken: it is no interrupt, so the hart must be
    /// told.
    void settle() {
        hal::kick(0);
        bench.machine.run_for_ns(kEdgeNs);
    }
    size_t naps_begun() const { return bench.machine.events(hal::Event::NapBegin).size(); }
    void run_to_ns(uint64_t t) {
        const uint64_t now = bench.machine.now_ns();
        if (t > now) bench.machine.run_for_ns(t - now);
    }
    /// The tick edge at which a sleep of n jiffies that begins now ends.
    uint64_t edge_after(uint32_t n) const {
        return (bench.machine.now_ns() / kJiffyNs + n) * kJiffyNs;
    }
    std::vector<Nap> naps(kernel::NapSite site) const {
        std::vector<Nap> result;
        for (const auto& r : bench.machine.events(hal::Event::NapEnd)) {
            if (r.args[0] != static_cast<uint64_t>(site)) continue;
            result.push_back(
                {site, 0, r.args[2], r.args[5], static_cast<kernel::Waker>(r.args[3])});
        }
        size_t i = 0;
        for (const auto& r : bench.machine.events(hal::Event::NapBegin)) {
            if (r.args[0] != static_cast<uint64_t>(site)) continue;
            if (i < result.size()) result[i++].timeout_us = r.args[2];
        }
        return result;
    }
    /// Timeouts asked for at a site, naps that still go on included.
    std::vector<uint64_t> timeouts_us(kernel::NapSite site) const {
        std::vector<uint64_t> result;
        for (const auto& r : bench.machine.events(hal::Event::NapBegin)) {
            if (r.args[0] == static_cast<uint64_t>(site)) result.push_back(r.args[2]);
        }
        return result;
    }

    mm::Zone& zone() { return mm::zone(); }
    /// Call from the test body only: takes or gives back frames until `frames` are free.
    void set_free(uint64_t frames) {
        while (mm::free_frames(zone()) > frames) {
            taken_.push_back(
                mm::try_alloc(zone(), {.order = 0, .flags = mm::kAllocUser}, 0, mm::Marks::Ignore));
        }
        while (mm::free_frames(zone()) < frames) give_back_one();
    }
    void give_back_one() {
        mm::Frame* f = taken_.back();
        taken_.pop_back();
        mm::put_frame(*f);
    }

    mm::CacheBench bench;

  private:
    std::vector<std::unique_ptr<Job>> jobs_;
    std::vector<mm::Frame*> taken_;
};

}  // namespace weir::policy
