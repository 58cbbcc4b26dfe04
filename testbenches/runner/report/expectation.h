// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What a scenario expects: a bound on one metric of one row (or all), at one column (or all).
// - [[expect]] tables of a scenario file become Expectations.
// - judge() compares them with the metrics of the runs.
#pragma once

#include "testbenches/runner/config/document.h"
#include "testbenches/runner/report/metrics.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace weir::runner {

struct Expectation {
    std::string claim;                      // the sentence
    std::string metric;                     // path into summary.json, or deviation_pct.<path>
    std::string policy;                     // a row's name; empty: every row
    std::map<std::string, std::string> at;  // swept key -> value; absent keys: every value
    std::string unit;
    std::optional<double> min;
    std::optional<double> max;
    std::optional<std::string> equals;
    std::string place;

    /// ">= 10 %", "0 to 3 %", "= powered_off".
    std::string bounds() const;
};

/// The columns: each swept key with its values, as texts.
using SweptValues = std::map<std::string, std::vector<std::string>>;

/// Errors: ConfigError for unknown keys, wrong types, no bound, or a row or column that does not
/// exist.
Expectation read_expectation(const Document& table, const std::vector<std::string>& rows,
                             const SweptValues& swept);

enum class Verdict { Pass, Fail, NotRun };

struct Judgement {
    const Expectation* expectation = nullptr;
    std::string row;
    std::string variant;
    std::string got;
    Verdict verdict = Verdict::NotRun;
};

/// A finished run, as far as expectations look at it.
struct RunResult {
    std::string row;
    std::string variant;
    std::map<std::string, std::string> params;
    Metrics metrics;
};

/// Judges every expectation on every run that it speaks of. One that speaks of no run that took
/// place, or of a deviation from a row that was not run, gives a single NotRun.
std::vector<Judgement> judge(const std::vector<Expectation>& expectations,
                             const std::vector<RunResult>& results, const std::string& base_row);

/// The metric of a run; deviation_pct.X compares X with the base row at the same column.
std::optional<MetricValue> metric_of(const RunResult& run, const std::string& metric,
                                     const std::vector<RunResult>& results,
                                     const std::string& base_row);

}  // namespace weir::runner
