// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/simulate.h"

#include "firmware/kernel/counters.h"
#include "firmware/workload/workload.h"
#include "sc_models/machine/machine.h"
#include "testbenches/runner/child_pool.h"
#include "testbenches/runner/spec.h"
#include "waveforms/run_outputs.h"

#include <chrono>
#include <fmt/format.h>
#include <fstream>
#include <malloc.h>
#include <sstream>
#include <stdexcept>
#include <sys/resource.h>
#include <unistd.h>

namespace weir::runner {

namespace {

constexpr uint64_t kPsPerMs = 1'000'000'000;

/// Sends one line to the parent. A parent that is gone is not worth an error: it ends us.
void send(const std::string& line) {
    const ssize_t sent = write(kProgressFd, line.data(), line.size());
    static_cast<void>(sent);
}

std::string read_file(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::stringstream content;
    content << stream.rdbuf();
    return content.str();
}

uint64_t peak_rss_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

/// Why the firmware powered off with an exit code: an Outcome of firmware/workload, which carries
/// no text of its own. Empty for success.
std::string exit_reason(int exit_code, const std::vector<uint64_t>& counters) {
    const auto count = [&](kernel::VmCounter counter) {
        const auto index = static_cast<size_t>(counter);
        return index < counters.size() ? counters[index] : 0;
    };
    using kernel::VmCounter;
    using workload::Outcome;
    switch (exit_code) {
        case static_cast<int>(Outcome::Ok):
            return "";
        case static_cast<int>(Outcome::DataMismatch):
            return fmt::format("a task read wrong data (pages_wrong = {})",
                               count(VmCounter::PagesWrong));
        case static_cast<int>(Outcome::IoError):
            return fmt::format("a task got an I/O error (io_errors = {}, io_timeouts = {})",
                               count(VmCounter::IoErrors), count(VmCounter::IoTimeouts));
        case static_cast<int>(Outcome::Killed): {
            const uint64_t kills = count(VmCounter::OomKills);
            return fmt::format("{} {} killed: no memory and no swap left (oom_kill = {})", kills,
                               kills == 1 ? "task was" : "tasks were", kills);
        }
        default:
            return "the firmware gave no reason";
    }
}

waveforms::MemoryFacts memory_facts(const machine::MemoryStats& stats, uint64_t simulated_ps) {
    const dram::ChannelStats& channel = stats.channel;
    const double clock_ns = stats.spec.tck_ps * 1e-3;
    waveforms::MemoryFacts facts;
    facts.standard = stats.spec.name;
    facts.reads = channel.read.requests;
    facts.writes = channel.write.requests;
    facts.row_hits = channel.row_hits;
    facts.row_misses = channel.row_misses;
    facts.row_conflicts = channel.row_conflicts;
    facts.refreshes = channel.commands[static_cast<size_t>(dram::Command::Ref)] +
                      channel.commands[static_cast<size_t>(dram::Command::Refpb)];
    const double clocks = static_cast<double>(simulated_ps) / stats.spec.tck_ps;
    if (clocks > 0) {
        facts.bus_utilisation_pct = 100.0 * static_cast<double>(channel.data_bus_clocks) / clocks;
    }
    facts.read_latency_ns = channel.read.latency.mean() * clock_ns;
    facts.write_latency_ns = channel.write.latency.mean() * clock_ns;
    if (stats.audit) {
        facts.audit = {stats.audit->accesses, stats.audit->commands, stats.audit->violations,
                       stats.audit->loose_mean_clocks * clock_ns,
                       stats.audit->command_level_mean_clocks * clock_ns};
    }
    return facts;
}

waveforms::RunFacts facts_of(const RunSpec& spec, const machine::RunOutcome& outcome,
                             const machine::Machine& machine) {
    waveforms::RunFacts facts;
    facts.scenario = spec.scenario;
    facts.machine = spec.machine;
    facts.policy = spec.plan.policy;
    facts.variant = spec.plan.variant;
    facts.params = spec.plan.params;
    facts.seed = spec.plan.settings.run.seed;
    facts.simulated_ps = outcome.simulated_ps;
    facts.ending = machine::ending_name(outcome.ending);
    facts.message = outcome.message;
    facts.exit_code = outcome.exit_code;
    facts.counters = machine.counters();
    if (outcome.ending == machine::Ending::PoweredOff && facts.message.empty()) {
        facts.message = exit_reason(outcome.exit_code, facts.counters);
    }
    facts.devices = machine.device_stats();
    facts.memory = memory_facts(machine.memory_stats(), outcome.simulated_ps);
    facts.kernel_events = outcome.kernel_events;
    facts.peak_rss_bytes = peak_rss_bytes();
    return facts;
}

/// Freed memory stays with the process: the waveform writer takes and frees its blocks every few
/// megabytes, and the host would clear their pages anew each time (measured: 8 % of a run).
void keep_freed_memory() {
    constexpr int kKeepBytes = 256 << 20;
    mallopt(M_TRIM_THRESHOLD, kKeepBytes);
    mallopt(M_MMAP_THRESHOLD, kKeepBytes);
}

void run_machine(const RunSpec& spec, const std::filesystem::path& folder) {
    const auto begin = std::chrono::steady_clock::now();
    keep_freed_memory();
    probe::Recorder recorder;
    waveforms::RunOutputs outputs(folder, spec.plan.settings.record, recorder);
    machine::Machine machine(spec.plan.settings.run, recorder);
    machine::Machine::Hooks hooks;
    hooks.on_progress = [](const machine::Progress& progress) {
        send(fmt::format("p {} {}\n", progress.simulated_ps, progress.bytes_done));
    };
    hooks.every_second = [&](uint64_t simulated_ps) {
        outputs.sample_counters(simulated_ps, machine.counters());
    };
    hooks.time_limit_ps = spec.plan.settings.time_limit_ms * kPsPerMs;
    const machine::RunOutcome outcome = machine.run(hooks);
    waveforms::RunFacts facts = facts_of(spec, outcome, machine);
    facts.host_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    outputs.finish(facts);
    send(fmt::format("e {:.3f} {} {} {}\n", facts.host_s, facts.peak_rss_bytes, facts.kernel_events,
                     facts.simulated_ps));
}

}  // namespace

int simulate(const std::filesystem::path& folder) {
    try {
        run_machine(read_spec(read_file(folder / "spec.json")), folder);
        return kChildDone;
    } catch (const std::invalid_argument& error) {
        fmt::print(stderr, "{}\n", error.what());
        return kChildBadConfig;
    } catch (const ConfigError& error) {
        fmt::print(stderr, "{}\n", error.what());
        return kChildBadConfig;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return kChildOutputFailed;
    }
}

}  // namespace weir::runner
