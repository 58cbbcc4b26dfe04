// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/run_command.h"

#include "testbenches/runner/child_pool.h"
#include "testbenches/runner/config/key_table.h"
#include "testbenches/runner/output_folder.h"
#include "testbenches/runner/simulate.h"
#include "testbenches/runner/spec.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <thread>

namespace weir::runner {

namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::stringstream content;
    content << stream.rdbuf();
    return content.str();
}

void write_file(const fs::path& path, const std::string& text) {
    std::ofstream stream(path, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream) {
        throw ConfigError(fmt::format("{}: cannot be written", path.string()));
    }
}

/// The last lines of a log, in one.
std::string log_tail(const fs::path& log) {
    constexpr size_t kTailBytes = 600;
    std::string text = read_file(log);
    text.erase(text.find_last_not_of(" \n") + 1);
    if (text.size() > kTailBytes) {
        text = "... " + text.substr(text.size() - kTailBytes);
    }
    return text.empty() ? "nothing was printed" : text;
}

/// Bytes that a run will move; 0 if that depends on the policy.
uint64_t expected_bytes(const hal::WorkloadInfo& workload) {
    if (workload.kind != hal::WorkloadKind::Iozone) {
        return 0;
    }
    return static_cast<uint64_t>(std::popcount(workload.phases)) * workload.threads *
           workload.file_bytes;
}

std::vector<ChildJob> prepare_runs(const Scenario& scenario, const std::vector<RunPlan>& plans,
                                   const RunRequest& request, const fs::path& folder) {
    std::vector<ChildJob> jobs;
    for (const RunPlan& plan : plans) {
        const fs::path run_folder = folder / plan.folder;
        std::error_code code;
        fs::create_directory(run_folder, code);
        if (code) {
            throw ConfigError(fmt::format("{}: {}", run_folder.string(), code.message()));
        }
        write_file(run_folder / "spec.json", write_spec({scenario.name, scenario.machine, plan}));
        write_file(run_folder / "config.txt", print(plan.settings));
        jobs.push_back(
            {{request.program.string(), "simulate", run_folder.string()}, run_folder / "log.txt"});
    }
    return jobs;
}

std::vector<Progress::Run> progress_runs(const std::vector<RunPlan>& plans) {
    std::vector<Progress::Run> runs;
    for (const RunPlan& plan : plans) {
        Progress::Run run;
        run.label = plan.folder;
        run.total_bytes = expected_bytes(plan.settings.run.workload);
        runs.push_back(run);
    }
    return runs;
}

void take_line(Progress& progress, size_t job, const std::string& line) {
    std::istringstream words(line);
    std::string kind;
    uint64_t simulated_ps = 0;
    uint64_t bytes = 0;
    if (words >> kind >> simulated_ps >> bytes && kind == "p") {
        progress.update(job, simulated_ps, bytes);
    }
}

std::string end_text(const ChildEnd& end, double host_s) {
    if (end.signal != 0) {
        return fmt::format("crashed: {}", strsignal(end.signal));
    }
    return end.exit_code == kChildDone ? fmt::format("done in {}", duration_text(host_s))
                                       : fmt::format("failed with code {}", end.exit_code);
}

PoolOutcome simulate_all(const RunRequest& request, const std::vector<RunPlan>& plans,
                         const std::vector<ChildJob>& jobs) {
    using Clock = std::chrono::steady_clock;
    Progress progress(request.progress, progress_runs(plans));
    std::vector<Clock::time_point> begins(jobs.size());
    ChildHooks hooks;
    hooks.on_start = [&](size_t job) {
        begins[job] = Clock::now();
        progress.start(job);
    };
    hooks.on_line = [&](size_t job, const std::string& line) { take_line(progress, job, line); };
    hooks.on_end = [&](size_t job, const ChildEnd& end) {
        const double host_s = std::chrono::duration<double>(Clock::now() - begins[job]).count();
        progress.end(job, end_text(end, host_s));
    };
    hooks.on_tick = [&] { progress.tick(); };
    const size_t cores = std::max(1u, std::thread::hardware_concurrency());
    const PoolOutcome outcome = run_children(jobs, request.jobs == 0 ? cores : request.jobs, hooks);
    progress.finish();
    return outcome;
}

/// Reads what one run left; the second is what went wrong, if anything.
std::pair<RunResult, RunEnding> gather(const RunPlan& plan, const ChildEnd& end,
                                       const fs::path& folder,
                                       const std::vector<Expectation>& expectations) {
    RunResult run{plan.row, plan.variant, plan.params, {}};
    RunEnding ending{plan.folder, ""};
    const fs::path log = folder / plan.folder / "log.txt";
    if (end.signal != 0) {
        ending.trouble =
            fmt::format("the simulator crashed ({}): {}", strsignal(end.signal), log_tail(log));
        return {run, ending};
    }
    if (end.exit_code != kChildDone) {
        ending.trouble = log_tail(log);
        return {run, ending};
    }
    try {
        run.metrics = Metrics::parse(read_file(folder / plan.folder / "summary.json"));
        ending.trouble = unexpected_ending(run, expectations);
        ending.warnings = run.metrics.warnings();
    } catch (const std::runtime_error& error) {
        ending.trouble = error.what();
    }
    return {run, ending};
}

int exit_code_of(const ResultTable& table) {
    for (const RunEnding& ending : table.endings) {
        if (!ending.trouble.empty()) {
            return kExitMachineDied;
        }
    }
    for (const Judgement& judgement : table.judgements) {
        if (judgement.verdict == Verdict::Fail) {
            return kExitExpectationFailed;
        }
    }
    return kExitAsExpected;
}

void refuse_bad_configs(const std::vector<RunPlan>& plans, const PoolOutcome& outcome,
                        const fs::path& folder) {
    for (size_t i = 0; i < plans.size(); ++i) {
        const ChildEnd& end = outcome.ends[i];
        if (end.signal == 0 &&
            (end.exit_code == kChildBadConfig || end.exit_code == kChildOutputFailed)) {
            throw ConfigError(plans[i].folder + ": " +
                              log_tail(folder / plans[i].folder / "log.txt"));
        }
        if (end.signal == 0 && end.exit_code == 127) {
            throw ConfigError(plans[i].folder + ": the simulator could not be started");
        }
    }
}

bool expects(const std::vector<Expectation>& expectations, const RunResult& run,
             std::string_view figure) {
    return std::any_of(expectations.begin(), expectations.end(), [&](const Expectation& each) {
        return each.metric.find(figure) != std::string::npos &&
               (each.policy.empty() || each.policy == run.row);
    });
}

ResultTable tabulate(const Scenario& scenario, const std::vector<RunPlan>& plans,
                     const PoolOutcome& outcome, const fs::path& folder) {
    ResultTable table;
    table.scenario = scenario.name;
    table.story = scenario.story;
    table.machine = scenario.machine;
    table.seed = scenario.settings.run.seed;
    for (size_t i = 0; i < plans.size(); ++i) {
        auto [run, ending] = gather(plans[i], outcome.ends[i], folder, scenario.expectations);
        table.runs.push_back(std::move(run));
        table.endings.push_back(std::move(ending));
    }
    table.expectations = scenario.expectations;
    const bool base_ran =
        std::any_of(table.runs.begin(), table.runs.end(),
                    [&](const RunResult& run) { return run.row == scenario.base_row; });
    table.base_row = base_ran ? scenario.base_row : table.runs.front().row;
    table.judgements = judge(table.expectations, table.runs, scenario.base_row);
    return table;
}

}  // namespace

std::string unexpected_ending(const RunResult& run, const std::vector<Expectation>& expectations) {
    const auto text = [&](const char* path) {
        const auto value = run.metrics.find(path);
        const auto* word = value ? std::get_if<std::string>(&*value) : nullptr;
        return word == nullptr ? std::string() : *word;
    };
    const std::string kind = text("ending.kind");
    const double exit_code = run.metrics.number("ending.exit_code").value_or(0);
    if ((kind != "powered_off" || exit_code != 0) && !expects(expectations, run, "ending.")) {
        // Only a firmware that powered off has given an exit code.
        const std::string end =
            kind == "powered_off" ? fmt::format("exit code {}", exit_code) : kind;
        return fmt::format("the machine ended with {}: {}", end, text("ending.message"));
    }
    constexpr const char* kLosses[] = {"pages_wrong", "data_mismatches", "lost_writes"};
    for (const char* loss : kLosses) {
        const double count = run.metrics.number(std::string("metrics.") + loss).value_or(0);
        if (count != 0 && !expects(expectations, run, loss)) {
            return fmt::format("data was lost: {} = {}", loss, count);
        }
    }
    return "";
}

RunReport run_scenario(const RunRequest& request, const Library& library) {
    const auto begin = std::chrono::steady_clock::now();
    const Scenario scenario = load_scenario(request.scenario, library, request.overrides);
    const std::vector<RunPlan> plans = expand(scenario);
    const InterruptGuard guard;  // until the results are in place: half of them are none
    OutputFolder folder =
        OutputFolder::create(request.out.value_or(fs::path("out") / scenario.name));
    const auto jobs = prepare_runs(scenario, plans, request, folder.path());
    const PoolOutcome outcome = simulate_all(request, plans, jobs);
    RunReport report;
    if (outcome.interrupted) {
        report.exit_code = kExitInterrupted;
        return report;
    }
    refuse_bad_configs(plans, outcome, folder.path());
    report.table = tabulate(scenario, plans, outcome, folder.path());
    report.table.host_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    report.exit_code = exit_code_of(report.table);
    write_file(folder.path() / "table.md", report.table.markdown());
    write_file(folder.path() / OutputFolder::kMarker, report.table.json());
    if (InterruptGuard::interrupted()) {
        RunReport nothing;
        nothing.exit_code = kExitInterrupted;
        return nothing;
    }
    folder.commit();
    report.folder = folder.target();
    return report;
}

}  // namespace weir::runner
