// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Runs many child processes, a few at a time: one simulated machine is one process, because a
// SystemC model is elaborated once a process and a crash must not take its neighbours along.
// - Each child gets a pipe as file descriptor kProgressFd for lines to the parent; what it prints
//   goes to its log file.
// - Ctrl-C ends every child before run_children() returns. Children die with the parent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace weir::runner {

inline constexpr int kProgressFd = 3;

/// Catches Ctrl-C, SIGTERM and the terminal's end (SIGHUP) for as long as it lives; guards may be
/// nested.
class InterruptGuard {
  public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    /// Whether a signal came since the outermost guard began.
    static bool interrupted();
};

struct ChildJob {
    std::vector<std::string> command;  // program and arguments
    std::filesystem::path log;
};

/// How a child ended. signal 0: it exited by itself, with exit_code.
struct ChildEnd {
    bool started = false;
    int exit_code = 0;
    int signal = 0;
    uint64_t peak_rss_bytes = 0;
};

struct ChildHooks {
    std::function<void(size_t job)> on_start;
    std::function<void(size_t job, const std::string& line)> on_line;
    std::function<void(size_t job, const ChildEnd& end)> on_end;
    std::function<void()> on_tick;  // several times a second
};

struct PoolOutcome {
    std::vector<ChildEnd> ends;  // by job
    bool interrupted = false;    // as InterruptGuard catches it; the children are gone
};

/// Runs all jobs, at most `parallel` at once.
/// Errors: std::runtime_error if the host refuses a pipe or a process.
PoolOutcome run_children(const std::vector<ChildJob>& jobs, size_t parallel,
                         const ChildHooks& hooks);

}  // namespace weir::runner
