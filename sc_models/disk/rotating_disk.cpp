// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/disk/rotating_disk.h"

#include "sc_models/disk/timeline.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace weir::disk {

namespace {

constexpr uint64_t kForever = std::numeric_limits<uint64_t>::max();

bool overlaps(uint64_t first, uint64_t end, uint64_t other_first, uint64_t other_end) {
    return first < other_end && other_first < end;
}

}  // namespace

RotatingDisk::RotatingDisk(const machine::RotatingConfig& config)
    : geometry_(config),
      config_(config),
      read_segments_(config.cache_segments),
      write_segments_(config.write_segments) {
    if (config.cache_segments > 0 && config.segment_sectors == 0)
        throw std::invalid_argument("rotating.segment_sectors: must be above 0");
    if (config.write_segments > 0 && config.segment_sectors == 0)
        throw std::invalid_argument("rotating.segment_sectors: must be above 0");
    if (config.bus_bytes_per_s == 0)
        throw std::invalid_argument("rotating.bus_bytes_per_s: must be above 0");
    // Data of the command just read must not be pushed out by reading ahead of it.
    config_.read_ahead_sectors = std::min(config.read_ahead_sectors, config.segment_sectors);
    if (config.cache_segments == 0) config_.read_ahead_sectors = 0;
}

uint64_t RotatingDisk::overhead_ps(Overhead kind) const {
    return config_.overhead_us[2 * static_cast<size_t>(kind) + (previous_was_write_ ? 1 : 0)] *
           kPsPerUs;
}

uint64_t RotatingDisk::bus_ps(uint64_t sectors) const {
    return transfer_ps(sectors * hal::kSectorBytes, config_.bus_bytes_per_s);
}

MediumPlan RotatingDisk::serve(const MediumRequest& request, uint64_t start_ps) {
    advance_to(start_ps);
    const MediumPlan plan =
        request.write ? serve_write(request, start_ps) : serve_read(request, start_ps);
    previous_was_write_ = request.write;
    return plan;
}

MediumPlan RotatingDisk::flush(uint64_t start_ps) {
    advance_to(start_ps);
    MediumPlan plan = MediumPlan::begin(start_ps);
    plan.add(Phase::Overhead, overhead_ps(Overhead::WriteHit));
    while (WriteSegment* segment = oldest_dirty()) {
        plan.add_until(Phase::Media, finish_destage_of(*segment));
    }
    return plan;
}

// ---- reads ------------------------------------------------------------------------------------

MediumPlan RotatingDisk::serve_read(const MediumRequest& request, uint64_t start_ps) {
    const uint64_t first = request.sector.value;
    const uint64_t end = first + request.sector_count;
    ReadSegment* segment = find_read_segment(first, end);
    const bool reading_ahead =
        activity_ == Activity::ReadAhead && segment == &read_segments_[activity_segment_];
    const bool all_there = segment != nullptr && end <= segment->end;
    if (!all_there && segment != nullptr && !reading_ahead)
        return read_miss(request, segment, start_ps);
    if (segment == nullptr && !write_data_holds(first, end))
        return read_miss(request, nullptr, start_ps);

    MediumPlan plan = MediumPlan::begin(start_ps);
    plan.cache_hit = true;
    plan.add(Phase::Overhead, overhead_ps(Overhead::ReadHit));
    const uint64_t from_buffer_ps = plan.done_ps + bus_ps(request.sector_count);
    if (segment != nullptr) {
        segment->used_sequence = next_sequence_++;
        extend_read_ahead(*segment, end, plan.done_ps);
        if (!all_there) {
            // Read-ahead is on its way to the last sector; the bus drains the segment meanwhile.
            MediaRun rest = run_;
            rest.end_sector = end;
            run_until(rest, kForever);
            plan.add_until(Phase::Media, rest.passed_ps);
            plan.add_until(Phase::Bus, std::max(from_buffer_ps, rest.passed_ps + bus_ps(1)));
            return plan;
        }
    }
    plan.add_until(Phase::Bus, from_buffer_ps);
    return plan;
}

MediumPlan RotatingDisk::read_miss(const MediumRequest& request, ReadSegment* continued,
                                   uint64_t start_ps) {
    const uint64_t end = request.sector.value + request.sector_count;
    const uint64_t from = continued != nullptr ? continued->end : request.sector.value;
    MediumPlan plan = MediumPlan::begin(start_ps);
    plan.add(Phase::Overhead, overhead_ps(Overhead::ReadMiss));
    stop_read_ahead(start_ps);
    const uint64_t buffer_ps = plan.done_ps;
    plan.add_until(Phase::Media, finish_overlapping(request.sector.value, end, start_ps));
    if (activity_ == Activity::Destage)
        plan.add_until(Phase::Media, finish_destage_of(write_segments_[activity_segment_]));
    plan.add_until(Phase::Media, arm_free_ps_);

    const auto count = static_cast<uint32_t>(end - from);
    MediaRun run = position(from, count, plan.done_ps, &plan, false);
    const uint64_t first_ps = run.next_ps;
    const uint64_t one_sector_ps = geometry_.span_ps(geometry_.locate(from), 1);
    run_until(run, kForever);
    leave_arm_at(run);
    plan.add_until(Phase::Media, run.passed_ps);
    const uint64_t streamed_ps =
        std::max(buffer_ps, first_ps + one_sector_ps) + bus_ps(request.sector_count);
    plan.add_until(Phase::Bus, std::max(streamed_ps, run.passed_ps + bus_ps(1)));

    if (read_segments_.empty()) return plan;
    if (continued == nullptr) {
        continued = &*std::min_element(read_segments_.begin(), read_segments_.end(),
                                       [](const ReadSegment& a, const ReadSegment& b) {
                                           return a.used_sequence < b.used_sequence;
                                       });
        continued->first = request.sector.value;
    }
    continued->end = end;
    continued->used_sequence = next_sequence_++;
    if (continued->end - continued->first > config_.segment_sectors)
        continued->first = continued->end - config_.segment_sectors;
    if (config_.read_ahead_sectors > 0 && !any_dirty() && end < sector_count()) {
        run.end_sector = std::min(end + config_.read_ahead_sectors, sector_count());
        run_ = run;
        activity_ = Activity::ReadAhead;
        activity_segment_ = static_cast<size_t>(continued - read_segments_.data());
    }
    return plan;
}

void RotatingDisk::extend_read_ahead(ReadSegment& segment, uint64_t read_end, uint64_t at_ps) {
    if (config_.read_ahead_sectors == 0 || any_dirty()) return;
    const uint64_t limit = std::min(read_end + config_.read_ahead_sectors, sector_count());
    const auto index = static_cast<size_t>(&segment - read_segments_.data());
    if (activity_ == Activity::ReadAhead && activity_segment_ == index) {
        run_.end_sector = std::max(run_.end_sector, limit);
        return;
    }
    if (limit <= segment.end || activity_ == Activity::Destage) return;
    stop_read_ahead(at_ps);
    run_ = position(segment.end, static_cast<uint32_t>(limit - segment.end),
                    std::max(at_ps, arm_free_ps_), nullptr, false);
    activity_ = Activity::ReadAhead;
    activity_segment_ = index;
}

RotatingDisk::ReadSegment* RotatingDisk::find_read_segment(uint64_t sector, uint64_t end) {
    for (size_t i = 0; i < read_segments_.size(); ++i) {
        ReadSegment& segment = read_segments_[i];
        if (segment.used_sequence == 0 || sector < segment.first) continue;
        const bool ahead = activity_ == Activity::ReadAhead && activity_segment_ == i;
        // The next sector in line, or one that read-ahead reaches anyway, need not be there yet.
        const uint64_t reach = ahead ? run_.end_sector : segment.end;
        if (sector <= reach || end <= segment.end) return &segment;
    }
    return nullptr;
}

bool RotatingDisk::write_data_holds(uint64_t sector, uint64_t end) const {
    return std::any_of(
        write_segments_.begin(), write_segments_.end(),
        [&](const WriteSegment& segment) { return segment.first <= sector && end <= segment.end; });
}

void RotatingDisk::drop_read_data(uint64_t first, uint64_t end) {
    for (ReadSegment& segment : read_segments_) {
        if (overlaps(first, end, segment.first, segment.end)) segment = ReadSegment{};
    }
}

}  // namespace weir::disk
