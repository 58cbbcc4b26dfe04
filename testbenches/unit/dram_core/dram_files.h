// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The repository's DRAM files, and changed copies of them in a folder of the test's own.
#pragma once

#include "testbenches/runner/dram/dram_config.h"
#include "testbenches/runner/dram/standard_file.h"
#include "testbenches/unit/dram_command/scratch.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace weir::runner {

inline const std::filesystem::path kStandards = kDramFolder / "standards";

inline dram::Spec standard(const std::string& name) {
    return load_standard(kStandards / (name + ".toml"));
}

/// The first `from` replaced by `to`, which fails the test if there is none.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// Changed copies in a folder of the test's own.
class DramFiles : public Scratch {
  protected:
    /// What loading the standard with one text replaced complains about.
    std::string complaint_about(const std::string& from, const std::string& to,
                                const std::string& name = "ddr4-2400") const {
        const std::string text = replaced(content_of(kStandards / (name + ".toml")), from, to);
        const auto file = write("changed.toml", text);
        return error_of([&] { load_standard(file); });
    }
};

}  // namespace weir::runner
