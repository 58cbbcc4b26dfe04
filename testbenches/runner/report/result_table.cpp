// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/report/result_table.h"

#include "testbenches/runner/report/text_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace weir::runner {

namespace {

constexpr const char* kThroughput = "metrics.throughput_kBps";
constexpr const char* kMissing = "-";
// Widths of the mail's table.
constexpr size_t kMailFirst = 28;
constexpr size_t kMailOther = 7;

enum class Style { Plain, Markdown };

std::string print_table(const TextTable& table, Style style) {
    return style == Style::Plain ? table.plain(kMailFirst, kMailOther) : table.markdown();
}

std::vector<std::string> in_order(const std::vector<RunResult>& runs,
                                  std::string (*name)(const RunResult&)) {
    std::vector<std::string> names;
    for (const RunResult& run : runs) {
        const std::string each = name(run);
        if (std::find(names.begin(), names.end(), each) == names.end()) {
            names.push_back(each);
        }
    }
    return names;
}

std::string row_of(const RunResult& run) {
    return run.row;
}

/// Rows by columns; cell() gives the text of one run.
template <typename Cell>
TextTable grid(const ResultTable& result, const std::string& corner, Cell cell) {
    std::vector<std::string> heads = in_order(result.runs, column_label);
    const std::vector<std::string> columns = heads;
    heads.insert(heads.begin(), corner);
    TextTable table(heads);
    for (const std::string& row : in_order(result.runs, row_of)) {
        std::vector<std::string> cells{row};
        for (const std::string& column : columns) {
            std::string text = kMissing;
            for (size_t i = 0; i < result.runs.size(); ++i) {
                const RunResult& run = result.runs[i];
                if (run.row == row && column_label(run) == column) {
                    text = result.endings[i].trouble.empty() || !run.metrics.empty() ? cell(run)
                                                                                     : "died";
                }
            }
            cells.push_back(text);
        }
        table.add(cells);
    }
    return table;
}

std::string figure(const RunResult& run, const std::string& path, int decimals, double factor = 1) {
    const auto value = run.metrics.number(path);
    return value ? fmt::format("{:.{}f}", *value * factor, decimals) : kMissing;
}

std::optional<double> deviation(const RunResult& run, const ResultTable& result) {
    const auto value =
        metric_of(run, std::string("deviation_pct.") + kThroughput, result.runs, result.base_row);
    return value ? std::optional<double>(std::get<double>(*value)) : std::nullopt;
}

/// Sum of a figure over several nap sites.
std::string nap_sum(const RunResult& run, const std::vector<const char*>& sites, const char* name,
                    int decimals, double factor = 1) {
    double sum = 0;
    for (const char* site : sites) {
        sum += run.metrics.number(fmt::format("naps.{}.{}", site, name)).value_or(0) * factor;
    }
    return fmt::format("{:.{}f}", sum, decimals);
}

TextTable nap_table(const ResultTable& result) {
    TextTable table({"allocator naps", "column", "count", "total s", "mean ms", "timer %",
                     "async %", "watermark %", "kswapd %", "wasted %"});
    for (const RunResult& run : result.runs) {
        const std::string site = "naps.allocator_retry.";
        table.add({run.row, column_label(run), figure(run, site + "count", 0),
                   figure(run, site + "total_us", 2, 1e-6), figure(run, site + "mean_us", 1, 1e-3),
                   figure(run, site + "timer_share_pct", 1),
                   figure(run, site + "async_completion_share_pct", 1),
                   figure(run, site + "watermark_share_pct", 1),
                   figure(run, site + "kswapd_share_pct", 1), figure(run, site + "wasted_pct", 1)});
    }
    return table;
}

TextTable machine_table(const ResultTable& result) {
    TextTable table({"meanwhile", "column", "reclaim naps", "total s", "kswapd naps", "total s",
                     "disk util %", "idle %", "iowait %", "CPU us/page", "simulated s", "host s"});
    for (const RunResult& run : result.runs) {
        const std::vector<const char*> reclaim{"direct_reclaim", "too_many_isolated",
                                               "throttle_vm_writeout"};
        const std::vector<const char*> kswapd{"kswapd_balance", "kswapd_probation"};
        table.add({run.row, column_label(run), nap_sum(run, reclaim, "count", 0),
                   nap_sum(run, reclaim, "total_us", 2, 1e-6), nap_sum(run, kswapd, "count", 0),
                   nap_sum(run, kswapd, "total_us", 2, 1e-6),
                   figure(run, "devices.mean.util_pct", 1), figure(run, "cpu_idle_pct", 1),
                   figure(run, "cpu_iowait_pct", 1), figure(run, "cpu_us_per_page", 2),
                   figure(run, "simulated_s", 2), figure(run, "host_s", 1)});
    }
    return table;
}

const char* verdict_text(Verdict verdict) {
    switch (verdict) {
        case Verdict::Pass:
            return "pass";
        case Verdict::Fail:
            return "FAIL";
        case Verdict::NotRun:
            return "not run";
    }
    return "";
}

TextTable expectation_table(const ResultTable& result) {
    TextTable table({"expected", "row", "column", "bound", "got", "verdict"});
    for (const Judgement& judgement : result.judgements) {
        RunResult column;
        column.variant = judgement.variant;
        table.add({judgement.expectation->claim, judgement.row, column_label(column),
                   judgement.expectation->bounds(), judgement.got,
                   verdict_text(judgement.verdict)});
    }
    return table;
}

std::string troubles(const ResultTable& result) {
    std::string text;
    for (const RunEnding& ending : result.endings) {
        if (!ending.trouble.empty()) {
            text += fmt::format("{}: {}\n", ending.folder, ending.trouble);
        }
        for (const std::string& warning : ending.warnings) {
            text += fmt::format("{}: warning: {}\n", ending.folder, warning);
        }
    }
    return text;
}

std::string body(const ResultTable& result, Style style) {
    const auto by_deviation = [&](const RunResult& run) {
        const auto value = deviation(run, result);
        return value ? fmt::format("{:.2f}%", *value) : std::string(kMissing);
    };
    const auto by_throughput = [](const RunResult& run) { return figure(run, kThroughput, 0); };
    std::string text = print_table(grid(result, "percentage", by_deviation), style);
    text += fmt::format("\n{}", print_table(grid(result, "throughput kB/s", by_throughput), style));
    text += fmt::format("\n{}", print_table(nap_table(result), style));
    text += fmt::format("\n{}", print_table(machine_table(result), style));
    if (!result.judgements.empty()) {
        text += fmt::format("\n{}", print_table(expectation_table(result), style));
    }
    const std::string trouble = troubles(result);
    return trouble.empty() ? text : text + "\n" + trouble;
}

}  // namespace

std::string column_label(const RunResult& run) {
    constexpr std::string_view kThreads = "threads";
    if (run.variant.empty()) {
        return "all";
    }
    if (run.variant.starts_with(kThreads) &&
        run.variant.find_first_not_of("0123456789", kThreads.size()) == std::string::npos) {
        return run.variant.substr(kThreads.size()) + "thr";
    }
    return run.variant;
}

std::string ResultTable::plain() const {
    return body(*this, Style::Plain);
}

std::string ResultTable::markdown() const {
    return fmt::format(
        "# {}\n\n{}\n\nMachine {}, seed {}. Percentages are deviations from the "
        "{}.\n\n{}",
        scenario, story, machine, seed, base_row, body(*this, Style::Markdown));
}

std::string ResultTable::json() const {
    using Json = nlohmann::ordered_json;
    const auto number_or_null = [](const std::optional<double>& value) {
        return value ? Json(*value) : Json(nullptr);
    };
    Json json;
    json["schema"] = 1;
    json["scenario"] = scenario;
    json["machine"] = machine;
    json["seed"] = seed;
    json["host_s"] = host_s;
    json["runs"] = Json::array();
    for (size_t i = 0; i < runs.size(); ++i) {
        json["runs"].push_back(
            {{"row", runs[i].row},
             {"variant", runs[i].variant},
             {"params", runs[i].params},
             {"folder", endings[i].folder},
             {"throughput_kBps", number_or_null(runs[i].metrics.number(kThroughput))},
             {"deviation_pct", number_or_null(deviation(runs[i], *this))},
             {"trouble", endings[i].trouble},
             {"warnings", endings[i].warnings}});
    }
    json["expectations"] = Json::array();
    for (const Judgement& judgement : judgements) {
        json["expectations"].push_back({{"claim", judgement.expectation->claim},
                                        {"metric", judgement.expectation->metric},
                                        {"row", judgement.row},
                                        {"variant", judgement.variant},
                                        {"bound", judgement.expectation->bounds()},
                                        {"got", judgement.got},
                                        {"verdict", verdict_text(judgement.verdict)}});
    }
    return json.dump(2) + "\n";
}

}  // namespace weir::runner
