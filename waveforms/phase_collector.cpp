// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "waveforms/phase_collector.h"

#include "waveforms/nap_collector.h"

#include <algorithm>

namespace weir::waveforms {

void PhaseCollector::on_event(const probe::EventRecord& record) {
    const auto& a = record.args;
    switch (record.event) {
        case hal::Event::Booted:
            booted_ps_ = record.time_ps;
            break;
        case hal::Event::TaskCreated: {
            TaskFigures& task = tasks_[a[0]];
            task.name = unpack_name(a[1], a[2]);
            task.kind = a[3];
            task.created_ps = record.time_ps;
            break;
        }
        case hal::Event::TaskExited: {
            TaskFigures& task = tasks_[a[0]];
            task.exited = true;
            task.exited_ps = record.time_ps;
            task.exit_code = a[1];
            task.user_ns = a[2];
            task.system_ns = a[3];
            task.iowait_ns = a[4];
            break;
        }
        case hal::Event::TaskKilled:
            tasks_[a[0]].killed = true;
            break;
        case hal::Event::PhaseBegin:
            begun_ps_[{a[0], a[1]}] = record.time_ps;
            break;
        case hal::Event::PhaseEnd: {
            TaskPhase phase;
            phase.pid = static_cast<uint32_t>(a[0]);
            phase.bytes = a[2];
            phase.elapsed_ns = a[3];
            phase.begin_ps = begun_ps_[{a[0], a[1]}];
            phase.end_ps = record.time_ps;
            phases_[a[1]].push_back(phase);
            break;
        }
        case hal::Event::DataMismatch:
            ++data_mismatches_;
            break;
        case hal::Event::IoErrorSeen:
            ++io_errors_seen_;
            break;
        case hal::Event::OomKill:
            ++oom_kills_;
            break;
        default:
            break;
    }
}

double children_kbytes_per_s(const std::vector<TaskPhase>& phase) {
    double sum = 0;
    for (const TaskPhase& task : phase)
        if (task.elapsed_ns != 0)
            sum += static_cast<double>(task.bytes) / 1024.0 /
                   (static_cast<double>(task.elapsed_ns) * 1e-9);
    return sum;
}

double parent_kbytes_per_s(const std::vector<TaskPhase>& phase) {
    uint64_t bytes = 0, begin_ps = ~0ull, end_ps = 0;
    for (const TaskPhase& task : phase) {
        bytes += task.bytes;
        begin_ps = std::min(begin_ps, task.begin_ps);
        end_ps = std::max(end_ps, task.end_ps);
    }
    if (end_ps <= begin_ps) return 0;
    return static_cast<double>(bytes) / 1024.0 / (static_cast<double>(end_ps - begin_ps) * 1e-12);
}

}  // namespace weir::waveforms
