// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "waveforms/reports.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

namespace weir::waveforms {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr uint32_t kBarColumns = 40;
constexpr const char* kMissing = "-";

double ms(uint64_t ns) {
    return static_cast<double>(ns) * 1e-6;
}

double pct(uint64_t part, uint64_t whole) {
    return whole ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string woken_text(const SiteSummary& site) {
    std::vector<std::pair<uint64_t, std::string>> shares;
    for (const auto& [waker, count] : site.woken_by) shares.emplace_back(count, waker);
    std::sort(shares.rbegin(), shares.rend());
    std::string text;
    for (const auto& [count, waker] : shares)
        text +=
            fmt::format("{}{} {:.1f} %", text.empty() ? "" : ", ", waker, pct(count, site.count));
    return text;
}

/// Power-of-two rows in microseconds, as biolatency prints them.
std::string histogram(const SiteSummary& site) {
    std::map<uint32_t, uint64_t> rows;
    for (const uint64_t slept_ns : site.slept_ns_sorted)
        ++rows[static_cast<uint32_t>(std::bit_width(slept_ns / 1000))];
    uint64_t most = 0;
    for (const auto& [row, count] : rows) most = std::max(most, count);
    std::string text = fmt::format("      {:>21} : {:<8} distribution\n", "usecs", "count");
    for (uint32_t row = rows.begin()->first; row <= rows.rbegin()->first; ++row) {
        const uint64_t count = rows.count(row) ? rows[row] : 0;
        const uint64_t low = row == 0 ? 0 : 1ull << (row - 1);
        const uint64_t high = (1ull << row) - 1;
        const auto bar = static_cast<size_t>(count * kBarColumns / most);
        text += fmt::format("      {:>9} -> {:<8} : {:<8} |{:<40}|\n", low, high, count,
                            std::string(bar, '*'));
    }
    return text;
}

std::string stalls_of_run(const fs::path& run) {
    const auto sites = analyse(read_naps_csv(run / "naps.csv"));
    std::string text = fmt::format("{}\n", run.filename().string());
    if (sites.empty()) return text + "  nobody napped\n";
    text += fmt::format("  {:<20} {:>8} {:>12} {:>9} {:>9} {:>9} {:>8} {:>10}  {}\n", "call site",
                        "count", "total ms", "p50 ms", "p95 ms", "max ms", "wasted", "congested",
                        "woken by");
    for (const auto& [name, site] : sites)
        text += fmt::format(
            "  {:<20} {:>8} {:>12.1f} {:>9.2f} {:>9.2f} {:>9.2f} {:>6.1f} % {:>8.1f} %  {}\n", name,
            site.count, ms(site.total_ns), ms(site.p50_ns), ms(site.p95_ns), ms(site.max_ns),
            pct(site.wasted_ns, site.total_ns), pct(site.congested_at_entry_count, site.count),
            woken_text(site));
    for (const auto& [name, site] : sites)
        text += fmt::format("\n    {}: length of {} sleeps\n{}", name, site.count, histogram(site));
    return text;
}

std::vector<fs::path> runs_in(const fs::path& folder) {
    if (!fs::is_directory(folder))
        throw ReportError(fmt::format("{}: no such folder; give the folder that `weir run` printed",
                                      folder.empty() ? "\"\"" : folder.string()));
    if (fs::exists(folder / "naps.csv")) return {folder};
    std::vector<fs::path> runs;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.is_directory() && fs::exists(entry.path() / "naps.csv"))
            runs.push_back(entry.path());
    if (runs.empty())
        throw ReportError(
            fmt::format("{}: holds no run (a folder with naps.csv)", folder.string()));
    std::sort(runs.begin(), runs.end());
    return runs;
}

/// "; runs there: a/b, a/c", if there are any.
std::string runs_below(const fs::path& folder) {
    std::vector<std::string> runs;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder, code))
        if (fs::is_regular_file(entry.path() / "summary.json", code))
            runs.push_back(entry.path().string());
    std::sort(runs.begin(), runs.end());
    return runs.empty() ? "" : fmt::format("; runs there: {}", fmt::join(runs, ", "));
}

Json read_summary(const fs::path& run) {
    const fs::path file = run / "summary.json";
    std::error_code code;
    if (!fs::is_regular_file(file, code))
        throw ReportError(fmt::format("{}: no such file; give the folder of one run{}",
                                      file.string(), runs_below(run)));
    std::ifstream in(file);
    if (!in) throw ReportError(fmt::format("{}: cannot be read", file.string()));
    try {
        Json summary = Json::parse(in);
        if (!summary.is_object() || !summary.contains("metrics"))
            throw ReportError(fmt::format(
                "{}: is no summary of a run: it has no \"metrics\"; give the folder of one run",
                file.string()));
        return summary;
    } catch (const Json::parse_error& error) {
        throw ReportError(fmt::format("{}: not whole JSON at byte {}", file.string(), error.byte));
    }
}

using Figures = std::map<std::string, double>;

std::optional<double> find(const Figures& figures, const std::string& path) {
    const auto found = figures.find(path);
    return found == figures.end() ? std::nullopt : std::optional<double>(found->second);
}

std::string shown(const std::optional<double>& figure) {
    return figure ? fmt::format("{:.6g}", *figure) : kMissing;
}

/// Every number of a summary by its path, so that two runs can be put side by side.
void flatten(const Json& node, const std::string& path, Figures& into) {
    if (node.is_number()) {
        into[path] = node.get<double>();
    } else if (node.is_object()) {
        for (const auto& [key, value] : node.items())
            flatten(value, path.empty() ? key : path + "." + key, into);
    } else if (node.is_array()) {
        for (size_t i = 0; i < node.size(); ++i) {
            const bool named =
                node[i].is_object() && node[i].contains("name") && node[i]["name"].is_string();
            flatten(node[i],
                    fmt::format("{}.{}", path,
                                named ? node[i]["name"].get<std::string>() : std::to_string(i)),
                    into);
        }
    }
}

}  // namespace

std::string stalls_report(const fs::path& folder) {
    std::string text =
        "Sleeps of stalled tasks. wasted: share of the time slept after what it waited for was "
        "true;\n"
        "congested: share of sleeps that began while some device was congested.\n\n";
    for (const auto& run : runs_in(folder)) text += stalls_of_run(run) + "\n";
    return text;
}

std::string compare_report(const fs::path& first, const fs::path& second) {
    Figures left, right;
    flatten(read_summary(first), "", left);
    flatten(read_summary(second), "", right);
    std::set<std::string> paths;
    for (const Figures* figures : {&left, &right})
        for (const auto& [path, value] : *figures) paths.insert(path);
    std::string text = fmt::format("A: {}\nB: {}\n\n{:<58} {:>16} {:>16} {:>10}\n", first.string(),
                                   second.string(), "figure", "A", "B", "B/A");
    size_t same = 0, lonely = 0;
    for (const std::string& path : paths) {
        const auto a = find(left, path), b = find(right, path);
        if (a == b) {
            ++same;
            continue;
        }
        if (!a || !b) ++lonely;
        const std::string ratio = a && b && *a != 0 ? fmt::format("{:.3f}", *b / *a) : kMissing;
        text += fmt::format("{:<58} {:>16} {:>16} {:>10}\n", path, shown(a), shown(b), ratio);
    }
    text += fmt::format("\n{} figures are the same in both.\n", same);
    if (lonely != 0)
        text += fmt::format("{} figures are missing in one of them ({}).\n", lonely, kMissing);
    return text;
}

}  // namespace weir::waveforms
