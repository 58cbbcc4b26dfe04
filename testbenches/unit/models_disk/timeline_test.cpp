// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Does a shared resource ever do more than one thing at a time?
#include "sc_models/disk/timeline.h"

#include "testbenches/unit/models_disk/seed.h"

#include <gtest/gtest.h>

#include <random>

namespace weir::disk {
namespace {

TEST(Timeline, LaterBookingDoesNotDelayAnEarlierGap) {
    Timeline link;
    EXPECT_EQ(link.take(1000, 100), 1100u);
    EXPECT_EQ(link.take(0, 100), 100u);
    EXPECT_EQ(link.take(1050, 10), 1110u);
}

TEST(Timeline, TakeUsesGapsInPiecesAndTakeWholeDoesNot) {
    Timeline pieces;
    pieces.take(100, 50);
    EXPECT_EQ(pieces.take(50, 100), 200u);  // 50 before, 50 after
    Timeline whole;
    whole.take(100, 50);
    EXPECT_EQ(whole.take_whole(50, 51), 201u);
    EXPECT_EQ(whole.take_whole(50, 50), 100u);
}

TEST(Timeline, NeverGivesMoreThanThereIs) {
    std::mt19937_64 random(test::seed());
    for (uint32_t round = 0; round < 50; ++round) {
        Timeline link;
        uint64_t now_ps = 0;
        uint64_t given_ps = 0;
        uint64_t last_end_ps = 0;
        for (uint32_t i = 0; i < 500; ++i) {
            now_ps += random() % 40;
            link.forget_before(now_ps);
            const uint64_t earliest_ps = now_ps + random() % 200;
            const uint64_t duration_ps = random() % 50;
            const uint64_t end_ps = random() % 2 == 0 ? link.take(earliest_ps, duration_ps)
                                                      : link.take_whole(earliest_ps, duration_ps);
            EXPECT_GE(end_ps, earliest_ps + duration_ps);
            given_ps += duration_ps;
            last_end_ps = std::max(last_end_ps, end_ps);
        }
        EXPECT_LE(given_ps, last_end_ps);
    }
}

TEST(TransferTime, RoundsUpAndDoesNotOverflow) {
    EXPECT_EQ(transfer_ps(1, 1'000'000'000'000), 1u);
    EXPECT_EQ(transfer_ps(1, 3'000'000'000'000), 1u);
    EXPECT_EQ(transfer_ps(155'000'000, 155'000'000), kPsPerS);
    EXPECT_EQ(transfer_ps(1ull << 40, 1ull << 30), 1024 * kPsPerS);
    EXPECT_EQ(transfer_ps(4096, 0), 0u);
}

}  // namespace
}  // namespace weir::disk
