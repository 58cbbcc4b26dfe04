// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Does a LUN behind an array keep to its ceilings, and does its cache do what facts/disk.md 2.3
// says?
#include "sc_models/disk/cached_lun.h"

#include "sc_models/disk/media.h"
#include "testbenches/unit/models_disk/medium_bench.h"
#include "testbenches/unit/models_disk/seed.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

namespace weir::disk {
namespace {

constexpr uint64_t kSectors = 4ull << 21;  // 4 GiB
constexpr uint32_t kRequestSectors = 1024;

std::unique_ptr<CachedLun> make_lun(const machine::CachedLunConfig& config = {},
                                    std::shared_ptr<ChannelPort> port = nullptr) {
    if (!port) port = std::make_shared<ChannelPort>(config.channel_bytes_per_s);
    return std::make_unique<CachedLun>(config, kSectors, port);
}

MediumRequest sequential(uint32_t i, bool write) {
    return {hal::Sector{uint64_t{i} * kRequestSectors}, kRequestSectors, write, false};
}

TEST(CachedLunThroughput, OneStreamReachesItsCeilingAndNotMore) {
    for (const uint32_t depth : {1u, 2u, 4u, 32u}) {
        auto lun = make_lun();
        const test::LoopResult result = test::run_closed_loop(
            {lun.get()}, 1000, depth, [](uint32_t, uint32_t i) { return sequential(i, false); });
        std::printf("depth %u: %.1f MB/s\n", depth, result.mb_per_s());
        EXPECT_LE(result.mb_per_s(), 155.0);
        // One command at a time pays 0.35 ms of overhead for every 3.38 ms of data.
        EXPECT_GE(result.mb_per_s(), depth == 1 ? 135.0 : 150.0);
    }
}

TEST(CachedLunThroughput, PortIsTheCeilingOfFourStreamsAndMore) {
    for (const uint32_t luns : {2u, 4u, 8u}) {
        auto port = std::make_shared<ChannelPort>(400'000'000);
        std::vector<std::unique_ptr<CachedLun>> owned;
        std::vector<Medium*> media;
        for (uint32_t i = 0; i < luns; ++i) {
            owned.push_back(make_lun({}, port));
            media.push_back(owned.back().get());
        }
        const test::LoopResult result = test::run_closed_loop(
            media, 500, 2, [](uint32_t, uint32_t i) { return sequential(i, false); });
        std::printf("%u LUNs: %.1f MB/s\n", luns, result.mb_per_s());
        EXPECT_LE(result.mb_per_s(), std::min(400.0, luns * 155.0));
        EXPECT_GE(result.mb_per_s(), 0.95 * std::min(400.0, luns * 155.0));
    }
}

TEST(CachedLunThroughput, SharesOfAPortAreFair) {
    auto port = std::make_shared<ChannelPort>(400'000'000);
    std::vector<std::unique_ptr<CachedLun>> owned;
    std::vector<Medium*> media;
    for (uint32_t i = 0; i < 4; ++i) {
        owned.push_back(make_lun({}, port));
        media.push_back(owned.back().get());
    }
    // Each serves as many requests; unfairness would show as one ending long after the others.
    const test::LoopResult all = test::run_closed_loop(
        media, 500, 1, [](uint32_t, uint32_t i) { return sequential(i, false); });
    EXPECT_GE(all.mb_per_s(), 350.0);
}

TEST(CachedLunThroughput, RandomMissesAreBoundedByTheRank) {
    machine::CachedLunConfig config;
    auto lun = make_lun(config);
    std::mt19937_64 random(test::seed());
    const test::LoopResult result =
        test::run_closed_loop({lun.get()}, 5000, 32, [&](uint32_t, uint32_t) {
            return MediumRequest{hal::Sector{random() % (kSectors / 8) * 8}, 8, false, false};
        });
    const double per_s =
        static_cast<double>(result.bytes) / 4096 / (static_cast<double>(result.end_ps) / 1e12);
    // 8 disks, 5.65 ms each; the cache answers a few.
    std::printf("random reads: %.0f/s\n", per_s);
    EXPECT_LE(per_s, 1.15 * 8 / 5.65e-3);
    EXPECT_GE(per_s, 0.9 * 8 / 5.65e-3);
}

TEST(CachedLunThroughput, FullStoreAdmitsAtDestageRate) {
    machine::CachedLunConfig config;
    config.write_store_bytes = 16 << 20;
    auto lun = make_lun(config);
    // The first 16 MiB go in at the LUN's ceiling, the other 240 MiB at 60 MB/s.
    const test::LoopResult result = test::run_closed_loop(
        {lun.get()}, 512, 8, [](uint32_t, uint32_t i) { return sequential(i, true); });
    const double destaged = static_cast<double>(result.bytes - config.write_store_bytes) / 60e6;
    EXPECT_NEAR(static_cast<double>(result.end_ps) / 1e12, destaged, 0.02 * destaged);
}

TEST(CachedLunCache, MissThenHitThenWriteTakeTheirTimes) {
    auto lun = make_lun();
    const MediumRequest page{hal::Sector{128'000}, 8, false, false};
    const uint64_t page_ps = transfer_ps(4096, 155'000'000);
    const MediumPlan miss = lun->serve(page, 0);
    EXPECT_FALSE(miss.cache_hit);
    EXPECT_EQ(miss.done_ps, 6000 * kPsPerUs + page_ps);
    const MediumPlan hit = lun->serve(page, miss.done_ps);
    EXPECT_TRUE(hit.cache_hit);
    EXPECT_EQ(hit.done_ps - hit.start_ps, 350 * kPsPerUs + page_ps);
    const MediumPlan write = lun->serve({hal::Sector{640'000}, 8, true, false}, hit.done_ps);
    EXPECT_EQ(write.done_ps - write.start_ps, 500 * kPsPerUs + page_ps);
    const MediumPlan back = lun->serve({hal::Sector{640'000}, 8, false, false}, write.done_ps);
    EXPECT_TRUE(back.cache_hit);
}

TEST(CachedLunCache, MissStagesToTheEndOfTheTrackAndNotBefore) {
    auto lun = make_lun();
    const uint64_t track_sectors = 65'536 / 512;
    const MediumPlan miss = lun->serve({hal::Sector{10 * track_sectors + 64}, 8, false, false}, 0);
    EXPECT_TRUE(
        lun->serve({hal::Sector{11 * track_sectors - 8}, 8, false, false}, miss.done_ps).cache_hit);
    EXPECT_FALSE(lun->serve({hal::Sector{10 * track_sectors + 56}, 8, false, false}, miss.done_ps)
                     .cache_hit);
}

TEST(CachedLunCache, SecondReaderOfATrackOnItsWayWaitsButDoesNotMissAgain) {
    auto lun = make_lun();
    const MediumPlan first = lun->serve({hal::Sector{0}, 8, false, false}, 0);
    const MediumPlan second = lun->serve({hal::Sector{8}, 8, false, false}, 1 * kPsPerMs);
    EXPECT_TRUE(second.cache_hit);
    EXPECT_LE(second.done_ps, first.done_ps + transfer_ps(4096, 155'000'000));
}

TEST(CachedLunPrefetch, StartsAfterTheConfiguredTracksAndNotOneEarlier) {
    const uint64_t track_sectors = 65'536 / 512;
    for (const uint32_t tracks_read : {2u, 3u}) {
        auto lun = make_lun();
        uint64_t now_ps = 0;
        for (uint32_t track = 0; track < tracks_read; ++track) {
            now_ps = lun->serve({hal::Sector{track * track_sectors},
                                 static_cast<uint32_t>(track_sectors), false, false},
                                now_ps)
                         .done_ps;
        }
        now_ps += 100 * kPsPerMs;
        // Two steps from track to track start it: the third track read in order.
        const MediumPlan ahead =
            lun->serve({hal::Sector{(tracks_read + 10) * track_sectors}, 8, false, false}, now_ps);
        EXPECT_EQ(ahead.cache_hit, tracks_read == 3);
    }
}

TEST(CachedLunPrefetch, StaysTheConfiguredTracksAhead) {
    const uint64_t track_sectors = 65'536 / 512;
    for (const uint64_t distance : {32u, 33u}) {
        auto lun = make_lun();
        uint64_t now_ps = 0;
        for (uint32_t track = 0; track < 10; ++track) {
            now_ps = lun->serve({hal::Sector{track * track_sectors},
                                 static_cast<uint32_t>(track_sectors), false, false},
                                now_ps)
                         .done_ps;
        }
        const MediumPlan ahead = lun->serve(
            {hal::Sector{(9 + distance) * track_sectors}, 8, false, false}, now_ps + kPsPerS);
        EXPECT_EQ(ahead.cache_hit, distance == 32);
    }
}

TEST(CachedLunPrefetch, InterleavedStreamsAreToldApart) {
    auto lun = make_lun();
    const test::LoopResult result =
        test::run_closed_loop({lun.get()}, 2000, 4, [](uint32_t, uint32_t i) {
            const uint64_t stream = i % 4;
            return MediumRequest{hal::Sector{stream * (kSectors / 4) + i / 4 * 512ull}, 512, false,
                                 false};
        });
    EXPECT_GE(result.mb_per_s(), 145.0);
}

TEST(CachedLunCache, OldTracksMakeRoomForNewOnes) {
    machine::CachedLunConfig config;
    config.cache_bytes = 100 * 65'536;
    auto lun = make_lun(config);
    uint64_t now_ps = 0;
    const auto read_track = [&](uint64_t track) {
        const MediumPlan plan = lun->serve({hal::Sector{track * 128}, 8, false, false}, now_ps);
        now_ps = plan.done_ps + kPsPerS;
        return plan.cache_hit;
    };
    for (uint64_t i = 0; i < 100; ++i) EXPECT_FALSE(read_track(i * 50));
    EXPECT_TRUE(read_track(0));  // refreshed: now track 50 is the oldest
    EXPECT_FALSE(read_track(20'000));
    EXPECT_TRUE(read_track(0));
    EXPECT_FALSE(read_track(50));
}

TEST(CachedLunConfig, ImpossibleValuesNameTheirKey) {
    machine::DiskConfig config;
    config.lun.track_bytes = 1000;
    try {
        make_medium(config);
        FAIL() << "accepted";
    } catch (const std::invalid_argument& error) {
        EXPECT_NE(std::string(error.what()).find("lun.track_bytes"), std::string::npos);
    }
}

}  // namespace
}  // namespace weir::disk
