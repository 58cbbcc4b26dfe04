// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/report/figures.h"

#include "testbenches/runner/config/text.h"
#include "testbenches/runner/report/metrics.h"
#include "waveforms/summary.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace weir::runner {

namespace {

using Json = nlohmann::ordered_json;
using Figures = std::map<std::string, FigureKind>;

constexpr std::string_view kMetrics = "metrics.";
constexpr std::string_view kDisk = "disk";

void flatten(const Json& node, const std::string& path, Figures& into) {
    if (node.is_object()) {
        for (const auto& [key, value] : node.items()) {
            flatten(value, path.empty() ? key : path + "." + key, into);
        }
    } else if (node.is_array()) {
        for (const Json& item : node) {
            flatten(item, path + "." + item.at("name").get<std::string>(), into);
        }
    } else {
        into[path] = node.is_string() ? FigureKind::Text : FigureKind::Number;
    }
}

void add_derived(const Json& example, Figures& figures) {
    figures[kCpuUsPerPage] = FigureKind::Number;
    figures[std::string(kMetrics) + kCpuUsPerPage] = FigureKind::Number;
    for (const auto& [site, nap] : example["naps"].items()) {
        figures[fmt::format("naps.{}.{}", site, kMeanUs)] = FigureKind::Number;
        for (const auto& [waker, count] : nap["woken_by"].items()) {
            figures[fmt::format("naps.{}.{}{}", site, waker, kSharePct)] = FigureKind::Number;
        }
    }
    for (const auto& [figure, value] : example["devices"].front().items()) {
        if (value.is_number()) {
            for (const char* over : kOverDevices) {
                figures[fmt::format("devices.{}.{}", over, figure)] = FigureKind::Number;
            }
        }
    }
}

const Figures& figures() {
    static const Figures all = [] {
        const Json example = waveforms::example_summary();
        Figures found;
        flatten(example, "", found);
        add_derived(example, found);
        flatten(example["metrics"], "", found);  // "metrics." may be left out
        return found;
    }();
    return all;
}

std::vector<std::string> split(std::string_view path) {
    std::vector<std::string> parts;
    for (size_t begin = 0; begin <= path.size();) {
        const size_t dot = std::min(path.find('.', begin), path.size());
        parts.emplace_back(path.substr(begin, dot - begin));
        begin = dot + 1;
    }
    return parts;
}

bool is_disk(const std::string& name) {
    return name.starts_with(kDisk) && name.size() > kDisk.size() &&
           name.find_first_not_of("0123456789", kDisk.size()) == std::string::npos;
}

/// The parts of a path as the example has them: the first disk for any, its task for any.
std::vector<std::string> as_in_example(std::string_view path) {
    std::vector<std::string> parts = split(path);
    const size_t head = path.starts_with(kMetrics) ? 1 : 0;
    if (parts[0] == "devices" && parts.size() > 1 && is_disk(parts[1])) {
        parts[1] = waveforms::kExampleDisk;
    }
    if (parts[head] == "tasks" && parts.size() > head + 1) {
        parts[head + 1] = waveforms::kExampleTask;
    }
    return parts;
}

/// What may follow a prefix; "" is the end of a path.
std::vector<std::string> names_after(const std::string& prefix) {
    std::vector<std::string> names;
    for (const auto& [path, kind] : figures()) {
        if (path.starts_with(prefix)) {
            const std::string name =
                path.substr(prefix.size(), path.find('.', prefix.size()) - prefix.size());
            if (names.empty() || names.back() != name) {
                names.push_back(name);
            }
        }
    }
    return names;
}

/// A whole path first, in case only its head was forgotten.
std::string hint_for_head(std::string_view path, const std::string& part,
                          std::vector<std::string> names) {
    const std::string ending = "." + std::string(path);
    for (const auto& [whole, kind] : figures()) {
        if (whole.ends_with(ending)) {
            return "; did you mean " + whole + "?";
        }
    }
    names.emplace_back("deviation_pct");
    return did_you_mean(part, names);
}

}  // namespace

std::string figure_problem(std::string_view path) {
    std::string prefix;
    for (const std::string& part : as_in_example(path)) {
        const std::vector<std::string> names = names_after(prefix);
        if (std::find(names.begin(), names.end(), part) == names.end()) {
            return fmt::format(
                "no figure is named {}{}", shortened(part),
                prefix.empty() ? hint_for_head(path, part, names) : did_you_mean(part, names));
        }
        prefix += part + ".";
    }
    prefix.pop_back();
    if (!figures().contains(prefix)) {
        return fmt::format("is a group of figures; one of it is {}.{}", path,
                           names_after(prefix + ".").front());
    }
    return "";
}

FigureKind kind_of_figure(std::string_view path) {
    return figures().at(join(as_in_example(path), "."));
}

std::vector<std::string> figure_paths() {
    std::vector<std::string> paths;
    for (const auto& [path, kind] : figures()) {
        paths.push_back(path);
    }
    return paths;
}

}  // namespace weir::runner
