// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A result file that appears whole or not at all: written under another name, then renamed.
#pragma once

#include <filesystem>
#include <string>

namespace weir::runner {

class PartialFile {
  public:
    /// Makes the file to write into, empty. A target that is no file or folder, like /dev/null or a
    /// pipe, is written directly.
    /// Errors: ConfigError, which begins with `option`, if it cannot be written.
    PartialFile(const std::string& option, const std::filesystem::path& target);
    /// Without commit() nothing is left.
    ~PartialFile();
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;

    /// Where to write until commit().
    const std::filesystem::path& path() const { return partial_; }
    const std::filesystem::path& target() const { return target_; }
    /// Errors: std::filesystem::filesystem_error.
    void commit();

  private:
    std::filesystem::path target_;
    std::filesystem::path partial_;
    bool pending_ = true;
};

}  // namespace weir::runner
