// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A logical unit of a storage server: a large cache in front of a rank of disks, seen through a
// channel that it shares with other units.
// - Read: from a cached track, or from a disk of the rank to the end of the track. Tracks read in
//   order start a prefetch that stays a fixed number of tracks ahead.
// - Write: done once it is in the mirrored non-volatile store; a full store admits at destage rate.
// - Every transfer keeps to the unit's stream ceiling and then takes its share of the channel.
// Commands overlap; each is planned when it arrives. Leaves out: parity updates, rebuilds, and
// other hosts of the same server.
#pragma once

#include "sc_models/disk/medium.h"
#include "sc_models/disk/timeline.h"
#include "sc_models/machine/config.h"

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace weir::disk {

/// The link that the units of one port share. Frames of different units interleave.
class ChannelPort {
  public:
    explicit ChannelPort(uint64_t bytes_per_s) : bytes_per_s_(bytes_per_s) {}
    /// Returns when `bytes` have crossed that are there from `ready_ps` on and complete at
    /// `last_ready_ps`.
    uint64_t transfer(uint64_t ready_ps, uint64_t last_ready_ps, uint64_t bytes);
    /// Units may be a little apart in time: what lies further back than that is dropped.
    void forget_before(uint64_t now_ps);

  private:
    uint64_t bytes_per_s_;
    Timeline link_;
};

class CachedLun final : public Medium {
  public:
    /// Errors: throws std::invalid_argument naming the machine key that cannot be.
    CachedLun(const machine::CachedLunConfig& config, uint64_t sector_count,
              std::shared_ptr<ChannelPort> port);

    MediumPlan serve(const MediumRequest& request, uint64_t start_ps) override;
    MediumPlan flush(uint64_t start_ps) override;
    uint32_t max_in_flight() const override { return 256; }
    uint64_t sector_count() const override { return sector_count_; }

  private:
    static constexpr uint32_t kNone = 0xffffffffu;
    /// A cached track: which 64ths of it are valid, and since when.
    struct Track {
        uint64_t number;
        uint64_t valid;
        uint64_t available_ps;
        uint32_t newer;
        uint32_t older;
    };
    struct Stream {
        uint64_t last_track = 0;
        uint64_t prefetched_to = 0;  // first track not asked for
        uint32_t tracks_in_order = 0;
        uint64_t used_sequence = 0;
    };

    MediumPlan serve_read(const MediumRequest& request, uint64_t start_ps);
    MediumPlan serve_write(const MediumRequest& request, uint64_t start_ps);
    void finish_transfer(MediumPlan& plan, uint64_t bytes);
    uint64_t spread(uint64_t mean_ps);
    uint64_t valid_mask(uint64_t track, uint64_t first_byte, uint64_t end_byte) const;
    uint64_t read_from_rank(uint64_t at_ps);
    void follow_stream(uint64_t first_track, uint64_t last_track, uint64_t now_ps);
    void prefetch(Stream& stream, uint64_t now_ps);
    Track& find_or_insert(uint64_t number);
    void make_newest(uint32_t index);
    void unlink(uint32_t index);

    machine::CachedLunConfig config_;
    uint64_t sector_count_;
    uint64_t track_count_;
    std::shared_ptr<ChannelPort> port_;

    std::vector<Track> tracks_;
    std::unordered_map<uint64_t, uint32_t> track_index_;
    uint32_t newest_ = kNone;
    uint32_t oldest_ = kNone;
    uint32_t capacity_tracks_;

    std::array<Stream, 8> streams_{};
    uint64_t spread_count_ = 0;
    uint64_t next_sequence_ = 1;
    Timeline stream_ceiling_;
    Timeline staging_;                    // prefetched tracks on their way into the cache
    std::vector<uint64_t> disk_free_ps_;  // the rank's disks
    uint64_t store_used_bytes_ = 0;       // non-volatile store, as of store_time_ps_
    uint64_t store_time_ps_ = 0;
};

}  // namespace weir::disk
