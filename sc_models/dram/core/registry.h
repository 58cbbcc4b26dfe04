// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Policies by name: a table of makers, and a message that lists the names.
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace weir::dram {

template <class Policy, class Config>
struct Maker {
    const char* name;
    std::unique_ptr<Policy> (*make)(const Config&);
};

template <class Policy, class Config>
std::vector<std::string> names_of(std::span<const Maker<Policy, Config>> makers) {
    std::vector<std::string> names;
    for (const auto& maker : makers) names.emplace_back(maker.name);
    return names;
}

template <class Policy, class Config>
std::unique_ptr<Policy> make_by_name(std::span<const Maker<Policy, Config>> makers,
                                     const std::string& key, const std::string& name,
                                     const Config& config) {
    std::string known;
    for (const auto& maker : makers) {
        if (name == maker.name) return maker.make(config);
        known += (known.empty() ? "" : ", ") + std::string(maker.name);
    }
    throw std::invalid_argument(key + ": \"" + name + "\" is not known; known: " + known);
}

}  // namespace weir::dram
