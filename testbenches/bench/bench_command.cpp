// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/bench/bench_command.h"

#include "testbenches/runner/output_folder.h"
#include "testbenches/runner/report/text_table.h"
#include "testbenches/runner/run_command.h"

#include <chrono>
#include <fmt/format.h>
#include <unistd.h>

namespace weir::bench {

namespace {

namespace fs = std::filesystem;
using runner::RunReport;
using runner::RunRequest;

constexpr double kBytesPerMib = 1048576.0;

/// A folder for what a benchmark simulates; removed at the end.
class ScratchFolder {
  public:
    ScratchFolder() : path_(fs::temp_directory_path() / fmt::format("weir-bench-{}", getpid())) {
        fs::create_directories(path_);
    }
    ~ScratchFolder() {
        std::error_code code;
        fs::remove_all(path_, code);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

RunRequest make_request(const BenchRequest& bench, const fs::path& out,
                        std::vector<std::string> policies, std::vector<std::string> settings) {
    RunRequest request;
    request.scenario = bench.scenario;
    request.overrides.policies = std::move(policies);
    request.overrides.settings = std::move(settings);
    request.jobs = bench.jobs;
    request.out = out;
    request.progress = runner::detect_progress_style();
    request.program = bench.program;
    return request;
}

double pages_of(const runner::RunResult& run) {
    return run.metrics.number("pages_in").value_or(0) + run.metrics.number("pages_out").value_or(0);
}

void print_runs(const RunReport& report) {
    runner::TextTable table({"run", "simulated s", "host s", "sim/host", "pages/host s", "us/page",
                             "events/page", "peak MiB"});
    double pages = 0;
    double host_s = 0;
    for (size_t i = 0; i < report.table.runs.size(); ++i) {
        const runner::RunResult& run = report.table.runs[i];
        const double simulated = run.metrics.number("simulated_s").value_or(0);
        const double host = run.metrics.number("host_s").value_or(0);
        const double run_pages = pages_of(run);
        const double events = run.metrics.number("record.kernel_events").value_or(0);
        pages += run_pages;
        host_s += host;
        table.add({report.table.endings[i].folder, fmt::format("{:.2f}", simulated),
                   fmt::format("{:.2f}", host), fmt::format("{:.2f}", simulated / host),
                   fmt::format("{:.0f}", run_pages / host),
                   fmt::format("{:.2f}", 1e6 * host / run_pages),
                   fmt::format("{:.2f}", events / run_pages),
                   fmt::format("{:.0f}", run.metrics.number("host_peak_rss_bytes").value_or(0) /
                                             kBytesPerMib)});
    }
    fmt::print(
        "{}\nall runs: {:.1f} s by the clock, {:.1f} s of host CPU runs, {:.0f} pages a "
        "host second of a run\n",
        table.plain(), report.table.host_s, host_s, pages / host_s);
}

double total_host_s(const RunReport& report) {
    double host_s = 0;
    for (const runner::RunResult& run : report.table.runs) {
        host_s += run.metrics.number("host_s").value_or(0);
    }
    return host_s;
}

/// The price of the waveform on a smaller experiment: the same runs with and without, alone on the
/// host, each form twice with the better time taken.
void print_wave_cost(const BenchRequest& bench, const runner::Library& library,
                     const fs::path& scratch) {
    const auto best = [&](const char* wave) {
        double best_s = 0;
        for (int attempt = 0; attempt < 2; ++attempt) {
            RunRequest request = make_request(
                bench, scratch / "wave", {"2.6.32"},
                {"workload.threads=4", "workload.file_mib=256", "machine.disk.size_mib=512",
                 "record.window_begin_ms=0", "record.window_end_ms=end",
                 std::string("record.wave=") + wave, "record.ftrace=false"});
            request.jobs = 1;
            const double host_s = total_host_s(run_scenario(request, library));
            best_s = attempt == 0 ? host_s : std::min(best_s, host_s);
        }
        return best_s;
    };
    const double without = best("none");
    const double with = best("fst");
    fmt::print("waveform: {:.2f} s without, {:.2f} s with FST of everything: ratio {:.2f}\n",
               without, with, with / without);
}

int run_micro(const BenchRequest& request) {
    const std::string program = (request.program.parent_path() / "weir_micro_bench").string();
    execl(program.c_str(), program.c_str(), nullptr);
    fmt::print(stderr, "weir: {}: cannot be started; was it built?\n", program);
    return runner::kExitBadInput;
}

}  // namespace

int run_bench(const BenchRequest& request, const runner::Library& library) {
    if (request.micro) {
        return run_micro(request);
    }
    const ScratchFolder scratch;
    const RunReport report = run_scenario(
        make_request(request, scratch.path() / "full", {"2.6.32", "2.6.32-watermark-wait"},
                     {"record.wave=none", "record.ftrace=false"}),
        library);
    if (report.exit_code == runner::kExitInterrupted ||
        report.exit_code == runner::kExitMachineDied) {
        fmt::print(stderr, "{}", report.table.plain());
        return report.exit_code;
    }
    print_runs(report);
    print_wave_cost(request, library, scratch.path());
    return runner::kExitAsExpected;
}

}  // namespace weir::bench
