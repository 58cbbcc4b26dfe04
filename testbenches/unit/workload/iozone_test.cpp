// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: does iozone read and write what it says, notice every wrong page, and lose none?
#include "firmware/hal/page_content.h"
#include "firmware/workload/record.h"
#include "testbenches/unit/workload/workload_rig.h"

namespace weir::workload {
namespace {

using kernel::VmCounter;

constexpr uint32_t kAllPhases =
    hal::kPhaseWrite | hal::kPhaseRewrite | hal::kPhaseRead | hal::kPhaseReread;
constexpr uint64_t kFileBytes = 2ull << 20;
constexpr uint64_t kFilePages = kFileBytes / hal::kPageBytes;

void set_up(WorkloadRig& rig, uint32_t phases, uint32_t threads = 1) {
    hal::WorkloadInfo& w = rig.workload();
    w.kind = hal::WorkloadKind::Iozone;
    w.threads = threads;
    w.file_bytes = kFileBytes;
    w.record_bytes = 64 << 10;
    w.phases = phases;
    w.drop_caches = 1;
    w.one_disk_per_task = 1;
}

TEST(Iozone, ReadsAPristineFileAndChecksEveryPage) {
    WorkloadRig rig({.disk_files = {{kFileBytes}}});
    set_up(rig, hal::kPhaseRead | hal::kPhaseReread);
    EXPECT_EQ(rig.run(), 0);
    EXPECT_EQ(rig.counter(VmCounter::PagesVerified), 2 * kFilePages);
    EXPECT_EQ(rig.counter(VmCounter::PagesWrong), 0u);
    EXPECT_EQ(rig.phases_ended(), (std::vector<uint64_t>{hal::kPhaseRead, hal::kPhaseReread}));
}

TEST(Iozone, ReadsBackWhatItWroteLast) {
    WorkloadRig rig({.disk_files = {{kFileBytes}}});
    set_up(rig, kAllPhases);
    EXPECT_EQ(rig.run(), 0);
    EXPECT_EQ(rig.counter(VmCounter::PagesVerified), 2 * kFilePages);
    EXPECT_EQ(rig.counter(VmCounter::PagesWrong), 0u);
}

TEST(Iozone, LeavesEveryStoredByteOnTheDisk) {
    WorkloadRig rig({.disk_files = {{kFileBytes}}});
    set_up(rig, hal::kPhaseWrite | hal::kPhaseRewrite);
    rig.workload().drop_caches = 0;
    EXPECT_EQ(rig.run(), 0);
    const uint64_t first_block = fake_block::disk().first_block_of(0);
    for (uint64_t page = 0; page < kFilePages; ++page) {
        ASSERT_EQ(fake_block::disk().base_of(hal::data_block_of(first_block, page)),
                  hal::stored_base(object_of({0, 0}), page, 2))
            << page;
    }
    EXPECT_EQ(rig.counter(VmCounter::NrDirty), 0u);
}

TEST(Iozone, GivesEachTaskItsOwnDiskAndStartsPhasesTogether) {
    WorkloadRig rig({.disk_files = {{kFileBytes}, {kFileBytes}, {kFileBytes}}});
    set_up(rig, kAllPhases, 3);
    EXPECT_EQ(rig.run(), 0);
    EXPECT_EQ(rig.counter(VmCounter::PagesVerified), 3 * 2 * kFilePages);
    // Nobody begins a phase before everybody has ended the one before.
    uint32_t running = 0;
    uint64_t phase = 0;
    for (const auto& r : rig.machine.trace()) {
        if (r.event == hal::Event::PhaseBegin) {
            if (running == 0) phase = r.args[1];
            EXPECT_EQ(r.args[1], phase);
            ++running;
        }
        if (r.event == hal::Event::PhaseEnd) --running;
    }
    EXPECT_EQ(rig.phases_ended().size(), 12u);
    EXPECT_EQ(fake_block::disk(2).data_transfers(block::Direction::Read).empty(), false);
}

TEST(Iozone, GivesEachTaskAFileOfASharedDisk) {
    WorkloadRig rig({.disk_files = {{kFileBytes, kFileBytes}}});
    set_up(rig, kAllPhases, 2);
    rig.workload().one_disk_per_task = 0;
    EXPECT_EQ(rig.run(), 0);
    EXPECT_EQ(rig.counter(VmCounter::PagesVerified), 2 * 2 * kFilePages);
}

TEST(Iozone, SkipsSwapDisksWhenItCountsDataDisks) {
    WorkloadRig rig({.disk_files = {{kFileBytes}}, .swap_bytes = 8 << 20});
    set_up(rig, hal::kPhaseRead);
    EXPECT_EQ(rig.run(), 0);
    EXPECT_TRUE(fake_block::disk(1).data_transfers(block::Direction::Read).empty());
}

TEST(Iozone, WorksWithDirectTransfers) {
    WorkloadRig rig({.disk_files = {{kFileBytes}}});
    set_up(rig, kAllPhases);
    rig.workload().direct = 1;
    EXPECT_EQ(rig.run(), 0);
    EXPECT_EQ(rig.counter(VmCounter::PagesVerified), 2 * kFilePages);
    EXPECT_EQ(rig.counter(VmCounter::PagesWrong), 0u);
}

TEST(Iozone, HandlesRaggedRecordsAndAPartialLastOne) {
    constexpr uint64_t kOddBytes = 100'003;
    WorkloadRig rig({.disk_files = {{kOddBytes}}});
    set_up(rig, kAllPhases);
    rig.workload().file_bytes = kOddBytes;
    rig.workload().record_bytes = 10'001;
    EXPECT_EQ(rig.run(), 0);
    EXPECT_EQ(rig.counter(VmCounter::PagesWrong), 0u);
    uint64_t bytes = 0;
    for (const auto& r : rig.machine.events(hal::Event::PhaseEnd)) bytes += r.args[2];
    EXPECT_EQ(bytes, 4 * kOddBytes);
}

TEST(Iozone, ReadsThroughAFileLargerThanMemory) {
    WorkloadRig rig({.ram_bytes = 8 << 20, .disk_files = {{24 << 20}}});
    set_up(rig, hal::kPhaseRead);
    rig.workload().file_bytes = 24 << 20;
    EXPECT_EQ(rig.run(), 0);
    EXPECT_EQ(rig.counter(VmCounter::PagesVerified), (24u << 20) / hal::kPageBytes);
    EXPECT_EQ(rig.counter(VmCounter::PagesWrong), 0u);
    EXPECT_GT(rig.counter(VmCounter::PgStealKswapd) + rig.counter(VmCounter::PgStealDirect), 3000u);
}

TEST(Iozone, WritesAFileLargerThanMemory) {
    WorkloadRig rig({.ram_bytes = 8 << 20, .disk_files = {{16 << 20}}});
    set_up(rig, hal::kPhaseWrite | hal::kPhaseRead);
    rig.workload().file_bytes = 16 << 20;
    EXPECT_EQ(rig.run(), 0);
    EXPECT_EQ(rig.counter(VmCounter::PagesVerified), (16u << 20) / hal::kPageBytes);
    EXPECT_EQ(rig.counter(VmCounter::PagesWrong), 0u);
}

TEST(Iozone, ReportsAWrongPageWithItsPlaceAndEndsWithOne) {
    WorkloadRig rig({.disk_files = {{kFileBytes}}});
    set_up(rig, hal::kPhaseRead);
    const uint64_t block = hal::data_block_of(fake_block::disk().first_block_of(0), 7);
    uint64_t words[hal::kWordsPerPage];
    fake_block::disk().read_block(block, words);
    words[100] ^= 1;
    fake_block::disk().write_block(block, words);
    EXPECT_EQ(rig.run(), 1);
    EXPECT_EQ(rig.counter(VmCounter::PagesWrong), 1u);
    EXPECT_EQ(rig.counter(VmCounter::PagesVerified), kFilePages);
    const auto wrong = rig.machine.events(hal::Event::DataMismatch);
    ASSERT_EQ(wrong.size(), 1u);
    EXPECT_EQ(wrong[0].args[1], 7 * hal::kPageBytes + 800u);
    EXPECT_EQ(wrong[0].args[2] ^ wrong[0].args[3], 1u);
}

TEST(Iozone, EndsWithTwoAtAnUnreadableBlock) {
    WorkloadRig rig({.disk_files = {{kFileBytes}}});
    set_up(rig, hal::kPhaseRead);
    fake_block::disk().fail_block(hal::data_block_of(fake_block::disk().first_block_of(0), 40));
    EXPECT_EQ(rig.run(), 2);
    EXPECT_EQ(rig.machine.events(hal::Event::IoErrorSeen).size(), 1u);
    EXPECT_EQ(rig.counter(VmCounter::PagesWrong), 0u);
}

TEST(Iozone, DoesNotHangTheOthersWhenOneTaskFails) {
    WorkloadRig rig({.disk_files = {{kFileBytes}, {kFileBytes}}});
    set_up(rig, hal::kPhaseRead | hal::kPhaseReread, 2);
    fake_block::disk(0).fail_block(hal::data_block_of(fake_block::disk(0).first_block_of(0), 40));
    EXPECT_EQ(rig.run(), 2);
    EXPECT_EQ(rig.counter(VmCounter::PagesVerified) >= 2 * kFilePages, true);
}

TEST(Iozone, KeepsAnIdleSystemTaskBesideIt) {
    WorkloadRig rig({.disk_files = {{kFileBytes}}});
    set_up(rig, hal::kPhaseRead);
    rig.info().system_anon_bytes = 1 << 20;
    EXPECT_EQ(rig.run(), 0);
    EXPECT_GE(rig.counter(VmCounter::PgFault), (1u << 20) / hal::kPageBytes);
}

TEST(Outcome, OfSeveralIsTheGravestOne) {
    EXPECT_EQ(worse(Outcome::Ok, Outcome::Killed), Outcome::Killed);
    EXPECT_EQ(worse(Outcome::Killed, Outcome::IoError), Outcome::IoError);
    EXPECT_EQ(worse(Outcome::IoError, Outcome::DataMismatch), Outcome::DataMismatch);
    EXPECT_EQ(worse(Outcome::Ok, Outcome::Ok), Outcome::Ok);
}

TEST(WorkloadTable, NamesEveryWorkloadOnce) {
    ASSERT_EQ(workload_count(), 2u);
    EXPECT_STREQ(workload_at(0).name, "iozone");
    EXPECT_STREQ(workload_at(1).name, "memset");
    EXPECT_EQ(workload_at(1).kind, hal::WorkloadKind::Memset);
}

}  // namespace
}  // namespace weir::workload
