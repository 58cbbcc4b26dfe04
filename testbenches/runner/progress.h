// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What the user sees while runs are going on: one line that is rewritten on a terminal, a plain log
// otherwise, nothing when quiet. Goes to standard error, so that a table can be piped.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace weir::runner {

enum class ProgressStyle { Quiet, Log, Terminal };
/// Terminal if standard error is one.
ProgressStyle detect_progress_style();

class Progress {
  public:
    struct Run {
        std::string label;
        uint64_t total_bytes = 0;  // that will be moved; 0: not known
        uint64_t done_bytes = 0;
        uint64_t simulated_ps = 0;
        bool running = false;
        bool ended = false;
    };

    Progress(ProgressStyle style, std::vector<Run> runs);
    void start(size_t run);
    void update(size_t run, uint64_t simulated_ps, uint64_t done_bytes);
    void end(size_t run, const std::string& outcome);
    /// Redraws the line; called several times a second.
    void tick();
    /// Clears the line.
    void finish();

    /// The line as it stands, without colours.
    std::string line() const;

  private:
    /// Share of all work that is done; 0 if not known.
    double fraction() const;

    ProgressStyle style_;
    std::vector<Run> runs_;
    std::chrono::steady_clock::time_point begin_;
    std::chrono::steady_clock::time_point last_log_;
};

/// "12.3 s", "4 min 05 s".
std::string duration_text(double seconds);

}  // namespace weir::runner
