// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A table of texts, printed with aligned columns or as Markdown.
#pragma once

#include <string>
#include <vector>

namespace weir::runner {

class TextTable {
  public:
    explicit TextTable(std::vector<std::string> heads) : heads_(std::move(heads)) {}
    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

    /// First column to the left, the others to the right; each at least as wide as asked.
    std::string plain(size_t first_width = 0, size_t other_width = 0) const;
    std::string markdown() const;

  private:
    std::vector<std::string> heads_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace weir::runner
