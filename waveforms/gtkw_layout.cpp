// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "waveforms/gtkw_layout.h"

#include "waveforms/wave_writer.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <sstream>

namespace weir::waveforms {

namespace {

// GTKWave trace flags, as its save files write them (hexadecimal after '@').
constexpr uint64_t kDecimal = 0x4 | 0x20;  // unsigned decimal, right-justified
constexpr uint64_t kBinaryBit = 0x28;      // one wire
constexpr uint64_t kAnalogStep = 0x8000 | 0x4 | 0x20;
constexpr uint64_t kBlank = 0x200;                 // heading
constexpr uint64_t kAnalogBlankStretch = 0x20000;  // gives the analog trace above more height
// Names from the file's own table. GTKWave looks them up by the binary text of the value.
constexpr uint64_t kEnumeration = 0x100000000 | kBinaryBit;

enum class Show { Level, Curve };

// Flushers are many and mostly sleep: they have a group of their own at the end.
constexpr const char* kFlushers = "kernel.task.flush-";

struct Group {
    const char* heading;
    std::vector<const char*> prefixes;
    std::vector<const char*> leaves;  // empty: all
    Show show;
    size_t max_signals;                    // a layout is to be read; the rest is in the tree
    std::vector<const char*> except = {};  // prefixes that another group shows
};

const std::vector<Group>& groups() {
    static const std::vector<Group> kGroups = {
        {"Naps: who sleeps, and where", {"kernel.naps."}, {}, Show::Level, 24},
        {"Tasks", {"kernel.task."}, {"state"}, Show::Level, 24, {kFlushers}},
        {"Memory: free frames against the marks",
         {"kernel.zone."},
         {"free_frames", "pcp_frames"},
         Show::Curve,
         2},
        {"Memory: the marks",
         {"kernel.zone."},
         {"mark_min", "mark_low", "mark_high"},
         Show::Level,
         3},
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
        {"SDRAM: requests, data bus, refresh",
         {"dram.queue.", "dram.bus.", "dram.rank"},
         {},
         Show::Level,
         16},
        {"SDRAM: banks", {"dram.bank", "machine.dram.bank"}, {"state", "row"}, Show::Level, 64},
        {"CPUs", {"machine.cpu"}, {"mode", "task"}, Show::Level, 16},
        {"Flushers", {kFlushers}, {"state"}, Show::Level, 4},
    };
    return kGroups;
}

bool belongs(const Group& group, const probe::SignalInfo& signal) {
    const auto starts = [&](const char* prefix) { return signal.path.starts_with(prefix); };
    if (std::none_of(group.prefixes.begin(), group.prefixes.end(), starts)) return false;
    if (std::any_of(group.except.begin(), group.except.end(), starts)) return false;
    if (group.leaves.empty()) return true;
    const std::string leaf = split_path(signal.path).leaf;
    return std::any_of(group.leaves.begin(), group.leaves.end(),
                       [&](const char* wanted) { return leaf == wanted; });
}

uint64_t flags_of(const Group& group, const probe::SignalInfo& signal) {
    if (!signal.names.empty()) return kEnumeration;
    if (shown_width_bits(signal) == 1) return kBinaryBit;
    return group.show == Show::Curve ? kAnalogStep : kDecimal;
}

/// What the reader sees beside the trace: the last two parts of the path say whose level it is.
std::string shown_name(const std::string& path) {
    const SplitPath split = split_path(path);
    return split.scopes.empty() ? split.leaf : split.scopes.back() + " " + split.leaf;
}

std::string trace_line(const probe::SignalInfo& signal) {
    const uint32_t width_bits = shown_width_bits(signal);
    const std::string range = width_bits == 1 ? "" : fmt::format("[{}:0]", width_bits - 1);
    return fmt::format("+{{{}}} {}{}\n", shown_name(signal.path), signal.path, range);
}

/// Groups of digits compare as numbers: iozone-2 before iozone-10.
bool natural_less(const std::string& left, const std::string& right) {
    size_t i = 0, j = 0;
    while (i < left.size() && j < right.size()) {
        if (std::isdigit(left[i]) && std::isdigit(right[j])) {
            size_t i_end = i, j_end = j;
            while (i_end < left.size() && std::isdigit(left[i_end])) ++i_end;
            while (j_end < right.size() && std::isdigit(right[j_end])) ++j_end;
            const uint64_t a = std::stoull(left.substr(i, i_end - i));
            const uint64_t b = std::stoull(right.substr(j, j_end - j));
            if (a != b) return a < b;
            i = i_end;
            j = j_end;
        } else {
            if (left[i] != right[j]) return left[i] < right[j];
            ++i;
            ++j;
        }
    }
    return left.size() - i < right.size() - j;
}

}  // namespace

std::string gtkw_layout(const std::vector<probe::SignalInfo>& signals, const LayoutView& view) {
    // Zoom is log2 of the time per frame of 200 pixels, negated; a usual wave pane has 1000.
    constexpr double kPaneFrames = 5;
    const double span_ps = static_cast<double>(std::max<uint64_t>(view.end_ps - view.begin_ps, 1));
    std::string text = fmt::format(
        "[*] Weir view.\n"
        "[dumpfile] \"{}\"\n[timestart] {}\n[size] 1600 1000\n[pos] -1 -1\n"
        "*{:.6f} {} -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n"
        "[sst_width] 220\n[signals_width] 380\n[sst_expanded] 1\n[sst_vpaned_height] 300\n",
        view.wave_file, view.begin_ps, -std::log2(span_ps / kPaneFrames), view.begin_ps);
    for (const Group& group : groups()) {
        std::vector<const probe::SignalInfo*> members;
        for (const auto& signal : signals)
            if (belongs(group, signal)) members.push_back(&signal);
        if (members.empty()) continue;
        std::stable_sort(members.begin(), members.end(), [](const auto* left, const auto* right) {
            return natural_less(left->path, right->path);
        });
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
        const size_t begin = line[0] == '+' ? line.find("} ") + 2 : 0;
        paths.push_back(line.substr(begin, line.find('[') - begin));
    }
    return paths;
}

}  // namespace weir::waveforms
