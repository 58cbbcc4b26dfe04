// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What a disk controller counted during a run. Plain data; index of arrays: 0 read, 1 write.
#pragma once

#include <cstdint>
#include <string>

namespace weir::disk {

struct DeviceStats {
    std::string name;  // "disk0", "swap"
    uint64_t commands[2]{};
    uint64_t bytes[2]{};
    uint64_t service_ps[2]{};        // sum over commands: doorbell to completion entry
    uint64_t busy_ps = 0;            // at least one command inside
    uint64_t depth_integral_ps = 0;  // sum of (commands inside x time): / run time = avg queue
    uint64_t congested_ps[2]{};      // vendor block's own on/off state
    uint64_t idle_while_congested_ps = 0;
    uint64_t depth_max[2]{};
    uint64_t errors = 0;
    uint64_t phase_ps[6]{};  // idle, overhead, seek, rotate, media, bus
    uint64_t cache_hits = 0;
};

}  // namespace weir::disk
