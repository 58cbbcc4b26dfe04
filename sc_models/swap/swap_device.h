// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Watches the swap area, a whole disk or a partition, slot by slot (one slot: one 4 KiB page).
// - Counts writes and reads of every slot; counts runs of consecutive slots (fragmentation).
// - Proves that what comes back in is what went out: each write leaves a fingerprint of all its
//   bytes, each read is compared with it. A read of a slot never written is compared with what a
//   disk never written holds.
// - Attach with Controller::set_content_observer(). It changes nothing and takes no time.
// Host memory: 24 bytes a slot.
#pragma once

#include "sc_models/disk/content_observer.h"
#include "sc_models/probe/recorder.h"

#include <cstdint>
#include <string>
#include <vector>

namespace weir::swap {

/// Where the swap area lies on its disk.
struct SwapArea {
    uint32_t disk_number = 0;
    uint64_t first_block = 0;
    uint64_t slot_count = 0;
};

struct SlotCounts {
    uint32_t writes = 0;
    uint32_t reads = 0;
};

/// A run is a row of slots that follow each other, in the order of the accesses.
struct SwapStats {
    uint64_t slots_written = 0;
    uint64_t slots_read = 0;
    uint64_t distinct_slots_written = 0;
    uint64_t write_runs = 0;
    uint64_t read_runs = 0;
    uint64_t reads_of_unwritten_slots = 0;
    uint64_t mismatches = 0;
    uint64_t first_mismatch_slot = 0;  // meaningful if mismatches > 0
    uint64_t partial_accesses = 0;     // not whole slots: counted, not proven
    double mean_write_run_slots() const {
        return write_runs == 0
                   ? 0.0
                   : static_cast<double>(slots_written) / static_cast<double>(write_runs);
    }
    double mean_read_run_slots() const {
        return read_runs == 0 ? 0.0
                              : static_cast<double>(slots_read) / static_cast<double>(read_runs);
    }
};

class SwapDevice final : public disk::ContentObserver {
  public:
    /// Signals: `prefix`.slots_written, .slots_read, .write_run (length of the present run of
    /// writes), .slots_used (ever written), .mismatches.
    SwapDevice(const SwapArea& area, probe::Recorder& recorder,
               const std::string& prefix = "machine.swap");

    void on_written(hal::Sector first, uint32_t sector_count, const void* bytes,
                    uint64_t now_ps) override;
    void on_read(hal::Sector first, uint32_t sector_count, const void* bytes,
                 uint64_t now_ps) override;

    const SwapStats& stats() const { return stats_; }
    SlotCounts slot(uint64_t slot) const;
    /// Runs of writes by length: index n counts lengths from 2^n to 2^(n+1) - 1.
    std::vector<uint64_t> write_run_histogram() const;

  private:
    struct Slot {
        uint64_t fingerprint[2];
        SlotCounts counts;
    };
    static constexpr uint64_t kNoSlot = ~0ull;
    template <typename Visit>
    void for_each_slot(hal::Sector first, uint32_t sector_count, const void* bytes, Visit visit);
    void end_write_run();

    SwapArea area_;
    probe::Recorder& recorder_;
    std::vector<Slot> slots_;
    SwapStats stats_;
    uint64_t last_written_slot_ = kNoSlot;
    uint64_t last_read_slot_ = kNoSlot;
    uint64_t write_run_slots_ = 0;
    std::vector<uint64_t> finished_runs_;  // by log2 of the length
    probe::SignalId written_signal_;
    probe::SignalId read_signal_;
    probe::SignalId run_signal_;
    probe::SignalId used_signal_;
    probe::SignalId mismatch_signal_;
};

}  // namespace weir::swap
