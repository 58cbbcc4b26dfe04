// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A TOML file as a flat list of dotted keys with their places, so that every message about a value
// can say where it stands. The only file that knows the TOML library is document.cpp.
// - read_document(path): a whole file. Nested tables become dotted paths.
// - [[name]] arrays of tables become sub-documents, in order.
// - parse_setting("path=value"): one --set argument, with the same value syntax.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace weir::runner {

/// The user's file or argument is wrong. The text is complete: place, key, value, what is allowed.
class ConfigError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// One TOML value.
struct Value {
    std::variant<int64_t, double, bool, std::string, std::vector<Value>> data;

    bool operator==(const Value&) const = default;
    /// As it would stand in a TOML file.
    std::string text() const;
};

/// One `key = value`, with the dotted path from the root of its document.
struct Leaf {
    std::string path;
    Value value;
    std::string place;  // "file:line" or "--set"
    uint32_t line = 0;
};

/// One `[table]` as it stands in the file, even if no key follows.
struct TableHead {
    std::string path;
    std::string place;
    uint32_t line = 0;
};

struct Document {
    std::string file;
    std::string place;  // of the table's head; "file:1" for a whole file
    std::vector<TableHead> heads;
    std::vector<Leaf> leaves;
    std::map<std::string, std::vector<Document>> tables;

    /// Null if the key is absent.
    const Leaf* find(std::string_view path) const;
};

/// Reads a TOML file.
/// Errors: ConfigError if it cannot be read or is not TOML: file:line and the parser's reason.
Document read_document(const std::filesystem::path& path);

/// Reads `path=value`. A value that is no TOML literal is taken as a text without quotes.
/// Errors: ConfigError if there is no '=' or no path.
Leaf parse_setting(std::string_view argument);

/// The message of a ConfigError: `place: key = value: problem`.
std::string complaint(const Leaf& leaf, std::string_view problem);

inline constexpr std::string_view kTextWanted = "a text, in quotes";

/// What is said about a value of the wrong type: "is a text; write a whole number, without quotes".
std::string wrong_type(const Value& value, std::string_view wanted);

/// The text of a leaf that must be one, and not empty.
/// Errors: ConfigError saying what to write.
std::string text_of(const Leaf& leaf);
/// The number of a leaf that must be one, whole or not.
/// Errors: ConfigError saying what to write.
double number_of(const Leaf& leaf);

}  // namespace weir::runner
