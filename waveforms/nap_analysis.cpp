// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "waveforms/nap_analysis.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fstream>

namespace weir::waveforms {

namespace {

constexpr const char* kHeader =
    "site,task,pid,class,requested_timeout_us,begin_ns,end_ns,slept_ns,waker,congested_at_entry,"
    "free_frames,pcp_frames,reclaimed_before,true_ns,wasted_ns";
constexpr size_t kColumnCount = 15;

std::vector<std::string> split_csv(const std::string& line) {
    std::vector<std::string> fields;
    size_t begin = 0;
    for (size_t comma; (comma = line.find(',', begin)) != std::string::npos; begin = comma + 1)
        fields.push_back(line.substr(begin, comma - begin));
    fields.push_back(line.substr(begin));
    return fields;
}

uint64_t number(const std::string& text, const std::filesystem::path& file, size_t line_number) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        throw ReportError(
            fmt::format("{}:{}: '{}' is not a number", file.string(), line_number, text));
    return value;
}

}  // namespace

uint64_t percentile(const std::vector<uint64_t>& sorted, uint32_t percent) {
    const size_t rank = (sorted.size() * percent + 99) / 100;
    return sorted[rank == 0 ? 0 : rank - 1];
}

std::map<std::string, SiteSummary> analyse(const std::vector<NapRow>& naps) {
    std::map<std::string, SiteSummary> sites;
    for (const NapRow& nap : naps) {
        SiteSummary& site = sites[nap.site];
        ++site.count;
        site.total_ns += nap.slept_ns();
        site.wasted_ns += nap.wasted_ns();
        site.congested_at_entry_count += nap.congested_at_entry;
        ++site.woken_by[nap.waker];
        site.slept_ns_sorted.push_back(nap.slept_ns());
    }
    for (auto& [name, site] : sites) {
        std::sort(site.slept_ns_sorted.begin(), site.slept_ns_sorted.end());
        site.p50_ns = percentile(site.slept_ns_sorted, 50);
        site.p95_ns = percentile(site.slept_ns_sorted, 95);
        site.max_ns = site.slept_ns_sorted.back();
    }
    return sites;
}

void write_naps_csv(const std::filesystem::path& file, const std::vector<NapRow>& naps) {
    std::ofstream out(file);
    out << kHeader << '\n';
    for (const NapRow& nap : naps)
        out << fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", nap.site, nap.task,
                           nap.pid, nap.klass, nap.requested_timeout_us, nap.begin_ns, nap.end_ns,
                           nap.slept_ns(), nap.waker, nap.congested_at_entry ? 1 : 0,
                           nap.free_frames, nap.pcp_frames, nap.reclaimed_before, nap.true_ns,
                           nap.wasted_ns());
    out.flush();
    if (!out) throw std::runtime_error("cannot write " + file.string());
}

std::vector<NapRow> read_naps_csv(const std::filesystem::path& file) {
    std::error_code code;
    if (!std::filesystem::is_regular_file(file, code))
        throw ReportError(
            fmt::format("{}: no such file; was the run recorded with naps?", file.string()));
    std::ifstream in(file);
    if (!in) throw ReportError(fmt::format("{}: cannot be read", file.string()));
    std::string line;
    if (!std::getline(in, line) || line != kHeader)
        throw ReportError(
            fmt::format("{}:1: not a naps.csv of this version (header differs)", file.string()));
    std::vector<NapRow> naps;
    for (size_t line_number = 2; std::getline(in, line); ++line_number) {
        const auto fields = split_csv(line);
        if (fields.size() != kColumnCount || in.eof())
            throw ReportError(fmt::format("{}:{}: the file is cut off ({} of {} columns)",
                                          file.string(), line_number, fields.size(), kColumnCount));
        const auto at = [&](size_t column) { return number(fields[column], file, line_number); };
        NapRow nap;
        nap.site = fields[0];
        nap.task = fields[1];
        nap.pid = static_cast<uint32_t>(at(2));
        nap.klass = fields[3];
        nap.requested_timeout_us = at(4);
        nap.begin_ns = at(5);
        nap.end_ns = at(6);
        nap.waker = fields[8];
        nap.congested_at_entry = at(9) != 0;
        nap.free_frames = at(10);
        nap.pcp_frames = at(11);
        nap.reclaimed_before = at(12);
        nap.true_ns = at(13);
        if (nap.end_ns < nap.begin_ns)
            throw ReportError(
                fmt::format("{}:{}: a nap ends before it begins", file.string(), line_number));
        naps.push_back(nap);
    }
    return naps;
}

}  // namespace weir::waveforms
