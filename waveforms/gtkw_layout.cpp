// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "waveforms/gtkw_layout.h"

#include "waveforms/wave_writer.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <sstream>

namespace weir::waveforms {

namespace {

// GTKWave trace flags, as its save files write them (hexadecimal after '@').
constexpr uint32_t kDecimal = 0x4 | 0x20;  // unsigned decimal, right-justified
constexpr uint32_t kBinaryBit = 0x28;      // one wire
constexpr uint32_t kAnalogStep = 0x8000 | 0x4 | 0x20;
constexpr uint32_t kBlank = 0x200;                 // heading
constexpr uint32_t kAnalogBlankStretch = 0x20000;  // gives the analog trace above more height
constexpr uint32_t kEnumeration = 0x20 | 0x2 | 0x20000000;  // names from the file's own table

enum class Show { Level, Curve };

struct Group {
    const char* heading;
    std::vector<const char*> prefixes;
    std::vector<const char*> leaves;  // empty: all
    Show show;
    size_t max_signals;  // a layout is to be read; the rest is in the tree
};

const std::vector<Group>& groups() {
    static const std::vector<Group> kGroups = {
        {"Naps: who sleeps, and where", {"kernel.naps."}, {}, Show::Level, 24},
        {"Tasks", {"kernel.task."}, {"state"}, Show::Level, 24},
        {"Memory: free frames against the marks",
         {"kernel.zone."},
         {"free_frames", "mark_min", "mark_low", "mark_high", "pcp_frames"},
         Show::Curve,
         8},
        {"Memory: lists",
         {"kernel.zone."},
         {"inactive_file", "active_file", "inactive_anon", "active_anon", "isolated_file", "dirty",
          "writeback"},
         Show::Level,
         8},
        {"Swap", {"kernel.swap.", "machine.swap."}, {}, Show::Level, 12},
        {"Disks",
         {"machine.disk"},
         {"phase", "q_depth_rd", "q_depth_wr", "cong_rd", "cong_wr", "cong_wake"},
         Show::Level,
         24},
        {"Request queues", {"kernel.queue"}, {}, Show::Level, 8},
        {"CPUs", {"machine.cpu"}, {"mode", "task"}, Show::Level, 16},
    };
    return kGroups;
}

bool belongs(const Group& group, const probe::SignalInfo& signal) {
    const auto starts = [&](const char* prefix) { return signal.path.starts_with(prefix); };
    if (std::none_of(group.prefixes.begin(), group.prefixes.end(), starts)) return false;
    if (group.leaves.empty()) return true;
    const std::string leaf = split_path(signal.path).leaf;
    return std::any_of(group.leaves.begin(), group.leaves.end(),
                       [&](const char* wanted) { return leaf == wanted; });
}

uint32_t flags_of(const Group& group, const probe::SignalInfo& signal) {
    if (!signal.names.empty()) return kEnumeration;
    if (shown_width_bits(signal) == 1) return kBinaryBit;
    return group.show == Show::Curve ? kAnalogStep : kDecimal;
}

std::string trace_line(const probe::SignalInfo& signal) {
    const uint32_t width_bits = shown_width_bits(signal);
    return width_bits == 1 ? signal.path + "\n"
                           : fmt::format("{}[{}:0]\n", signal.path, width_bits - 1);
}

}  // namespace

std::string gtkw_layout(const std::vector<probe::SignalInfo>& signals, const LayoutView& view) {
    // Zoom is log2 of the time per pixel, negated; 1000 pixels is a usual wave pane.
    constexpr double kPanePixels = 1000;
    const double span_ps = static_cast<double>(std::max<uint64_t>(view.end_ps - view.begin_ps, 1));
    std::string text = fmt::format(
        "[*] Weir view: naps first, then memory, disks and CPUs.\n"
        "[dumpfile] \"{}\"\n[timestart] {}\n[size] 1600 1000\n[pos] -1 -1\n"
        "*{:.6f} {} -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n"
        "[sst_width] 220\n[signals_width] 330\n[sst_expanded] 1\n[sst_vpaned_height] 300\n",
        view.wave_file, view.begin_ps, -std::log2(span_ps / kPanePixels), view.begin_ps);
    for (const Group& group : groups()) {
        std::vector<const probe::SignalInfo*> members;
        for (const auto& signal : signals)
            if (belongs(group, signal)) members.push_back(&signal);
        if (members.empty()) continue;
        if (members.size() > group.max_signals) members.resize(group.max_signals);
        text += fmt::format("@{:x}\n-{}\n", kBlank, group.heading);
        for (const auto* signal : members) {
            text += fmt::format("@{:x}\n{}", flags_of(group, *signal), trace_line(*signal));
            if (flags_of(group, *signal) == kAnalogStep)
                text += fmt::format("@{:x}\n-\n-\n", kAnalogBlankStretch);
        }
    }
    return text + "[pattern_trace] 1\n[pattern_trace] 0\n";
}

std::vector<std::string> layout_paths(const std::string& layout) {
    std::vector<std::string> paths;
    std::istringstream in(layout);
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '@' || line[0] == '-' || line[0] == '[' || line[0] == '*')
            continue;
        paths.push_back(line.substr(0, line.find('[')));
    }
    return paths;
}

}  // namespace weir::waveforms
