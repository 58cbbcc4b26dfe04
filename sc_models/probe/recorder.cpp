// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/probe/recorder.h"

#include <algorithm>

namespace weir::probe {

SignalId Recorder::define_signal(SignalInfo info) {
    const SignalId id{static_cast<uint32_t>(signals_.size())};
    signals_.push_back(std::move(info));
    levels_.emplace_back();
    for (Sink* sink : sinks_) sink->on_define(id, signals_[id.value]);
    return id;
}

const SignalInfo& Recorder::signal_info(SignalId id) const {
    return signals_[id.value];
}

void Recorder::set(SignalId id, uint64_t value, uint64_t time_ps) {
    Level& level = levels_[id.value];
    if (level.known && level.value == value) return;
    level.value = value;
    level.known = true;
    if (level.time_ps < time_ps) level.time_ps = time_ps;
    pending_.push_back({level.time_ps, next_sequence_++, id.value, value});
}

void Recorder::event(const EventRecord& record) {
    pending_.push_back({record.time_ps, next_sequence_++, kEvent, events_.size()});
    events_.push_back(record);
}

void Recorder::add_sink(Sink& sink) {
    sinks_.push_back(&sink);
    for (uint32_t i = 0; i < signals_.size(); ++i) sink.on_define(SignalId{i}, signals_[i]);
}

void Recorder::deliver(const Entry& entry) {
    // A record that comes too late for its time takes the earliest that is still open.
    const uint64_t time_ps = std::max(entry.time_ps, delivered_until_ps_);
    ++record_count_;
    mix(time_ps);
    if (entry.signal != kEvent) {
        mix(entry.signal);
        mix(entry.value);
        for (Sink* sink : sinks_) sink->on_signal(time_ps, SignalId{entry.signal}, entry.value);
        return;
    }
    EventRecord& record = events_[entry.value];
    record.time_ps = time_ps;
    mix(static_cast<uint64_t>(record.event) << 48 | static_cast<uint64_t>(record.hart) << 32 |
        record.pid);
    for (const uint64_t argument : record.args) mix(argument);
    for (Sink* sink : sinks_) sink->on_event(record);
}

void Recorder::deliver_until(uint64_t now_ps) {
    const auto by_time = [](const Entry& a, const Entry& b) {
        return a.time_ps != b.time_ps ? a.time_ps < b.time_ps : a.sequence < b.sequence;
    };
    // What is not final yet is left unsorted; it is sorted once, when it is.
    const auto open = std::partition(pending_.begin(), pending_.end(),
                                     [now_ps](const Entry& e) { return e.time_ps <= now_ps; });
    std::sort(pending_.begin(), open, by_time);
    for (auto entry = pending_.begin(); entry != open; ++entry) {
        deliver(*entry);
        delivered_until_ps_ = std::max(delivered_until_ps_, entry->time_ps);
    }
    pending_.erase(pending_.begin(), open);
    // The bodies of the few events that stay move to the front.
    std::vector<EventRecord> kept;
    for (Entry& entry : pending_) {
        if (entry.signal != kEvent) continue;
        kept.push_back(events_[entry.value]);
        entry.value = kept.size() - 1;
    }
    events_.assign(kept.begin(), kept.end());
}

void Recorder::advance(uint64_t now_ps) {
    if (pending_.empty()) return;
    deliver_until(now_ps);
}

void Recorder::finish(uint64_t now_ps) {
    if (finished_) return;
    finished_ = true;
    deliver_until(~uint64_t{0});
    const uint64_t end_ps = std::max(now_ps, delivered_until_ps_);
    for (Sink* sink : sinks_) sink->on_end(end_ps);
}

}  // namespace weir::probe
