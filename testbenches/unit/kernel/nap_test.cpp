// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Is each nap accounted: who, where, how long, woken by whom, and from when on in vain?
#include "testbenches/unit/kernel/kernel_bench.h"

namespace weir::kernel::test {
namespace {

bool wish_holds = false;
uint64_t wish_mark = 0;  // holds for details up to it

class Nap : public ::testing::Test {
  protected:
    Nap() {
        wish_holds = false;
        wish_mark = 0;
        set_wish_test(NapWish::FrameAvailable, [](uint64_t detail) {
            return wish_holds || (detail != 0 && detail <= wish_mark);
        });
        set_nap_observer({.free_frames = [] { return uint64_t{512}; },
                          .pcp_frames = [] { return uint64_t{77}; },
                          .any_congested = [](NapClass klass) { return klass == NapClass::Sync; }});
    }

    Task& spawn_napper(const NapRequest& request) {
        return bench.spawn("napper", TaskKind::Kernel, [this, request] {
            current().reclaimed_pages_last = 32;
            result = nap(request, queue);
            ++naps_done;
            return 0;
        });
    }
    fake_hal::TraceRecord nap_end() { return bench.machine.events(hal::Event::NapEnd).at(0); }

    KernelBench bench;
    WaitQueue queue;
    SleepResult result;
    int naps_done = 0;
};

constexpr NapRequest kAllocatorNap{.site = NapSite::AllocatorRetry,
                                   .klass = NapClass::Async,
                                   .timeout_jiffies = 2,
                                   .wish = NapWish::FrameAvailable};

TEST_F(Nap, RecordsItsBeginWithWhatTheObserverSaw) {
    Task& task = spawn_napper(kAllocatorNap);
    bench.run_for(kMs);
    const auto begin = bench.machine.events(hal::Event::NapBegin).at(0);
    EXPECT_EQ(begin.args, (std::array<uint64_t, 6>{0, task.pid, 20'000, 0, 0, 512}));
    const auto begin2 = bench.machine.events(hal::Event::NapBegin2).at(0);
    EXPECT_EQ(begin2.args, (std::array<uint64_t, 6>{0, task.pid, 77, 32, 0, 0}));
    EXPECT_EQ(bench.machine.gauge_value(hal::Gauge::TaskNap, task.pid), 1u);
    EXPECT_EQ(bench.machine.gauge_value(hal::Gauge::NapsAllocator), 1u);
    EXPECT_EQ(bench.machine.gauge_value(hal::Gauge::NapsKswapd), 0u);
    EXPECT_EQ(task.state, TaskState::DiskSleep);
    bench.run_for(3 * kTickNs);
    EXPECT_EQ(bench.machine.gauge_value(hal::Gauge::TaskNap, task.pid), 0u);
    EXPECT_EQ(bench.machine.gauge_value(hal::Gauge::NapsAllocator), 0u);
}

TEST_F(Nap, CongestionIsAskedForTheNapsOwnClass) {
    NapRequest request = kAllocatorNap;
    request.klass = NapClass::Sync;
    spawn_napper(request);
    bench.run_for(kMs);
    EXPECT_EQ(bench.machine.events(hal::Event::NapBegin).at(0).args[4], 1u);
}

TEST_F(Nap, RunsItsFullTimeWhenNobodyWakesIt) {
    Task& task = spawn_napper(kAllocatorNap);
    bench.run_for(19 * kMs);
    EXPECT_EQ(naps_done, 0);
    bench.run_for(2 * kMs);
    ASSERT_EQ(naps_done, 1);
    EXPECT_EQ(result.waker, Waker::Timer);
    const auto end = nap_end();
    EXPECT_EQ(end.args[0], 0u);
    EXPECT_EQ(end.args[1], task.pid);
    EXPECT_EQ(end.args[3], static_cast<uint64_t>(Waker::Timer));
    EXPECT_EQ(end.args[4], 0u) << "the wish never came true";
    EXPECT_EQ(end.args[5], result.slept_ns / 1000);
    EXPECT_EQ(end.args[2] + result.slept_ns, end.time_ns);
}

TEST_F(Nap, CongestionWaitEventOnlyForTheCongestionQueues) {
    spawn_napper(kAllocatorNap);
    NapRequest own = kAllocatorNap;
    own.klass = NapClass::Watermark;
    spawn_napper(own);
    bench.run_for(3 * kTickNs);
    const auto waits = bench.machine.events(hal::Event::CongestionWait);
    ASSERT_EQ(waits.size(), 1u);
    EXPECT_EQ(waits[0].args[0], 20'000u);
    EXPECT_NEAR(static_cast<double>(waits[0].args[1]), 19'900, 150);
}

TEST_F(Nap, IsWhollyWastedWhenTheWishHoldsAtTheBegin) {
    wish_holds = true;
    spawn_napper(kAllocatorNap);
    bench.run_for(3 * kTickNs);
    const auto end = nap_end();
    EXPECT_EQ(end.args[4], end.args[2]);
}

TEST_F(Nap, IsWastedFromTheFirstMomentAtWhichTheWishHolds) {
    spawn_napper(kAllocatorNap);
    bench.run_for(4 * kMs);
    note_state(NapWish::FrameAvailable);  // does not hold yet
    bench.run_for(4 * kMs);
    wish_holds = true;
    note_state(NapWish::NotCongested);  // another wish
    bench.run_for(kMs);
    const uint64_t true_ns = hal::now_ns();
    note_state(NapWish::FrameAvailable);
    bench.run_for(4 * kMs);
    note_state(NapWish::FrameAvailable);  // later: the first moment stays
    bench.run_for(3 * kTickNs);
    EXPECT_EQ(nap_end().args[4], true_ns);
}

TEST_F(Nap, EachNapperHasItsOwnWish) {
    NapRequest low = kAllocatorNap, high = kAllocatorNap;
    low.wish_detail = 10;
    high.wish_detail = 20;
    Task& low_task = spawn_napper(low);
    spawn_napper(high);
    bench.run_for(2 * kMs);
    wish_mark = 15;
    note_state(NapWish::FrameAvailable);
    bench.run_for(3 * kTickNs);
    for (const auto& end : bench.machine.events(hal::Event::NapEnd)) {
        EXPECT_EQ(end.args[4] != 0, end.args[1] == low_task.pid);
    }
    EXPECT_EQ(naps_done, 2);
}

TEST_F(Nap, WakerOfTheQueueEndsItEarly) {
    spawn_napper(kAllocatorNap);
    bench.run_for(5 * kMs);
    wake_all(queue, Waker::AsyncCompletion);
    bench.run_for(kMs);
    ASSERT_EQ(naps_done, 1);
    EXPECT_EQ(result.waker, Waker::AsyncCompletion);
    EXPECT_EQ(nap_end().args[3], static_cast<uint64_t>(Waker::AsyncCompletion));
    EXPECT_LT(result.slept_ns, 6 * kMs);
}

TEST_F(Nap, CountsAsIoWaitExceptWhereLinuxDoesNot) {
    Task& io = spawn_napper(kAllocatorNap);
    NapRequest idle = kAllocatorNap;
    idle.site = NapSite::FlusherIdle;
    Task& flusher = spawn_napper(idle);
    bench.run_for(3 * kTickNs);
    EXPECT_GT(io.iowait_ns, 18 * kMs);
    EXPECT_EQ(flusher.iowait_ns, 0u);
}

TEST_F(Nap, SleepersAreCountedByKindOfSite) {
    const std::pair<NapSite, hal::Gauge> kinds[] = {
        {NapSite::AllocatorNoFail, hal::Gauge::NapsAllocator},
        {NapSite::TooManyIsolated, hal::Gauge::NapsReclaim},
        {NapSite::KswapdBalance, hal::Gauge::NapsKswapd},
        {NapSite::BalanceDirtyPages, hal::Gauge::NapsOther}};
    for (const auto& [site, gauge] : kinds) {
        NapRequest request = kAllocatorNap;
        request.site = site;
        spawn_napper(request);
    }
    bench.run_for(kMs);
    for (const auto& [site, gauge] : kinds) EXPECT_EQ(bench.machine.gauge_value(gauge), 1u);
    bench.run_for(3 * kTickNs);
    for (const auto& [site, gauge] : kinds) EXPECT_EQ(bench.machine.gauge_value(gauge), 0u);
}

}  // namespace
}  // namespace weir::kernel::test
