// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/disk/congestion_monitor.h"

#include "firmware/hal/nvme_regs.h"
#include "sc_models/disk/timeline.h"

#include <algorithm>

namespace weir::disk {

namespace nvme = hal::nvme;

namespace {

// Long enough to be seen beside microseconds, shorter than two edges can follow each other.
constexpr uint64_t kWakePulsePs = 1000;

constexpr uint32_t kEventOn[kQueueClassCount] = {nvme::kEventOnRd, nvme::kEventOnWr};
constexpr uint32_t kEventOff[kQueueClassCount] = {nvme::kEventOffRd, nvme::kEventOffWr};

}  // namespace

CongestionMonitor::CongestionMonitor(probe::Recorder& recorder, const std::string& prefix,
                                     uint32_t nr_requests)
    : recorder_(recorder),
      nr_requests_(nr_requests),
      on_(congestion_on_threshold(nr_requests)),
      off_(congestion_off_threshold(nr_requests)) {
    const char* suffixes[kQueueClassCount] = {"rd", "wr"};
    for (uint32_t i = 0; i < kQueueClassCount; ++i) {
        classes_[i].depth_signal =
            recorder.define_signal({prefix + ".q_depth_" + suffixes[i], "commands", 16, {}});
        classes_[i].congested_signal =
            recorder.define_signal({prefix + ".cong_" + suffixes[i], "bool", 1, {}});
        recorder.set(classes_[i].depth_signal, 0, 0);
        recorder.set(classes_[i].congested_signal, 0, 0);
    }
    wake_signal_ = recorder.define_signal({prefix + ".cong_wake", "bool", 1, {}});
    busy_signal_ = recorder.define_signal({prefix + ".busy", "bool", 1, {}});
    recorder.set(wake_signal_, 0, 0);
    recorder.set(busy_signal_, 0, 0);
}

void CongestionMonitor::account_until(uint64_t now_ps) {
    if (now_ps <= accounted_ps_) return;
    const uint64_t elapsed_ps = now_ps - accounted_ps_;
    accounted_ps_ = now_ps;
    if (depth() > 0) busy_ps_ += elapsed_ps;
    depth_integral_ps_ += depth() * elapsed_ps;
    for (Class& each : classes_) {
        if (each.congested) each.congested_ps += elapsed_ps;
    }
    if (any_congested() && !serving_) idle_while_congested_ps_ += elapsed_ps;
}

void CongestionMonitor::set_depth(QueueClass queue_class, uint32_t depth, uint64_t now_ps) {
    Class& changed = classes_[index(queue_class)];
    if (changed.depth == depth) return;
    // Accesses and completions carry times a little ahead: the record must not run backwards.
    now_ps = std::max(now_ps, accounted_ps_);
    account_until(now_ps);
    changed.depth = depth;
    changed.depth_max = std::max(changed.depth_max, depth);
    changed.depth_max_of_run = std::max(changed.depth_max_of_run, depth);
    recorder_.set(changed.depth_signal, depth, now_ps);
    recorder_.set(busy_signal_, this->depth() > 0 ? 1 : 0, now_ps);
    compare(index(queue_class), now_ps);
}

void CongestionMonitor::compare(uint32_t class_index, uint64_t now_ps) {
    Class& each = classes_[class_index];
    bool congested = each.congested;
    if (each.depth < off_) congested = false;
    if (on_ != 0 && each.depth >= on_) congested = true;
    if (on_ == 0) congested = false;
    if (congested == each.congested) return;
    each.congested = congested;
    event_pending_ |= congested ? kEventOn[class_index] : kEventOff[class_index];
    recorder_.set(each.congested_signal, congested ? 1 : 0, now_ps);
    if (!congested) {
        recorder_.set(wake_signal_, 1, now_ps);
        recorder_.set(wake_signal_, 0, now_ps + kWakePulsePs);
    }
}

void CongestionMonitor::set_serving(bool serving, uint64_t now_ps) {
    if (serving_ == serving) return;
    account_until(now_ps);
    serving_ = serving;
}

void CongestionMonitor::reset(uint64_t now_ps) {
    set_depth(QueueClass::Sync, 0, now_ps);
    set_depth(QueueClass::Async, 0, now_ps);
    set_serving(false, now_ps);
    event_pending_ = 0;
    event_enable_ = 0;
}

CongestionMonitor::Outcome CongestionMonitor::read_register(uint64_t offset, uint64_t now_ps,
                                                            uint32_t& value) {
    account_until(now_ps);
    switch (offset) {
        case nvme::kCongDepthRd:
            value = classes_[0].depth;
            break;
        case nvme::kCongDepthWr:
            value = classes_[1].depth;
            break;
        case nvme::kCongDepthMaxRd:
            value = classes_[0].depth_max;
            break;
        case nvme::kCongDepthMaxWr:
            value = classes_[1].depth_max;
            break;
        case nvme::kCongOn:
            value = on_;
            break;
        case nvme::kCongOff:
            value = off_;
            break;
        case nvme::kCongStatus:
            value = (classes_[0].congested ? nvme::kCongStatusRd : 0) |
                    (classes_[1].congested ? nvme::kCongStatusWr : 0);
            break;
        case nvme::kCongEvent:
            value = event_pending_ | (event_enable_ << nvme::kEventEnableShift);
            break;
        case nvme::kCongNrRequests:
            value = nr_requests_;
            break;
        case nvme::kCongBusyCycles:
            value = static_cast<uint32_t>(busy_ps_ / kPsPerUs);
            break;
        case nvme::kCongIdleCycles:
            value = static_cast<uint32_t>(idle_while_congested_ps_ / kPsPerUs);
            break;
        default:
            return Outcome::NoSuchRegister;
    }
    return Outcome::Done;
}

CongestionMonitor::Outcome CongestionMonitor::write_register(uint64_t offset, uint64_t now_ps,
                                                             uint32_t value) {
    now_ps = std::max(now_ps, accounted_ps_);
    account_until(now_ps);
    switch (offset) {
        case nvme::kCongDepthMaxRd:
            classes_[0].depth_max = classes_[0].depth;
            break;
        case nvme::kCongDepthMaxWr:
            classes_[1].depth_max = classes_[1].depth;
            break;
        case nvme::kCongOn:
            on_ = value;
            break;
        case nvme::kCongOff:
            off_ = value;
            break;
        case nvme::kCongEvent:
            event_pending_ &= ~(value & nvme::kEventMask);
            event_enable_ = (value >> nvme::kEventEnableShift) & nvme::kEventMask;
            break;
        case nvme::kCongNrRequests:
            nr_requests_ = value;
            break;
        case nvme::kCongDepthRd:
        case nvme::kCongDepthWr:
        case nvme::kCongStatus:
        case nvme::kCongBusyCycles:
        case nvme::kCongIdleCycles:
            return Outcome::ReadOnly;
        default:
            return Outcome::NoSuchRegister;
    }
    for (uint32_t i = 0; i < kQueueClassCount; ++i) compare(i, now_ps);
    return Outcome::Done;
}

void CongestionMonitor::report(DeviceStats& stats, uint64_t now_ps) const {
    const uint64_t since_ps = now_ps > accounted_ps_ ? now_ps - accounted_ps_ : 0;
    stats.busy_ps = busy_ps_ + (depth() > 0 ? since_ps : 0);
    stats.depth_integral_ps = depth_integral_ps_ + depth() * since_ps;
    stats.idle_while_congested_ps =
        idle_while_congested_ps_ + (any_congested() && !serving_ ? since_ps : 0);
    for (uint32_t i = 0; i < kQueueClassCount; ++i) {
        stats.congested_ps[i] = classes_[i].congested_ps + (classes_[i].congested ? since_ps : 0);
        stats.depth_max[i] = classes_[i].depth_max_of_run;
    }
}

}  // namespace weir::disk
