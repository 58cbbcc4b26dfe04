// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/report/metrics.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

namespace weir::runner {

using Json = nlohmann::json;

struct Metrics::Data {
    Json summary;
};

namespace {

std::vector<std::string> split(const std::string& path) {
    std::vector<std::string> parts;
    size_t begin = 0;
    while (begin <= path.size()) {
        const size_t dot = std::min(path.find('.', begin), path.size());
        parts.push_back(path.substr(begin, dot - begin));
        begin = dot + 1;
    }
    return parts;
}

std::optional<MetricValue> value_of(const Json& node) {
    if (node.is_number()) {
        return node.get<double>();
    }
    if (node.is_boolean()) {
        return node.get<bool>() ? 1.0 : 0.0;
    }
    if (node.is_string()) {
        return node.get<std::string>();
    }
    return std::nullopt;
}

/// Walks objects by key and lists of named objects by name.
const Json* walk(const Json& root, const std::vector<std::string>& parts) {
    const Json* node = &root;
    for (const std::string& part : parts) {
        const Json* next = nullptr;
        if (node->is_object() && node->contains(part)) {
            next = &(*node)[part];
        } else if (node->is_array()) {
            for (const Json& item : *node) {
                if (item.is_object() && item.value("name", "") == part) {
                    next = &item;
                }
            }
        }
        if (next == nullptr) {
            return nullptr;
        }
        node = next;
    }
    return node;
}

/// devices.mean.X and its like.
std::optional<MetricValue> over_devices(const Json& summary, const std::vector<std::string>& path) {
    if (path.size() != 3 || path[0] != "devices" || !summary.contains("devices")) {
        return std::nullopt;
    }
    std::vector<double> figures;
    for (const Json& device : summary["devices"]) {
        if (device.contains(path[2]) && device[path[2]].is_number()) {
            figures.push_back(device[path[2]].get<double>());
        }
    }
    if (figures.empty()) {
        return std::nullopt;
    }
    double sum = 0;
    for (const double figure : figures) {
        sum += figure;
    }
    const auto& [mean, max, sum_of_all] = kOverDevices;
    if (path[1] == mean) {
        return sum / static_cast<double>(figures.size());
    }
    if (path[1] == max) {
        return *std::max_element(figures.begin(), figures.end());
    }
    return path[1] == sum_of_all ? std::optional<MetricValue>(sum) : std::nullopt;
}

/// naps.<site>.<waker>_share_pct and naps.<site>.mean_us.
std::optional<MetricValue> of_naps(const Json& summary, const std::vector<std::string>& path) {
    if (path.size() != 3 || path[0] != "naps") {
        return std::nullopt;
    }
    const Json* site = walk(summary, {path[0], path[1]});
    if (site == nullptr || site->value("count", 0.0) == 0) {
        return std::nullopt;
    }
    const double count = site->value("count", 0.0);
    if (path[2] == kMeanUs) {
        return site->value("total_us", 0.0) / count;
    }
    if (path[2].ends_with(kSharePct)) {
        const std::string waker = path[2].substr(0, path[2].rfind(kSharePct));
        const Json* woken = walk(*site, {"woken_by", waker});
        return 100.0 * (woken == nullptr ? 0.0 : woken->get<double>()) / count;
    }
    return std::nullopt;
}

std::optional<MetricValue> cpu_us_per_page(const Json& summary) {
    const Json* counters = walk(summary, {"vmstat"});
    if (counters == nullptr) {
        return std::nullopt;
    }
    const double cpu_ns =
        counters->value("cpu_user_ns", 0.0) + counters->value("cpu_system_ns", 0.0);
    const double moved_kb = counters->value("pgpgin", 0.0) + counters->value("pgpgout", 0.0);
    return moved_kb == 0 ? std::nullopt
                         : std::optional<MetricValue>(cpu_ns / 1000 / (moved_kb / 4));
}

}  // namespace

Metrics::Metrics() = default;

Metrics Metrics::parse(const std::string& json) {
    Metrics metrics;
    try {
        metrics.data_ = std::make_shared<Data>(Data{Json::parse(json)});
    } catch (const Json::exception& error) {
        throw std::runtime_error(fmt::format("summary.json is not whole: {}", error.what()));
    }
    return metrics;
}

std::optional<MetricValue> Metrics::find(const std::string& path) const {
    if (data_ == nullptr) {
        return std::nullopt;
    }
    const Json& summary = data_->summary;
    const std::vector<std::string> parts = split(path);
    // Shares of naps first: the file's own share of nothing reads 0.
    if (parts.size() == 3 && parts[0] == "naps" &&
        (parts[2] == kMeanUs || parts[2].ends_with(kSharePct))) {
        return of_naps(summary, parts);
    }
    if (const Json* node = walk(summary, parts)) {
        return value_of(*node);
    }
    std::vector<std::string> below_metrics = parts;
    below_metrics.insert(below_metrics.begin(), "metrics");
    if (const Json* node = walk(summary, below_metrics)) {
        return value_of(*node);
    }
    if (path == kCpuUsPerPage || path == std::string("metrics.") + kCpuUsPerPage) {
        return cpu_us_per_page(summary);
    }
    return over_devices(summary, parts);
}

std::vector<std::string> Metrics::warnings() const {
    const Json* texts = data_ == nullptr ? nullptr : walk(data_->summary, {"record", "warnings"});
    return texts == nullptr ? std::vector<std::string>{} : texts->get<std::vector<std::string>>();
}

std::optional<double> Metrics::number(const std::string& path) const {
    const auto value = find(path);
    if (!value) {
        return std::nullopt;
    }
    const double* number = std::get_if<double>(&*value);
    return number == nullptr ? std::nullopt : std::optional<double>(*number);
}

}  // namespace weir::runner
