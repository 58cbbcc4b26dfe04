// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The trace port's other end: turns the kernel's events and gauges into records and signals, and
// remembers what each task is doing for the watchdog's message.
// - Signals are defined when first set. {} in a gauge's path becomes the index; for the task gauges
//   the task's name, once TaskCreated has told it, with the pid appended if the name is taken.
#pragma once

#include "firmware/hal/trace.h"
#include "sc_models/probe/recorder.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace weir::cpu {

struct TaskView {
    uint32_t pid = 0;
    std::string name;
    uint64_t state = 0;
    uint64_t state_since_ps = 0;
    uint64_t nap_site = 0;  // 0: none
    uint64_t nap_since_ps = 0;
    bool known = false;
};

/// Who puts a record in, and when by its own clock.
struct TraceStamp {
    uint64_t time_ps;
    uint32_t hart;
    uint32_t pid;
};

class KernelTrace {
  public:
    explicit KernelTrace(probe::Recorder& recorder) : recorder_(recorder) {}
    probe::Recorder& recorder() { return recorder_; }

    void event(const TraceStamp& stamp, hal::Event event, const uint64_t (&args)[6]);
    void gauge(const TraceStamp& stamp, hal::Gauge id, uint32_t index, uint64_t value) {
        auto& slots = slots_[static_cast<size_t>(id)];
        if (index >= slots.size() || slots[index].signal.value == probe::SignalId{}.value)
            [[unlikely]]
            define(id, index);
        Slot& slot = slots_[static_cast<size_t>(id)][index];
        if (slot.value == value && slot.written) return;
        slot.value = value;
        slot.written = true;
        recorder_.set(slot.signal, value, stamp.time_ps);
        if (id == hal::Gauge::TaskState || id == hal::Gauge::TaskNap) note_task(stamp, id, index);
    }
    void export_counters(const uint64_t* counters, uint32_t count) {
        counters_ = counters;
        counter_count_ = count;
    }

    const uint64_t* counters() const { return counters_; }
    uint32_t counter_count() const { return counter_count_; }
    /// Changes with every task created, killed or gone.
    uint64_t task_population_changes() const { return population_changes_; }
    /// One line a task and a queue: who waits for what, since when.
    std::string describe(uint64_t now_ps) const;
    std::string task_name(uint32_t pid) const;

  private:
    struct Slot {
        probe::SignalId signal;
        uint64_t value = 0;
        bool written = false;
    };

    void define(hal::Gauge id, uint32_t index);
    std::string path_of(hal::Gauge id, uint32_t index) const;
    void note_task(const TraceStamp& stamp, hal::Gauge id, uint32_t pid);
    TaskView& task(uint32_t pid);

    probe::Recorder& recorder_;
    std::array<std::vector<Slot>, hal::kGaugeCount> slots_;
    std::vector<TaskView> tasks_;
    const uint64_t* counters_ = nullptr;
    uint32_t counter_count_ = 0;
    uint64_t population_changes_ = 0;
};

}  // namespace weir::cpu
