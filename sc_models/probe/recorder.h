// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The one ordered event record of a run. Models and the kernel (through hal::trace/gauge) put
// records in, stamped with their own time, which may run ahead of the simulator's by a quantum;
// the recorder puts them in order of (time, arrival) and hands them to its sinks.
// - define_signal() at elaboration or later; set() when a level changes.
// - event() for the kernel's events.
// - advance(now): everything stamped at or before `now` is final and goes to the sinks.
// Plain C++: no SystemC types, so that sinks and tests need no simulator.
#pragma once

#include "firmware/hal/trace.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir::probe {

struct SignalId {
    uint32_t value = 0xffffffffu;
};

/// How a viewer shows a signal. names non-empty: an enumeration, value = index into names.
struct SignalInfo {
    std::string path;  // dotted hierarchy, e.g. "machine.disk0.q_depth_rd"
    std::string unit;
    uint32_t width_bits = 32;
    std::vector<std::string> names;
};

struct EventRecord {
    uint64_t time_ps;
    hal::Event event;
    uint32_t hart;
    uint32_t pid;
    uint64_t args[6];
};

/// A consumer of the ordered record. Times never fall from call to call.
class Sink {
  public:
    virtual ~Sink() = default;
    virtual void on_define(SignalId id, const SignalInfo& info) { (void)id, (void)info; }
    virtual void on_signal(uint64_t time_ps, SignalId id, uint64_t value) {
        (void)time_ps, (void)id, (void)value;
    }
    virtual void on_event(const EventRecord& record) { (void)record; }
    virtual void on_end(uint64_t time_ps) { (void)time_ps; }
};

class Recorder {
  public:
    SignalId define_signal(SignalInfo info);
    const SignalInfo& signal_info(SignalId id) const;
    /// Records a level. Equal successive values are dropped. The changes of one signal stay in the
    /// order of the calls: a stamp before that of the signal's last change counts as that one.
    void set(SignalId id, uint64_t value, uint64_t time_ps);
    void event(const EventRecord& record);
    /// Sinks are not owned. A sink added late is told of every signal defined so far.
    void add_sink(Sink& sink);
    void advance(uint64_t now_ps);
    /// Hands over what is left and calls on_end. Later calls of finish() do nothing.
    void finish(uint64_t now_ps);
    /// FNV-1a by 64-bit words over every record made final, in order, sinks or not: equal runs have
    /// equal hashes.
    uint64_t hash() const { return hash_; }
    uint64_t record_count() const { return record_count_; }

  private:
    // What is not final yet. Records arrive nearly in order (harts run ahead by a quantum), so they
    // are kept as they come and sorted when advance() makes them final.
    struct Entry {
        uint64_t time_ps;
        uint64_t sequence;
        uint32_t signal;  // kEvent: value is an index into events_
        uint64_t value;
    };
    static constexpr uint32_t kEvent = 0xffffffffu;
    void deliver(const Entry& entry);
    void deliver_until(uint64_t now_ps);
    void mix(uint64_t word) { hash_ = (hash_ ^ word) * 1099511628211ull; }

    std::vector<SignalInfo> signals_;
    std::vector<Entry> pending_;
    std::vector<EventRecord> events_;  // bodies of the events in pending_
    struct Level {
        uint64_t value = 0;
        uint64_t time_ps = 0;  // of its last change
        bool known = false;
    };
    std::vector<Level> levels_;
    std::vector<Sink*> sinks_;
    uint64_t next_sequence_ = 0;
    uint64_t delivered_until_ps_ = 0;
    bool finished_ = false;
    uint64_t hash_ = 14695981039346656037ull;
    uint64_t record_count_ = 0;
};

}  // namespace weir::probe
