// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The folder a command writes into: filled under another name beside its place, then renamed, so
// that whoever finds it finds it whole.
#pragma once

#include <filesystem>

namespace weir::runner {

class OutputFolder {
  public:
    /// Makes the folder to write into. A folder at `target` that holds an earlier result of Weir
    /// is replaced at commit(); one that holds anything else is refused.
    /// Errors: ConfigError if it cannot be written, or would overwrite what is not ours.
    static OutputFolder create(const std::filesystem::path& target);
    /// Without commit() nothing is left. (What a killed process left, the next create() removes.)
    ~OutputFolder();
    OutputFolder(OutputFolder&& other) noexcept;
    OutputFolder(const OutputFolder&) = delete;

    /// Where to write until commit().
    const std::filesystem::path& path() const { return partial_; }
    const std::filesystem::path& target() const { return target_; }
    /// Puts the folder in its place.
    /// Errors: ConfigError if it cannot, or if what is there by now is no earlier result.
    void commit();

    /// The file that marks a folder as a whole result of Weir.
    static constexpr const char* kMarker = "table.json";

  private:
    OutputFolder(std::filesystem::path target, std::filesystem::path partial);

    std::filesystem::path target_;
    std::filesystem::path partial_;
    int lock_;  // a file descriptor: shows other runs that we live
};

}  // namespace weir::runner
