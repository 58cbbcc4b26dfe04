// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/unit/machine/small_machine.h"

#include "testbenches/runner/dram/machine_dram.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace weir::test {

namespace fs = std::filesystem;

namespace {

constexpr uint64_t kMib = 1024 * 1024;

/// Keeps the ordered record in memory.
class Keeper final : public probe::Sink {
  public:
    explicit Keeper(SmallRun& run) : run_(run) {}
    void on_define(probe::SignalId id, const probe::SignalInfo& info) override {
        if (paths_.size() <= id.value) paths_.resize(id.value + 1);
        paths_[id.value] = info.path;
    }
    void on_signal(uint64_t time_ps, probe::SignalId id, uint64_t value) override {
        run_.changes.push_back({time_ps, paths_[id.value], value});
    }
    void on_event(const probe::EventRecord& record) override { run_.events.push_back(record); }

  private:
    SmallRun& run_;
    std::vector<std::string> paths_;
};

nlohmann::json read_json(const fs::path& file) {
    std::ifstream in(file);
    return nlohmann::json::parse(in);
}

}  // namespace

machine::RunConfig small_config() {
    machine::RunConfig config;
    config.machine.name = "small";
    config.machine.ram_mib = 32;
    config.machine.cpu.count = 2;
    config.machine.cpu.cost_cycles.fill(400);
    config.machine.cpu.l1 = {.size_bytes = 65'536, .ways = 4, .line_bytes = 256, .hit_cycles = 0};
    runner::resolve_dram(config.machine.dram, config.machine.ram_mib);
    config.machine.disk.size_mib = 64;
    config.machine.kernel.reserved_mib = 4;
    config.machine.kernel.system_anon_mib = 6;
    config.machine.watchdog_ms = 20'000;
    config.workload.kind = hal::WorkloadKind::Iozone;
    config.workload.threads = 2;
    config.workload.file_bytes = 24 * kMib;
    config.workload.record_bytes = 65'536;
    config.workload.phases = hal::kPhaseRead;
    config.workload.drop_caches = 1;
    config.workload.one_disk_per_task = 1;
    config.workload.verify = 1;
    config.policy = "2.6.32";
    const char* seed = std::getenv("WEIR_SEED");
    config.seed = seed ? std::strtoull(seed, nullptr, 0) : 1;
    std::printf("seed %llu\n", static_cast<unsigned long long>(config.seed));
    return config;
}

machine::RunConfig swap_config() {
    machine::RunConfig config = small_config();
    config.machine.has_swap = true;
    config.machine.swap = config.machine.disk;
    config.machine.swap.size_mib = 128;
    config.workload.kind = hal::WorkloadKind::Memset;
    config.workload.threads = 1;
    config.workload.memset_bytes = 64 * kMib;
    config.workload.memset_passes = 1;
    return config;
}

SmallRun::SmallRun(const machine::RunConfig& config, waveforms::OutputOptions options) {
    std::string pattern = (fs::temp_directory_path() / "weir-machine-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
    probe::Recorder recorder;
    Keeper keeper(*this);
    recorder.add_sink(keeper);
    waveforms::RunOutputs outputs(folder, options, recorder);
    machine::Machine machine(config, recorder);
    machine::Machine::Hooks hooks;
    hooks.every_second = [&](uint64_t simulated_ps) {
        outputs.sample_counters(simulated_ps, machine.counters());
    };
    outcome = machine.run(hooks);
    waveforms::RunFacts facts;
    facts.machine = config.machine.name;
    facts.policy = config.policy;
    facts.seed = config.seed;
    facts.simulated_ps = outcome.simulated_ps;
    facts.ending = machine::ending_name(outcome.ending);
    facts.message = outcome.message;
    facts.exit_code = outcome.exit_code;
    facts.counters = machine.counters();
    facts.devices = machine.device_stats();
    facts.kernel_events = outcome.kernel_events;
    outputs.finish(facts);
    summary = read_json(folder / "summary.json");
}

SmallRun::~SmallRun() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
}

uint64_t SmallRun::count_events(hal::Event event) const {
    uint64_t count = 0;
    for (const auto& record : events) count += record.event == event;
    return count;
}

std::string summary_of_fresh_process(const machine::RunConfig& config) {
    int ends[2];
    if (pipe(ends) != 0) return "no pipe";
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        SmallRun run(config);
        run.summary.erase("host_s");
        run.summary.erase("host_peak_rss_bytes");
        const std::string text = run.summary.dump(1);
        size_t sent = 0;
        while (sent < text.size()) {
            const ssize_t n = write(ends[1], text.data() + sent, text.size() - sent);
            if (n <= 0) break;
            sent += static_cast<size_t>(n);
        }
        close(ends[1]);
        fs::remove_all(run.folder);
        _exit(0);
    }
    close(ends[1]);
    std::string text;
    char buffer[65'536];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<size_t>(n));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) text += "\nchild ended with status " + std::to_string(status);
    return text;
}

}  // namespace weir::test
