// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/common/busy_calendar.h"

namespace weir {

uint64_t BusyCalendar::reserve_between(uint64_t earliest_ps, uint64_t duration_ps) {
    // First interval that begins after the wish; everything before it cannot delay the booking
    // except its direct predecessor.
    uint32_t next = count_ - 1;
    while (next > 0 && intervals_[next - 1].begin_ps > earliest_ps) --next;
    // Gaps before the oldest interval that is kept are not known any more: taken as used.
    if (next == 0) next = 1;
    for (; next < count_; ++next) {
        Interval& before = intervals_[next - 1];
        const uint64_t start_ps = earliest_ps > before.end_ps ? earliest_ps : before.end_ps;
        if (start_ps + duration_ps > intervals_[next].begin_ps) continue;
        if (start_ps == before.end_ps) {
            before.end_ps += duration_ps;
        } else {
            if (count_ == kIntervals) {
                // Closing the oldest gap makes room; it can only delay later bookings.
                intervals_[0].end_ps = intervals_[1].end_ps;
                std::memmove(&intervals_[1], &intervals_[2], sizeof(Interval) * (count_ - 2));
                --count_;
                if (next == 1) return start_ps;  // the booking lies in the gap just closed
                --next;
            }
            std::memmove(&intervals_[next + 1], &intervals_[next],
                         sizeof(Interval) * (count_ - next));
            intervals_[next] = {start_ps, start_ps + duration_ps};
            ++count_;
        }
        return start_ps;
    }
    Interval& last = intervals_[count_ - 1];
    const uint64_t start_ps = last.end_ps;
    last.end_ps += duration_ps;
    return start_ps;
}

}  // namespace weir
