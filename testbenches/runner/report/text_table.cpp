// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/report/text_table.h"

#include "testbenches/runner/config/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace weir::runner {

namespace {

std::string plain_row(const std::vector<std::string>& cells, const std::vector<size_t>& widths) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
        line += i == 0 ? fmt::format("{:<{}}", cells[i], widths[i])
                       : fmt::format("  {:>{}}", cells[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

}  // namespace

std::string TextTable::plain(size_t first_width, size_t other_width) const {
    std::vector<size_t> widths(heads_.size(), other_width);
    widths.at(0) = first_width;
    const auto widen = [&](const std::vector<std::string>& cells) {
        for (size_t i = 0; i < cells.size(); ++i) {
            widths.at(i) = std::max(widths.at(i), cells[i].size());
        }
    };
    widen(heads_);
    std::for_each(rows_.begin(), rows_.end(), widen);
    std::string text = plain_row(heads_, widths);
    for (const auto& row : rows_) {
        text += plain_row(row, widths);
    }
    return text;
}

std::string TextTable::markdown() const {
    std::string text = "| " + join(heads_, " | ") + " |\n|---|";
    for (size_t i = 1; i < heads_.size(); ++i) {
        text += "---:|";
    }
    text += "\n";
    for (const auto& row : rows_) {
        text += "| " + join(row, " | ") + " |\n";
    }
    return text;
}

}  // namespace weir::runner
