// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Scenario and machine files in a scratch folder, for the runner's tests.
#pragma once

#include "testbenches/runner/config/scenario.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <unistd.h>

namespace weir::runner::test {

/// A folder with machines/ and scenarios/; removed at the end of the test.
class Files {
  public:
    Files() {
        static int count = 0;
        root = std::filesystem::temp_directory_path() /
               ("weir-runner-test-" + std::to_string(getpid()) + "-" + std::to_string(count++));
        library.machines = root / "machines";
        library.scenarios = root / "scenarios";
        std::filesystem::create_directories(library.machines);
        std::filesystem::create_directories(library.scenarios);
        library.policies = {{"2.6.32", "as released"},
                            {"2.6.32-watermark-wait", "three patches"},
                            {"2.6.33", "the next one"}};
        machine("small",
                "schema = 1\nram_mib = 64\n[kernel]\nreserved_mib = 4\n"
                "system_anon_mib = 8\n[disk]\nsize_mib = 128\n");
    }
    ~Files() { std::filesystem::remove_all(root); }
    Files(const Files&) = delete;

    void machine(const std::string& name, const std::string& text) {
        std::ofstream(library.machines / (name + ".toml")) << text;
    }
    void scenario(const std::string& name, const std::string& text) {
        std::ofstream(library.scenarios / (name + ".toml")) << text;
    }
    /// A scenario on the small machine with two rows, and more text after its workload.
    void small_scenario(const std::string& name, const std::string& more) {
        scenario(name,
                 "schema = 1\npolicies = [\"2.6.32\", \"2.6.32-watermark-wait\"]\n"
                 "[machine]\nfile = \"small\"\n[workload]\nfile_mib = 16\nthreads = 2\n" +
                     more);
    }
    Scenario load(const std::string& name, const Overrides& overrides = {}) const {
        return load_scenario(name, library, overrides);
    }

    std::filesystem::path root;
    Library library;
};

/// The message of the ConfigError that `action` throws, without the scratch folder; "" if none.
inline std::string error_of(const Files& files, const std::function<void()>& action) {
    try {
        action();
        return "";
    } catch (const ConfigError& error) {
        std::string text = error.what();
        const std::string root = files.root.string() + "/";
        for (size_t at; (at = text.find(root)) != std::string::npos;) {
            text.erase(at, root.size());
        }
        return text;
    }
}

}  // namespace weir::runner::test
