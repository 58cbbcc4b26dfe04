// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The command stream as a text file: one line a command,
//   cycle CMD rank bankgroup bank row column
// with - for a field that the command lacks.
#pragma once

#include "sc_models/dram/core/command.h"
#include "testbenches/runner/dram/partial_file.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace weir::runner {

class CommandWriter final : public dram::CommandObserver {
  public:
    /// Errors: ConfigError if the file cannot be written.
    explicit CommandWriter(const std::filesystem::path& target);
    ~CommandWriter() override;
    CommandWriter(const CommandWriter&) = delete;
    CommandWriter& operator=(const CommandWriter&) = delete;

    /// Never fails: it may be called inside the simulator. What went wrong is told by commit().
    void on_command(const dram::CommandRecord& record) override;
    /// Ends the file and puts it in its place.
    /// Errors: ConfigError if not all could be written.
    void commit();
    uint64_t line_count() const { return line_count_; }

  private:
    void flush();

    PartialFile place_;
    int file_;
    int error_ = 0;  // errno of the first write that failed
    std::vector<char> buffer_;
    size_t used_ = 0;
    uint64_t line_count_ = 0;
};

}  // namespace weir::runner
