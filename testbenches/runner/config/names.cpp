// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/config/names.h"

#include "testbenches/runner/config/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace weir::runner {

namespace {

bool holds(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> tables_of(const std::vector<std::string>& keys) {
    std::vector<std::string> tables;
    for (const std::string& key : keys) {
        for (size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.', dot + 1)) {
            const std::string table = key.substr(0, dot);
            if (!holds(tables, table)) {
                tables.push_back(table);
            }
        }
    }
    return tables;
}

std::string nearest_table(const std::string& given, const std::vector<std::string>& tables) {
    const std::string name = nearest(given, tables);
    return name.empty() ? "; known: [" + join(tables, "], [") + "]"
                        : "; did you mean [" + name + "]?";
}

std::string table_problem(const std::string& path, const FileNames& names,
                          const std::vector<std::string>& tables) {
    if (holds(names.lists, path)) {
        return fmt::format("is a list of tables; write [[{}]]", path);
    }
    if (holds(names.keys, path)) {
        return fmt::format("is a key, no table; write {} = ...", path);
    }
    return "no such table" + nearest_table(path, tables);
}

std::string list_problem(const std::string& path, const FileNames& names,
                         const std::vector<std::string>& tables) {
    if (holds(tables, path)) {
        return fmt::format("is a single table; write [{}]", path);
    }
    if (names.lists.empty()) {
        return "this file has no lists of tables" + did_you_mean(path, tables);
    }
    return "no such list of tables" + did_you_mean(path, names.lists);
}

std::string key_problem(const std::string& path, const FileNames& names,
                        const std::vector<std::string>& tables) {
    if (holds(names.lists, path)) {
        return fmt::format("is a list of tables; write [[{}]]", path);
    }
    if (holds(tables, path)) {
        return fmt::format("is a table; write [{}] and its keys below", path);
    }
    return "no such key" + did_you_mean(path, names.keys);
}

}  // namespace

void check_names(const Document& document, const FileNames& names) {
    const std::vector<std::string> tables = tables_of(names.keys);
    for (const TableHead& head : document.heads) {
        if (!holds(tables, head.path)) {
            throw ConfigError(fmt::format("{}: [{}]: {}", head.place, shortened(head.path),
                                          table_problem(head.path, names, tables)));
        }
    }
    for (const auto& [name, list] : document.tables) {
        if (!holds(names.lists, name)) {
            throw ConfigError(fmt::format("{}: [[{}]]: {}", list.front().place, shortened(name),
                                          list_problem(name, names, tables)));
        }
    }
    for (const Leaf& leaf : document.leaves) {
        if (!holds(names.keys, leaf.path)) {
            throw ConfigError(complaint(leaf, key_problem(leaf.path, names, tables)));
        }
    }
}

}  // namespace weir::runner
