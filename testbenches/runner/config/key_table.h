// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The one table of every key that a machine file, a scenario file or --set may give. From it come
// parsing, range checks, error messages, the printed effective configuration and the key list.
// - all_keys(): the table, in the order of printing.
// - apply(leaf, ...): checks one value and stores it. print(settings): the way back.
// Add a key: one line in keys_*.cpp.
#pragma once

#include "testbenches/runner/config/document.h"
#include "testbenches/runner/config/settings.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::runner {

enum class KeyType {
    Integer,  // min..max, a multiple of `step`; or the word choices[0] if there is one
    Boolean,  // or the word choices[0] if there is one
    Choice,   // one of `choices`
    Text,
    Texts,  // a list of texts
    Row,    // a list of `columns` integers; columns 0: any number
    Rows,   // a list of lists of `columns` integers
};

struct Key {
    std::string path;  // dotted, from the root of a scenario file
    KeyType type = KeyType::Integer;
    std::string unit;  // "" for none; for Row and Rows the names of the columns
    std::string sentence;
    int64_t min = 0;
    int64_t max = 0;
    int64_t step = 1;
    size_t columns = 0;
    std::vector<std::string> choices;
    std::function<void(Settings&, const Value&)> store;  // the value has been checked
    std::function<Value(const Settings&)> load;

    /// What may be written here, as part of a sentence.
    std::string allowed() const;
};

const std::vector<Key>& all_keys();
/// Null if there is none.
const Key* find_key(std::string_view path);

/// Checks a value against its key and stores it, with its place.
/// Shapes: prefix: what the file's own paths leave out, "machine." in a machine file.
/// Errors: ConfigError naming place, key, value, what is allowed, and the nearest key.
void apply(const Leaf& leaf, std::string_view prefix, Settings& settings);

/// Checks a value without storing it, and returns its key.
const Key& check(const Leaf& leaf, std::string_view prefix);

/// Reads the argument of --seed.
/// Errors: ConfigError with the value and what is allowed.
uint64_t parse_seed(const std::string& argument);

/// The effective configuration: every key with its value and where it came from, one a line.
std::string print(const Settings& settings);

/// The key list, for people. markdown: as a table.
enum class ListStyle { Plain, Markdown };
std::string list_keys(ListStyle style);

}  // namespace weir::runner
