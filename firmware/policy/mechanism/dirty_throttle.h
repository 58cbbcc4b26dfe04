// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// balance_dirty_pages: who dirties pages faster than they are written waits. Source: fact book 4.9.
// - throttle_dirtier(): mm::pressure().page_dirtied.
// - balance_dirty(): the loop over effects; check_interval_pages(): how often it is entered.
#pragma once

#include "firmware/mm/writeback.h"

#include <cstdint>

namespace weir::mm {
struct Mapping;
}

namespace weir::policy {

/// A hart checks after so many pages dirtied on it: frames / (harts * 32), between 16 pages and
/// 4 MiB; 8 while the device is over its limit.
inline constexpr uint64_t kExceededIntervalPages = 8;
constexpr uint64_t check_interval_pages(uint64_t ram_frames, uint32_t harts, bool exceeded) {
    if (exceeded) return kExceededIntervalPages;
    constexpr uint64_t kLeast = 16;
    constexpr uint64_t kMost = (4u << 20) / hal::kPageBytes;
    const uint64_t pages = ram_frames / (static_cast<uint64_t>(harts) * 32);
    return pages < kLeast ? kLeast : pages > kMost ? kMost : pages;
}
/// What a throttled task writes itself before it may go: half as much again as it dirtied.
constexpr uint64_t write_duty_pages(uint64_t dirtied_pages) {
    return dirtied_pages + dirtied_pages / 2;
}

struct DirtyLevels {
    uint64_t background_pages;
    uint64_t limit_pages;
    uint64_t device_limit_pages;
    uint64_t dirty_pages;  // whole machine, writeback included
    mm::DeviceDirty device;

    uint64_t device_pages() const { return device.reclaimable_pages + device.writeback_pages; }
    bool device_within_limit() const { return device_pages() <= device_limit_pages; }
    /// No throttling below the middle between background and limit: the flusher may catch up.
    bool well_below_limit() const { return dirty_pages < (background_pages + limit_pages) / 2; }
};

enum class Exceeded : uint8_t { No, Yes };

void throttle_dirtier(mm::Mapping& mapping, uint32_t page_count);

/// Effects:
///   DirtyLevels levels()
///   uint64_t write(pages)        starts writes of the device's dirty pages; how many
///   void nap(jiffies)
///   void set_exceeded(Exceeded)
///   bool dying()
///   Returns the levels it ended with.
template <typename Effects>
DirtyLevels balance_dirty(Effects& fx, uint64_t duty_pages, uint32_t longest_pause_jiffies) {
    uint64_t written_pages = 0;
    uint32_t pause_jiffies = 1;
    DirtyLevels now = fx.levels();
    while (!now.device_within_limit() && !now.well_below_limit()) {
        fx.set_exceeded(Exceeded::Yes);
        if (now.device.reclaimable_pages > now.device_limit_pages) {
            written_pages += fx.write(duty_pages);
            now = fx.levels();
        }
        if (now.device_within_limit() || written_pages >= duty_pages || fx.dying()) break;
        fx.nap(pause_jiffies);
        pause_jiffies =
            pause_jiffies * 2 < longest_pause_jiffies ? pause_jiffies * 2 : longest_pause_jiffies;
        now = fx.levels();
    }
    if (now.device_pages() < now.device_limit_pages) fx.set_exceeded(Exceeded::No);
    return now;
}

}  // namespace weir::policy
