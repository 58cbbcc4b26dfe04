// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What the naps of a run add up to, per call site.
// - analyse(): counts, percentiles, who woke, wasted share.
// - read_naps_csv / write_naps_csv: the file form of NapRow.
#pragma once

#include "waveforms/nap_collector.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace weir::waveforms {

/// A folder or file that a report needs is not there or not whole. The message names it.
class ReportError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct SiteSummary {
    uint64_t count = 0;
    uint64_t total_ns = 0;
    uint64_t wasted_ns = 0;
    uint64_t p50_ns = 0;
    uint64_t p95_ns = 0;
    uint64_t max_ns = 0;
    uint64_t congested_at_entry_count = 0;
    std::map<std::string, uint64_t> woken_by;
    std::vector<uint64_t> slept_ns_sorted;
};

std::map<std::string, SiteSummary> analyse(const std::vector<NapRow>& naps);
/// Nearest-rank percentile of a sorted, non-empty list.
uint64_t percentile(const std::vector<uint64_t>& sorted, uint32_t percent);

void write_naps_csv(const std::filesystem::path& file, const std::vector<NapRow>& naps);
/// Errors: ReportError naming file and line when the file is missing, truncated or malformed.
std::vector<NapRow> read_naps_csv(const std::filesystem::path& file);

}  // namespace weir::waveforms
