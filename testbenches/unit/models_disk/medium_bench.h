// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Drives a medium without a controller.
// - run_closed_loop(): keeps so many requests under way, starting one when one ends.
// - cheetah_4lp(), fireball_st(): disks of facts/disk.md 2.1 and 2.2.
#pragma once

#include "sc_models/disk/medium.h"
#include "sc_models/disk/timeline.h"
#include "sc_models/machine/config.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace weir::test {

struct LoopResult {
    uint64_t bytes = 0;
    uint64_t end_ps = 0;
    double mb_per_s() const {
        return static_cast<double>(bytes) / (static_cast<double>(end_ps) / 1e12) / 1e6;
    }
};

/// `next` makes the i-th request. Several media take turns, each with `depth` under way.
inline LoopResult run_closed_loop(
    const std::vector<disk::Medium*>& media, uint32_t requests_each, uint32_t depth,
    const std::function<disk::MediumRequest(uint32_t medium, uint32_t i)>& next) {
    struct Ready {
        uint64_t at_ps;
        uint32_t medium;
        bool operator>(const Ready& other) const {
            return at_ps != other.at_ps ? at_ps > other.at_ps : medium > other.medium;
        }
    };
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    for (uint32_t m = 0; m < media.size(); ++m) {
        for (uint32_t i = 0; i < depth; ++i) ready.push({0, m});
    }
    std::vector<uint32_t> issued(media.size(), 0);
    LoopResult result;
    while (!ready.empty()) {
        const Ready now = ready.top();
        ready.pop();
        if (issued[now.medium] == requests_each) continue;
        const disk::MediumRequest request = next(now.medium, issued[now.medium]++);
        const disk::MediumPlan plan = media[now.medium]->serve(request, now.at_ps);
        result.bytes += uint64_t{request.sector_count} * hal::kSectorBytes;
        result.end_ps = std::max(result.end_ps, plan.done_ps);
        ready.push({plan.done_ps, now.medium});
    }
    return result;
}

/// Seagate ST34501N. Source: facts/disk.md 2.2 (validated parameter files of a public simulator).
inline machine::RotatingConfig cheetah_4lp() {
    machine::RotatingConfig config;  // the defaults are this drive's
    config.zones = {{0, 1343, 195},    {1345, 2448, 187}, {2450, 3541, 176}, {3543, 4406, 166},
                    {4408, 5223, 155}, {5225, 5956, 145}, {5958, 6580, 131}};
    config.seek_points = {{1, 636},      {2, 1146},     {5, 1285},     {10, 1416},
                          {20, 1679},    {50, 2314},    {100, 2705},   {200, 3754},
                          {500, 4414},   {1000, 5838},  {2000, 7788},  {3000, 9727},
                          {4000, 11429}, {5000, 13241}, {6000, 15060}, {6580, 16107}};
    return config;
}

/// Quantum Fireball ST 6.4. Source: facts/disk.md 2.1.
inline machine::RotatingConfig fireball_st() {
    machine::RotatingConfig config;
    config.rpm = 5400;
    config.heads = 8;
    const uint32_t density[8] = {234, 228, 219, 208, 196, 180, 163, 144};
    for (uint32_t i = 0; i < 8; ++i) config.zones.push_back({984 * i, 984 * i + 983, density[i]});
    config.seek_points = {{1, 2000},    {100, 3224},   {500, 5024},   {1000, 6577},
                          {2000, 9069}, {4000, 13189}, {6000, 16825}, {7871, 19995}};
    config.head_switch_us = 2000;
    config.write_settle_us = 1000;
    config.track_skew_sectors = 42;
    config.cylinder_skew_sectors = 63;
    config.cache_segments = 8;
    config.segment_sectors = 64;
    config.write_segments = 1;
    config.read_ahead_sectors = 16;
    config.overhead_us = {200, 200, 500, 500, 200, 200, 500, 500};
    config.bus_bytes_per_s = 30'600'000;  // UDMA/33 less 8 %
    return config;
}

}  // namespace weir::test
