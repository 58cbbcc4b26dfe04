// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/config/document.h"

#include "testbenches/runner/config/text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <toml++/toml.h>

namespace weir::runner {

namespace {

std::string escaped(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
        }
        result += c == '\n' ? ' ' : c;
    }
    return result + "\"";
}

Value value_of(const toml::node& node, const std::string& place) {
    if (const auto* integer = node.as_integer()) {
        return Value{integer->get()};
    }
    if (const auto* real = node.as_floating_point()) {
        return Value{real->get()};
    }
    if (const auto* boolean = node.as_boolean()) {
        return Value{boolean->get()};
    }
    if (const auto* text = node.as_string()) {
        return Value{text->get()};
    }
    if (const auto* array = node.as_array()) {
        std::vector<Value> items;
        for (const toml::node& item : *array) {
            items.push_back(value_of(item, place));
        }
        return Value{std::move(items)};
    }
    throw ConfigError(place +
                      ": dates, times and tables inside lists are not used here; "
                      "allowed are numbers, true/false, texts and lists of them");
}

void flatten(const toml::table& table, const std::string& prefix, const std::string& file,
             Document& document);

Document sub_document(const toml::table& table, const std::string& file) {
    Document document;
    document.file = file;
    document.place = fmt::format("{}:{}", file, table.source().begin.line);
    flatten(table, "", file, document);
    const auto by_line = [](const auto& a, const auto& b) { return a.line < b.line; };
    std::stable_sort(document.leaves.begin(), document.leaves.end(), by_line);
    std::stable_sort(document.heads.begin(), document.heads.end(), by_line);
    return document;
}

/// Whether a table was written as [table]: its keys follow on later lines. Those of dotted keys
/// and of { inline = tables } stand on its own line.
bool has_head(const toml::table& table) {
    const uint32_t line = table.source().begin.line;
    return std::none_of(table.begin(), table.end(), [line](const auto& entry) {
        return entry.first.source().begin.line == line;
    });
}

void flatten(const toml::table& table, const std::string& prefix, const std::string& file,
             Document& document) {
    for (const auto& [key, node] : table) {
        const std::string path = prefix + std::string(key.str());
        // The key's own line: a list may begin on the next one.
        const uint32_t line = key.source().begin.line;
        const std::string place = fmt::format("{}:{}", file, line);
        if (const auto* inner = node.as_table()) {
            if (has_head(*inner)) {
                const uint32_t head_line = inner->source().begin.line;
                document.heads.push_back({path, fmt::format("{}:{}", file, head_line), head_line});
            }
            flatten(*inner, path + ".", file, document);
            continue;
        }
        const auto* array = node.as_array();
        if (array != nullptr && !array->empty() && array->front().is_table()) {
            for (const toml::node& item : *array) {
                if (!item.is_table()) {
                    throw ConfigError(place + ": " + path + ": mixes tables and values");
                }
                document.tables[path].push_back(sub_document(*item.as_table(), file));
            }
            continue;
        }
        document.leaves.push_back({path, value_of(node, place), place, line});
    }
}

}  // namespace

std::string Value::text() const {
    struct Print {
        std::string operator()(int64_t value) const { return fmt::format("{}", value); }
        std::string operator()(double value) const {
            const std::string text = fmt::format("{}", value);
            // Without point or exponent it would read as a whole number.
            return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
        }
        std::string operator()(bool value) const { return value ? "true" : "false"; }
        std::string operator()(const std::string& value) const { return escaped(value); }
        std::string operator()(const std::vector<Value>& items) const {
            std::vector<std::string> words;
            for (const Value& item : items) {
                words.push_back(item.text());
            }
            return "[" + join(words, ", ") + "]";
        }
    };
    return std::visit(Print{}, data);
}

const Leaf* Document::find(std::string_view path) const {
    for (const Leaf& leaf : leaves) {
        if (leaf.path == path) {
            return &leaf;
        }
    }
    return nullptr;
}

Document read_document(const std::filesystem::path& path) {
    const std::string file = path.string();
    std::error_code code;
    if (std::filesystem::is_directory(path, code)) {
        throw ConfigError(file + ": is a folder; a TOML file is wanted");
    }
    std::ifstream stream(path, std::ios::binary);
    std::stringstream content;
    if (!stream || !(content << stream.rdbuf())) {
        throw ConfigError(file + ": cannot be read, or is empty");
    }
    try {
        Document document = sub_document(toml::parse(content.str(), file), file);
        document.place = file + ":1";
        return document;
    } catch (const toml::parse_error& error) {
        throw ConfigError(fmt::format("{}:{}: not valid TOML (is the file complete?): {}", file,
                                      error.source().begin.line, error.description()));
    }
}

Leaf parse_setting(std::string_view argument) {
    const size_t equals = argument.find('=');
    if (equals == std::string_view::npos || equals == 0) {
        throw ConfigError(
            fmt::format("--set {}: wants path=value, for example --set workload.threads=8",
                        shortened(argument)));
    }
    Leaf leaf;
    leaf.path = std::string(argument.substr(0, equals));
    leaf.place = "--set";
    const std::string text(argument.substr(equals + 1));
    leaf.value = Value{text};
    if (text.find_first_of("\r\n") != std::string::npos) {
        throw ConfigError(complaint(leaf, "a value stands on one line"));
    }
    try {
        const toml::table table = toml::parse("value = " + text);
        leaf.value = value_of(*table.get("value"), "--set " + leaf.path);
    } catch (const toml::parse_error&) {
        if (!text.empty() && text.find_first_not_of("+-0123456789_") == std::string::npos) {
            throw ConfigError(complaint(leaf, "is no number: too large, or with a leading zero"));
        }
    }
    return leaf;
}

std::string complaint(const Leaf& leaf, std::string_view problem) {
    return fmt::format("{}: {} = {}: {}", leaf.place, shortened(leaf.path),
                       shortened(leaf.value.text()), problem);
}

std::string wrong_type(const Value& value, std::string_view wanted) {
    constexpr const char* kNames[] = {"a whole number", "a number with a point", "true/false",
                                      "a text", "a list"};
    return fmt::format("is {}; write {}", kNames[value.data.index()], wanted);
}

std::string text_of(const Leaf& leaf) {
    const auto* text = std::get_if<std::string>(&leaf.value.data);
    if (text == nullptr) {
        throw ConfigError(complaint(leaf, wrong_type(leaf.value, kTextWanted)));
    }
    if (text->empty()) {
        throw ConfigError(complaint(leaf, "is empty; write a text"));
    }
    return *text;
}

double number_of(const Leaf& leaf) {
    if (const auto* integer = std::get_if<int64_t>(&leaf.value.data)) {
        return static_cast<double>(*integer);
    }
    const auto* real = std::get_if<double>(&leaf.value.data);
    if (real == nullptr) {
        throw ConfigError(complaint(leaf, wrong_type(leaf.value, "a number, without quotes")));
    }
    if (!std::isfinite(*real)) {
        throw ConfigError(complaint(leaf, "write a finite number"));
    }
    return *real;
}

}  // namespace weir::runner
