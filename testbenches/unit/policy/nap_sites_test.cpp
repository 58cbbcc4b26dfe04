// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: at each site of table 4.5, how long does the nap last, and who can end it earlier?
// Each is looked at just before and just after the edge where it must end.
#include "firmware/block/block.h"
#include "firmware/kernel/sched.h"
#include "firmware/mm/lru.h"
#include "firmware/mm/writeback.h"
#include "firmware/policy/mechanism/congestion_nap.h"
#include "firmware/policy/mechanism/dirty_throttle.h"
#include "firmware/policy/mechanism/kswapd_loop.h"
#include "firmware/policy/mechanism/oom.h"
#include "firmware/policy/mechanism/split_lru_scan.h"
#include "firmware/policy/mechanism/watermark_wait.h"
#include "testbenches/unit/policy/reclaim_rig.h"

namespace weir::policy {
namespace {

using block::IoClass;
using kernel::NapSite;
using kernel::Waker;

/// Runs a nap that nobody ends and expects it to last `jiffies` tick edges, no less and no more.
void expect_timer_ends(ReclaimRig& rig, std::function<void()> nap, NapSite site, uint32_t jiffies) {
    ReclaimRig::Job& job = rig.start(std::move(nap));
    rig.run_until_nap();
    const uint64_t edge_ns = rig.edge_after(jiffies);
    rig.run_to_ns(edge_ns - kEdgeNs);
    EXPECT_FALSE(job.done);
    rig.run_to_ns(edge_ns + kEdgeNs);
    EXPECT_TRUE(job.done);
    ASSERT_EQ(rig.naps(site).size(), 1u);
    EXPECT_EQ(rig.naps(site)[0].waker, Waker::Timer);
    EXPECT_EQ(rig.naps(site)[0].timeout_us, jiffies * 10'000u);
}

void wake(IoClass io_class) {
    kernel::wake_all(block::congestion_queue(io_class),
                     io_class == IoClass::Async ? Waker::AsyncCompletion : Waker::SyncCompletion);
}

TEST(AllocatorNap, LastsTwoJiffiesAtHz100WhenNobodyWakesIt) {
    ReclaimRig rig("2.6.32");
    expect_timer_ends(
        rig, [&] { nap_allocator_on_congestion(NapSite::AllocatorRetry, rig.zone()); },
        NapSite::AllocatorRetry, 2);
}

TEST(AllocatorNap, IsEndedByAnAsyncCompletionButNotByAReadThatFinishes) {
    ReclaimRig rig("2.6.32");
    ReclaimRig::Job& job =
        rig.start([&] { nap_allocator_on_congestion(NapSite::AllocatorRetry, rig.zone()); });
    rig.run_until_nap();
    rig.settle();
    wake(IoClass::Sync);
    rig.settle();
    EXPECT_FALSE(job.done);
    wake(IoClass::Async);
    rig.settle();
    EXPECT_TRUE(job.done);
    EXPECT_EQ(rig.naps(NapSite::AllocatorRetry).at(0).waker, Waker::AsyncCompletion);
}

TEST(AllocatorNap, LastsTwoJiffiesInTheNoFailLoopToo) {
    ReclaimRig rig("2.6.32");
    expect_timer_ends(
        rig, [&] { nap_allocator_on_congestion(NapSite::AllocatorNoFail, rig.zone()); },
        NapSite::AllocatorNoFail, 2);
}

TEST(DirectReclaimNap, LastsTenJiffiesOrUntilAnAsyncCompletion) {
    ReclaimRig rig("2.6.32");
    expect_timer_ends(
        rig, [] { nap_congestion(NapSite::DirectReclaim); }, NapSite::DirectReclaim, 10);
    ReclaimRig::Job& job = rig.start([] { nap_congestion(NapSite::DirectReclaim); });
    rig.run_until_nap();
    rig.settle();
    wake(IoClass::Async);
    rig.settle();
    EXPECT_TRUE(job.done);
}

TEST(LumpyNap, LastsTenJiffies) {
    ReclaimRig rig("2.6.32");
    expect_timer_ends(
        rig, [] { nap_congestion(NapSite::LumpySecondPass); }, NapSite::LumpySecondPass, 10);
}

TEST(IsolationNap, LoopsUntilNoMoreIsIsolatedThanInactive) {
    ReclaimRig rig("2.6.32");
    const uint32_t inactive = mm::lru_size(rig.zone(), mm::Lru::InactiveFile);
    rig.zone().isolated[1] = inactive + 1;
    ReclaimRig::Job& job = rig.start([&] {
        ReclaimControl control;
        shrink_inactive_list(rig.zone(), {mm::Lru::InactiveFile, 32, 12}, control);
    });
    rig.run_until_nap();
    const uint64_t second_nap_ns = rig.edge_after(10);
    rig.run_to_ns(second_nap_ns + kEdgeNs);
    EXPECT_EQ(rig.timeouts_us(NapSite::TooManyIsolated), (std::vector<uint64_t>{100'000, 100'000}));
    rig.zone().isolated[1] = inactive;
    rig.run_to_ns(second_nap_ns + 10 * kJiffyNs - kEdgeNs);
    EXPECT_FALSE(job.done);  // nobody tells it: only its own timer
    rig.run_to_ns(second_nap_ns + 10 * kJiffyNs + kEdgeNs);
    EXPECT_TRUE(job.done);
}

TEST(IsolationNap, NeverStallsKswapd) {
    ReclaimRig rig("2.6.32");
    rig.zone().isolated[1] = 1000;
    ReclaimRig::Job& job = rig.start([&] {
        ReclaimControl control;
        control.reclaimer = Reclaimer::Kswapd;
        shrink_inactive_list(rig.zone(), {mm::Lru::InactiveFile, 32, 12}, control);
    });
    rig.bench.machine.run_for_ns(kJiffyNs);
    EXPECT_TRUE(job.done);
    EXPECT_TRUE(rig.timeouts_us(NapSite::TooManyIsolated).empty());
}

uint64_t& writeback_counter() {
    return kernel::vm_counters[static_cast<uint32_t>(kernel::VmCounter::NrWriteback)];
}

TEST(WriteoutNap, LoopsWhileMoreThanElevenTenthsOfTheLimitIsUnderWriteback) {
    ReclaimRig rig("2.6.32");
    const uint64_t limit = mm::dirty_limits().limit_pages;
    writeback_counter() = limit + limit / 10 + 1;
    ReclaimRig::Job& job = rig.start([] { throttle_vm_writeout(ReclaimControl{}); });
    rig.run_until_nap();
    const uint64_t edge_ns = rig.edge_after(10);
    rig.run_to_ns(edge_ns + kEdgeNs);
    EXPECT_FALSE(job.done);
    EXPECT_EQ(rig.timeouts_us(NapSite::ThrottleVmWriteout).size(), 2u);
    writeback_counter() = limit + limit / 10;
    wake(IoClass::Async);
    rig.settle();
    EXPECT_TRUE(job.done);
    writeback_counter() = 0;
}

TEST(WriteoutNap, HappensOnlyOnceWhereTheCallerMayNotWrite) {
    ReclaimRig rig("2.6.32");
    writeback_counter() = 1'000'000;
    expect_timer_ends(
        rig,
        [] {
            ReclaimControl control;
            control.alloc_flags = mm::kAllocMayWait;
            throttle_vm_writeout(control);
        },
        NapSite::ThrottleVmWriteout, 10);
    writeback_counter() = 0;
}

/// Pages on the inactive list that reclaim looks at and must keep: they are locked.
void add_locked_pages(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        mm::Frame* f =
            mm::try_alloc(mm::zone(), {.order = 0, .flags = mm::kAllocUser}, 0, mm::Marks::Ignore);
        f->set(mm::kFrameLocked | mm::kFrameReferenced);
        mm::lru_add(*f);
    }
    mm::lru_add_drain();
}

/// kswapd at work on a zone where nothing can be freed, asleep between two passes.
void put_kswapd_to_its_nap(ReclaimRig& rig) {
    rig.activate();
    rig.bench.machine.run_for_ns(kJiffyNs);
    add_locked_pages(256);
    rig.set_free(rig.zone().mark.low_frames);
    rig.bench.machine.clear_records();
    wake_kswapd(rig.zone(), 0);
    rig.run_until_nap();
    ASSERT_EQ(rig.timeouts_us(NapSite::KswapdBalance), (std::vector<uint64_t>{100'000}));
}

TEST(KswapdNap, OnTheCongestionQueueIsNotEndedByAnAllocatorThatWakesKswapd) {
    ReclaimRig rig("2.6.32");
    put_kswapd_to_its_nap(rig);
    const uint64_t edge_ns = rig.edge_after(10);
    rig.settle();
    wake_kswapd(rig.zone(), 0);
    rig.run_to_ns(edge_ns - kEdgeNs);
    EXPECT_TRUE(rig.naps(NapSite::KswapdBalance).empty());
    rig.run_to_ns(edge_ns + kEdgeNs);
    ASSERT_FALSE(rig.naps(NapSite::KswapdBalance).empty());
    EXPECT_EQ(rig.naps(NapSite::KswapdBalance)[0].waker, Waker::Timer);
}

TEST(KswapdNap, OnTheCongestionQueueIsEndedByAnAsyncCompletion) {
    ReclaimRig rig("2.6.32");
    put_kswapd_to_its_nap(rig);
    rig.settle();
    wake(IoClass::Async);
    rig.settle();
    ASSERT_FALSE(rig.naps(NapSite::KswapdBalance).empty());
    EXPECT_EQ(rig.naps(NapSite::KswapdBalance)[0].waker, Waker::AsyncCompletion);
}

TEST(KswapdNap, OnItsOwnQueueIsEndedByAnAllocatorAndByNothingAsync) {
    ReclaimRig rig("2.6.32-watermark-wait");
    put_kswapd_to_its_nap(rig);
    rig.settle();
    wake(IoClass::Async);
    rig.settle();
    EXPECT_TRUE(rig.naps(NapSite::KswapdBalance).empty());
    rig.set_free(rig.zone().mark.low_frames);
    wake_kswapd(rig.zone(), 0);
    rig.settle();
    ASSERT_FALSE(rig.naps(NapSite::KswapdBalance).empty());
    EXPECT_EQ(rig.naps(NapSite::KswapdBalance)[0].waker, Waker::Kswapd);
}

TEST(KswapdWake, NeedsTheZoneAtOrBelowItsLowMark) {
    ReclaimRig rig("2.6.32");
    rig.activate();
    rig.bench.machine.run_for_ns(kJiffyNs);
    rig.set_free(rig.zone().mark.low_frames + 1);
    rig.bench.machine.clear_records();
    wake_kswapd(rig.zone(), 0);
    rig.settle();
    EXPECT_TRUE(rig.bench.machine.events(hal::Event::KswapdWake).empty());
    rig.set_free(rig.zone().mark.low_frames);
    wake_kswapd(rig.zone(), 0);
    rig.settle();
    EXPECT_EQ(rig.bench.machine.events(hal::Event::KswapdWake).size(), 1u);
    EXPECT_EQ(rig.bench.machine.events(hal::Event::WakeupKswapd).size(), 1u);
}

TEST(KswapdProbation, LastsTenJiffiesAndThenTurnsIntoSleep) {
    ReclaimRig rig("2.6.33");
    rig.activate();
    rig.bench.machine.run_until([&] { return rig.naps_begun() > 0; }, kJiffyNs);
    const uint64_t begin_ns = rig.bench.machine.events(hal::Event::NapBegin).at(0).time_ns;
    const uint64_t edge_ns = (begin_ns / kJiffyNs + 10) * kJiffyNs;
    rig.run_to_ns(edge_ns - kEdgeNs);
    EXPECT_TRUE(rig.bench.machine.events(hal::Event::KswapdSleep).empty());
    rig.run_to_ns(edge_ns + kEdgeNs);
    EXPECT_EQ(rig.bench.machine.events(hal::Event::KswapdSleep).size(), 1u);
    EXPECT_EQ(rig.naps(NapSite::KswapdProbation).at(0).waker, Waker::Timer);
}

TEST(KswapdProbation, IsCutShortByAnAllocatorAndCounted) {
    ReclaimRig rig("2.6.33");
    rig.activate();
    rig.bench.machine.run_until([&] { return rig.naps_begun() > 0; }, kJiffyNs);
    rig.settle();
    rig.set_free(rig.zone().mark.low_frames);
    wake_kswapd(rig.zone(), 0);
    rig.settle();
    EXPECT_EQ(rig.naps(NapSite::KswapdProbation).at(0).waker, Waker::Kswapd);
    EXPECT_EQ(kernel::counter_value(kernel::VmCounter::KswapdLowWmarkHitQuickly), 1u);
    EXPECT_TRUE(rig.bench.machine.events(hal::Event::KswapdSleep).empty());
}

/// A task that waits for the watermark, with the zone at `free` frames.
ReclaimRig::Job& start_watermark_waiter(ReclaimRig& rig, uint64_t free) {
    rig.activate();
    rig.bench.machine.run_for_ns(kJiffyNs);
    rig.set_free(free);
    ReclaimRig::Job& job =
        rig.start([&] { wait_for_watermark(rig.zone(), 0, NapSite::AllocatorRetry); });
    rig.run_until_nap();
    rig.settle();
    return job;
}

TEST(WatermarkNap, LastsTwoJiffiesWhenNoFrameComesBack) {
    ReclaimRig rig("2.6.32-watermark-wait");
    ReclaimRig::Job& job = start_watermark_waiter(rig, rig.zone().mark.min_frames);
    const uint64_t edge_ns = rig.edge_after(2);
    wake(IoClass::Async);  // not its queue
    rig.run_to_ns(edge_ns - kEdgeNs);
    EXPECT_FALSE(job.done);
    rig.run_to_ns(edge_ns + kEdgeNs);
    EXPECT_TRUE(job.done);
    EXPECT_EQ(rig.naps(NapSite::AllocatorRetry).at(0).waker, Waker::Timer);
}

TEST(WatermarkNap, IsEndedOneFrameAboveTheLowMarkNotAtIt) {
    ReclaimRig rig("2.6.32-watermark-wait");
    const uint64_t low = rig.zone().mark.low_frames;
    ReclaimRig::Job& job = start_watermark_waiter(rig, low - 1);
    rig.give_back_one();  // now at the mark; each return is a bulk free of one
    rig.settle();
    EXPECT_FALSE(job.done);
    EXPECT_EQ(mm::free_frames(rig.zone()), low);
    rig.give_back_one();
    rig.settle();
    EXPECT_TRUE(job.done);
    EXPECT_EQ(rig.naps(NapSite::AllocatorRetry).at(0).waker, Waker::Watermark);
}

TEST(WatermarkNap, IsNotEndedByABulkFreeWithoutPatchTwo) {
    ReclaimRig rig("2.6.32-watermark-wait");
    rig.bench.machine.boot_info().overrides.wake_on_bulk_free = 0;
    ReclaimRig::Job& job = start_watermark_waiter(rig, rig.zone().mark.low_frames);
    rig.give_back_one();
    rig.settle();
    EXPECT_FALSE(job.done);
    wake_watermark_waiters_after_shrink(rig.zone());
    rig.settle();
    EXPECT_TRUE(job.done);
}

TEST(WatermarkNap, IsEndedByNothingButABulkFreeWhereTheOverrideSaysOnly) {
    ReclaimRig rig("2.6.32-watermark-wait");
    rig.bench.machine.boot_info().overrides.wake_on_bulk_free = hal::kBulkFreeOnly;
    const uint64_t low = rig.zone().mark.low_frames;
    ReclaimRig::Job& job = start_watermark_waiter(rig, low);
    rig.zone().free_frames += 1;  // above the mark without a bulk free
    wake_watermark_waiters_after_shrink(rig.zone());
    rig.settle();
    EXPECT_FALSE(job.done);
    rig.zone().free_frames -= 1;
    rig.give_back_one();
    rig.settle();
    EXPECT_TRUE(job.done);
    EXPECT_EQ(rig.naps(NapSite::AllocatorRetry).at(0).waker, Waker::Watermark);
}

bool zone_queue_is_used(uint32_t global) {
    ReclaimRig rig("2.6.32-watermark-wait");
    rig.bench.machine.boot_info().overrides.watermark_queue_global = global;
    start_watermark_waiter(rig, rig.zone().mark.min_frames);
    const bool used = rig.zone().watermark_queue.has_sleepers();
    rig.bench.machine.run_for_ns(3 * kJiffyNs);
    return used;
}

TEST(WatermarkNap, SleepsOnTheGlobalQueueWhereTheSwitchSaysSo) {
    EXPECT_FALSE(zone_queue_is_used(1));
}

TEST(WatermarkNap, SleepsOnTheZonesQueueOtherwise) {
    EXPECT_TRUE(zone_queue_is_used(0));
}

/// A program that stores so many pages and then sleeps for ever.
int hog(void* argument) {
    const auto pages = reinterpret_cast<uintptr_t>(argument);
    kernel::KernelMode mode;
    const hal::VirtAddr begin = mm::user_buffer(pages * hal::kPageBytes);
    for (uintptr_t i = 0; i < pages; ++i) mm::user_store(begin + i * hal::kPageBytes, i);
    kernel::WaitQueue nobody_wakes;
    kernel::sleep_for(nobody_wakes, kernel::kForever, kernel::SleepKind::Interruptible,
                      kernel::IoWait::No);
    return 0;
}

TEST(OomNap, LastsOneJiffyAfterTheLargestTaskWasKilledAndItsMemoryIsReleased) {
    ReclaimRig rig("2.6.32");
    uint32_t largest_pid = 0;
    for (const uintptr_t pages : {10u, 100u, 20u}) {
        kernel::Task* task =
            kernel::create_task("hog", kernel::TaskKind::User, hog, reinterpret_cast<void*>(pages),
                                mm::create_address_space());
        if (pages == 100) largest_pid = task->pid;
    }
    rig.bench.machine.run_for_ns(5 * kJiffyNs);
    const uint64_t free_before = mm::free_frames(rig.zone());
    bool retry = false;
    ReclaimRig::Job& job = rig.start([&] { retry = kill_for_page_fault(0); });
    rig.run_until_nap();
    const auto kills = rig.bench.machine.events(hal::Event::OomKill);
    ASSERT_EQ(kills.size(), 1u);
    EXPECT_EQ(kills[0].args[0], largest_pid);
    EXPECT_EQ(kills[0].args[1], 100u);
    const uint64_t edge_ns = rig.edge_after(1);
    rig.run_to_ns(edge_ns - kEdgeNs);
    EXPECT_FALSE(job.done);
    rig.run_to_ns(edge_ns + kEdgeNs);
    EXPECT_TRUE(job.done);
    EXPECT_TRUE(retry);
    EXPECT_EQ(rig.naps(NapSite::OomLockBusy).at(0).timeout_us, 10'000u);
    EXPECT_GE(mm::free_frames(rig.zone()), free_before + 90);
}

TEST(DirtyNap, DoublesFromOneJiffyToTenWhileTheDiskTakesNothing) {
    ReclaimRig rig("2.6.32", {.ram_bytes = 32ull << 20,
                              .disks = {{8ull << 20}},
                              .dirty_ratio_pct = 5,
                              .dirty_background_pct = 2});
    rig.activate();
    mm::File& file = rig.bench.open();
    rig.bench.in_task([&] { EXPECT_TRUE(mm::map_block(file, 0).ok()); });
    rig.bench.disk().hold();
    ReclaimRig::Job& job = rig.start([&] {
        for (uint32_t page = 0; page < 1024; ++page) {
            mm::Frame* f = mm::alloc_frame({.order = 0, .flags = mm::kAllocUser});
            f->set(mm::kFrameLocked | mm::kFrameUptodate);
            mm::add_to_page_cache(file.mapping, page, *f);
            mm::lru_add(*f);
            mm::set_frame_dirty(*f);
            mm::unlock_frame(*f);
            mm::put_frame(*f);
            throttle_dirtier(file.mapping, 1);
        }
    });
    rig.bench.machine.run_until(
        [&] { return rig.timeouts_us(NapSite::BalanceDirtyPages).size() >= 7; }, 5'000'000'000);
    EXPECT_FALSE(job.done);
    const auto timeouts = rig.timeouts_us(NapSite::BalanceDirtyPages);
    ASSERT_GE(timeouts.size(), 7u);
    // The device holds all it got: after its duty of writes the task can only sleep.
    const std::vector<uint64_t> last(timeouts.end() - 2, timeouts.end());
    EXPECT_EQ(timeouts.front(), 10'000u);
    EXPECT_EQ(last, (std::vector<uint64_t>{100'000, 100'000}));
    rig.bench.disk().release();
    rig.bench.machine.run_until([&] { return job.done; }, 60'000'000'000);
    EXPECT_TRUE(job.done);
}

}  // namespace
}  // namespace weir::policy
