// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A folder of the test's own, and messages of refusals.
#pragma once

#include "testbenches/runner/config/document.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace weir::runner {

inline const std::filesystem::path kDramFolder =
    std::filesystem::path(WEIR_SOURCE_DIR) / "testbenches/dram";

/// The text of the ConfigError that `action` ends with; empty if it succeeds.
template <typename Action>
std::string error_of(Action action) {
    try {
        action();
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

inline std::string content_of(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
}

/// A folder that lives as long as the test.
class Scratch : public testing::Test {
  protected:
    Scratch() { std::filesystem::create_directories(folder_); }
    ~Scratch() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path write(const std::string& name, const std::string& text) const {
        const std::filesystem::path file = folder_ / name;
        std::ofstream(file) << text;
        return file;
    }
    std::vector<std::string> names() const {
        std::vector<std::string> result;
        for (const auto& entry : std::filesystem::directory_iterator(folder_))
            result.push_back(entry.path().filename().string());
        return result;
    }

    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("weir_dram_" + std::to_string(getpid()));
};

}  // namespace weir::runner
