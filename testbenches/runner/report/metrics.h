// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Looks figures up in a run's summary.json by dotted path, so that a scenario can put bounds on
// them. "metrics." may be left out in front. Derived here, because they are shares of other
// figures:
//
//   naps.<site>.<waker>_share_pct   share of the naps that this waker ended
//   naps.<site>.mean_us             mean length of a nap
//   devices.<name>.<figure>         of one device; mean, max and sum stand for all of them
//   cpu_us_per_page                 CPU time, user and system, per page moved to or from a disk
//
// A share of nothing is no figure: an expectation on it fails rather than passing by default.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace weir::runner {

// What a path may hold that summary.json does not.
inline constexpr const char* kCpuUsPerPage = "cpu_us_per_page";
inline constexpr const char* kMeanUs = "mean_us";
inline constexpr const char* kSharePct = "_share_pct";
inline constexpr const char* kOverDevices[] = {"mean", "max", "sum"};

using MetricValue = std::variant<double, std::string>;

class Metrics {
  public:
    Metrics();
    /// Takes the text of a summary.json.
    /// Errors: std::runtime_error if it is not JSON.
    static Metrics parse(const std::string& json);

    /// Nothing if there is no such figure, or if it is a share of nothing.
    std::optional<MetricValue> find(const std::string& path) const;
    /// The figure as a number; nothing if it is absent or a text.
    std::optional<double> number(const std::string& path) const;
    bool empty() const { return data_ == nullptr; }
    /// record.warnings: why a file of the run's folder is empty.
    std::vector<std::string> warnings() const;

  private:
    struct Data;
    std::shared_ptr<const Data> data_;
};

}  // namespace weir::runner
