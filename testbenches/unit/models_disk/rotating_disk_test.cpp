// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Does the rotating disk move as the drives of facts/disk.md do? Figures that come out differ from
// the facts by what docs/models/media.md says.
#include "sc_models/disk/rotating_disk.h"

#include "testbenches/unit/models_disk/medium_bench.h"
#include "testbenches/unit/models_disk/seed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

namespace weir::disk {
namespace {

using test::cheetah_4lp;
using test::fireball_st;

constexpr double kMs = 1e9;

double ms(uint64_t ps) {
    return static_cast<double>(ps) / kMs;
}

MediumRequest read_of(uint64_t sector, uint32_t count) {
    return {hal::Sector{sector}, count, false, false};
}
MediumRequest write_of(uint64_t sector, uint32_t count) {
    return {hal::Sector{sector}, count, true, false};
}

struct Means {
    double total = 0;
    double seek = 0;
    double rotate = 0;
    double deviation = 0;
};

/// Random 4 KiB reads, each long after the last, so that nothing overlaps.
Means isolated_random_reads(const machine::RotatingConfig& config, uint32_t count) {
    RotatingDisk disk(config);
    std::mt19937_64 random(test::seed());
    Means means;
    double squares = 0;
    uint64_t now_ps = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t sector = random() % (disk.sector_count() / 8) * 8;
        const MediumPlan plan = disk.serve(read_of(sector, 8), now_ps);
        const double total = ms(plan.done_ps - plan.start_ps);
        means.total += total / count;
        squares += total * total / count;
        means.seek += ms(plan.phase_ps(Phase::Seek)) / count;
        means.rotate += ms(plan.phase_ps(Phase::Rotate)) / count;
        now_ps = plan.done_ps + 60 * kPsPerMs + random() % (10 * kPsPerMs);
    }
    means.deviation = std::sqrt(squares - means.total * means.total);
    return means;
}

TEST(RotatingDiskMechanics, IsolatedRandomReadTakesTheValidatedTime) {
    machine::RotatingConfig config = cheetah_4lp();
    // The reference was measured on a rig whose bus took 0.1 ms a sector.
    config.bus_bytes_per_s = 5'120'000;
    const Means means = isolated_random_reads(config, 20'000);
    RecordProperty("mean_us", static_cast<int>(means.total * 1000));
    std::printf(
        "mean %.3f ms (reference 12.35), seek %.3f (7.83), rotation %.3f (3.01), sd %.3f (3.47)\n",
        means.total, means.seek, means.rotate, means.deviation);
    EXPECT_NEAR(means.total, 12.35, 0.15);
    EXPECT_NEAR(means.seek, 7.83, 0.15);
    EXPECT_NEAR(means.rotate, 3.01, 0.06);
    EXPECT_NEAR(means.deviation, 3.47, 0.25);
}

TEST(RotatingDiskMechanics, OwnBusSavesWhatTheRigAdded) {
    const Means means = isolated_random_reads(cheetah_4lp(), 20'000);
    std::printf("mean on the drive's own bus %.3f ms\n", means.total);
    // 8 sectors of 0.1 ms become one sector of 0.0128 ms after the media transfer.
    EXPECT_NEAR(means.total, 11.8, 0.2);
}

TEST(RotatingDiskMechanics, AverageSeekOverUniformPairsFollowsTheTable) {
    struct Case {
        const char* name;
        machine::RotatingConfig config;
        double average_ms;
    };
    for (const Case& each :
         {Case{"ST34501N", cheetah_4lp(), 7.95}, {"Fireball", fireball_st(), 10.0}}) {
        const DiskGeometry geometry(each.config);
        const uint32_t cylinders = each.config.zones.back().last_cylinder + 1;
        double sum = 0;
        double weight = 0;
        for (uint32_t distance = 1; distance < cylinders; ++distance) {
            const double pairs = 2.0 * (cylinders - distance);
            sum += pairs * ms(geometry.seek_ps(0, distance));
            weight += pairs;
        }
        std::printf("%s: average seek %.2f ms (facts: %.2f)\n", each.name, sum / weight,
                    each.average_ms);
        EXPECT_NEAR(sum / weight, each.average_ms, 0.03 * each.average_ms) << each.name;
    }
}

TEST(RotatingDiskMechanics, SeekTableIsExactAtItsPointsAndStraightBetween) {
    const DiskGeometry geometry(cheetah_4lp());
    EXPECT_EQ(geometry.seek_ps(100, 100), 0u);
    EXPECT_EQ(geometry.seek_ps(0, 1), 636 * kPsPerUs);
    EXPECT_EQ(geometry.seek_ps(6580, 0), 16'107 * kPsPerUs);
    EXPECT_EQ(geometry.seek_ps(0, 1500), (5838 + 7788) / 2 * kPsPerUs);
    EXPECT_EQ(geometry.seek_ps(1500, 0), geometry.seek_ps(0, 1500));
}

TEST(RotatingDiskMechanics, CapacityIsTheSumOfTheZones) {
    const DiskGeometry geometry(cheetah_4lp());
    // 8,887,200 blocks are formatted; 108 spares a zone and lost cylinders make the difference.
    EXPECT_NEAR(static_cast<double>(geometry.sector_count()), 8'887'200.0, 0.01 * 8'887'200.0);
}

TEST(RotatingDiskMechanics, AngleIsTrue) {
    // Slot 0 of the first track is under the head at every whole revolution, and a picosecond
    // later it has just been missed.
    const DiskGeometry geometry(cheetah_4lp());
    const DiskPlace first = geometry.locate(0);
    const uint64_t turn_ps = geometry.revolution_ps();
    EXPECT_EQ(turn_ps, 5'980'265'125u);
    EXPECT_EQ(geometry.rotate_ps(first, 7 * turn_ps), 0u);
    EXPECT_EQ(geometry.rotate_ps(first, 7 * turn_ps + 1), turn_ps - 1);
    EXPECT_EQ(geometry.rotate_ps(first, 7 * turn_ps - 1), 1u);
    EXPECT_EQ(geometry.rotate_ps(geometry.locate(100), 0), turn_ps * 100 / 195);
}

TEST(RotatingDiskMechanics, SkewHidesHeadAndCylinderSwitch) {
    const DiskGeometry geometry(cheetah_4lp());
    const DiskPlace a = geometry.locate(0);
    const DiskPlace next_track = geometry.locate(195);
    const DiskPlace next_cylinder = geometry.locate(195 * 8);
    EXPECT_EQ(next_track.head, a.head + 1);
    EXPECT_EQ(next_track.slot, 22u);
    EXPECT_EQ(next_cylinder.cylinder, 1u);
    EXPECT_EQ(next_cylinder.slot, (7 * 22 + 37) % 195u);
    // A track ends at angle 0; the next one begins 22 slots later, and the switch takes less.
    EXPECT_LT(geometry.move_ps(0, 0, next_track), geometry.span_ps(a, 22));
    EXPECT_LT(geometry.move_ps(0, 7, next_cylinder), geometry.span_ps(a, 37));
}

TEST(RotatingDiskMechanics, MediaRateOfEachZoneIsItsDensity) {
    const machine::RotatingConfig config = fireball_st();
    const DiskGeometry geometry(config);
    const double expected_mb_per_s[8] = {10.8, 10.5, 10.1, 9.6, 9.0, 8.3, 7.5, 6.6};
    uint64_t sector = 0;
    for (uint32_t zone = 0; zone < 8; ++zone) {
        const DiskPlace place = geometry.locate(sector);
        const uint32_t count = place.sectors_per_track;
        const double seconds = ms(geometry.span_ps(place, count)) / 1000;
        EXPECT_NEAR(count * 512 / seconds / 1e6, expected_mb_per_s[zone], 0.06) << "zone " << zone;
        sector += uint64_t{984} * 8 * count;
    }
}

TEST(RotatingDiskThroughput, SequentialReadsRunAtMediaRateLessSkew) {
    RotatingDisk disk(cheetah_4lp());
    const test::LoopResult result = test::run_closed_loop(
        {&disk}, 2000, 1, [](uint32_t, uint32_t i) { return read_of(uint64_t{i} * 128, 128); });
    // 195 sectors a turn, and 7 x 22 + 37 sector times of skew on the 8 tracks of a cylinder.
    const double media = 195 * 512 / 5.980265e-3 / 1e6;
    const double with_skew = media * 1560 / (1560 + 7 * 22 + 37);
    std::printf("sequential read %.2f MB/s, media %.2f, with skew %.2f\n", result.mb_per_s(), media,
                with_skew);
    EXPECT_LE(result.mb_per_s(), media);
    EXPECT_NEAR(result.mb_per_s(), with_skew, 0.03 * with_skew);
}

TEST(RotatingDiskThroughput, SequentialWritesRunAtMediaRateLessSkew) {
    for (const uint32_t sectors : {8u, 128u, 1024u}) {
        RotatingDisk disk(cheetah_4lp());
        const test::LoopResult result = test::run_closed_loop(
            {&disk}, 200'000 / sectors, 1,
            [=](uint32_t, uint32_t i) { return write_of(uint64_t{i} * sectors, sectors); });
        std::printf("sequential writes of %u sectors: %.2f MB/s\n", sectors, result.mb_per_s());
        EXPECT_LE(result.mb_per_s(), 16.8);
        EXPECT_GE(result.mb_per_s(), sectors == 8 ? 8.0 : 14.0);
    }
}

TEST(RotatingDiskThroughput, NoPathExceedsABusSlowerThanTheMedia) {
    machine::RotatingConfig config = cheetah_4lp();
    config.bus_bytes_per_s = 5'000'000;
    for (const bool write : {false, true}) {
        RotatingDisk disk(config);
        const test::LoopResult result =
            test::run_closed_loop({&disk}, 1000, 1, [=](uint32_t, uint32_t i) {
                return MediumRequest{hal::Sector{uint64_t{i} * 128}, 128, write, false};
            });
        EXPECT_LE(result.mb_per_s(), 5.0);
        EXPECT_GE(result.mb_per_s(), 4.0);
    }
}

TEST(RotatingDiskThroughput, IsolatedWritesAndClusteredWritesAreTheTwoFiguresOf1998) {
    for (const machine::RotatingConfig& config : {cheetah_4lp(), fireball_st()}) {
        std::mt19937_64 random(test::seed());
        RotatingDisk isolated(config);
        const test::LoopResult one_page =
            test::run_closed_loop({&isolated}, 2000, 1, [&](uint32_t, uint32_t) {
                return write_of(random() % (isolated.sector_count() / 8) * 8, 8);
            });
        // Clusters of 128 KiB in a swap area of 128 MB: what a clustering swap-out writes.
        RotatingDisk clustered(config);
        uint64_t at = 0;
        const test::LoopResult cluster =
            test::run_closed_loop({&clustered}, 2000, 1, [&](uint32_t, uint32_t i) {
                if (i % 4 == 0) at = random() % 1000 * 256;
                at += 64;
                return write_of(at, 64);
            });
        std::printf("isolated %.3f MB/s, clustered %.2f MB/s\n", one_page.mb_per_s(),
                    cluster.mb_per_s());
        EXPECT_GE(one_page.mb_per_s(), 0.2);
        EXPECT_LE(one_page.mb_per_s(), 0.44);
        EXPECT_GE(cluster.mb_per_s() / one_page.mb_per_s(), 7.0);
    }
}

TEST(RotatingDiskThroughput, NinetyMegabytesOfRandomlyPlacedExtentsDrainInTheTimeOf2000) {
    RotatingDisk disk(fireball_st());
    std::mt19937_64 random(test::seed());
    // Extents of 64 KiB, as a page cache holds after some files were written, in the order of an
    // elevator that sorts 64 requests at a time.
    std::vector<uint64_t> extents(90 * 16);
    for (uint64_t& sector : extents) sector = random() % (disk.sector_count() / 128) * 128;
    for (size_t i = 0; i < extents.size(); i += 64) {
        std::sort(extents.begin() + static_cast<std::ptrdiff_t>(i),
                  extents.begin() + static_cast<std::ptrdiff_t>(std::min(i + 64, extents.size())));
    }
    const test::LoopResult result = test::run_closed_loop(
        {&disk}, 90 * 16, 1, [&](uint32_t, uint32_t i) { return write_of(extents[i], 128); });
    std::printf("90 MB drain in %.1f s\n", static_cast<double>(result.end_ps) / 1e12);
    EXPECT_GE(result.end_ps, 10 * kPsPerS);
    EXPECT_LE(result.end_ps, 45 * kPsPerS);
}

TEST(RotatingDiskCache, ReadAheadGoesOnWhileTheDiskIsIdle) {
    RotatingDisk disk(cheetah_4lp());
    const MediumPlan miss = disk.serve(read_of(10'000, 8), 0);
    EXPECT_FALSE(miss.cache_hit);
    const MediumPlan hit = disk.serve(read_of(10'008, 8), miss.done_ps + 20 * kPsPerMs);
    EXPECT_TRUE(hit.cache_hit);
    // 68 us of overhead and 8 sectors on a 40 MB/s bus; nothing else.
    EXPECT_EQ(hit.done_ps - hit.start_ps, 68 * kPsPerUs + transfer_ps(4096, 40'000'000));
}

TEST(RotatingDiskCache, HitStillOnItsWayWaitsForTheMedia) {
    RotatingDisk disk(cheetah_4lp());
    const MediumPlan miss = disk.serve(read_of(10'000, 8), 0);
    const MediumPlan soon = disk.serve(read_of(10'100, 8), miss.done_ps);
    EXPECT_TRUE(soon.cache_hit);
    EXPECT_EQ(soon.phase_ps(Phase::Seek), 0u);
    EXPECT_EQ(soon.phase_ps(Phase::Rotate), 0u);
    EXPECT_GT(soon.phase_ps(Phase::Media), 90 * disk.geometry().revolution_ps() / 195);
}

TEST(RotatingDiskCache, ReadAheadEndsWhereItsSegmentIsFull) {
    RotatingDisk disk(cheetah_4lp());
    const MediumPlan miss = disk.serve(read_of(10'000, 8), 0);
    const uint64_t later_ps = miss.done_ps + 100 * kPsPerMs;
    // 282 sectors ahead of sector 10,008 were read; the segment holds that many.
    RotatingDisk inside = disk;
    EXPECT_TRUE(inside.serve(read_of(10'008 + 282 - 8, 8), later_ps).cache_hit);
    RotatingDisk outside = disk;
    EXPECT_FALSE(outside.serve(read_of(10'008 + 282, 8), later_ps).cache_hit);
}

TEST(RotatingDiskCache, SegmentsHoldSeveralStreams) {
    RotatingDisk disk(cheetah_4lp());
    uint64_t now_ps = 0;
    uint32_t hits = 0;
    for (uint32_t i = 0; i < 60; ++i) {
        const uint64_t stream = i % 3;
        const MediumPlan plan =
            disk.serve(read_of(1'000'000 * (stream + 1) + i / 3 * 8, 8), now_ps);
        hits += plan.cache_hit ? 1 : 0;
        now_ps = plan.done_ps + 30 * kPsPerMs;
    }
    EXPECT_GE(hits, 54u);
}

TEST(RotatingDiskCache, WriteIsReportedEarlyAndReadBackFromTheBuffer) {
    RotatingDisk disk(cheetah_4lp());
    const MediumPlan write = disk.serve(write_of(4'000'000, 8), 0);
    EXPECT_EQ(write.done_ps, 431 * kPsPerUs + transfer_ps(4096, 40'000'000));
    const MediumPlan read = disk.serve(read_of(4'000'000, 8), write.done_ps);
    EXPECT_TRUE(read.cache_hit);
}

TEST(RotatingDiskCache, ForcedWriteAndFlushReachTheMedium) {
    RotatingDisk disk(cheetah_4lp());
    const MediumPlan forced = disk.serve(MediumRequest{hal::Sector{4'000'000}, 8, true, true}, 0);
    EXPECT_GT(forced.phase_ps(Phase::Seek), 0u);
    EXPECT_GT(forced.phase_ps(Phase::Media), 0u);
    const MediumPlan write = disk.serve(write_of(8'000, 8), forced.done_ps);
    const MediumPlan flush = disk.flush(write.done_ps);
    EXPECT_GT(flush.done_ps - flush.start_ps, 5 * kPsPerMs);  // a seek of thousands of cylinders
    const MediumPlan again = disk.flush(flush.done_ps);
    EXPECT_LT(again.done_ps - again.start_ps, kPsPerMs);
}

TEST(RotatingDiskCache, ReadAfterWriteWaitsForTheDestaging) {
    RotatingDisk disk(cheetah_4lp());
    const MediumPlan write = disk.serve(write_of(8'000'000, 8), 0);
    RotatingDisk quiet = disk;
    const MediumPlan behind = disk.serve(read_of(0, 8), write.done_ps + kPsPerMs);
    EXPECT_GT(behind.phase_ps(Phase::Media), 5 * kPsPerMs);
    const MediumPlan later = quiet.serve(read_of(0, 8), write.done_ps + 100 * kPsPerMs);
    EXPECT_LT(later.phase_ps(Phase::Media), kPsPerMs);
}

TEST(RotatingDiskOverhead, DependsOnHitDirectionAndPreviousCommand) {
    RotatingDisk disk(cheetah_4lp());
    uint64_t now_ps = 0;
    const auto overhead_us = [&](const MediumRequest& request) {
        const MediumPlan plan = disk.serve(request, now_ps);
        now_ps = plan.done_ps + 50 * kPsPerMs;
        return plan.spans[0].duration_ps / kPsPerUs;
    };
    EXPECT_EQ(overhead_us(read_of(0, 8)), 608u);      // read miss after read
    EXPECT_EQ(overhead_us(read_of(8, 8)), 68u);       // read hit after read
    EXPECT_EQ(overhead_us(write_of(5000, 8)), 431u);  // write miss after read
    EXPECT_EQ(overhead_us(write_of(9000, 8)), 538u);  // write miss after write
    EXPECT_EQ(overhead_us(read_of(9000, 8)), 309u);   // read hit after write
    EXPECT_EQ(overhead_us(write_of(20'000, 8)), 431u);
    EXPECT_EQ(overhead_us(read_of(700'000, 8)), 569u);  // read miss after write
    const MediumPlan first = disk.serve(write_of(1'000'000, 8), now_ps);
    const MediumPlan joined = disk.serve(write_of(1'000'008, 8), first.done_ps);
    EXPECT_TRUE(joined.cache_hit);
    EXPECT_EQ(joined.spans[0].duration_ps / kPsPerUs, 95u);  // write hit after write
}

TEST(RotatingDiskPlan, SpansAddUpAndExplainNamesThem) {
    RotatingDisk disk(cheetah_4lp());
    const MediumPlan plan = disk.serve(read_of(5'000'000, 8), 123'456'789);
    uint64_t sum_ps = 0;
    for (uint32_t i = 0; i < plan.span_count; ++i) sum_ps += plan.spans[i].duration_ps;
    EXPECT_EQ(plan.start_ps + sum_ps, plan.done_ps);
    const std::string text = explain(plan);
    for (const char* name : {"overhead 0.608 ms", "seek", "rotate", "media", "bus", "total"}) {
        EXPECT_NE(text.find(name), std::string::npos) << text;
    }
}

TEST(RotatingDiskConfig, ImpossibleGeometryNamesItsKey) {
    const auto message = [](const machine::RotatingConfig& config) -> std::string {
        try {
            const RotatingDisk disk(config);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "";
    };
    machine::RotatingConfig config = cheetah_4lp();
    config.zones.clear();
    EXPECT_NE(message(config).find("rotating.zones"), std::string::npos);
    config = cheetah_4lp();
    std::swap(config.seek_points[2], config.seek_points[3]);
    EXPECT_NE(message(config).find("rotating.seek_points"), std::string::npos);
    config = cheetah_4lp();
    config.rpm = 0;
    EXPECT_NE(message(config).find("rotating.rpm"), std::string::npos);
    config = cheetah_4lp();
    config.bus_bytes_per_s = 0;
    EXPECT_NE(message(config).find("rotating.bus_bytes_per_s"), std::string::npos);
}

TEST(RotatingDiskConfig, NoCachesAtAllStillWorks) {
    machine::RotatingConfig config = cheetah_4lp();
    config.cache_segments = 0;
    config.write_segments = 0;
    RotatingDisk disk(config);
    const MediumPlan read = disk.serve(read_of(0, 8), 0);
    EXPECT_FALSE(disk.serve(read_of(8, 8), read.done_ps + kPsPerMs).cache_hit);
    const MediumPlan write = disk.serve(write_of(500'000, 8), read.done_ps + 100 * kPsPerMs);
    EXPECT_GT(write.phase_ps(Phase::Media), 0u);
    EXPECT_GT(write.phase_ps(Phase::Seek), 0u);
}

}  // namespace
}  // namespace weir::disk
