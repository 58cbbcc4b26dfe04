// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: does memset find again what it stored, with and without swap, and how does it end when
// memory runs out?
#include "firmware/hal/page_content.h"
#include "testbenches/unit/workload/workload_rig.h"

namespace weir::workload {
namespace {

using kernel::VmCounter;

void set_up(WorkloadRig& rig, uint64_t bytes, uint32_t passes, uint32_t threads = 1) {
    hal::WorkloadInfo& w = rig.workload();
    w.kind = hal::WorkloadKind::Memset;
    w.threads = threads;
    w.memset_bytes = bytes;
    w.memset_passes = passes;
}

TEST(Memset, ChecksEveryPageAfterTheLastPass) {
    WorkloadRig rig({});
    set_up(rig, 2 << 20, 3);
    EXPECT_EQ(rig.run(), 0);
    EXPECT_EQ(rig.counter(VmCounter::PagesVerified), (2u << 20) / hal::kPageBytes);
    EXPECT_EQ(rig.phases_ended(), (std::vector<uint64_t>{hal::kPhaseWrite, hal::kPhaseRewrite,
                                                         hal::kPhaseRewrite, hal::kPhaseRead}));
}

TEST(Memset, DoesNotReadBackUnlessAskedTo) {
    WorkloadRig rig({});
    set_up(rig, 2 << 20, 1);
    rig.workload().verify = 0;
    EXPECT_EQ(rig.run(), 0);
    EXPECT_EQ(rig.counter(VmCounter::PagesVerified), 0u);
    EXPECT_EQ(rig.phases_ended(), (std::vector<uint64_t>{hal::kPhaseWrite}));
}

TEST(Memset, FindsEverythingAgainAfterItWentThroughSwap) {
    WorkloadRig rig({.ram_bytes = 8 << 20, .swap_bytes = 64 << 20});
    set_up(rig, 12 << 20, 2);
    EXPECT_EQ(rig.run(), 0);
    EXPECT_EQ(rig.counter(VmCounter::PagesVerified), (12u << 20) / hal::kPageBytes);
    EXPECT_EQ(rig.counter(VmCounter::PagesWrong), 0u);
    EXPECT_GT(rig.counter(VmCounter::PswpOut), 1000u);
    EXPECT_GT(rig.counter(VmCounter::PswpIn), 1000u);
}

TEST(Memset, NoticesAWrongPageThatComesBackFromSwap) {
    WorkloadRig rig({.ram_bytes = 8 << 20, .swap_bytes = 64 << 20});
    set_up(rig, 12 << 20, 1);
    // Whatever lies in slot 5 later, this is what is read: the write is lost.
    bool spoilt = false;
    rig.machine.after_ns(1, [] {});
    std::function<void()> spoil = [&] {
        for (const auto& t : fake_block::disk(0).transfers()) {
            if (t.direction != block::Direction::Write || spoilt) continue;
            const auto ends = rig.machine.events(hal::Event::PhaseEnd);
            if (ends.empty()) continue;
            uint64_t words[hal::kWordsPerPage];
            fake_block::disk(0).read_block(t.first_block, words);
            words[0] ^= 4;
            fake_block::disk(0).write_block(t.first_block, words);
            spoilt = true;
        }
        if (!spoilt) rig.machine.after_ns(100'000, spoil);
    };
    rig.machine.after_ns(1'000'000, spoil);
    EXPECT_EQ(rig.run(), 1);
    EXPECT_EQ(rig.counter(VmCounter::PagesWrong), 1u);
}

TEST(Memset, IsKilledWhenMemoryRunsOutWithoutSwap) {
    WorkloadRig rig({.ram_bytes = 8 << 20});
    set_up(rig, 12 << 20, 1);
    EXPECT_EQ(rig.run(), 3);
    EXPECT_EQ(rig.machine.events(hal::Event::OomKill).size(), 1u);
    EXPECT_EQ(rig.counter(VmCounter::OomKills), 1u);
}

TEST(Memset, SurvivorsGoOnAfterOneOfThemWasKilled) {
    WorkloadRig rig({.ram_bytes = 8 << 20});
    set_up(rig, 5 << 20, 2, 2);
    EXPECT_EQ(rig.run(), 3);
    EXPECT_EQ(rig.machine.events(hal::Event::OomKill).size(), 1u);
    EXPECT_EQ(rig.counter(VmCounter::PagesVerified), (5u << 20) / hal::kPageBytes);
    EXPECT_EQ(rig.counter(VmCounter::PagesWrong), 0u);
}

}  // namespace
}  // namespace weir::workload
