// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/disk/disk_geometry.h"

#include "sc_models/disk/timeline.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace weir::disk {

namespace {

void require(bool condition, const std::string& what) {
    if (!condition) throw std::invalid_argument(what);
}

}  // namespace

DiskGeometry::DiskGeometry(const machine::RotatingConfig& config)
    : heads_(config.heads),
      revolution_ps_(config.rpm == 0 ? 0 : 60 * kPsPerS / config.rpm),
      head_switch_ps_(config.head_switch_us * kPsPerUs) {
    require(config.rpm > 0, "rotating.rpm: must be above 0");
    require(config.heads > 0, "rotating.heads: must be above 0");
    require(!config.zones.empty(), "rotating.zones: a rotating disk needs at least one zone");
    build_zones(config);
    build_seek_table(config, config.zones.back().last_cylinder + 1);
}

void DiskGeometry::build_zones(const machine::RotatingConfig& config) {
    const uint64_t outer_sectors = config.zones.front().sectors_per_track;
    uint32_t next_cylinder = 0;
    for (const machine::DiskZone& zone : config.zones) {
        require(
            zone.first_cylinder >= next_cylinder && zone.last_cylinder >= zone.first_cylinder,
            "rotating.zones: cylinder " + std::to_string(zone.first_cylinder) + " is out of order");
        require(zone.sectors_per_track > 0, "rotating.zones: sectors_per_track must be above 0");
        // Skews are given for the outermost zone; further in the same angle is fewer sectors.
        const auto scaled = [&](uint64_t skew) {
            return static_cast<uint32_t>((skew * zone.sectors_per_track + outer_sectors - 1) /
                                         outer_sectors);
        };
        zones_.push_back({sector_count_, zone.first_cylinder, zone.sectors_per_track,
                          scaled(config.track_skew_sectors), scaled(config.cylinder_skew_sectors)});
        const uint64_t cylinders = zone.last_cylinder - zone.first_cylinder + 1;
        sector_count_ += cylinders * heads_ * zone.sectors_per_track;
        next_cylinder = zone.last_cylinder + 1;
    }
}

void DiskGeometry::build_seek_table(const machine::RotatingConfig& config,
                                    uint32_t cylinder_count) {
    require(!config.seek_points.empty() || cylinder_count == 1,
            "rotating.seek_points: a disk of more than one cylinder needs at least one point");
    seek_table_ps_.assign(cylinder_count, 0);
    machine::SeekPoint low{0, 0};
    size_t next = 0;
    const std::vector<machine::SeekPoint>& points = config.seek_points;
    for (size_t i = 0; i < points.size(); ++i) {
        const uint32_t floor_cylinders = i == 0 ? 0 : points[i - 1].cylinders;
        require(points[i].cylinders > floor_cylinders,
                "rotating.seek_points: distances must rise from 1 on");
    }
    for (uint32_t distance = 1; distance < cylinder_count; ++distance) {
        while (next < points.size() && points[next].cylinders < distance) low = points[next++];
        if (next == points.size()) {  // beyond the last point measured
            seek_table_ps_[distance] = low.time_us * kPsPerUs;
            continue;
        }
        const machine::SeekPoint& high = points[next];
        // No seek is shorter than the first point says: settling dominates there.
        const int64_t low_us = low.cylinders == 0 ? high.time_us : low.time_us;
        const auto unit_ps = static_cast<int64_t>(kPsPerUs);
        const int64_t rise_ps = (static_cast<int64_t>(high.time_us) - low_us) * unit_ps *
                                static_cast<int64_t>(distance - low.cylinders) /
                                static_cast<int64_t>(high.cylinders - low.cylinders);
        seek_table_ps_[distance] = static_cast<uint64_t>(low_us * unit_ps + rise_ps);
    }
}

DiskPlace DiskGeometry::locate(uint64_t sector) const {
    auto after = std::upper_bound(
        zones_.begin(), zones_.end(), sector,
        [](uint64_t wanted, const Zone& zone) { return wanted < zone.first_sector; });
    const Zone& zone = *(after - 1);
    const uint64_t in_zone = sector - zone.first_sector;
    const uint64_t track = in_zone / zone.sectors_per_track;
    const auto sector_on_track = static_cast<uint32_t>(in_zone % zone.sectors_per_track);
    const uint64_t cylinder_in_zone = track / heads_;
    const auto head = static_cast<uint32_t>(track % heads_);
    const uint64_t cylinder_step = zone.cylinder_skew + (heads_ - 1ull) * zone.track_skew;
    const uint64_t skew = cylinder_in_zone * cylinder_step + head * uint64_t{zone.track_skew};
    return {static_cast<uint32_t>(zone.first_cylinder + cylinder_in_zone), head, sector_on_track,
            static_cast<uint32_t>((skew + sector_on_track) % zone.sectors_per_track),
            zone.sectors_per_track};
}

uint64_t DiskGeometry::seek_ps(uint32_t from_cylinder, uint32_t to_cylinder) const {
    return seek_table_ps_[from_cylinder < to_cylinder ? to_cylinder - from_cylinder
                                                      : from_cylinder - to_cylinder];
}

uint64_t DiskGeometry::move_ps(uint32_t from_cylinder, uint32_t from_head,
                               const DiskPlace& to) const {
    const uint64_t switch_ps = from_head == to.head ? 0 : head_switch_ps_;
    return std::max(switch_ps, seek_ps(from_cylinder, to.cylinder));
}

uint64_t DiskGeometry::rotate_ps(const DiskPlace& place, uint64_t now_ps) const {
    const uint64_t slot_ps = revolution_ps_ * place.slot / place.sectors_per_track;
    const uint64_t angle_ps = now_ps % revolution_ps_;
    return slot_ps >= angle_ps ? slot_ps - angle_ps : slot_ps + revolution_ps_ - angle_ps;
}

uint64_t DiskGeometry::span_ps(const DiskPlace& place, uint32_t count) const {
    const uint64_t end_slot = uint64_t{place.slot} + count;
    return revolution_ps_ * end_slot / place.sectors_per_track -
           revolution_ps_ * place.slot / place.sectors_per_track;
}

uint32_t DiskGeometry::sectors_within(const DiskPlace& place, uint32_t limit,
                                      uint64_t elapsed_ps) const {
    const auto estimate =
        std::min<uint64_t>(limit, elapsed_ps * place.sectors_per_track / revolution_ps_ + 1);
    auto count = static_cast<uint32_t>(estimate);
    while (count > 0 && span_ps(place, count) > elapsed_ps) --count;
    return count;
}

}  // namespace weir::disk
