// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/dram/table_reader.h"

#include "testbenches/runner/config/text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace weir::runner {

void set_leaf(Document& document, Leaf leaf) {
    for (Leaf& own : document.leaves) {
        if (own.path != leaf.path) continue;
        own = std::move(leaf);
        return;
    }
    document.leaves.push_back(std::move(leaf));
}

TableReader::TableReader(const Document& document, std::string name)
    : document_(document), name_(std::move(name)) {}

void TableReader::refuse(const Leaf& leaf, const std::string& problem) const {
    Leaf named = leaf;
    if (!name_.empty()) named.path = name_ + ": " + leaf.path;
    throw ConfigError(complaint(named, problem));
}

const Leaf* TableReader::find(const std::string& key) {
    asked_.insert(key);
    return document_.find(key);
}

const Leaf& TableReader::need(const std::string& key) {
    const Leaf* leaf = find(key);
    if (leaf == nullptr) {
        std::vector<std::string> unknown;  // perhaps the key is there, misspelt
        for (const Leaf& other : document_.leaves) {
            if (!asked_.contains(other.path)) unknown.push_back(other.path);
        }
        const std::string near = nearest(key, unknown);
        throw ConfigError(fmt::format("{}: {}{} is missing{}", document_.place,
                                      name_.empty() ? "" : name_ + ": ", key,
                                      near.empty() ? "" : "; is " + near + " meant for it?"));
    }
    return *leaf;
}

uint32_t TableReader::integer(const std::string& key, uint32_t min, uint32_t max) {
    const Leaf& leaf = need(key);
    const auto* value = std::get_if<int64_t>(&leaf.value.data);
    if (value == nullptr || *value < min || *value > max) {
        refuse(leaf, fmt::format("allowed: whole numbers {} to {}", min, max));
    }
    return static_cast<uint32_t>(*value);
}

void TableReader::integer_if(const std::string& key, uint32_t min, uint32_t max, uint32_t& target) {
    if (find(key) != nullptr) target = integer(key, min, max);
}

double TableReader::number(const std::string& key, double min, double max) {
    const Leaf& leaf = need(key);
    double value = std::nan("");
    if (const auto* whole = std::get_if<int64_t>(&leaf.value.data)) {
        value = static_cast<double>(*whole);
    } else if (const auto* real = std::get_if<double>(&leaf.value.data)) {
        value = *real;
    }
    if (!(value >= min && value <= max)) {
        refuse(leaf, fmt::format("allowed: numbers {} to {}", min, max));
    }
    return value;
}

std::string TableReader::text(const std::string& key) {
    const Leaf& leaf = need(key);
    const auto* value = std::get_if<std::string>(&leaf.value.data);
    if (value == nullptr || value->empty()) refuse(leaf, "allowed: a text");
    return *value;
}

void TableReader::text_if(const std::string& key, std::string& target) {
    if (find(key) != nullptr) target = text(key);
}

void TableReader::boolean_if(const std::string& key, bool& target) {
    const Leaf* leaf = find(key);
    if (leaf == nullptr) return;
    const auto* value = std::get_if<bool>(&leaf->value.data);
    if (value == nullptr) refuse(*leaf, "allowed: true or false");
    target = *value;
}

std::vector<std::string> TableReader::texts(const std::string& key) {
    const Leaf& leaf = need(key);
    const auto* items = std::get_if<std::vector<Value>>(&leaf.value.data);
    if (items == nullptr) refuse(leaf, "allowed: a list of texts");
    std::vector<std::string> words;
    for (const Value& item : *items) {
        const auto* word = std::get_if<std::string>(&item.data);
        if (word == nullptr) refuse(leaf, "allowed: a list of texts");
        words.push_back(*word);
    }
    return words;
}

void TableReader::refuse_the_rest(const std::vector<std::string>& known_tables) const {
    const std::vector<std::string> keys(asked_.begin(), asked_.end());
    for (const Leaf& leaf : document_.leaves) {
        if (!asked_.contains(leaf.path)) {
            refuse(leaf, "no such key" + did_you_mean(leaf.path, keys));
        }
    }
    for (const auto& [name, documents] : document_.tables) {
        if (std::find(known_tables.begin(), known_tables.end(), name) != known_tables.end()) {
            continue;
        }
        throw ConfigError(fmt::format("{}: [[{}]]: no such table{}", documents.front().place,
                                      shortened(name), did_you_mean(name, known_tables)));
    }
}

}  // namespace weir::runner
