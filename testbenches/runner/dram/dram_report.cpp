// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/dram/dram_report.h"

#include "sc_models/dram/core/energy.h"
#include "testbenches/runner/config/text.h"
#include "testbenches/runner/dram/bound.h"
#include "testbenches/runner/report/text_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace weir::runner {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint32_t kMedianPermille = 500;
constexpr uint32_t kTailPermille = 990;
/// Smaller shares of the data bus's time are summed up.
constexpr double kShownPercent = 0.5;

double percent(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

double mean_part(uint64_t sum, const dram::DirectionStats& stats) {
    const uint64_t count = stats.latency.count();
    return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

double seconds_of(const DramResult& result) {
    return static_cast<double>(result.clocks()) * result.config.spec.tck_ps * 1e-12;
}

std::string device_line(const DramResult& result) {
    const dram::Spec& spec = result.config.spec;
    const dram::Organization& o = spec.organization;
    std::string banks = o.bank_groups > 1 ? fmt::format("{} bank groups of {} banks", o.bank_groups,
                                                        o.banks_per_group)
                                          : fmt::format("{} banks", o.banks_per_group);
    return fmt::format(
        "{}: {} bit, {} MiB, {} {}, {}, tCK {:.3f} ns\n"
        "scheduler {} ({} + {} entries), page policy {}, refresh {}\n",
        spec.name, o.bus_bytes() * 8, o.bytes() >> 20, o.ranks, o.ranks == 1 ? "rank" : "ranks",
        banks, spec.tck_ps / 1000.0, result.config.scheduler.name,
        result.config.scheduler.read_queue_entries, result.config.scheduler.write_queue_entries,
        result.config.page.name, result.config.refresh.name);
}

std::string traffic_line(const DramResult& result) {
    const size_t count = result.initiators.size();
    return fmt::format("{}: {} requests of {} bytes, {} by {} initiator{}\n\n", result.traffic,
                       result.requests(), result.config.spec.organization.access_bytes(),
                       result.mode == "at" ? "approximately timed" : "loosely timed", count,
                       count == 1 ? "" : "s");
}

void add_latency(TextTable& table, const char* name, const dram::DirectionStats& stats,
                 double tck_ns) {
    if (stats.latency.count() == 0) return;
    const auto row = [&](const char* unit, double scale, int digits) {
        const auto cell = [&](double clocks) {
            return fmt::format("{:.{}f}", clocks * scale, digits);
        };
        const auto whole = [&](uint64_t clocks) {
            return fmt::format("{:.{}f}", static_cast<double>(clocks) * scale, scale == 1 ? 0 : 1);
        };
        table.add(
            {fmt::format("{}, {}", name, unit), cell(stats.latency.mean()),
             whole(stats.latency.percentile(kMedianPermille)),
             whole(stats.latency.percentile(kTailPermille)), whole(stats.latency.max()),
             cell(mean_part(stats.parts.queue, stats)), cell(mean_part(stats.parts.bank, stats)),
             cell(mean_part(stats.parts.bus, stats)), cell(mean_part(stats.parts.refresh, stats))});
    };
    row("clocks", 1, 1);
    row("ns", tck_ns, 1);
}

std::string latency_table(const DramResult& result) {
    TextTable table(
        {"latency", "mean", "p50", "p99", "max", "= queue", "+ bank", "+ bus", "+ refresh"});
    const double tck_ns = result.config.spec.tck_ps / 1000.0;
    add_latency(table, "reads", result.stats.read, tck_ns);
    add_latency(table, "writes", result.stats.write, tck_ns);
    if (result.initiators.size() > 1) {
        for (size_t i = 0; i < result.initiators.size(); ++i) {
            add_latency(table, fmt::format("reads of {}", i).c_str(), result.initiators[i].read,
                        tck_ns);
            add_latency(table, fmt::format("writes of {}", i).c_str(), result.initiators[i].write,
                        tck_ns);
        }
    }
    return table.plain();
}

std::string clocks_line(const std::vector<ClockShare>& shares, uint64_t clocks) {
    std::vector<std::string> parts;
    uint64_t shown = 0;
    for (const ClockShare& share : shares) {
        const double value = percent(share.clocks, clocks);
        if (value < kShownPercent && share.kind != ShareKind::Data) continue;
        shown += share.clocks;
        parts.push_back(fmt::format("{} {:.1f} %", share.name, value));
    }
    const double rest = clocks > shown ? percent(clocks - shown, clocks) : 0;
    if (rest >= kShownPercent / 10) parts.push_back(fmt::format("other {:.1f} %", rest));
    return join(parts, ", ");
}

std::string checker_lines(const std::optional<CheckerSummary>& checker) {
    if (!checker) return "not bound (--check)\n";
    std::vector<std::string> never;
    size_t at_limit = 0;
    size_t applied = 0;
    for (const dram::RuleCoverage& rule : checker->coverage) {
        if (!rule.timed || rule.applied == 0) continue;
        ++applied;
        at_limit += rule.at_limit != 0;
        if (rule.at_limit == 0) never.push_back(rule.rule);
    }
    std::string text = fmt::format(
        "{} violations in {} commands; {} timing rules applied, {} of them at their limit{}\n",
        checker->violations, checker->commands, applied, at_limit,
        never.empty() ? "" : ", not so " + join(never, ", "));
    for (const std::string& line : checker->first_violations) text += "    " + line + "\n";
    return text;
}

std::string energy_line(const DramResult& result) {
    const auto energy = dram::energy_of(result.config.spec, result.stats, result.clocks());
    if (!energy || energy->total_nj <= 0) return "not known: no data sheet's currents\n";
    const double bits = 8.0 * static_cast<double>(result.requests() *
                                                  result.config.spec.organization.access_bytes());
    const auto share = [&](double part_nj) { return 100 * part_nj / energy->total_nj; };
    return fmt::format(
        "{:.3f} mJ, {:.0f} mW in the mean, {:.1f} pJ a bit: activate {:.0f} %, read {:.0f} %, "
        "write "
        "{:.0f} %, refresh {:.0f} %, standby {:.0f} %\n",
        energy->total_nj / 1e6, energy->mean_mw, energy->total_nj * 1e3 / bits,
        share(energy->activate_nj), share(energy->read_nj), share(energy->write_nj),
        share(energy->refresh_nj),
        share(energy->active_standby_nj + energy->precharge_standby_nj + energy->power_down_nj));
}

Json latency_json(const dram::DirectionStats& stats) {
    return {{"mean", stats.latency.mean()},
            {"p50", stats.latency.percentile(kMedianPermille)},
            {"p99", stats.latency.percentile(kTailPermille)},
            {"parts",
             {{"queue", mean_part(stats.parts.queue, stats)},
              {"bank", mean_part(stats.parts.bank, stats)},
              {"bus", mean_part(stats.parts.bus, stats)},
              {"refresh", mean_part(stats.parts.refresh, stats)}}}};
}

Json checker_json(const std::optional<CheckerSummary>& checker) {
    Json exercised = Json::object();
    if (!checker) return {{"violations", nullptr}, {"exercised", exercised}};
    for (const dram::RuleCoverage& rule : checker->coverage)
        exercised[rule.rule] = rule.timed ? rule.at_limit : rule.applied;
    return {{"violations", checker->violations}, {"exercised", exercised}};
}

}  // namespace

double DramResult::requests_per_cpu_s() const {
    return cpu_s > 0 ? static_cast<double>(requests()) / cpu_s : 0;
}

double DramResult::bandwidth_bytes_per_s() const {
    const double seconds = seconds_of(*this);
    const uint64_t bytes = requests() * config.spec.organization.access_bytes();
    return seconds > 0 ? static_cast<double>(bytes) / seconds : 0;
}

double DramResult::bus_utilisation_pct() const {
    return percent(stats.data_bus_clocks, clocks());
}

std::string dram_text(const DramResult& result) {
    const dram::ChannelStats& stats = result.stats;
    const auto peak = static_cast<double>(result.config.spec.peak_bytes_per_s());
    const double bandwidth = result.bandwidth_bytes_per_s();
    const uint64_t turns = stats.row_hits + stats.row_misses + stats.row_conflicts;
    const auto shares = where_clocks_went(result.config.spec, stats);
    std::string text = device_line(result) + traffic_line(result);
    text += fmt::format("bandwidth  {:.3f} GB/s, {:.1f} % of the peak of {:.3f} GB/s\n",
                        bandwidth / 1e9, 100 * bandwidth / peak, peak / 1e9);
    text += fmt::format("data bus   busy {:.1f} % of {} clocks ({:.3f} ms)\n",
                        result.bus_utilisation_pct(), result.clocks(), seconds_of(result) * 1e3);
    text += fmt::format(
        "rows       {} hits ({:.1f} %), {} misses ({:.1f} %), {} conflicts ({:.1f} %)\n",
        stats.row_hits, percent(stats.row_hits, turns), stats.row_misses,
        percent(stats.row_misses, turns), stats.row_conflicts, percent(stats.row_conflicts, turns));
    if (stats.forwarded_reads != 0) {
        text += fmt::format("forwarded  {} reads answered from the write queue\n",
                            stats.forwarded_reads);
    }
    text += fmt::format("clocks     {}\n", clocks_line(shares, result.clocks()));
    text += "energy     " + energy_line(result);
    text += "checker    " + checker_lines(result.checker);
    text += fmt::format(
        "speed      {:.0f} requests and {:.1f} M clocks per CPU second\n\n",
        result.requests_per_cpu_s(),
        result.cpu_s > 0 ? static_cast<double>(result.clocks()) / result.cpu_s / 1e6 : 0);
    text += latency_table(result) + "\n";
    return text + bound_sentence(shares, result.clocks()) + "\n";
}

std::string dram_json(const DramResult& result) {
    const dram::ChannelStats& stats = result.stats;
    const Json object = {
        {"clocks", result.clocks()},
        {"requests", result.requests()},
        {"requests_per_cpu_s", result.requests_per_cpu_s()},
        {"bandwidth_bytes_per_s", result.bandwidth_bytes_per_s()},
        {"bus_utilisation_pct", result.bus_utilisation_pct()},
        {"row_hits", stats.row_hits},
        {"row_misses", stats.row_misses},
        {"row_conflicts", stats.row_conflicts},
        {"read_latency_clocks", latency_json(stats.read)},
        {"write_latency_clocks", latency_json(stats.write)},
        {"checker", checker_json(result.checker)},
        {"bound", bound_sentence(where_clocks_went(result.config.spec, stats), result.clocks())},
    };
    return object.dump() + "\n";
}

}  // namespace weir::runner
