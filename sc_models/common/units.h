// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Simulated time as the models keep it: whole picoseconds in 64 bits, the simulator's resolution.
#pragma once

#include <systemc>

#include <cstdint>

namespace weir {

__extension__ using uint128 = unsigned __int128;

inline constexpr uint64_t kPsPerSecond = 1'000'000'000'000;
inline constexpr uint64_t kPsPerMs = 1'000'000'000;
inline constexpr uint64_t kPsPerNs = 1'000;

inline uint64_t simulator_now_ps() {
    return sc_core::sc_time_stamp().value();
}
inline sc_core::sc_time from_ps(uint64_t time_ps) {
    return sc_core::sc_time::from_value(time_ps);
}

/// Duration of `cycles` cycles, rounded up: a model is never faster than its clock.
constexpr uint64_t cycles_to_ps(uint64_t cycles, uint64_t clock_hz) {
    return static_cast<uint64_t>((static_cast<uint128>(cycles) * kPsPerSecond + clock_hz - 1) /
                                 clock_hz);
}

}  // namespace weir
