// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A scenario: a machine, a workload, rows (policies and variants of them), columns (sweeps), and
// what is expected of the outcome.
// - load_scenario(path, folders, overrides): everything read and checked, nothing written.
// - expand(scenario): one RunPlan for each row and column, in the order of the table.
#pragma once

#include "testbenches/runner/config/document.h"
#include "testbenches/runner/config/settings.h"
#include "testbenches/runner/report/expectation.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weir::runner {

/// What `weir list policies` shows; filled from the firmware's registry.
struct PolicyEntry {
    std::string name;
    std::string story;
};

/// Where names are looked up.
struct Library {
    std::filesystem::path machines;
    std::filesystem::path scenarios;
    std::vector<PolicyEntry> policies;
};

/// One row of the table: a policy, perhaps with some keys set differently.
struct Row {
    std::string name;
    std::string policy;
    std::vector<Leaf> settings;
};

/// One swept key; the columns of the table are the product of all of them.
struct Sweep {
    std::string path;
    std::vector<Leaf> values;
};

struct Scenario {
    std::string name;
    std::string story;
    std::string machine;
    Settings settings;      // machine, workload and --set, before row and column
    std::vector<Row> rows;  // as chosen with --policy, or all
    std::string base_row;   // the file's first: what deviations are measured from
    std::vector<Sweep> sweeps;
    std::vector<Expectation> expectations;
};

/// What the command line adds.
struct Overrides {
    std::vector<std::string> policies;  // names of rows or of any policy; empty: all rows
    std::vector<std::string> settings;  // "path=value", applied last
    std::optional<uint64_t> seed;
};

/// One simulated run.
struct RunPlan {
    std::string row;
    std::string policy;
    std::string variant;                        // "threads4"; empty without sweeps
    std::string folder;                         // "<row>-<variant>", a name without slashes
    std::map<std::string, std::string> params;  // swept and set keys with their values
    Settings settings;
};

/// Finds a file by name in a folder, or takes a path as it is.
/// Errors: ConfigError naming the nearest file of that folder.
std::filesystem::path find_file(const std::string& name, const std::filesystem::path& folder,
                                const std::string& kind);
/// Names of the TOML files in a folder, sorted.
std::vector<std::string> file_names(const std::filesystem::path& folder);

/// Errors: ConfigError unless the first key is schema = 1.
void require_schema(const Document& document);

/// Reads a machine file, its base first, into settings.
void load_machine(const std::filesystem::path& path, Settings& settings);

/// Errors: ConfigError.
Scenario load_scenario(const std::string& name, const Library& library, const Overrides& overrides);

/// Errors: ConfigError if one of the combinations cannot be built.
std::vector<RunPlan> expand(const Scenario& scenario);

}  // namespace weir::runner
