// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Where sectors lie on a rotating disk and when they pass the heads.
// - locate(): sector number -> cylinder, head, slot on the track (skews included).
// - rotate_ps(): wait until a slot comes round, from the true angle at an absolute time.
// - span_ps(): time in which some sectors of one track pass.
// - seek_ps(): from a table of measured points, straight lines between them.
// Sectors are numbered along a track, then over the heads of a cylinder, then inward.
#pragma once

#include "sc_models/machine/config.h"

#include <cstdint>
#include <vector>

namespace weir::disk {

/// `slot` is the angular place of the sector on its track, 0 .. sectors_per_track - 1.
struct DiskPlace {
    uint32_t cylinder;
    uint32_t head;
    uint32_t sector_on_track;
    uint32_t slot;
    uint32_t sectors_per_track;
};

class DiskGeometry {
  public:
    /// Errors: throws std::invalid_argument naming the machine key that cannot be.
    explicit DiskGeometry(const machine::RotatingConfig& config);

    uint64_t sector_count() const { return sector_count_; }
    uint64_t revolution_ps() const { return revolution_ps_; }
    DiskPlace locate(uint64_t sector) const;
    uint64_t seek_ps(uint32_t from_cylinder, uint32_t to_cylinder) const;
    /// Moving the heads from a track to another: a seek, a head switch, or both at once.
    uint64_t move_ps(uint32_t from_cylinder, uint32_t from_head, const DiskPlace& to) const;
    /// Wait at `now_ps` until the slot of `place` begins to pass.
    uint64_t rotate_ps(const DiskPlace& place, uint64_t now_ps) const;
    /// Time in which `count` sectors pass, `place` first; all on the track of `place`.
    uint64_t span_ps(const DiskPlace& place, uint32_t count) const;
    /// Sectors, at most `limit`, that have wholly passed `elapsed_ps` after `place` began to.
    uint32_t sectors_within(const DiskPlace& place, uint32_t limit, uint64_t elapsed_ps) const;

  private:
    struct Zone {
        uint64_t first_sector;
        uint32_t first_cylinder;
        uint32_t sectors_per_track;
        uint32_t track_skew;     // slots from a track to the next of the same cylinder
        uint32_t cylinder_skew;  // slots from the last track of a cylinder to the next cylinder
    };
    void build_zones(const machine::RotatingConfig& config);
    void build_seek_table(const machine::RotatingConfig& config, uint32_t cylinder_count);

    uint32_t heads_;
    uint64_t revolution_ps_;
    uint64_t head_switch_ps_;
    uint64_t sector_count_ = 0;
    std::vector<Zone> zones_;
    std::vector<uint64_t> seek_table_ps_;  // by distance in cylinders
};

}  // namespace weir::disk
