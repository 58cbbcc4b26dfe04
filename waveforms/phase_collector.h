// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What the workload's tasks did, from their events: phases with bytes and times, CPU time, deaths.
#pragma once

#include "sc_models/probe/recorder.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace weir::waveforms {

struct TaskPhase {
    uint32_t pid = 0;
    uint64_t bytes = 0;
    uint64_t begin_ps = 0;
    uint64_t end_ps = 0;
    uint64_t elapsed_ns = 0;
};

struct TaskFigures {
    std::string name;
    uint64_t kind = 0;
    uint64_t created_ps = 0;
    uint64_t exited_ps = 0;
    uint64_t user_ns = 0, system_ns = 0, iowait_ns = 0;
    uint64_t exit_code = 0;
    bool exited = false;
    bool killed = false;
};

class PhaseCollector final : public probe::Sink {
  public:
    void on_event(const probe::EventRecord& record) override;
    /// By phase bit number (firmware/hal/boot_info.h: write, rewrite, read, reread; memset:
    /// 0, 1..).
    const std::map<uint64_t, std::vector<TaskPhase>>& phases() const { return phases_; }
    const std::map<uint64_t, TaskFigures>& tasks() const { return tasks_; }
    uint64_t data_mismatches() const { return data_mismatches_; }
    uint64_t io_errors_seen() const { return io_errors_seen_; }
    uint64_t oom_kills() const { return oom_kills_; }
    uint64_t booted_ps() const { return booted_ps_; }

  private:
    std::map<uint64_t, std::vector<TaskPhase>> phases_;
    std::map<std::pair<uint64_t, uint64_t>, uint64_t> begun_ps_;  // (pid, phase)
    std::map<uint64_t, TaskFigures> tasks_;
    uint64_t data_mismatches_ = 0, io_errors_seen_ = 0, oom_kills_ = 0, booted_ps_ = 0;
};

/// Throughput as iozone reports it: the sum of each task's own rate.
double children_kbytes_per_s(const std::vector<TaskPhase>& phase);
/// All bytes over the time from the first begin to the last end.
double parent_kbytes_per_s(const std::vector<TaskPhase>& phase);

}  // namespace weir::waveforms
