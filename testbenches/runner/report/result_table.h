// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What a scenario comes to: the mail's table, the throughput below it, the reason below that, and
// what was expected.
// - ResultTable(...) gathers; plain() for the terminal, markdown() for table.md, json() for
//   table.json.
#pragma once

#include "testbenches/runner/report/expectation.h"

#include <string>
#include <vector>

namespace weir::runner {

/// How one run ended, beside its metrics.
struct RunEnding {
    std::string folder;
    std::string trouble;                     // empty: as it should; else what went wrong, one line
    std::vector<std::string> warnings = {};  // of its record, one line each
};

struct ResultTable {
    std::string scenario;
    std::string story;
    std::string machine;
    std::string base_row;  // deviations are from this one
    uint64_t seed = 1;
    double host_s = 0;
    std::vector<RunResult> runs;     // row by row, columns in order
    std::vector<RunEnding> endings;  // as runs
    std::vector<Expectation> expectations;
    std::vector<Judgement> judgements;  // point into expectations: move a table, do not copy it

    ResultTable() = default;
    ResultTable(ResultTable&&) = default;
    ResultTable& operator=(ResultTable&&) = default;

    std::string plain() const;
    std::string markdown() const;
    std::string json() const;
};

/// "4thr" for threads4, as the mail writes it; other columns keep their name.
std::string column_label(const RunResult& run);

}  // namespace weir::runner
