// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Which question: does the audit schedule what it was told in order of time, and count it right?
#include "sc_models/dram/audit.h"

#include "testbenches/unit/models_dram/at_initiator.h"

#include <gtest/gtest.h>

namespace weir::test {
namespace {

constexpr auto kRead = dram::Direction::Read;
constexpr uint64_t kNextRowOfBank = 16 * 8192;

TEST(Audit, PutsAccessesInOrderOfTimeBeforeTheyAreScheduled) {
    dram::Audit audit(dram_config({"refresh.name=none"}));
    // Told out of order: closed bank 36, hit 20, conflict 52 clocks.
    audit.note({3000, kNextRowOfBank, 1, kRead, 50});
    audit.note({1000, 0, 1, kRead, 40});
    audit.note({2000, 64, 1, kRead, 30});
    audit.finish();
    const dram::AuditResult result = audit.result();
    EXPECT_EQ(result.accesses, 3u);
    EXPECT_DOUBLE_EQ(result.loose_mean_clocks, 40.0);
    EXPECT_DOUBLE_EQ(result.command_level_mean_clocks, (36.0 + 20 + 52) / 3);
    EXPECT_EQ(result.commands, 6u);  // ACT RD, RD, PRE ACT RD
    EXPECT_EQ(result.violations, 0u);
}

TEST(Audit, AnAccessLongerThanTheQueueIsOneAccess) {
    dram::Audit audit(dram_config({"refresh.name=none"}));
    audit.note({1000, 0, 40, kRead, 0});
    audit.finish();
    EXPECT_EQ(audit.result().accesses, 1u);
    EXPECT_DOUBLE_EQ(audit.result().command_level_mean_clocks, 36.0 + 39 * 6);
}

TEST(Audit, AdvanceLeavesWhatIsNotYetBefore) {
    dram::Audit audit(dram_config({"refresh.name=none"}));
    audit.note({1000, 0, 1, kRead, 0});
    audit.note({2000, 64, 1, kRead, 0});
    audit.advance(2000);
    EXPECT_EQ(audit.stats().read.requests, 0u)
        << "the first is scheduled with the second's arrival";
    audit.note({1500, 128, 1, kRead, 0});
    audit.finish();
    EXPECT_EQ(audit.result().accesses, 3u);
}

TEST(Audit, HearsEveryLooselyTimedAccessOfTheController) {
    DramBench bench(dram_config(), {AnswerStyle::Completed}, Listener::None);
    bench.controller.audit(nullptr, "");
    uint8_t bytes[4096];
    for (uint64_t i = 0; i < 10; ++i)
        bench.loose(tlm::TLM_READ_COMMAND, i * 4096, bytes, 4096, i * 1'000'000);
    bench.controller.finish();
    ASSERT_NE(bench.controller.audit(), nullptr);
    const dram::AuditResult result = bench.controller.audit()->result();
    EXPECT_EQ(result.accesses, 10u);
    EXPECT_EQ(result.violations, 0u);
    EXPECT_NEAR(result.loose_mean_clocks, result.command_level_mean_clocks,
                0.1 * result.command_level_mean_clocks);
}

}  // namespace
}  // namespace weir::test
