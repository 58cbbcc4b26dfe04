// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/dram/standard_document.h"

#include "testbenches/runner/config/text.h"
#include "testbenches/runner/dram/standard_file.h"
#include "testbenches/runner/dram/table_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace weir::runner {
namespace {

/// What a leaf replaces in the base: a parameter as a whole, otherwise one key.
std::string unit_of(const std::string& path) {
    const std::string prefix = "parameters.";
    if (!path.starts_with(prefix)) return path;
    return path.substr(0, path.find('.', prefix.size()));
}

/// A file that differs little from another one names it as `base`: what it does not give itself,
/// key by key and [[table]] by [[table]], is the base's. One level only.
Document with_base(Document own) {
    const Leaf* leaf = own.find("base");
    if (leaf == nullptr) return own;
    TableReader reader(own);
    const std::filesystem::path folder = std::filesystem::path(own.file).parent_path();
    const std::string name = reader.text("base");
    const std::vector<std::string> names = standard_names(folder);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        reader.refuse(
            *leaf, fmt::format("no such file in {}{}", folder.string(), did_you_mean(name, names)));
    }
    Document base = read_document(folder / (name + ".toml"));
    if (base.find("base") != nullptr) reader.refuse(*leaf, "has a base itself; one level only");
    std::set<std::string> given;
    for (const Leaf& mine : own.leaves) given.insert(unit_of(mine.path));
    for (Leaf& theirs : base.leaves) {
        if (!given.contains(unit_of(theirs.path))) own.leaves.push_back(std::move(theirs));
    }
    own.tables.merge(base.tables);
    return own;
}

}  // namespace

std::vector<std::string> standard_names(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
        if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

Document read_standard_document(const std::filesystem::path& file,
                                const std::vector<Leaf>& organization) {
    Document document = with_base(read_document(file));
    for (const Leaf& leaf : organization) set_leaf(document, leaf);
    return document;
}

}  // namespace weir::runner
