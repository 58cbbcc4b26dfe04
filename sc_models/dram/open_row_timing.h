// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Loosely timed SDRAM: open rows, refresh and one data bus. Plain C++, no SystemC types.
// - access(time, offset, bytes) returns when the last byte has moved.
// - A burst is cut at row borders; the commands of all its rows go out at once, so that the
//   opening of later rows hides behind the transfer of earlier ones.
// - Latency to the first byte: row open tCL; bank closed tRCD + tCL; another row open
//   tRP + tRCD + tCL. The data bus carries bandwidth_bytes_per_s and never more.
// - Refresh k >= 1 takes [k tREFI, k tREFI + tRFC): commands wait for its end, all rows are closed.
// Address map: offset = row : bank : column, so consecutive rows lie in different banks.
// Callers run ahead of time by up to a quantum each and may arrive out of order: the data bus
// takes that exactly; a row counts as open if the access that came before left it so.
// Leaves out: tRAS, tRC, tFAW, turnaround of the data bus, per-bank refresh, postponed refresh.
#pragma once

#include "sc_models/common/busy_calendar.h"
#include "sc_models/machine/config.h"

#include <cstdint>
#include <vector>

namespace weir::dram {

struct DramStats {
    uint64_t row_hits = 0;
    uint64_t row_misses = 0;     // bank was closed
    uint64_t row_conflicts = 0;  // another row was open
    uint64_t refresh_waits = 0;
    uint64_t bytes = 0;
};

/// Hears of rows that open, for waveforms.
class RowObserver {
  public:
    virtual ~RowObserver() = default;
    virtual void on_row_opened(uint32_t bank, uint64_t row, uint64_t time_ps) = 0;
};

class OpenRowTiming {
  public:
    /// Errors: std::invalid_argument, naming the key, if banks or row_bytes is no power of two or
    /// a time makes no sense.
    explicit OpenRowTiming(const machine::DramConfig& config);
    /// Units: time_ps since time 0; offset from the start of RAM. Returns the completion time.
    uint64_t access(uint64_t time_ps, uint64_t offset, uint64_t bytes);
    const DramStats& stats() const { return stats_; }
    void set_observer(RowObserver* observer) { observer_ = observer; }

  private:
    static constexpr uint64_t kClosed = ~uint64_t{0};
    struct Bank {
        uint64_t row = kClosed;
        uint64_t refresh_count = 0;  // how many refreshes had begun when it was opened
    };

    uint64_t after_refresh(uint64_t time_ps, uint64_t& refresh_count);
    uint64_t open_row(uint64_t time_ps, uint64_t refresh_count, uint64_t row_number);
    uint64_t transfer_ps(uint64_t bytes) const;

    uint32_t row_shift_;
    uint32_t bank_shift_;
    uint32_t bank_mask_;
    uint32_t hit_ps_;
    uint32_t miss_ps_;
    uint32_t conflict_ps_;
    uint64_t bandwidth_bytes_per_s_;
    uint64_t refresh_interval_ps_;
    uint64_t refresh_ps_;
    // The refresh interval of the last access: spares a division.
    uint64_t interval_begin_ps_ = 0;
    uint64_t interval_number_ = 0;
    std::vector<Bank> banks_;
    BusyCalendar data_bus_;
    DramStats stats_;
    RowObserver* observer_ = nullptr;
};

}  // namespace weir::dram
