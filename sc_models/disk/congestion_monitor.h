// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The congestion block of a controller: counts commands a class, compares with two thresholds.
// - set_depth(): a doorbell or a completion changed how many commands are inside.
// - set_serving(): whether the medium has a command at all.
// - read_register()/write_register(): the vendor registers at hal::nvme::kRegCongestion.
// A class is congested from depth >= on until depth < off; both edges set an event bit, and an
// enabled event raises the controller's interrupt. Plain C++; one cycle of its counters is 1 us.
#pragma once

#include "sc_models/disk/device_stats.h"
#include "sc_models/probe/recorder.h"

#include <array>
#include <cstdint>
#include <string>

namespace weir::disk {

/// Index 0 is the sync queue pair (reads), 1 the async one (writeback).
enum class QueueClass : uint8_t { Sync, Async };
inline constexpr uint32_t kQueueClassCount = 2;

/// Thresholds for `nr_requests` slots. Source: facts/disk.md 3.3, Linux 2.6.
constexpr uint32_t congestion_on_threshold(uint32_t nr_requests) {
    const uint32_t on = nr_requests - nr_requests / 8 + 1;
    return on < nr_requests ? on : nr_requests;
}
constexpr uint32_t congestion_off_threshold(uint32_t nr_requests) {
    const uint32_t taken = nr_requests / 8 + nr_requests / 16 + 1;
    return nr_requests > taken ? nr_requests - taken : 1;
}

class CongestionMonitor {
  public:
    CongestionMonitor(probe::Recorder& recorder, const std::string& prefix, uint32_t nr_requests);

    void set_depth(QueueClass queue_class, uint32_t depth, uint64_t now_ps);
    void set_serving(bool serving, uint64_t now_ps);
    /// The controller was disabled: nothing is inside, events are off. Thresholds stay.
    void reset(uint64_t now_ps);
    bool congested(QueueClass queue_class) const { return classes_[index(queue_class)].congested; }
    bool event_raised() const { return (event_pending_ & event_enable_) != 0; }

    enum class Outcome { Done, NoSuchRegister, ReadOnly };
    /// `offset` from hal::nvme::kRegCongestion.
    Outcome read_register(uint64_t offset, uint64_t now_ps, uint32_t& value);
    Outcome write_register(uint64_t offset, uint64_t now_ps, uint32_t value);

    /// Fills the depth and congestion figures.
    void report(DeviceStats& stats, uint64_t now_ps) const;

  private:
    struct Class {
        uint32_t depth = 0;
        uint32_t depth_max = 0;  // since software last cleared it
        uint32_t depth_max_of_run = 0;
        bool congested = false;
        uint64_t congested_ps = 0;
        probe::SignalId depth_signal;
        probe::SignalId congested_signal;
    };
    static constexpr uint32_t index(QueueClass queue_class) {
        return static_cast<uint32_t>(queue_class);
    }
    uint32_t depth() const { return classes_[0].depth + classes_[1].depth; }
    bool any_congested() const { return classes_[0].congested || classes_[1].congested; }
    void account_until(uint64_t now_ps);
    void compare(uint32_t class_index, uint64_t now_ps);

    probe::Recorder& recorder_;
    std::array<Class, kQueueClassCount> classes_;
    uint32_t nr_requests_;
    uint32_t on_;
    uint32_t off_;
    uint32_t event_pending_ = 0;
    uint32_t event_enable_ = 0;
    bool serving_ = false;
    uint64_t accounted_ps_ = 0;
    uint64_t busy_ps_ = 0;
    uint64_t depth_integral_ps_ = 0;
    uint64_t idle_while_congested_ps_ = 0;
    probe::SignalId wake_signal_;
    probe::SignalId busy_signal_;
};

}  // namespace weir::disk
