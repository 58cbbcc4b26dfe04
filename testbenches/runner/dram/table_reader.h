// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A table of a TOML file read key by key: every key is asked for once, and what nobody asked for
// is refused. Messages say place, key, value, what is allowed and the nearest key.
#pragma once

#include "testbenches/runner/config/document.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace weir::runner {

/// Gives the document's key another value and place; adds it if the document lacks it.
void set_leaf(Document& document, Leaf leaf);

class TableReader {
  public:
    /// Shapes: name: how messages name the table, "rule tFAW"; empty for a whole file.
    explicit TableReader(const Document& document, std::string name = "");

    bool has(const std::string& key) const { return document_.find(key) != nullptr; }
    /// Marks the key as known. Null if the file lacks it.
    const Leaf* find(const std::string& key);
    /// As find(). Errors: ConfigError if the file lacks it.
    const Leaf& need(const std::string& key);

    uint32_t integer(const std::string& key, uint32_t min, uint32_t max);
    /// Leaves `target` alone if the file lacks the key.
    void integer_if(const std::string& key, uint32_t min, uint32_t max, uint32_t& target);
    double number(const std::string& key, double min, double max);
    std::string text(const std::string& key);
    void text_if(const std::string& key, std::string& target);
    void boolean_if(const std::string& key, bool& target);
    std::vector<std::string> texts(const std::string& key);

    /// Errors: ConfigError for the first key, and the first [[table]], that nobody asked for.
    void refuse_the_rest(const std::vector<std::string>& known_tables = {}) const;
    [[noreturn]] void refuse(const Leaf& leaf, const std::string& problem) const;

  private:
    const Document& document_;
    std::string name_;
    std::set<std::string> asked_;
};

}  // namespace weir::runner
