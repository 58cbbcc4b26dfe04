// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/disk/timeline.h"

#include <algorithm>

namespace weir::disk {

uint64_t Timeline::take(uint64_t earliest_ps, uint64_t duration_ps) {
    if (duration_ps == 0) return earliest_ps;
    uint64_t cursor_ps = earliest_ps;
    uint64_t left_ps = duration_ps;
    for (const Interval& interval : busy_) {
        if (interval.end_ps <= cursor_ps) continue;
        if (interval.begin_ps > cursor_ps) {
            const uint64_t gap_ps = interval.begin_ps - cursor_ps;
            if (gap_ps >= left_ps) break;
            left_ps -= gap_ps;
        }
        cursor_ps = interval.end_ps;
    }
    const uint64_t end_ps = cursor_ps + left_ps;
    // From earliest to end the resource is now busy throughout.
    insert(earliest_ps, end_ps);
    return end_ps;
}

uint64_t Timeline::take_whole(uint64_t earliest_ps, uint64_t duration_ps) {
    if (duration_ps == 0) return earliest_ps;
    uint64_t cursor_ps = earliest_ps;
    for (const Interval& interval : busy_) {
        if (interval.end_ps <= cursor_ps) continue;
        if (interval.begin_ps >= cursor_ps + duration_ps) break;
        cursor_ps = interval.end_ps;
    }
    insert(cursor_ps, cursor_ps + duration_ps);
    return cursor_ps + duration_ps;
}

void Timeline::forget_before(uint64_t now_ps) {
    auto first_kept = busy_.begin();
    while (first_kept != busy_.end() && first_kept->end_ps <= now_ps) ++first_kept;
    busy_.erase(busy_.begin(), first_kept);
}

void Timeline::insert(uint64_t begin_ps, uint64_t end_ps) {
    auto first = std::lower_bound(
        busy_.begin(), busy_.end(), begin_ps,
        [](const Interval& interval, uint64_t at_ps) { return interval.end_ps < at_ps; });
    auto last = first;
    while (last != busy_.end() && last->begin_ps <= end_ps) {
        begin_ps = std::min(begin_ps, last->begin_ps);
        end_ps = std::max(end_ps, last->end_ps);
        ++last;
    }
    if (first == last) {
        busy_.insert(first, {begin_ps, end_ps});
        return;
    }
    *first = {begin_ps, end_ps};
    busy_.erase(first + 1, last);
}

}  // namespace weir::disk
