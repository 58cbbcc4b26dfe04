// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The repository's DRAM files, and changed copies of them in a folder of the test's own.
#pragma once

#include "testbenches/runner/config/document.h"
#include "testbenches/runner/dram/dram_config.h"
#include "testbenches/runner/dram/standard_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

namespace weir::runner {

inline const std::filesystem::path kDramFolder =
    std::filesystem::path(WEIR_SOURCE_DIR) / "testbenches/dram";
inline const std::filesystem::path kStandards = kDramFolder / "standards";

inline dram::Spec standard(const std::string& name) {
    return load_standard(kStandards / (name + ".toml"));
}

inline std::string content_of(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
}

/// The first `from` replaced by `to`, which fails the test if there is none.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

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

/// A folder that lives as long as the test.
class DramFiles : public testing::Test {
  protected:
    DramFiles() { std::filesystem::create_directories(folder_); }
    ~DramFiles() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path write(const std::string& name, const std::string& text) const {
        const std::filesystem::path file = folder_ / name;
        std::ofstream(file) << text;
        return file;
    }
    /// What loading the standard with one text replaced complains about.
    std::string complaint_about(const std::string& from, const std::string& to,
                                const std::string& name = "ddr4-2400") const {
        const std::string text = replaced(content_of(kStandards / (name + ".toml")), from, to);
        const auto file = write("changed.toml", text);
        return error_of([&] { load_standard(file); });
    }

    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("weir_dram_" + std::to_string(getpid()));
};

}  // namespace weir::runner
