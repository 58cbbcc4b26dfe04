// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The busy times of one resource that serves one user at a time (a bus, a die, a channel).
// - take(): uses free time from a moment on, in pieces if need be (a link that interleaves frames).
// - take_whole(): the first gap that fits (a die that cannot stop half way).
// - forget_before(): drops what is past, so that the list stays short.
#pragma once

#include <cstdint>
#include <vector>

namespace weir::disk {

class Timeline {
  public:
    /// Returns when `duration_ps` of the resource has been had.
    uint64_t take(uint64_t earliest_ps, uint64_t duration_ps);
    /// Returns the end of an unbroken use of `duration_ps`.
    uint64_t take_whole(uint64_t earliest_ps, uint64_t duration_ps);
    /// No later call will ask for time before `now_ps`.
    void forget_before(uint64_t now_ps);
    /// End of the last use so far.
    uint64_t busy_until_ps() const { return busy_.empty() ? 0 : busy_.back().end_ps; }

  private:
    struct Interval {
        uint64_t begin_ps;
        uint64_t end_ps;
    };
    void insert(uint64_t begin_ps, uint64_t end_ps);

    std::vector<Interval> busy_;  // ascending, neither overlapping nor touching
};

inline constexpr uint64_t kPsPerUs = 1'000'000;
inline constexpr uint64_t kPsPerMs = 1'000'000'000;
inline constexpr uint64_t kPsPerS = 1'000'000'000'000;

/// Time that `bytes` take at a rate, rounded up. 0: an infinitely fast stage.
constexpr uint64_t transfer_ps(uint64_t bytes, uint64_t bytes_per_s) {
    if (bytes_per_s == 0) return 0;
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>((Wide{bytes} * kPsPerS + bytes_per_s - 1) / bytes_per_s);
}

}  // namespace weir::disk
