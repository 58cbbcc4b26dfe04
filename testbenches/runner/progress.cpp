// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/progress.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace weir::runner {

namespace {

constexpr double kPsPerS = 1e12;
constexpr double kBytesPerMib = 1048576.0;

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

size_t terminal_columns() {
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10 ? size.ws_col : 80;
}

std::string run_text(const Progress::Run& run) {
    std::string text = fmt::format("{}: {:.1f} s simulated", run.label,
                                   static_cast<double>(run.simulated_ps) / kPsPerS);
    if (run.done_bytes != 0) {
        text += fmt::format(", {:.0f}", static_cast<double>(run.done_bytes) / kBytesPerMib);
        text +=
            run.total_bytes == 0
                ? " MiB"
                : fmt::format("/{:.0f} MiB", static_cast<double>(run.total_bytes) / kBytesPerMib);
    }
    return text;
}

}  // namespace

std::string duration_text(double seconds) {
    if (seconds < 60) {
        return fmt::format("{:.1f} s", seconds);
    }
    const auto whole = static_cast<uint64_t>(seconds);
    return fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

ProgressStyle detect_progress_style() {
    return isatty(STDERR_FILENO) != 0 ? ProgressStyle::Terminal : ProgressStyle::Log;
}

Progress::Progress(ProgressStyle style, std::vector<Run> runs)
    : style_(style),
      runs_(std::move(runs)),
      begin_(std::chrono::steady_clock::now()),
      last_log_(begin_) {}

void Progress::start(size_t run) {
    runs_.at(run).running = true;
}

void Progress::update(size_t run, uint64_t simulated_ps, uint64_t done_bytes) {
    runs_.at(run).simulated_ps = simulated_ps;
    runs_.at(run).done_bytes = done_bytes;
}

void Progress::end(size_t run, const std::string& outcome) {
    runs_.at(run).running = false;
    runs_.at(run).ended = true;
    if (style_ == ProgressStyle::Quiet) {
        return;
    }
    finish();
    const auto ended =
        std::count_if(runs_.begin(), runs_.end(), [](const Run& each) { return each.ended; });
    fmt::print(stderr, "[{}/{}] {}: {}\n", ended, runs_.size(), runs_.at(run).label, outcome);
}

double Progress::fraction() const {
    double done = 0;
    for (const Run& run : runs_) {
        if (run.ended) {
            done += 1;
        } else if (run.total_bytes != 0) {
            done += std::min(
                1.0, static_cast<double>(run.done_bytes) / static_cast<double>(run.total_bytes));
        }
    }
    return runs_.empty() ? 0 : done / static_cast<double>(runs_.size());
}

std::string Progress::line() const {
    size_t ended = 0;
    std::string text;
    for (const Run& run : runs_) {
        ended += run.ended ? 1 : 0;
        if (run.running) {
            text += (text.empty() ? "" : " | ") + run_text(run);
        }
    }
    std::string head = fmt::format("[{}/{}] ", ended, runs_.size());
    const double share = fraction();
    const double elapsed = seconds_since(begin_);
    // An estimate from a hundredth of the work is noise.
    if (share > 0.01) {
        head += fmt::format("{:.0f} %, about {} left; ", 100 * share,
                            duration_text(elapsed * (1 - share) / share));
    }
    return head + text;
}

void Progress::tick() {
    constexpr double kLogPeriodS = 30;
    if (style_ == ProgressStyle::Terminal) {
        const std::string text = line().substr(0, terminal_columns() - 1);
        fmt::print(stderr, "\r\033[K{}", text);
        std::fflush(stderr);
    } else if (style_ == ProgressStyle::Log && seconds_since(last_log_) > kLogPeriodS) {
        last_log_ = std::chrono::steady_clock::now();
        fmt::print(stderr, "{}\n", line());
    }
}

void Progress::finish() {
    if (style_ == ProgressStyle::Terminal) {
        fmt::print(stderr, "\r\033[K");
        std::fflush(stderr);
    }
}

}  // namespace weir::runner
