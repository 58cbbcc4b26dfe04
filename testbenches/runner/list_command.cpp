// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/list_command.h"

#include "testbenches/runner/config/text.h"
#include "testbenches/runner/run_command.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace weir::runner {

namespace fs = std::filesystem;

namespace {

std::string list_files(const fs::path& folder) {
    std::string text;
    for (const std::string& name : file_names(folder)) {
        const Document document = read_document(folder / (name + ".toml"));
        const Leaf* story = document.find("story");
        const auto* sentence =
            story == nullptr ? nullptr : std::get_if<std::string>(&story->value.data);
        text += fmt::format("{:<24} {}\n", name, sentence == nullptr ? "" : *sentence);
    }
    return text;
}

std::string list_policies(const Library& library) {
    std::string text;
    for (const PolicyEntry& policy : library.policies) {
        text += fmt::format("{:<24} {}\n", policy.name, policy.story);
    }
    return text;
}

std::string list_workloads() {
    return "iozone                   tasks that write, rewrite, read or reread a file each\n"
           "memset                   tasks that store over an anonymous region, larger than RAM "
           "if wanted\n";
}

std::vector<std::string> runs_with_waves(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder, code)) {
        if (fs::exists(entry.path() / "view.gtkw")) {
            names.push_back(entry.path().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

std::string list_text(const std::string& kind, const Library& library, ListStyle style) {
    if (kind == "scenarios") {
        return list_files(library.scenarios);
    }
    if (kind == "machines") {
        return list_files(library.machines);
    }
    if (kind == "policies") {
        return list_policies(library);
    }
    if (kind == "workloads") {
        return list_workloads();
    }
    if (kind == "keys") {
        return list_keys(style);
    }
    const std::vector<std::string> kinds{"scenarios", "machines", "policies", "workloads", "keys"};
    throw ConfigError(fmt::format("list {}: no such kind{}; known: {}", kind,
                                  did_you_mean(kind, kinds), join(kinds, ", ")));
}

std::vector<std::string> view_command(const fs::path& folder) {
    for (const char* trace : {"trace.fst", "trace.vcd"}) {
        if (fs::exists(folder / trace) && fs::exists(folder / "view.gtkw")) {
            return {"gtkwave", (folder / trace).string(), (folder / "view.gtkw").string()};
        }
    }
    const auto runs = runs_with_waves(folder);
    throw ConfigError(fmt::format(
        "{}: holds no trace.fst or trace.vcd with view.gtkw{}",
        folder.empty() ? "\"\"" : folder.string(),
        runs.empty() ? "; record one with --wave fst" : "; view one of: " + join(runs, ", ")));
}

int view(const fs::path& folder) {
    const auto words = view_command(folder);
    std::vector<char*> arguments;
    for (const std::string& word : words) {
        arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    fmt::print(stderr, "weir: {}: {}; install the package gtkwave\n", words[0],
               std::strerror(errno));
    return kExitBadInput;
}

}  // namespace weir::runner
