// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/report/expectation.h"

#include "testbenches/runner/config/text.h"
#include "testbenches/runner/report/figures.h"

#include <algorithm>
#include <fmt/format.h>

namespace weir::runner {

namespace {

constexpr std::string_view kDeviation = "deviation_pct.";

/// The path of a metric without what compares it with the first row.
std::string_view path_of(std::string_view metric) {
    if (metric.starts_with(kDeviation)) {
        metric.remove_prefix(kDeviation.size());
    }
    return metric;
}

/// Refuses a figure that no summary has, before hours are spent on simulating it.
std::string metric_text(const Leaf& leaf) {
    const std::string metric = text_of(leaf);
    const std::string_view path = path_of(metric);
    const std::string problem = figure_problem(path);
    if (!problem.empty()) {
        throw ConfigError(complaint(leaf, problem));
    }
    if (path.size() != metric.size() && kind_of_figure(path) == FigureKind::Text) {
        throw ConfigError(complaint(leaf, "is a text: it has no deviation"));
    }
    return metric;
}

void read_column(const Leaf& leaf, const SweptValues& swept, Expectation& expectation) {
    const std::string path = leaf.path.substr(std::string_view("at.").size());
    const auto values = swept.find(path);
    if (values == swept.end()) {
        std::vector<std::string> paths;
        for (const auto& [each, list] : swept) {
            paths.push_back(each);
        }
        throw ConfigError(complaint(leaf, "this key is not swept" + did_you_mean(path, paths) +
                                              "; swept: " + join(paths, ", ")));
    }
    const std::string value = leaf.value.text();
    if (std::find(values->second.begin(), values->second.end(), value) == values->second.end()) {
        throw ConfigError(complaint(
            leaf, "no such column; " + path + " is swept over " + join(values->second, ", ")));
    }
    expectation.at[path] = value;
}

void read_leaf(const Leaf& leaf, const std::vector<std::string>& rows, const SweptValues& swept,
               Expectation& expectation) {
    if (leaf.path == "claim") {
        expectation.claim = text_of(leaf);
    } else if (leaf.path == "metric") {
        expectation.metric = metric_text(leaf);
    } else if (leaf.path == "unit") {
        expectation.unit = text_of(leaf);
    } else if (leaf.path == "min") {
        expectation.min = number_of(leaf);
    } else if (leaf.path == "max") {
        expectation.max = number_of(leaf);
    } else if (leaf.path == "equals") {
        const auto* text = std::get_if<std::string>(&leaf.value.data);
        expectation.equals = text != nullptr ? *text : fmt::format("{}", number_of(leaf));
    } else if (leaf.path == "policy") {
        expectation.policy = text_of(leaf);
        if (std::find(rows.begin(), rows.end(), expectation.policy) == rows.end()) {
            throw ConfigError(complaint(leaf, "no such row of this scenario" +
                                                  did_you_mean(expectation.policy, rows) +
                                                  "; rows: " + join(rows, ", ")));
        }
    } else if (leaf.path.starts_with("at.")) {
        read_column(leaf, swept, expectation);
    } else {
        throw ConfigError(complaint(
            leaf, "no such key" + did_you_mean(leaf.path, {"claim", "metric", "unit", "min", "max",
                                                           "equals", "policy", "at"})));
    }
}

bool speaks_of(const Expectation& expectation, const RunResult& run) {
    if (!expectation.policy.empty() && expectation.policy != run.row) {
        return false;
    }
    return std::all_of(expectation.at.begin(), expectation.at.end(), [&](const auto& wanted) {
        const auto param = run.params.find(wanted.first);
        return param != run.params.end() && param->second == wanted.second;
    });
}

bool holds(const Expectation& expectation, const MetricValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) {
        return expectation.equals && *expectation.equals == *text;
    }
    const double number = std::get<double>(value);
    if (expectation.equals && *expectation.equals != fmt::format("{}", number)) {
        return false;
    }
    return (!expectation.min || number >= *expectation.min) &&
           (!expectation.max || number <= *expectation.max);
}

std::string shown(const std::optional<MetricValue>& value) {
    if (!value) {
        return "no such figure";
    }
    const auto* text = std::get_if<std::string>(&*value);
    if (text != nullptr) {
        return *text;
    }
    const double number = std::get<double>(*value);
    return number == static_cast<double>(static_cast<int64_t>(number))
               ? fmt::format("{}", static_cast<int64_t>(number))
               : fmt::format("{:.2f}", number);
}

/// The base row's run at the same column.
const RunResult* base_of(const RunResult& run, const std::vector<RunResult>& results,
                         const std::string& base_row) {
    for (const RunResult& other : results) {
        if (other.row == base_row && other.variant == run.variant) {
            return &other;
        }
    }
    return nullptr;
}

}  // namespace

std::string Expectation::bounds() const {
    const std::string of_unit = unit.empty() ? "" : " " + unit;
    if (equals) {
        return "= " + *equals + of_unit;
    }
    if (min && max) {
        return fmt::format("{} to {}{}", *min, *max, of_unit);
    }
    return min ? fmt::format(">= {}{}", *min, of_unit) : fmt::format("<= {}{}", *max, of_unit);
}

Expectation read_expectation(const Document& table, const std::vector<std::string>& rows,
                             const SweptValues& swept) {
    Expectation expectation;
    expectation.place = table.place;
    for (const Leaf& leaf : table.leaves) {
        read_leaf(leaf, rows, swept, expectation);
    }
    if (expectation.metric.empty() || expectation.claim.empty()) {
        throw ConfigError(table.place + ": [[expect]]: claim and metric are needed");
    }
    if (!expectation.min && !expectation.max && !expectation.equals) {
        throw ConfigError(table.place + ": [[expect]]: a bound is needed: min, max or equals");
    }
    if ((expectation.min || expectation.max) &&
        kind_of_figure(path_of(expectation.metric)) == FigureKind::Text) {
        throw ConfigError(fmt::format("{}: [[expect]]: {} is a text: compare it with equals",
                                      table.place, expectation.metric));
    }
    if (expectation.min && expectation.max && *expectation.min > *expectation.max) {
        throw ConfigError(fmt::format("{}: [[expect]]: min = {} is above max = {}", table.place,
                                      *expectation.min, *expectation.max));
    }
    return expectation;
}

std::optional<MetricValue> metric_of(const RunResult& run, const std::string& metric,
                                     const std::vector<RunResult>& results,
                                     const std::string& base_row) {
    if (!metric.starts_with(kDeviation)) {
        return run.metrics.find(metric);
    }
    const std::string path = metric.substr(kDeviation.size());
    const RunResult* base = base_of(run, results, base_row);
    const auto value = run.metrics.number(path);
    const auto base_value = base == nullptr ? std::nullopt : base->metrics.number(path);
    if (!value || !base_value || *base_value == 0) {
        return std::nullopt;
    }
    return 100.0 * (*value - *base_value) / *base_value;
}

std::vector<Judgement> judge(const std::vector<Expectation>& expectations,
                             const std::vector<RunResult>& results, const std::string& base_row) {
    std::vector<Judgement> judgements;
    for (const Expectation& expectation : expectations) {
        bool spoken = false;
        for (const RunResult& run : results) {
            if (!speaks_of(expectation, run) || (expectation.metric.starts_with(kDeviation) &&
                                                 base_of(run, results, base_row) == nullptr)) {
                continue;
            }
            spoken = true;
            const auto value = metric_of(run, expectation.metric, results, base_row);
            const bool pass = value && holds(expectation, *value);
            judgements.push_back({&expectation, run.row, run.variant, shown(value),
                                  pass ? Verdict::Pass : Verdict::Fail});
        }
        if (!spoken) {
            judgements.push_back({&expectation, expectation.policy, "", "", Verdict::NotRun});
        }
    }
    return judgements;
}

}  // namespace weir::runner
