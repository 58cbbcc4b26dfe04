// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A disk drive: an arm, spinning surfaces, and a small buffer split into segments.
// - Reads fill a segment; read-ahead goes on into it until a new command needs the arm.
// - Writes end early in a write segment and are destaged when the arm is free; a write that
//   continues or overwrites what a segment holds joins it.
// - One command at a time. What the arm does between commands (read-ahead, destaging) is worked out
//   when the next command arrives: the state is always exact, and idle time costs nothing.
// Leaves out: command reordering, zero-latency reads, remapped sectors, thermal recalibration.
#pragma once

#include "sc_models/disk/disk_geometry.h"
#include "sc_models/disk/medium.h"
#include "sc_models/machine/config.h"

#include <cstdint>
#include <vector>

namespace weir::disk {

class RotatingDisk final : public Medium {
  public:
    /// Errors: throws std::invalid_argument naming the machine key that cannot be.
    explicit RotatingDisk(const machine::RotatingConfig& config);

    MediumPlan serve(const MediumRequest& request, uint64_t start_ps) override;
    MediumPlan flush(uint64_t start_ps) override;
    uint32_t max_in_flight() const override { return 1; }
    uint64_t sector_count() const override { return geometry_.sector_count(); }
    const DiskGeometry& geometry() const { return geometry_; }

  private:
    /// Sectors passing the heads one after another, known up to `next_sector`.
    struct MediaRun {
        uint64_t next_sector = 0;
        uint64_t end_sector = 0;
        uint64_t next_ps = 0;    // when next_sector begins to pass
        uint64_t passed_ps = 0;  // when the sector before it had passed
        uint32_t cylinder = 0;   // where the arm then was
        uint32_t head = 0;
        bool write = false;
    };
    /// What a read left in the buffer: sectors [first, end).
    struct ReadSegment {
        uint64_t first = 0;
        uint64_t end = 0;
        uint64_t used_sequence = 0;
    };
    /// What writes left in the buffer: [first, end) held, [written, end) not yet on the medium.
    struct WriteSegment {
        uint64_t first = 0;
        uint64_t written = 0;
        uint64_t end = 0;
        uint64_t ready_ps = 0;
        uint64_t sequence = 0;
        bool dirty() const { return written < end; }
    };
    enum class Activity { None, ReadAhead, Destage };
    enum class Overhead { ReadHit, ReadMiss, WriteHit, WriteMiss };

    uint64_t overhead_ps(Overhead kind) const;
    uint64_t bus_ps(uint64_t sectors) const;

    // The mechanism.
    MediaRun position(uint64_t sector, uint32_t count, uint64_t at_ps, MediumPlan* plan,
                      bool write);
    void run_until(MediaRun& run, uint64_t until_ps) const;
    void leave_arm_at(const MediaRun& run);
    void advance_to(uint64_t now_ps);
    void stop_read_ahead(uint64_t now_ps);
    void begin_destage(WriteSegment& segment, uint64_t at_ps);
    WriteSegment* oldest_dirty();
    uint64_t finish_destage_of(const WriteSegment& segment);
    uint64_t finish_overlapping(uint64_t first, uint64_t end, uint64_t now_ps);

    // Commands.
    MediumPlan serve_read(const MediumRequest& request, uint64_t start_ps);
    MediumPlan serve_write(const MediumRequest& request, uint64_t start_ps);
    MediumPlan read_miss(const MediumRequest& request, ReadSegment* continued, uint64_t start_ps);
    MediumPlan write_through(const MediumRequest& request, uint64_t start_ps);
    MediumPlan write_cached(const MediumRequest& request, uint64_t start_ps);
    void extend_read_ahead(ReadSegment& segment, uint64_t read_end, uint64_t at_ps);
    ReadSegment* find_read_segment(uint64_t sector, uint64_t end);
    bool write_data_holds(uint64_t sector, uint64_t end) const;
    void drop_read_data(uint64_t first, uint64_t end);
    bool any_dirty() const;

    DiskGeometry geometry_;
    machine::RotatingConfig config_;
    std::vector<ReadSegment> read_segments_;
    std::vector<WriteSegment> write_segments_;
    uint64_t next_sequence_ = 1;
    bool previous_was_write_ = false;

    // The arm, as of the last advance_to().
    uint32_t cylinder_ = 0;
    uint32_t head_ = 0;
    Activity activity_ = Activity::None;
    size_t activity_segment_ = 0;
    MediaRun run_;
    uint64_t arm_free_ps_ = 0;
};

}  // namespace weir::disk
