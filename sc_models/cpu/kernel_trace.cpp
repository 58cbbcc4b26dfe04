// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/cpu/kernel_trace.h"

#include "sc_models/common/check.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <iterator>

namespace weir::cpu {
namespace {

const char* name_of(const char* const* names, size_t count, uint64_t value) {
    return value < count ? names[value] : "?";
}

std::vector<std::string> names_for(std::string_view unit) {
    if (unit == "TaskState")
        return {std::begin(hal::kTaskStateNames), std::end(hal::kTaskStateNames)};
    if (unit == "NapSite")
        return {std::begin(hal::kNapSiteGaugeNames), std::end(hal::kNapSiteGaugeNames)};
    if (unit == "Mode") return {std::begin(hal::kModeNames), std::end(hal::kModeNames)};
    return {};
}

bool is_task_gauge(hal::Gauge id) {
    return id == hal::Gauge::TaskState || id == hal::Gauge::TaskNap;
}

/// Dots separate the levels of a signal's path; spaces would end a name in a VCD file.
std::string as_path_element(std::string text) {
    for (char& c : text)
        if (c == '.' || c == ' ' || c == '/' || c == '[' || c == ']') c = '_';
    return text;
}

}  // namespace

TaskView& KernelTrace::task(uint32_t pid) {
    if (pid >= tasks_.size()) tasks_.resize(pid + 1);
    tasks_[pid].pid = pid;
    return tasks_[pid];
}

std::string KernelTrace::task_name(uint32_t pid) const {
    if (pid < tasks_.size() && tasks_[pid].known)
        return tasks_[pid].name + " (pid " + std::to_string(pid) + ")";
    return "pid " + std::to_string(pid);
}

void KernelTrace::event(const TraceStamp& stamp, hal::Event event, const uint64_t (&args)[6]) {
    if (event == hal::Event::TaskCreated) {
        const auto pid = static_cast<uint32_t>(args[0]);
        char name[17] = {};
        std::memcpy(name, &args[1], 8);
        std::memcpy(name + 8, &args[2], 8);
        TaskView& view = task(pid);
        view.name = as_path_element(name);
        for (const TaskView& other : tasks_)
            if (other.known && other.pid != pid && other.name == view.name) {
                view.name += '-' + std::to_string(pid);
                break;
            }
        view.known = true;
        ++population_changes_;
    } else if (event == hal::Event::TaskExited || event == hal::Event::TaskKilled) {
        ++population_changes_;
    }
    probe::EventRecord record{stamp.time_ps, event, stamp.hart, stamp.pid, {}};
    std::memcpy(record.args, args, sizeof record.args);
    recorder_.event(record);
}

std::string KernelTrace::path_of(hal::Gauge id, uint32_t index) const {
    std::string path = hal::kGaugeInfo[static_cast<size_t>(id)].path;
    const size_t hole = path.find("{}");
    if (hole == std::string::npos) return path;
    std::string element = std::to_string(index);
    if (is_task_gauge(id))
        element =
            index < tasks_.size() && tasks_[index].known ? tasks_[index].name : "pid" + element;
    return path.replace(hole, 2, element);
}

void KernelTrace::define(hal::Gauge id, uint32_t index) {
    auto& slots = slots_[static_cast<size_t>(id)];
    if (index >= slots.size()) slots.resize(index + 1);
    const std::string unit = hal::kGaugeInfo[static_cast<size_t>(id)].unit;
    uint32_t width_bits = 32;
    if (unit == "bool") width_bits = 1;
    std::vector<std::string> names = names_for(unit);
    if (!names.empty()) width_bits = 8;
    slots[index].signal =
        recorder_.define_signal({path_of(id, index), unit, width_bits, std::move(names)});
}

void KernelTrace::note_task(const TraceStamp& stamp, hal::Gauge id, uint32_t pid) {
    TaskView& view = task(pid);
    const uint64_t value = slots_[static_cast<size_t>(id)][pid].value;
    if (id == hal::Gauge::TaskState) {
        view.state = value;
        view.state_since_ps = stamp.time_ps;
    } else {
        view.nap_site = value;
        view.nap_since_ps = stamp.time_ps;
    }
}

std::string KernelTrace::describe(uint64_t now_ps) const {
    std::string text;
    char line[200];
    const auto ms_since = [now_ps](uint64_t then_ps) {
        return now_ps > then_ps ? (now_ps - then_ps) / 1'000'000'000 : 0;
    };
    for (const TaskView& view : tasks_) {
        if (!view.known) continue;
        const char* state =
            name_of(hal::kTaskStateNames, std::size(hal::kTaskStateNames), view.state);
        std::snprintf(line, sizeof line, "  task %-16s pid %-4u %-10s for %" PRIu64 " ms",
                      view.name.c_str(), view.pid, state, ms_since(view.state_since_ps));
        text += line;
        if (view.nap_site) {
            std::snprintf(
                line, sizeof line, ", naps in %s for %" PRIu64 " ms",
                name_of(hal::kNapSiteGaugeNames, std::size(hal::kNapSiteGaugeNames), view.nap_site),
                ms_since(view.nap_since_ps));
            text += line;
        }
        text += '\n';
    }
    const auto& sync = slots_[static_cast<size_t>(hal::Gauge::QueueSync)];
    const auto& async = slots_[static_cast<size_t>(hal::Gauge::QueueAsync)];
    for (size_t i = 0; i < sync.size() || i < async.size(); ++i) {
        std::snprintf(line, sizeof line,
                      "  queue%zu: %" PRIu64 " sync and %" PRIu64 " async requests\n", i,
                      i < sync.size() ? sync[i].value : 0, i < async.size() ? async[i].value : 0);
        text += line;
    }
    return text;
}

}  // namespace weir::cpu
