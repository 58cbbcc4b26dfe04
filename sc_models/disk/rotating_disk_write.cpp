// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The arm and the write cache of RotatingDisk; reads are in rotating_disk.cpp.
#include "sc_models/disk/rotating_disk.h"
#include "sc_models/disk/timeline.h"

#include <algorithm>
#include <limits>

namespace weir::disk {

namespace {

constexpr uint64_t kForever = std::numeric_limits<uint64_t>::max();

}  // namespace

// ---- writes -----------------------------------------------------------------------------------

MediumPlan RotatingDisk::serve_write(const MediumRequest& request, uint64_t start_ps) {
    stop_read_ahead(start_ps);
    drop_read_data(request.sector.value, request.sector.value + request.sector_count);
    return request.fua || write_segments_.empty() ? write_through(request, start_ps)
                                                  : write_cached(request, start_ps);
}

MediumPlan RotatingDisk::write_through(const MediumRequest& request, uint64_t start_ps) {
    const uint64_t first = request.sector.value;
    MediumPlan plan = MediumPlan::begin(start_ps);
    plan.add(Phase::Overhead, overhead_ps(Overhead::WriteMiss));
    const uint64_t on_bus_ps = plan.done_ps + bus_ps(request.sector_count);
    plan.add_until(Phase::Media, finish_overlapping(first, first + request.sector_count, start_ps));
    if (activity_ == Activity::Destage)
        plan.add_until(Phase::Media, finish_destage_of(write_segments_[activity_segment_]));
    plan.add_until(Phase::Media, arm_free_ps_);
    MediaRun run = position(first, request.sector_count, plan.done_ps, &plan, true);
    run_until(run, kForever);
    leave_arm_at(run);
    plan.add_until(Phase::Media, run.passed_ps);
    plan.add_until(Phase::Bus, on_bus_ps);
    return plan;
}

MediumPlan RotatingDisk::write_cached(const MediumRequest& request, uint64_t start_ps) {
    const uint64_t first = request.sector.value;
    const uint64_t end = first + request.sector_count;
    MediumPlan plan = MediumPlan::begin(start_ps);
    WriteSegment* segment = nullptr;
    for (WriteSegment& candidate : write_segments_) {
        if (candidate.dirty() && candidate.written <= first && first <= candidate.end)
            segment = &candidate;
    }
    plan.cache_hit = segment != nullptr;
    plan.add(Phase::Overhead,
             overhead_ps(segment != nullptr ? Overhead::WriteHit : Overhead::WriteMiss));
    // Data elsewhere in the buffer that this write replaces goes to the medium first.
    if (segment == nullptr) plan.add_until(Phase::Media, finish_overlapping(first, end, start_ps));

    if (segment == nullptr) {
        const auto free_segment =
            std::find_if(write_segments_.begin(), write_segments_.end(),
                         [](const WriteSegment& candidate) { return !candidate.dirty(); });
        segment = free_segment != write_segments_.end() ? &*free_segment : oldest_dirty();
        if (segment->dirty()) plan.add_until(Phase::Media, finish_destage_of(*segment));
        *segment = {first, first, end, 0, next_sequence_++};
        // The arm starts once the data is in, or the segment is full.
        segment->ready_ps =
            plan.done_ps + bus_ps(std::min(request.sector_count, config_.segment_sectors));
    } else if (end > segment->end) {
        segment->end = end;
        if (activity_ == Activity::Destage && segment == &write_segments_[activity_segment_])
            run_.end_sector = end;
    }
    const uint64_t in_buffer_ps = plan.done_ps + bus_ps(request.sector_count);
    // What exceeds the segment has to reach the medium before the rest of the data fits.
    if (segment->end - segment->written > config_.segment_sectors) {
        while (activity_ != Activity::Destage || segment != &write_segments_[activity_segment_]) {
            if (activity_ == Activity::Destage)
                finish_destage_of(write_segments_[activity_segment_]);
            WriteSegment* next = oldest_dirty();
            begin_destage(*next, std::max(arm_free_ps_, next->ready_ps));
        }
        MediaRun until_room = run_;
        until_room.end_sector = segment->end - config_.segment_sectors;
        run_until(until_room, kForever);
        plan.add_until(Phase::Media, until_room.passed_ps);
        advance_to(until_room.passed_ps);
    }
    plan.add_until(Phase::Bus, in_buffer_ps);
    segment->first = std::max(segment->first, segment->end > config_.segment_sectors
                                                  ? segment->end - config_.segment_sectors
                                                  : 0);
    return plan;
}

bool RotatingDisk::any_dirty() const {
    return std::any_of(write_segments_.begin(), write_segments_.end(),
                       [](const WriteSegment& segment) { return segment.dirty(); });
}

RotatingDisk::WriteSegment* RotatingDisk::oldest_dirty() {
    WriteSegment* oldest = nullptr;
    for (WriteSegment& segment : write_segments_) {
        if (segment.dirty() && (oldest == nullptr || segment.sequence < oldest->sequence))
            oldest = &segment;
    }
    return oldest;
}

// ---- the arm ----------------------------------------------------------------------------------

RotatingDisk::MediaRun RotatingDisk::position(uint64_t sector, uint32_t count, uint64_t at_ps,
                                              MediumPlan* plan, bool write) {
    const DiskPlace place = geometry_.locate(sector);
    uint64_t seek_ps = geometry_.move_ps(cylinder_, head_, place);
    if (write && seek_ps > 0) seek_ps += config_.write_settle_us * kPsPerUs;
    const uint64_t rotate_ps = geometry_.rotate_ps(place, at_ps + seek_ps);
    if (plan != nullptr) {
        plan->add(Phase::Seek, seek_ps);
        plan->add(Phase::Rotate, rotate_ps);
    }
    MediaRun run;
    run.cylinder = place.cylinder;
    run.head = place.head;
    run.next_sector = sector;
    run.end_sector = sector + count;
    run.next_ps = at_ps + seek_ps + rotate_ps;
    run.passed_ps = run.next_ps;
    run.write = write;
    return run;
}

void RotatingDisk::leave_arm_at(const MediaRun& run) {
    cylinder_ = run.cylinder;
    head_ = run.head;
    arm_free_ps_ = run.passed_ps;
}

/// Lets sectors pass until the run ends or the time comes.
void RotatingDisk::run_until(MediaRun& run, uint64_t until_ps) const {
    while (run.next_sector < run.end_sector && run.next_ps <= until_ps) {
        const DiskPlace place = geometry_.locate(run.next_sector);
        run.cylinder = place.cylinder;
        run.head = place.head;
        const auto on_track = static_cast<uint32_t>(std::min<uint64_t>(
            run.end_sector - run.next_sector, place.sectors_per_track - place.sector_on_track));
        const uint64_t pass_ps = run.next_ps + geometry_.span_ps(place, on_track);
        if (pass_ps > until_ps) {
            const uint32_t count =
                geometry_.sectors_within(place, on_track, until_ps - run.next_ps);
            if (count > 0) run.passed_ps = run.next_ps += geometry_.span_ps(place, count);
            run.next_sector += count;
            return;
        }
        run.next_sector += on_track;
        run.passed_ps = run.next_ps = pass_ps;
        const bool track_ends = place.sector_on_track + on_track == place.sectors_per_track;
        if (!track_ends || run.next_sector >= sector_count()) continue;
        const DiskPlace next = geometry_.locate(run.next_sector);
        uint64_t at_ps = pass_ps + geometry_.move_ps(place.cylinder, place.head, next);
        if (run.write) at_ps += config_.write_settle_us * kPsPerUs;
        run.next_ps = at_ps + geometry_.rotate_ps(next, at_ps);
    }
}

/// Works out what the arm did by itself up to `now_ps`.
void RotatingDisk::advance_to(uint64_t now_ps) {
    for (;;) {
        if (activity_ == Activity::None) {
            WriteSegment* segment = oldest_dirty();
            if (segment == nullptr) return;
            const uint64_t begin_ps = std::max(arm_free_ps_, segment->ready_ps);
            if (begin_ps > now_ps) return;
            begin_destage(*segment, begin_ps);
        }
        run_until(run_, now_ps);
        const bool ended = run_.next_sector >= run_.end_sector;
        if (activity_ == Activity::ReadAhead) {
            ReadSegment& segment = read_segments_[activity_segment_];
            segment.end = std::max(segment.end, run_.next_sector);
            if (segment.end - segment.first > config_.segment_sectors)
                segment.first = segment.end - config_.segment_sectors;
        } else {
            write_segments_[activity_segment_].written = run_.next_sector;
        }
        if (!ended) return;
        leave_arm_at(run_);
        activity_ = Activity::None;
    }
}

void RotatingDisk::stop_read_ahead(uint64_t now_ps) {
    if (activity_ != Activity::ReadAhead) return;
    activity_ = Activity::None;
    leave_arm_at(run_);
    arm_free_ps_ = now_ps;
}

void RotatingDisk::begin_destage(WriteSegment& segment, uint64_t at_ps) {
    run_ = position(segment.written, static_cast<uint32_t>(segment.end - segment.written), at_ps,
                    nullptr, true);
    activity_ = Activity::Destage;
    activity_segment_ = static_cast<size_t>(&segment - write_segments_.data());
}

/// Destages, oldest first, until `segment` is clean; returns when that is.
uint64_t RotatingDisk::finish_destage_of(const WriteSegment& segment) {
    while (segment.dirty()) {
        if (activity_ != Activity::Destage) {
            WriteSegment* next = oldest_dirty();
            begin_destage(*next, std::max(arm_free_ps_, next->ready_ps));
        }
        WriteSegment& current = write_segments_[activity_segment_];
        run_until(run_, kForever);
        current.written = run_.next_sector;
        leave_arm_at(run_);
        activity_ = Activity::None;
    }
    return arm_free_ps_;
}

/// Destages what overlaps [first, end); returns when that is done, now_ps if nothing does.
uint64_t RotatingDisk::finish_overlapping(uint64_t first, uint64_t end, uint64_t now_ps) {
    uint64_t done_ps = now_ps;
    for (WriteSegment& segment : write_segments_) {
        if (segment.dirty() && segment.written < end && first < segment.end)
            done_ps = std::max(done_ps, finish_destage_of(segment));
    }
    return done_ps;
}

}  // namespace weir::disk
