// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// When a shared resource (a bus, a data bus) is in use, for initiators that run ahead of time.
// - reserve(earliest, duration) books the first gap that is long enough and returns its start.
// - Bookings never overlap, whatever order they arrive in: a bandwidth ceiling holds exactly.
// - In-order arrivals cost one comparison; the last kIntervals busy intervals are kept, older gaps
//   are taken as used.
#pragma once

#include <cstdint>
#include <cstring>

namespace weir {

class BusyCalendar {
  public:
    /// Units: ps since time 0. Returns the start of the booking, >= earliest_ps.
    uint64_t reserve(uint64_t earliest_ps, uint64_t duration_ps) {
        booked_ps_ += duration_ps;
        Interval& last = intervals_[count_ - 1];
        if (earliest_ps > last.end_ps) [[likely]] {
            append(earliest_ps, duration_ps);
            return earliest_ps;
        }
        if (earliest_ps >= last.begin_ps) {
            const uint64_t start_ps = last.end_ps;
            last.end_ps += duration_ps;
            return start_ps;
        }
        return reserve_between(earliest_ps, duration_ps);
    }
    /// True if no gap before the last interval could take a booking from here on.
    bool is_last(uint64_t earliest_ps) const {
        return earliest_ps >= intervals_[count_ - 1].begin_ps;
    }
    uint64_t booked_ps() const { return booked_ps_; }

  private:
    // Four harts that are a quantum apart leave about this many bookings between them.
    static constexpr uint32_t kIntervals = 64;
    struct Interval {
        uint64_t begin_ps;
        uint64_t end_ps;
    };

    void append(uint64_t begin_ps, uint64_t duration_ps) {
        if (count_ == kIntervals) drop_oldest();
        intervals_[count_++] = {begin_ps, begin_ps + duration_ps};
    }
    void drop_oldest() {
        std::memmove(&intervals_[0], &intervals_[kIntervals / 2],
                     sizeof(Interval) * (kIntervals / 2));
        count_ = kIntervals / 2;
    }
    uint64_t reserve_between(uint64_t earliest_ps, uint64_t duration_ps);

    uint32_t count_ = 1;
    uint64_t booked_ps_ = 0;
    Interval intervals_[kIntervals] = {{0, 0}};
};

}  // namespace weir
