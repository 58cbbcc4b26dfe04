// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The command line of weir. Each command is a function elsewhere; here are only its options.
#include "firmware/policy/policy.h"
#include "testbenches/bench/bench_command.h"
#include "testbenches/bench/dram_bench.h"
#include "testbenches/runner/config/key_table.h"
#include "testbenches/runner/config/text.h"
#include "testbenches/runner/dram/dram_command.h"
#include "testbenches/runner/dram/dram_run.h"
#include "testbenches/runner/dram/machine_dram.h"
#include "testbenches/runner/list_command.h"
#include "testbenches/runner/run_command.h"
#include "testbenches/runner/simulate.h"
#include "waveforms/reports.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <unistd.h>

namespace weir::runner {

namespace {

namespace fs = std::filesystem;

Library make_library() {
    Library library;
    library.machines = project_root() / "testbenches" / "machines";
    library.scenarios = project_root() / "testbenches" / "scenarios";
    for (uint32_t i = 0; i < policy::policy_count(); ++i) {
        library.policies.push_back({policy::policy_at(i).name, policy::policy_at(i).story});
    }
    return library;
}

fs::path own_program() {
    return fs::read_symlink("/proc/self/exe");
}

int print_report(const RunReport& report) {
    if (report.exit_code == kExitInterrupted) {
        fmt::print(stderr, "weir: interrupted; nothing was kept\n");
        return report.exit_code;
    }
    fmt::print("{}\n{}; results in {}\n", report.table.plain(), duration_text(report.table.host_s),
               fs::proximate(report.folder).string());
    return report.exit_code;
}

/// Options as CLI11 fills them, command by command.
struct Options {
    RunRequest run;
    std::string wave;
    std::string out;
    std::string seed;
    bool quiet = false;
    std::string kind = "scenarios";
    bool markdown = false;
    std::string folder;
    std::string other_folder;
    bench::BenchRequest bench;
    bench::DramBenchRequest dram_bench;
    DramRequest dram;
};

using Command = std::function<int()>;

CLI::App* add_run(CLI::App& app, Options& options) {
    CLI::App* run = app.add_subcommand("run", "Simulate a scenario and print its table");
    run->add_option("SCENARIO", options.run.scenario, "Name, or path of a .toml file")->required();
    run->add_option("--policy", options.run.overrides.policies, "Only these rows; repeatable")
        ->type_name("P")
        ->allow_extra_args(false);
    run->add_option("--set", options.run.overrides.settings, "Set any key; repeatable")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    run->add_option("--seed", options.seed, "Seed of every random choice")->type_name("N");
    run->add_option("--jobs", options.run.jobs, "Runs at once; default: one a core")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    run->add_option("--out", options.out, "Where results go; default: out/SCENARIO")
        ->type_name("DIR");
    run->add_option("--wave", options.wave, "Format of the waveform")
        ->check(CLI::IsMember({"fst", "vcd", "none"}));
    run->add_flag("--quiet", options.quiet, "No progress");
    return run;
}

CLI::App* add_dram(CLI::App& app, DramRequest& dram) {
    CLI::App* command = app.add_subcommand(
        "dram", "Run the SDRAM controller alone and say what bounds its bandwidth");
    const auto text = [&](const char* name, std::string& target, const char* type,
                          const char* help) {
        command->add_option(name, target, help)->type_name(type);
    };
    command
        ->add_option("--pattern", dram.pattern,
                     "rand, seq, mix, idle, stride N (bytes) or bank-conflict")
        ->type_name("P")
        ->expected(1, 2);
    text("--trace", dram.trace, "FILE", "Requests from a file: plain, DRAMsim3 or Ramulator");
    text("--config", dram.config, "C", "Name, or path of a .toml file; default: the reference");
    command->add_option("--set", dram.settings, "Set any key of it; repeatable")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    text("--requests", dram.requests, "N", "Default: 1000000; idle 100000; a trace: all");
    text("--footprint-mib", dram.footprint_mib, "N", "Of a pattern, from address 0; default: 1024");
    text("--seed", dram.seed, "N", "Of a pattern; default: 1");
    text("--mode", dram.mode, "at|lt", "Approximately timed (default) or loosely timed");
    text("--initiators", dram.initiators, "N", "Who share the requests; default: 1");
    text("--commands", dram.commands, "FILE", "Write every command: one a line");
    text("--wave", dram.wave, "FILE.fst", "Write a waveform, and its GTKWave layout beside it");
    command->add_flag("--check", dram.check, "Bind the independent checker");
    command->add_flag("--bytes", dram.bytes, "Also move the bytes, and check what is read");
    command->add_flag("--json", dram.json, "Print one JSON object");
    return command;
}

int run_command(Options& options, const CLI::App& run) {
    RunRequest& request = options.run;
    if (run.count("--seed") != 0) {
        request.overrides.seed = parse_seed(options.seed);
    }
    if (!options.wave.empty()) {
        request.overrides.settings.push_back("record.wave=" + options.wave);
    }
    if (run.count("--out") != 0) {
        request.out = options.out;
    }
    request.progress = options.quiet ? ProgressStyle::Quiet : detect_progress_style();
    request.program = own_program();
    return print_report(run_scenario(request, make_library()));
}

/// Builds the commands; each entry pairs a subcommand with what it does.
std::vector<std::pair<CLI::App*, Command>> add_commands(CLI::App& app, Options& options) {
    std::vector<std::pair<CLI::App*, Command>> commands;
    CLI::App* run = add_run(app, options);
    commands.emplace_back(run, [&options, run] { return run_command(options, *run); });

    CLI::App* list = app.add_subcommand("list", "List what there is to choose from");
    list->add_option("KIND", options.kind, "scenarios, machines, policies, workloads or keys");
    list->add_flag("--markdown", options.markdown, "As a table (keys)");
    commands.emplace_back(list, [&options] {
        const ListStyle style = options.markdown ? ListStyle::Markdown : ListStyle::Plain;
        fmt::print("{}", list_text(options.kind, make_library(), style));
        return kExitAsExpected;
    });

    CLI::App* stalls = app.add_subcommand("stalls", "Timing analysis of the naps of a run");
    stalls->add_option("DIR", options.folder)->required();
    commands.emplace_back(stalls, [&options] {
        fmt::print("{}", waveforms::stalls_report(options.folder));
        return kExitAsExpected;
    });

    CLI::App* compare = app.add_subcommand("compare", "Two runs side by side");
    compare->add_option("DIR", options.folder)->required();
    compare->add_option("DIR2", options.other_folder)->required();
    commands.emplace_back(compare, [&options] {
        fmt::print("{}", waveforms::compare_report(options.folder, options.other_folder));
        return kExitAsExpected;
    });

    CLI::App* show = app.add_subcommand("view", "Open the waveform of a run in GTKWave");
    show->add_option("DIR", options.folder)->required();
    commands.emplace_back(show, [&options] { return view(options.folder); });

    CLI::App* dram = add_dram(app, options.dram);
    commands.emplace_back(dram, [&options] { return run_dram(options.dram); });

    CLI::App* measure = app.add_subcommand("bench", "Measure the simulator's own speed");
    measure->add_option("SCENARIO", options.bench.scenario,
                        "Default: iozone-2010; dram: the SDRAM controller alone");
    measure->add_option("--jobs", options.bench.jobs, "Runs at once; default: one a core")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    measure->add_flag("--micro", options.bench.micro, "Parts of the simulator by themselves");
    measure->add_flag("--long", options.dram_bench.long_runs, "dram: also 10 M requests");
    commands.emplace_back(measure, [&options] {
        if (options.bench.scenario == "dram") {
            options.dram_bench.program = own_program();
            return bench::run_dram_bench(options.dram_bench);
        }
        options.bench.program = own_program();
        return bench::run_bench(options.bench, make_library());
    });

    CLI::App* child = app.add_subcommand("simulate", "")->group("");
    child->add_option("DIR", options.folder)->required();
    commands.emplace_back(child, [&options] { return simulate(options.folder); });
    return commands;
}

void refuse_unknown_command(int argc, char** argv,
                            const std::vector<std::pair<CLI::App*, Command>>& commands) {
    if (argc < 2 || argv[1][0] == '-') {
        return;
    }
    std::vector<std::string> names{"test"};  // the launcher's own
    for (const auto& [app, command] : commands) {
        if (app->get_name() == argv[1]) {
            return;
        }
        if (app->get_name() != "simulate") {
            names.push_back(app->get_name());
        }
    }
    throw ConfigError(fmt::format("{}: no such command{}; known: {}", argv[1],
                                  did_you_mean(argv[1], names), join(names, ", ")));
}

/// The command's exit code, if what it printed has arrived.
int printed(int exit_code) {
    if (std::fflush(stdout) != 0) {
        throw std::runtime_error(std::string("standard output: ") + std::strerror(errno));
    }
    return exit_code;
}

int run_main(int argc, char** argv) {
    CLI::App app(
        "Weir: where does the time go when a machine under memory pressure waits for its "
        "disks?\nExit codes: 0 as expected, 1 an expectation failed, 2 bad usage or "
        "input, 3 the simulated machine died or lost data.",
        "weir");
    app.require_subcommand(1);
    Options options;
    const auto commands = add_commands(app, options);
    try {
        refuse_unknown_command(argc, argv, commands);
        app.parse(argc, argv);
        for (const auto& [subcommand, command] : commands) {
            if (subcommand->parsed()) {
                return printed(command());
            }
        }
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? kExitAsExpected : kExitBadInput;
    } catch (const ConfigError& error) {
        fmt::print(stderr, "weir: {}\n", error.what());
        return kExitBadInput;
    } catch (const DramStuck& error) {
        fmt::print(stderr, "weir: {}\n", error.what());
        return kExitMachineDied;
    } catch (const waveforms::ReportError& error) {
        fmt::print(stderr, "weir: {}\n", error.what());
        return kExitBadInput;
    } catch (const std::exception& error) {
        fmt::print(stderr, "weir: {}\n", error.what());
        return kExitBadInput;
    }
    return kExitBadInput;
}

}  // namespace

}  // namespace weir::runner

int main(int argc, char** argv) {
    return weir::runner::run_main(argc, argv);
}
