// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/disk/cached_lun.h"

#include "firmware/hal/page_content.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace weir::disk {

namespace {

constexpr uint64_t kUnitsPerTrack = 64;
// Controllers fetch their commands one by one, so the units of a port differ by microseconds.
constexpr uint64_t kUnitsApartPs = kPsPerMs;

void require(bool condition, const char* what) {
    if (!condition) throw std::invalid_argument(what);
}

}  // namespace

uint64_t ChannelPort::transfer(uint64_t ready_ps, uint64_t last_ready_ps, uint64_t bytes) {
    const uint64_t duration_ps = transfer_ps(bytes, bytes_per_s_);
    const uint64_t begin_ps =
        last_ready_ps > ready_ps + duration_ps ? last_ready_ps - duration_ps : ready_ps;
    return link_.take(begin_ps, duration_ps);
}

void ChannelPort::forget_before(uint64_t now_ps) {
    if (now_ps > kUnitsApartPs) link_.forget_before(now_ps - kUnitsApartPs);
}

CachedLun::CachedLun(const machine::CachedLunConfig& config, uint64_t sector_count,
                     std::shared_ptr<ChannelPort> port)
    : config_(config), sector_count_(sector_count), port_(std::move(port)) {
    require(config.track_bytes >= kUnitsPerTrack * hal::kSectorBytes &&
                config.track_bytes % (kUnitsPerTrack * hal::kSectorBytes) == 0,
            "lun.track_bytes: must be a multiple of 32768");
    require(config.stream_bytes_per_s > 0, "lun.stream_bytes_per_s: must be above 0");
    require(config.channel_bytes_per_s > 0, "lun.channel_bytes_per_s: must be above 0");
    require(config.destage_bytes_per_s > 0, "lun.destage_bytes_per_s: must be above 0");
    require(config.write_store_bytes > 0, "lun.write_store_bytes: must be above 0");
    require(config.miss_us >= config.hit_us, "lun.miss_us: must not be below lun.hit_us");
    require(config.rank_disks > 0, "lun.rank_disks: must be above 0");
    track_count_ = (sector_count * hal::kSectorBytes + config.track_bytes - 1) / config.track_bytes;
    // A cache smaller than the prefetch window would evict what is on its way.
    const uint64_t least_tracks = 2ull * config.prefetch_tracks + 16;
    capacity_tracks_ = static_cast<uint32_t>(
        std::min(track_count_, std::max(least_tracks, config.cache_bytes / config.track_bytes)));
    disk_free_ps_.assign(config.rank_disks, 0);
}

MediumPlan CachedLun::serve(const MediumRequest& request, uint64_t start_ps) {
    stream_ceiling_.forget_before(start_ps);
    staging_.forget_before(start_ps);
    port_->forget_before(start_ps);
    return request.write ? serve_write(request, start_ps) : serve_read(request, start_ps);
}

MediumPlan CachedLun::flush(uint64_t start_ps) {
    // The store is not volatile: a flush has nothing to wait for.
    MediumPlan plan = MediumPlan::begin(start_ps);
    plan.add(Phase::Overhead, config_.write_us * kPsPerUs);
    return plan;
}

MediumPlan CachedLun::serve_read(const MediumRequest& request, uint64_t start_ps) {
    const uint64_t first_byte = request.sector.value * hal::kSectorBytes;
    const uint64_t end_byte = first_byte + uint64_t{request.sector_count} * hal::kSectorBytes;
    const uint64_t first_track = first_byte / config_.track_bytes;
    const uint64_t last_track = (end_byte - 1) / config_.track_bytes;
    MediumPlan plan = MediumPlan::begin(start_ps);
    plan.add(Phase::Overhead, spread(config_.hit_us * kPsPerUs));
    plan.cache_hit = true;
    uint64_t there_ps = plan.done_ps;
    uint64_t rank_ps = 0;  // one read of the rank serves all tracks of a request that are missing
    for (uint64_t number = first_track; number <= last_track; ++number) {
        Track& track = find_or_insert(number);
        const uint64_t wanted = valid_mask(number, first_byte, end_byte);
        if ((track.valid & wanted) != wanted) {
            plan.cache_hit = false;
            if (rank_ps == 0) rank_ps = read_from_rank(plan.done_ps);
            // A miss stages from the wanted place to the end of the track.
            track.valid |= valid_mask(number, first_byte, (number + 1) * config_.track_bytes);
            track.available_ps = std::max(track.available_ps, rank_ps);
        }
        there_ps = std::max(there_ps, track.available_ps);
    }
    follow_stream(first_track, last_track, start_ps);
    plan.add_until(Phase::Media, there_ps);
    finish_transfer(plan, end_byte - first_byte);
    return plan;
}

MediumPlan CachedLun::serve_write(const MediumRequest& request, uint64_t start_ps) {
    const uint64_t first_byte = request.sector.value * hal::kSectorBytes;
    const uint64_t bytes = uint64_t{request.sector_count} * hal::kSectorBytes;
    MediumPlan plan = MediumPlan::begin(start_ps);
    plan.add(Phase::Overhead, spread(config_.write_us * kPsPerUs));

    // Drain what was destaged since, then wait until the rest leaves room.
    if (start_ps > store_time_ps_) {
        const uint64_t us = (start_ps - store_time_ps_) / kPsPerUs;
        const uint64_t drained = config_.destage_bytes_per_s / 1'000'000 * us +
                                 config_.destage_bytes_per_s % 1'000'000 * us / 1'000'000;
        store_used_bytes_ -= std::min(store_used_bytes_, drained);
        store_time_ps_ += us * kPsPerUs;
    }
    store_used_bytes_ += bytes;
    if (store_used_bytes_ > config_.write_store_bytes) {
        const uint64_t excess_bytes = store_used_bytes_ - config_.write_store_bytes;
        plan.add_until(
            Phase::Media,
            std::max(plan.done_ps,
                     store_time_ps_ + transfer_ps(excess_bytes, config_.destage_bytes_per_s)));
    }
    plan.cache_hit = plan.phase_ps(Phase::Media) == 0;
    finish_transfer(plan, bytes);

    for (uint64_t number = first_byte / config_.track_bytes;
         number <= (first_byte + bytes - 1) / config_.track_bytes; ++number) {
        Track& track = find_or_insert(number);
        track.valid |= valid_mask(number, first_byte, first_byte + bytes);
    }
    return plan;
}

void CachedLun::finish_transfer(MediumPlan& plan, uint64_t bytes) {
    const uint64_t ready_ps = plan.done_ps;
    const uint64_t unit_done_ps =
        stream_ceiling_.take(ready_ps, spread(transfer_ps(bytes, config_.stream_bytes_per_s)));
    plan.add_until(Phase::Bus, port_->transfer(ready_ps, unit_done_ps, bytes));
}

/// A single service time around its mean, from the LUN's own pseudo-random stream.
uint64_t CachedLun::spread(uint64_t mean_ps) {
    if (config_.service_spread_pct == 0) return mean_ps;
    const uint64_t half_ps = mean_ps / 100 * config_.service_spread_pct;
    const uint64_t random = hal::mix64(config_.spread_seed + ++spread_count_);
    return mean_ps - half_ps + random % (2 * half_ps + 1);
}

/// One bit for each 64th of the track that [first_byte, end_byte) touches.
uint64_t CachedLun::valid_mask(uint64_t track, uint64_t first_byte, uint64_t end_byte) const {
    const uint64_t track_first = track * config_.track_bytes;
    const uint64_t unit_bytes = config_.track_bytes / kUnitsPerTrack;
    const uint64_t begin = std::max(first_byte, track_first) - track_first;
    const uint64_t end = std::min<uint64_t>(end_byte - track_first, config_.track_bytes);
    const uint64_t first_unit = begin / unit_bytes;
    const uint64_t end_unit = (end + unit_bytes - 1) / unit_bytes;
    const uint64_t upto_end = end_unit == kUnitsPerTrack ? ~0ull : (1ull << end_unit) - 1;
    return upto_end & ~((1ull << first_unit) - 1);
}

/// Has a disk of the rank read; returns when the data is in the cache.
uint64_t CachedLun::read_from_rank(uint64_t at_ps) {
    const auto earliest = std::min_element(disk_free_ps_.begin(), disk_free_ps_.end());
    *earliest = std::max(*earliest, at_ps) + spread((config_.miss_us - config_.hit_us) * kPsPerUs);
    return *earliest;
}

// ---- sequential detection ---------------------------------------------------------------------

void CachedLun::follow_stream(uint64_t first_track, uint64_t last_track, uint64_t now_ps) {
    Stream* found = nullptr;
    Stream* least_used = &streams_[0];
    for (Stream& stream : streams_) {
        const uint64_t reach = std::max(stream.last_track + 1, stream.prefetched_to);
        if (stream.used_sequence != 0 && stream.last_track <= first_track && first_track <= reach)
            found = &stream;
        if (stream.used_sequence < least_used->used_sequence) least_used = &stream;
    }
    if (found == nullptr) {
        *least_used = {last_track, last_track + 1, static_cast<uint32_t>(last_track - first_track),
                       0};
        found = least_used;
    } else {
        const uint64_t progress = last_track - found->last_track;
        found->tracks_in_order += static_cast<uint32_t>(progress);
        found->last_track = last_track;
        found->prefetched_to = std::max(found->prefetched_to, last_track + 1);
    }
    found->used_sequence = next_sequence_++;
    if (found->tracks_in_order >= config_.sequential_after_tracks) prefetch(*found, now_ps);
}

/// Keeps the staging of a stream `prefetch_tracks` ahead of its reader.
void CachedLun::prefetch(Stream& stream, uint64_t now_ps) {
    const uint64_t end = std::min(stream.last_track + 1 + config_.prefetch_tracks, track_count_);
    const uint64_t arrive_ps = now_ps + (config_.miss_us - config_.hit_us) * kPsPerUs;
    const uint64_t track_ps = transfer_ps(config_.track_bytes, config_.stream_bytes_per_s);
    for (; stream.prefetched_to < end; ++stream.prefetched_to) {
        Track& track = find_or_insert(stream.prefetched_to);
        if (track.valid == ~0ull) continue;
        track.valid = ~0ull;
        track.available_ps = std::max(track.available_ps, staging_.take(arrive_ps, track_ps));
    }
}

// ---- cached tracks, least recently used out first ---------------------------------------------

CachedLun::Track& CachedLun::find_or_insert(uint64_t number) {
    const auto [entry, inserted] = track_index_.try_emplace(number, 0);
    if (!inserted) {
        make_newest(entry->second);
        return tracks_[entry->second];
    }
    uint32_t index = static_cast<uint32_t>(tracks_.size());
    if (index < capacity_tracks_) {
        tracks_.push_back({});
    } else {
        index = oldest_;
        unlink(index);
        track_index_.erase(tracks_[index].number);
    }
    track_index_[number] = index;
    tracks_[index] = {number, 0, 0, kNone, newest_};
    if (newest_ != kNone) tracks_[newest_].newer = index;
    newest_ = index;
    if (oldest_ == kNone) oldest_ = index;
    return tracks_[index];
}

void CachedLun::make_newest(uint32_t index) {
    if (index == newest_) return;
    unlink(index);
    tracks_[index].newer = kNone;
    tracks_[index].older = newest_;
    if (newest_ != kNone) tracks_[newest_].newer = index;
    newest_ = index;
    if (oldest_ == kNone) oldest_ = index;
}

void CachedLun::unlink(uint32_t index) {
    const Track& track = tracks_[index];
    (track.newer == kNone ? newest_ : tracks_[track.newer].older) = track.older;
    (track.older == kNone ? oldest_ : tracks_[track.older].newer) = track.newer;
}

}  // namespace weir::disk
