// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Does flash keep to its dies, channels and link, and does garbage collection cost what it must?
#include "sc_models/disk/flash.h"

#include "testbenches/unit/models_disk/medium_bench.h"
#include "testbenches/unit/models_disk/seed.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace weir::disk {
namespace {

constexpr uint64_t kSectors = 512ull << 11;  // 512 MiB

machine::FlashConfig small_blocks() {
    machine::FlashConfig config;
    config.pages_per_block = 32;  // 1 MiB
    return config;
}

TEST(FlashRead, QueueDepthOnePageTakesFirmwareArrayChannelAndLink) {
    Flash flash({}, kSectors);
    const MediumPlan plan = flash.serve({hal::Sector{8000}, 8, false, false}, 0);
    const uint64_t sum_ps = (22 + 36) * kPsPerUs + transfer_ps(4096, 800'000'000);
    EXPECT_GE(plan.done_ps, sum_ps);
    EXPECT_LE(plan.done_ps, sum_ps + transfer_ps(4096, 3'360'000'000));
    // Facts: a 4 KiB read at depth 1 takes about 60-70 us.
    EXPECT_GE(plan.done_ps, 60 * kPsPerUs);
    EXPECT_LE(plan.done_ps, 70 * kPsPerUs);
}

TEST(FlashRead, SequentialReadsReachTheLinkAndNotMore) {
    Flash flash({}, kSectors);
    const test::LoopResult result =
        test::run_closed_loop({&flash}, 2000, 32, [](uint32_t, uint32_t i) {
            return MediumRequest{hal::Sector{uint64_t{i} * 512}, 512, false, false};
        });
    std::printf("sequential read %.0f MB/s\n", result.mb_per_s());
    EXPECT_LE(result.mb_per_s(), 3360.0);
    EXPECT_GE(result.mb_per_s(), 0.9 * 3360.0);
}

TEST(FlashRead, OneChannelIsTheCeilingOfItsDies) {
    machine::FlashConfig config;
    config.channels = 1;
    config.dies_per_channel = 8;
    config.channel_bytes_per_s = 100'000'000;
    Flash flash(config, kSectors);
    const test::LoopResult result =
        test::run_closed_loop({&flash}, 500, 32, [](uint32_t, uint32_t i) {
            return MediumRequest{hal::Sector{uint64_t{i} * 512}, 512, false, false};
        });
    EXPECT_LE(result.mb_per_s(), 100.0);
    EXPECT_GE(result.mb_per_s(), 95.0);
}

TEST(FlashRead, OneDieIsTheCeilingOfRandomReads) {
    machine::FlashConfig config;
    config.channels = 1;
    config.dies_per_channel = 1;
    Flash flash(config, kSectors);
    std::mt19937_64 random(test::seed());
    const test::LoopResult result =
        test::run_closed_loop({&flash}, 2000, 32, [&](uint32_t, uint32_t) {
            return MediumRequest{hal::Sector{random() % (kSectors / 8) * 8}, 8, false, false};
        });
    const double per_s =
        static_cast<double>(result.bytes) / 4096 / (static_cast<double>(result.end_ps) / 1e12);
    EXPECT_LE(per_s, 1e6 / 36);
    EXPECT_GE(per_s, 0.97e6 / 36);
}

TEST(FlashWrite, EndsInTheBufferUntilThatIsFull) {
    Flash flash({}, kSectors);
    const MediumPlan first = flash.serve({hal::Sector{0}, 8, true, false}, 0);
    EXPECT_EQ(first.done_ps, 4 * kPsPerUs + transfer_ps(4096, 3'360'000'000));
    // 16 dies at 32 KiB in 185 us: 2.83 GB/s behind the buffer.
    Flash busy({}, kSectors);
    const test::LoopResult result =
        test::run_closed_loop({&busy}, 1500, 8, [](uint32_t, uint32_t i) {
            return MediumRequest{hal::Sector{uint64_t{i} * 512}, 512, true, false};
        });
    const double dies = 16 * 32'768 / 185e-6 / 1e6;
    std::printf("sequential write %.0f MB/s, dies %.0f\n", result.mb_per_s(), dies);
    EXPECT_LE(result.mb_per_s(), dies * 1.01);  // one buffer's worth is still on its way at the end
    EXPECT_GE(result.mb_per_s(), 0.8 * dies);
}

TEST(FlashWrite, ForcedWriteAndFlushWaitForTheProgram) {
    Flash flash({}, kSectors);
    const MediumPlan forced = flash.serve({hal::Sector{0}, 8, true, true}, 0);
    EXPECT_GE(forced.done_ps, 185 * kPsPerUs);
    const MediumPlan write = flash.serve({hal::Sector{80}, 8, true, false}, forced.done_ps);
    const MediumPlan flush = flash.flush(write.done_ps);
    EXPECT_GE(flush.done_ps - flush.start_ps, 185 * kPsPerUs);
    const MediumPlan again = flash.flush(flush.done_ps);
    EXPECT_LE(again.done_ps - again.start_ps, 4 * kPsPerUs);
}

TEST(FlashWrite, DataInTheBufferIsReadFromThere) {
    Flash flash({}, kSectors);
    const MediumPlan write = flash.serve({hal::Sector{80}, 8, true, false}, 0);
    const MediumPlan read = flash.serve({hal::Sector{80}, 8, false, false}, write.done_ps);
    EXPECT_TRUE(read.cache_hit);
    EXPECT_LT(read.done_ps - read.start_ps, 30 * kPsPerUs);
}

double random_overwrite_mb_per_s(uint32_t over_provision_permille, Flash::Counts& counts) {
    machine::FlashConfig config = small_blocks();
    config.over_provision_permille = over_provision_permille;
    Flash flash(config, kSectors);
    std::mt19937_64 random(test::seed());
    // Fill once, then overwrite at random three times over.
    const uint32_t pages = kSectors / 8;
    test::run_closed_loop({&flash}, pages, 32, [](uint32_t, uint32_t i) {
        return MediumRequest{hal::Sector{uint64_t{i} * 8}, 8, true, false};
    });
    const Flash::Counts filled = flash.counts();
    const uint64_t begin_ps = flash.flush(1000 * kPsPerS).done_ps;
    uint64_t done_ps = begin_ps;
    for (uint32_t i = 0; i < 3 * pages; ++i) {
        done_ps = flash.serve({hal::Sector{random() % pages * 8}, 8, true, false}, done_ps).done_ps;
    }
    counts = flash.counts();
    counts.pages_programmed -= filled.pages_programmed;
    counts.pages_copied -= filled.pages_copied;
    return 3.0 * pages * 4096 / (static_cast<double>(done_ps - begin_ps) / 1e12) / 1e6;
}

TEST(FlashGarbageCollection, MoreOverProvisionMeansFewerCopies) {
    Flash::Counts tight{};
    Flash::Counts roomy{};
    const double tight_mb_per_s = random_overwrite_mb_per_s(70, tight);
    const double roomy_mb_per_s = random_overwrite_mb_per_s(400, roomy);
    const auto amplification = [](const Flash::Counts& counts) {
        return 1.0 + static_cast<double>(counts.pages_copied) /
                         static_cast<double>(counts.pages_programmed);
    };
    std::printf("7 %%: %.0f MB/s, amplification %.2f; 40 %%: %.0f MB/s, %.2f\n", tight_mb_per_s,
                amplification(tight), roomy_mb_per_s, amplification(roomy));
    EXPECT_GT(amplification(tight), 1.5);
    EXPECT_LT(amplification(roomy), amplification(tight));
    EXPECT_GT(roomy_mb_per_s, 1.3 * tight_mb_per_s);
    EXPECT_GT(tight.blocks_erased, 0u);
}

TEST(FlashGarbageCollection, SequentialOverwriteCopiesAlmostNothing) {
    machine::FlashConfig config = small_blocks();
    Flash flash(config, kSectors);
    test::run_closed_loop({&flash}, 4 * kSectors / 512, 8, [](uint32_t, uint32_t i) {
        return MediumRequest{hal::Sector{uint64_t{i} * 512 % kSectors}, 512, true, false};
    });
    EXPECT_GT(flash.counts().blocks_erased, 1000u);
    EXPECT_LT(flash.counts().pages_copied, flash.counts().pages_programmed / 20);
}

TEST(FlashTranslationMap, FollowsEveryUnitThroughGarbageCollection) {
    FlashTranslation translation({2, 8, 4, 400, 70});
    std::mt19937_64 random(test::seed());
    std::map<uint64_t, uint64_t> last_seen;
    for (uint32_t i = 0; i < 20'000; ++i) {
        std::vector<uint64_t> units;
        for (uint64_t n = 1 + random() % 4; n > 0; --n) units.push_back(random() % 400);
        const FlashTranslation::Work work = translation.program(units);
        for (const uint64_t unit : units) EXPECT_EQ(translation.locate(unit).die, work.die);
    }
    // No flash page holds more units than fit, so no two units share a place.
    std::map<uint64_t, uint32_t> units_of_page;
    for (uint64_t unit = 0; unit < 400; ++unit) ++units_of_page[translation.locate(unit).page];
    for (const auto& [page, units] : units_of_page) EXPECT_LE(units, 4u) << "page " << page;
}

TEST(FlashTail, BusyEpisodeFollowsTheNthRandomWriteAndNotTheOneBefore) {
    machine::FlashConfig config;
    config.busy_after_writes = 10;
    config.busy_us = 100'000;
    Flash flash(config, kSectors);
    uint64_t now_ps = 0;
    for (uint32_t i = 1; i <= 20; ++i) {
        const MediumPlan plan = flash.serve({hal::Sector{i * 1000}, 8, true, false}, now_ps);
        const bool slow = plan.done_ps - plan.start_ps > 100 * kPsPerMs;
        EXPECT_EQ(slow, i % 10 == 0) << "write " << i;
        now_ps = plan.done_ps;
    }
    EXPECT_EQ(flash.counts().busy_episodes, 2u);
    // Sequential writes are not what wears a card's log blocks.
    for (uint32_t i = 1; i <= 50; ++i) {
        now_ps = flash.serve({hal::Sector{20'000 + i * 8}, 8, true, false}, now_ps).done_ps;
    }
    EXPECT_EQ(flash.counts().busy_episodes, 2u);
}

}  // namespace
}  // namespace weir::disk
