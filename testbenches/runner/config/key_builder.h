// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Makes Key entries out of a member and its description; used by the keys_*.cpp files only.
// - A member is given as a function from Settings to a reference, so that the data disks and the
//   swap disk share one list of keys.
#pragma once

#include "testbenches/runner/config/key_table.h"

#include <string>
#include <utility>
#include <vector>

namespace weir::runner {

template <typename T>
using Member = std::function<T&(Settings&)>;

class KeyBuilder {
  public:
    KeyBuilder(std::vector<Key>& keys, std::string prefix)
        : keys_(keys), prefix_(std::move(prefix)) {}

    struct Range {
        int64_t min;
        int64_t max;
        int64_t step = 1;
    };

    template <typename T>
    Key& integer(const char* name, Member<T> member, Range range, const char* unit,
                 const char* sentence) {
        Key& key = add(name, KeyType::Integer, unit, sentence);
        key.min = range.min;
        key.max = range.max;
        key.step = range.step;
        key.store = [member](Settings& s, const Value& value) {
            member(s) = static_cast<T>(std::get<int64_t>(value.data));
        };
        key.load = [member](const Settings& s) {
            return Value{static_cast<int64_t>(member(const_cast<Settings&>(s)))};
        };
        return key;
    }

    /// An integer, or a word that stands for one value outside the range.
    template <typename T>
    Key& integer_or(const char* name, Member<T> member, Range range, const char* word, T word_value,
                    const char* unit, const char* sentence) {
        Key& key = integer<T>(name, member, range, unit, sentence);
        key.choices = {word};
        key.store = [member, word_value](Settings& s, const Value& value) {
            const auto* number = std::get_if<int64_t>(&value.data);
            member(s) = number != nullptr ? static_cast<T>(*number) : word_value;
        };
        key.load = [member, word_value, word](const Settings& s) {
            const T value = member(const_cast<Settings&>(s));
            return value == word_value ? Value{std::string(word)}
                                       : Value{static_cast<int64_t>(value)};
        };
        return key;
    }

    template <typename T>
    Key& boolean(const char* name, Member<T> member, const char* sentence) {
        Key& key = add(name, KeyType::Boolean, "", sentence);
        key.store = [member](Settings& s, const Value& value) {
            member(s) = static_cast<T>(std::get<bool>(value.data));
        };
        key.load = [member](const Settings& s) {
            return Value{static_cast<bool>(member(const_cast<Settings&>(s)))};
        };
        return key;
    }

    /// An enumeration: choices in the order of its values.
    template <typename T>
    Key& choice(const char* name, Member<T> member, std::vector<std::string> choices,
                const char* sentence) {
        Key& key = add(name, KeyType::Choice, "", sentence);
        key.choices = choices;
        key.store = [member, choices](Settings& s, const Value& value) {
            const auto& word = std::get<std::string>(value.data);
            for (size_t i = 0; i < choices.size(); ++i) {
                if (choices[i] == word) {
                    member(s) = static_cast<T>(i);
                }
            }
        };
        key.load = [member, choices](const Settings& s) {
            return Value{choices.at(static_cast<size_t>(member(const_cast<Settings&>(s))))};
        };
        return key;
    }

    Key& add(const char* name, KeyType type, const char* unit, const char* sentence) {
        Key key;
        key.path = prefix_ + name;
        key.type = type;
        key.unit = unit;
        key.sentence = sentence;
        keys_.push_back(std::move(key));
        return keys_.back();
    }

  private:
    std::vector<Key>& keys_;
    std::string prefix_;
};

void add_machine_keys(std::vector<Key>& keys);
void add_disk_keys(std::vector<Key>& keys, const std::string& prefix,
                   const Member<machine::DiskConfig>& disk);
void add_run_keys(std::vector<Key>& keys);

}  // namespace weir::runner
