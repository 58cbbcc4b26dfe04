// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/config/key_table.h"

#include "testbenches/runner/config/key_builder.h"
#include "testbenches/runner/config/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace weir::runner {

namespace {

bool is_word_of(const Key& key, const Value& value) {
    const auto* text = std::get_if<std::string>(&value.data);
    return text != nullptr &&
           std::find(key.choices.begin(), key.choices.end(), *text) != key.choices.end();
}

bool fits_row(const Key& key, const Value& value) {
    const auto* items = std::get_if<std::vector<Value>>(&value.data);
    return items != nullptr && (key.columns == 0 || items->size() == key.columns) &&
           std::all_of(items->begin(), items->end(), [&](const Value& item) {
               const auto* number = std::get_if<int64_t>(&item.data);
               return number != nullptr && *number >= key.min && *number <= key.max;
           });
}

bool fits_integer(const Key& key, const Value& value) {
    const auto* number = std::get_if<int64_t>(&value.data);
    if (number == nullptr) {
        return is_word_of(key, value);
    }
    return *number >= key.min && *number <= key.max && *number % key.step == 0;
}

template <typename Test>
bool fits_list(const Value& value, Test test) {
    const auto* items = std::get_if<std::vector<Value>>(&value.data);
    return items != nullptr && std::all_of(items->begin(), items->end(), test);
}

bool fits(const Key& key, const Value& value) {
    const auto is_text = [](const Value& item) {
        return std::holds_alternative<std::string>(item.data);
    };
    switch (key.type) {
        case KeyType::Integer:
            return fits_integer(key, value);
        case KeyType::Boolean:
            return std::holds_alternative<bool>(value.data) || is_word_of(key, value);
        case KeyType::Choice:
            return is_word_of(key, value);
        case KeyType::Text:
            return is_text(value);
        case KeyType::Texts:
            return fits_list(value, [&](const Value& item) {
                return key.choices.empty() ? is_text(item) : is_word_of(key, item);
            });
        case KeyType::Row:
            return fits_row(key, value);
        case KeyType::Rows:
            return fits_list(value, [&](const Value& row) { return fits_row(key, row); });
    }
    return false;
}

/// What a value of this key's type looks like in a file.
std::string_view wanted(const Key& key) {
    switch (key.type) {
        case KeyType::Integer:
            return "a whole number, without quotes";
        case KeyType::Boolean:
            return "true or false, without quotes";
        case KeyType::Choice:
        case KeyType::Text:
            return kTextWanted;
        case KeyType::Texts:
            return "a list of texts, as [\"one\", \"two\"]";
        case KeyType::Row:
            return "a list of whole numbers, as [1, 2]";
        case KeyType::Rows:
            return "a list of lists, as [[1, 2], [3, 4]]";
    }
    return "";
}

bool has_type_of(const Key& key, const Value& value) {
    switch (key.type) {
        case KeyType::Integer:
            return std::holds_alternative<int64_t>(value.data);
        case KeyType::Boolean:
            return std::holds_alternative<bool>(value.data);
        case KeyType::Choice:
        case KeyType::Text:
            return std::holds_alternative<std::string>(value.data);
        case KeyType::Texts:
        case KeyType::Row:
        case KeyType::Rows:
            return std::holds_alternative<std::vector<Value>>(value.data);
    }
    return false;
}

std::string type_name(const Key& key) {
    constexpr const char* kNames[] = {"whole number",  "true/false",      "choice",      "text",
                                      "list of texts", "list of numbers", "list of rows"};
    return kNames[static_cast<size_t>(key.type)];
}

std::vector<std::string> paths_below(std::string_view prefix) {
    std::vector<std::string> names;
    for (const Key& key : all_keys()) {
        if (key.path.starts_with(prefix)) {
            names.push_back(key.path.substr(prefix.size()));
        }
    }
    return names;
}

std::string quoted_choices(const std::vector<std::string>& choices) {
    return fmt::format("\"{}\"", join(choices, "\", \""));
}

}  // namespace

std::string Key::allowed() const {
    const std::string word = choices.empty() ? "" : fmt::format(" or {}", quoted_choices(choices));
    const std::string of_unit = unit.empty() ? "" : " " + unit;
    switch (type) {
        case KeyType::Integer: {
            const std::string multiple = step == 1 ? "" : fmt::format(", a multiple of {}", step);
            return fmt::format("{} to {}{}{}{}", min, max, of_unit, multiple, word);
        }
        case KeyType::Boolean:
            return "true or false" + word;
        case KeyType::Choice:
            return quoted_choices(choices);
        case KeyType::Text:
            return "a text";
        case KeyType::Texts:
            return choices.empty() ? "a list of texts"
                                   : fmt::format("a list out of {}", quoted_choices(choices));
        case KeyType::Row:
            return fmt::format("a list of {}whole numbers, each {} to {}{}",
                               columns == 0 ? "" : fmt::format("{} ", columns), min, max,
                               unit.empty() ? "" : ": " + unit);
        case KeyType::Rows:
            return fmt::format("a list of [{}], each {} to {}", unit, min, max);
    }
    return "";
}

const std::vector<Key>& all_keys() {
    static const std::vector<Key> keys = [] {
        std::vector<Key> table;
        add_machine_keys(table);
        add_run_keys(table);
        return table;
    }();
    return keys;
}

const Key* find_key(std::string_view path) {
    for (const Key& key : all_keys()) {
        if (key.path == path) {
            return &key;
        }
    }
    return nullptr;
}

const Key& check(const Leaf& leaf, std::string_view prefix) {
    const Key* key = find_key(std::string(prefix) + leaf.path);
    if (key == nullptr) {
        throw ConfigError(
            complaint(leaf, "no such key" + did_you_mean(leaf.path, paths_below(prefix))));
    }
    if (!fits(*key, leaf.value)) {
        std::string problem =
            has_type_of(*key, leaf.value) ? "" : wrong_type(leaf.value, wanted(*key)) + "; ";
        problem += "allowed: " + key->allowed();
        const auto* text = std::get_if<std::string>(&leaf.value.data);
        if (text != nullptr && !key->choices.empty() && key->type != KeyType::Texts) {
            problem += did_you_mean(*text, key->choices);
        }
        if (std::holds_alternative<std::vector<Value>>(leaf.value.data) &&
            !has_type_of(*key, leaf.value)) {
            problem += "; values to sweep stand under [sweep]";
        }
        throw ConfigError(complaint(leaf, problem));
    }
    return *key;
}

void apply(const Leaf& leaf, std::string_view prefix, Settings& settings) {
    const Key& key = check(leaf, prefix);
    key.store(settings, leaf.value);
    settings.places[key.path] = leaf.place;
}

uint64_t parse_seed(const std::string& argument) {
    Leaf leaf = parse_setting("seed=" + argument);
    leaf.place = "--seed";
    check(leaf, "");
    return static_cast<uint64_t>(std::get<int64_t>(leaf.value.data));
}

std::string print(const Settings& settings) {
    std::string text;
    for (const Key& key : all_keys()) {
        const auto place = settings.places.find(key.path);
        text += fmt::format("{} = {}  # {}\n", key.path, key.load(settings).text(),
                            place == settings.places.end() ? "default" : place->second);
    }
    return text;
}

std::string list_keys(ListStyle style) {
    const Settings defaults;
    std::string text;
    if (style == ListStyle::Markdown) {
        text += "| key | allowed | default | meaning |\n|---|---|---|---|\n";
    }
    for (const Key& key : all_keys()) {
        const std::string value = key.load(defaults).text();
        if (style == ListStyle::Markdown) {
            text += fmt::format("| `{}` | {} | {} | {} |\n", key.path, key.allowed(), value,
                                key.sentence);
        } else {
            text += fmt::format("{}\n    {} ({}; allowed: {}; default: {})\n", key.path,
                                key.sentence, type_name(key), key.allowed(), value);
        }
    }
    return text;
}

}  // namespace weir::runner
