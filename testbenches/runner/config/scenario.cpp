// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Scenario files. Keys of the settings stand under their full paths ([machine.disk], [workload]);
// beside them: schema, story, machine.file, policies, [sweep], [[variant]], [[expect]].
#include "testbenches/runner/config/scenario.h"

#include "testbenches/runner/config/cross_checks.h"
#include "testbenches/runner/config/key_table.h"
#include "testbenches/runner/config/names.h"
#include "testbenches/runner/config/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace weir::runner {

namespace {

constexpr std::string_view kSweep = "sweep.";
constexpr const char* kVariant = "variant";
// A slip of the pen rather than a plan: each run takes seconds at least.
constexpr size_t kMostRuns = 10'000;
constexpr const char* kExpect = "expect";

std::vector<std::string> names_of(const std::vector<Row>& rows) {
    std::vector<std::string> names;
    for (const Row& row : rows) {
        names.push_back(row.name);
    }
    return names;
}

void require_policy(const Leaf& leaf, const std::string& name, const Library& library) {
    std::vector<std::string> names;
    for (const PolicyEntry& policy : library.policies) {
        names.push_back(policy.name);
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        throw ConfigError(fmt::format("{}: {} = \"{}\": no such policy{}; known: {}", leaf.place,
                                      shortened(leaf.path), shortened(name),
                                      did_you_mean(name, names), join(names, ", ")));
    }
}

std::vector<Row> policy_rows(const Leaf& leaf, const Library& library) {
    const auto* items = std::get_if<std::vector<Value>>(&leaf.value.data);
    if (items == nullptr || items->empty()) {
        throw ConfigError(complaint(leaf, "write a list of policy names, as [\"2.6.32\"]"));
    }
    std::vector<Row> rows;
    for (const Value& item : *items) {
        const auto* name = std::get_if<std::string>(&item.data);
        if (name == nullptr) {
            throw ConfigError(complaint(leaf, "write a list of policy names, each in quotes"));
        }
        require_policy(leaf, *name, library);
        rows.push_back({*name, *name, {}});
    }
    return rows;
}

Row variant_row(const Document& table, const Library& library) {
    Row row;
    for (const Leaf& leaf : table.leaves) {
        if (leaf.path == "name") {
            row.name = text_of(leaf);
            if (row.name.find('/') != std::string::npos || row.name.starts_with('.')) {
                throw ConfigError(
                    complaint(leaf, "a name may not hold a slash or begin with a dot"));
            }
        } else if (leaf.path == "policy") {
            row.policy = text_of(leaf);
            require_policy(leaf, row.policy, library);
        } else if (leaf.path.starts_with("set.")) {
            Leaf setting = leaf;
            setting.path = leaf.path.substr(4);
            check(setting, "");
            row.settings.push_back(setting);
        } else {
            throw ConfigError(complaint(
                leaf, "no such key" + did_you_mean(leaf.path, {"name", "policy", "set"})));
        }
    }
    if (row.name.empty() || row.policy.empty()) {
        throw ConfigError(table.place + ": [[variant]]: name and policy are needed");
    }
    return row;
}

Sweep read_sweep(const Leaf& leaf) {
    Sweep sweep;
    sweep.path = leaf.path.substr(kSweep.size());
    const auto* items = std::get_if<std::vector<Value>>(&leaf.value.data);
    if (items == nullptr || items->empty()) {
        throw ConfigError(complaint(leaf, "write a list of values, as [1, 2]"));
    }
    for (const Value& item : *items) {
        const Leaf value{sweep.path, item, leaf.place, leaf.line};
        check(value, "");
        if (std::count(items->begin(), items->end(), item) > 1) {
            throw ConfigError(complaint(leaf, item.text() + " stands there twice"));
        }
        sweep.values.push_back(value);
    }
    return sweep;
}

std::vector<Row> read_rows(const Document& document, const Library& library) {
    std::vector<Row> rows;
    if (const Leaf* policies = document.find("policies")) {
        rows = policy_rows(*policies, library);
    }
    for (const auto& [name, tables] : document.tables) {
        for (const Document& table : tables) {
            if (name == kVariant) {
                rows.push_back(variant_row(table, library));
            }
        }
    }
    if (rows.empty()) {
        throw ConfigError(document.place + ": policies = [...] is missing: nothing to run");
    }
    for (size_t i = 0; i < rows.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
            if (rows[i].name == rows[j].name) {
                throw ConfigError(document.place + ": two rows are named " + rows[i].name);
            }
        }
    }
    return rows;
}

/// Keeps the rows that --policy names; a policy that is no row becomes one.
std::vector<Row> chosen_rows(const std::vector<Row>& rows, const Overrides& overrides,
                             const Library& library) {
    if (overrides.policies.empty()) {
        return rows;
    }
    std::vector<Row> chosen;
    for (const std::string& name : overrides.policies) {
        if (std::count(overrides.policies.begin(), overrides.policies.end(), name) > 1) {
            throw ConfigError("--policy " + shortened(name) + ": is given twice");
        }
        const auto row = std::find_if(rows.begin(), rows.end(),
                                      [&](const Row& candidate) { return candidate.name == name; });
        if (row != rows.end()) {
            chosen.push_back(*row);
            continue;
        }
        require_policy({"policy", Value{name}, "--policy", 0}, name, library);
        chosen.push_back({name, name, {}});
    }
    return chosen;
}

FileNames scenario_names() {
    FileNames names{{"schema", "story", "policies", "machine.file"}, {kVariant, kExpect}};
    for (const Key& key : all_keys()) {
        names.keys.push_back(key.path);
    }
    for (const Key& key : all_keys()) {
        names.keys.push_back(std::string(kSweep) + key.path);
    }
    return names;
}

void read_leaves(const Document& document, Scenario& scenario) {
    for (const Leaf& leaf : document.leaves) {
        if (leaf.path == "schema" || leaf.path == "policies" || leaf.path == "machine.file") {
            continue;
        }
        if (leaf.path == "story") {
            scenario.story = text_of(leaf);
        } else if (leaf.path.starts_with(kSweep)) {
            scenario.sweeps.push_back(read_sweep(leaf));
        } else {
            apply(leaf, "", scenario.settings);
        }
    }
}

void refuse_what_only_files_say(const Leaf& leaf) {
    if (leaf.path == "policies" || leaf.path == kVariant) {
        throw ConfigError(complaint(leaf, "only a file says this; choose rows with --policy"));
    }
    if (leaf.path == "schema" || leaf.path == "story" || leaf.path == "machine.file" ||
        leaf.path.starts_with(kSweep)) {
        throw ConfigError(complaint(leaf, "only a scenario file says this"));
    }
}

/// --set, last. A swept key that is set is no longer swept.
void apply_overrides(const Overrides& overrides, Scenario& scenario) {
    for (const std::string& argument : overrides.settings) {
        Leaf leaf = parse_setting(argument);
        refuse_what_only_files_say(leaf);
        apply(leaf, "", scenario.settings);
        std::erase_if(scenario.sweeps, [&](const Sweep& sweep) { return sweep.path == leaf.path; });
        for (Row& row : scenario.rows) {
            std::erase_if(row.settings,
                          [&](const Leaf& setting) { return setting.path == leaf.path; });
        }
    }
    if (overrides.seed) {
        scenario.settings.run.seed = *overrides.seed;
        scenario.settings.places["seed"] = "--seed";
    }
}

/// "threads4" for workload.threads = 4.
std::string column_part(const Leaf& value) {
    const size_t dot = value.path.rfind('.');
    const auto* text = std::get_if<std::string>(&value.value.data);
    std::string part = value.path.substr(dot == std::string::npos ? 0 : dot + 1) +
                       (text != nullptr ? *text : value.value.text());
    std::replace(part.begin(), part.end(), '/', '_');
    return part;
}

void refuse_too_many(const Scenario& scenario) {
    size_t runs = scenario.rows.size();
    for (const Sweep& sweep : scenario.sweeps) {
        runs *= sweep.values.size();
        if (runs > kMostRuns) {
            throw ConfigError(fmt::format("{}: [sweep]: more than {} runs, with the lists up to {}",
                                          sweep.values.front().place, kMostRuns, sweep.path));
        }
    }
}

/// Each run has a folder of its own.
void refuse_equal_folders(const std::vector<RunPlan>& plans) {
    std::set<std::string> folders;
    for (const RunPlan& plan : plans) {
        if (!folders.insert(plan.folder).second) {
            throw ConfigError(
                fmt::format("two runs would write into the folder {}: rename a [[variant]], or "
                            "sweep over values whose names differ",
                            plan.folder));
        }
    }
}

}  // namespace

Scenario load_scenario(const std::string& name, const Library& library,
                       const Overrides& overrides) {
    const auto path = find_file(name, library.scenarios, "scenario");
    const Document document = read_document(path);
    require_schema(document);
    check_names(document, scenario_names());
    Scenario scenario;
    scenario.name = path.stem().string();
    const Leaf* machine = document.find("machine.file");
    if (machine == nullptr) {
        throw ConfigError(document.place + ": machine.file is missing: which machine?");
    }
    try {
        load_machine(find_file(text_of(*machine), library.machines, "machine"), scenario.settings);
    } catch (const ConfigError& error) {
        const std::string text = error.what();
        throw ConfigError(text.starts_with(shortened(text_of(*machine)) + ": no such")
                              ? complaint(*machine, text)
                              : text);
    }
    scenario.machine = scenario.settings.run.machine.name;
    scenario.rows = read_rows(document, library);
    scenario.base_row = scenario.rows.front().name;
    read_leaves(document, scenario);
    SweptValues swept;
    for (const Sweep& sweep : scenario.sweeps) {
        for (const Leaf& value : sweep.values) {
            swept[sweep.path].push_back(value.value.text());
        }
    }
    if (const auto tables = document.tables.find(kExpect); tables != document.tables.end()) {
        for (const Document& table : tables->second) {
            scenario.expectations.push_back(
                read_expectation(table, names_of(scenario.rows), swept));
        }
    }
    scenario.rows = chosen_rows(scenario.rows, overrides, library);
    apply_overrides(overrides, scenario);
    return scenario;
}

std::vector<RunPlan> expand(const Scenario& scenario) {
    refuse_too_many(scenario);
    std::vector<std::vector<Leaf>> columns{{}};
    for (const Sweep& sweep : scenario.sweeps) {
        std::vector<std::vector<Leaf>> wider;
        for (const auto& column : columns) {
            for (const Leaf& value : sweep.values) {
                wider.push_back(column);
                wider.back().push_back(value);
            }
        }
        columns = wider;
    }
    std::vector<RunPlan> plans;
    for (const Row& row : scenario.rows) {
        for (const auto& column : columns) {
            RunPlan plan{row.name, row.policy, "", row.name, {}, scenario.settings};
            plan.settings.run.policy = row.policy;
            for (const Leaf& leaf : row.settings) {
                apply(leaf, "", plan.settings);
                plan.params[leaf.path] = leaf.value.text();
            }
            for (const Leaf& leaf : column) {
                apply(leaf, "", plan.settings);
                plan.params[leaf.path] = leaf.value.text();
                plan.variant += plan.variant.empty() ? "" : "-";
                plan.variant += column_part(leaf);
            }
            for (const auto& [key, place] : scenario.settings.places) {
                if (place == "--set") {
                    plan.params[key] = find_key(key)->load(plan.settings).text();
                }
            }
            if (!plan.variant.empty()) {
                plan.folder += "-";
                plan.folder += plan.variant;
            }
            cross_check(plan.settings);
            plans.push_back(std::move(plan));
        }
    }
    refuse_equal_folders(plans);
    return plans;
}

}  // namespace weir::runner
