// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Machine files: `schema = 1` first, perhaps `base = "other.toml"` (one level), then keys without
// the "machine." in front.
#include "testbenches/runner/config/key_table.h"
#include "testbenches/runner/config/names.h"
#include "testbenches/runner/config/scenario.h"
#include "testbenches/runner/config/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace weir::runner {

namespace {

enum class BaseAllowed { No, Yes };

constexpr std::string_view kMachine = "machine.";

FileNames machine_names() {
    FileNames names{{"schema", "base", "story"}, {}};
    for (const Key& key : all_keys()) {
        if (key.path.starts_with(kMachine)) {
            names.keys.push_back(key.path.substr(kMachine.size()));
        }
    }
    return names;
}

void apply_machine_file(const std::filesystem::path& path, BaseAllowed base_allowed,
                        Settings& settings) {
    const Document document = read_document(path);
    require_schema(document);
    check_names(document, machine_names());
    if (const Leaf* base = document.find("base")) {
        const std::string name = text_of(*base);
        if (base_allowed == BaseAllowed::No) {
            throw ConfigError(complaint(*base, "a base may not have a base itself"));
        }
        apply_machine_file(find_file(name, path.parent_path(), "machine"), BaseAllowed::No,
                           settings);
    }
    for (const Leaf& leaf : document.leaves) {
        if (leaf.path != "schema" && leaf.path != "base" && leaf.path != "story") {
            apply(leaf, kMachine, settings);
        }
    }
}

}  // namespace

void require_schema(const Document& document) {
    constexpr int64_t kSchema = 1;
    const Leaf* schema = document.find("schema");
    if (schema == nullptr) {
        throw ConfigError(document.place + ": schema = 1 is missing; it must be the first key");
    }
    if (schema->value != Value{kSchema}) {
        const bool whole = std::holds_alternative<int64_t>(schema->value.data);
        throw ConfigError(complaint(
            *schema,
            whole ? "allowed: 1" : wrong_type(schema->value, "a whole number, without quotes")));
    }
    if (document.leaves.front().path != "schema") {
        throw ConfigError(complaint(document.leaves.front(), "schema = 1 must come first"));
    }
}

std::vector<std::string> file_names(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
        if (entry.path().extension() == ".toml") {
            names.push_back(entry.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::filesystem::path find_file(const std::string& name, const std::filesystem::path& folder,
                                const std::string& kind) {
    std::error_code code;
    const bool is_path = name.find('/') != std::string::npos;
    if (is_path && std::filesystem::is_regular_file(name, code)) {
        return name;
    }
    for (const std::string& candidate : {name, name + ".toml"}) {
        const auto path = folder / candidate;
        if (candidate.ends_with(".toml") && std::filesystem::is_regular_file(path, code)) {
            return path;
        }
    }
    if (!is_path && name.ends_with(".toml") && std::filesystem::is_regular_file(name, code)) {
        return name;
    }
    const auto names = file_names(folder);
    throw ConfigError(fmt::format("{}: no such {}{}; known: {}",
                                  name.empty() ? "\"\"" : shortened(name), kind,
                                  did_you_mean(name, names), join(names, ", ")));
}

void load_machine(const std::filesystem::path& path, Settings& settings) {
    apply_machine_file(path, BaseAllowed::Yes, settings);
    settings.run.machine.name = path.stem().string();
}

}  // namespace weir::runner
