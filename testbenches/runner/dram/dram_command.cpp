// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/dram/dram_command.h"

#include "testbenches/runner/config/key_table.h"
#include "testbenches/runner/config/scenario.h"
#include "testbenches/runner/config/text.h"
#include "testbenches/runner/dram/command_writer.h"
#include "testbenches/runner/dram/dram_config.h"
#include "testbenches/runner/dram/dram_report.h"
#include "testbenches/runner/dram/dram_run.h"
#include "testbenches/runner/dram/dram_wave.h"
#include "testbenches/runner/dram/machine_dram.h"
#include "testbenches/runner/dram/pattern.h"
#include "testbenches/runner/dram/trace_reader.h"
#include "testbenches/runner/run_command.h"

#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace weir::runner {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kRequestsDefault = 1'000'000;
constexpr uint64_t kIdleRequestsDefault = 100'000;
constexpr uint64_t kRequestsMax = 1'000'000'000'000;
constexpr uint64_t kFootprintMibDefault = 1024;
constexpr uint64_t kInitiatorsMax = 64;
constexpr uint64_t kBytesPerMib = 1 << 20;

uint64_t parse_count(const char* option, const std::string& text, uint64_t max) {
    uint64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || value == 0 || value > max) {
        throw ConfigError(fmt::format("{} {}: must be a whole number from 1 to {}", option,
                                      shortened(text), max));
    }
    return value;
}

TrafficMode parse_mode(const std::string& text) {
    if (text == "at") return TrafficMode::ApproximatelyTimed;
    if (text == "lt") return TrafficMode::LooselyTimed;
    throw ConfigError(fmt::format(
        "--mode {}: must be at (approximately timed) or lt (loosely timed)", shortened(text)));
}

/// The sources of a run and how a report names them.
struct Traffic {
    std::vector<std::unique_ptr<TrafficSource>> owned;
    std::vector<TrafficSource*> sources;  // one an initiator
    std::string name;
};

Traffic open_trace(const DramRequest& request, const dram::ControllerConfig& config,
                   uint32_t initiators) {
    for (const auto& [option, given] :
         {std::pair{"--footprint-mib", request.footprint_mib}, std::pair{"--seed", request.seed}}) {
        if (!given.empty()) {
            throw ConfigError(fmt::format("{} {}: has no meaning with --trace", option, given));
        }
    }
    TraceLimits limits;
    limits.device_bytes = config.spec.organization.bytes();
    limits.burst_bytes = config.spec.organization.access_bytes();
    if (!request.requests.empty())
        limits.requests_max = parse_count("--requests", request.requests, kRequestsMax);
    Traffic traffic;
    auto reader = std::make_unique<TraceReader>(request.trace, limits);
    traffic.name =
        fmt::format("trace {} ({})", request.trace, TraceReader::name_of(reader->format()));
    traffic.sources.assign(initiators, reader.get());
    traffic.owned.push_back(std::move(reader));
    return traffic;
}

Traffic open_pattern(const DramRequest& request, const dram::ControllerConfig& config,
                     uint32_t initiators) {
    PatternPlan plan;
    plan.pattern = parse_pattern(request.pattern);
    const uint64_t device_mib = config.spec.organization.bytes() / kBytesPerMib;
    if (request.footprint_mib.empty()) {
        plan.footprint_bytes = std::min(kFootprintMibDefault, device_mib) * kBytesPerMib;
    } else {
        plan.footprint_bytes =
            parse_count("--footprint-mib", request.footprint_mib, device_mib) * kBytesPerMib;
    }
    const bool idle = plan.pattern.kind == PatternKind::Idle;
    plan.requests = request.requests.empty()
                        ? (idle ? kIdleRequestsDefault : kRequestsDefault)
                        : parse_count("--requests", request.requests, kRequestsMax);
    plan.seed = request.seed.empty() ? 1 : parse_seed(request.seed);
    plan.initiators = initiators;
    Traffic traffic;
    traffic.name = plan.pattern.name;
    for (uint32_t i = 0; i < initiators; ++i) {
        traffic.owned.push_back(make_pattern(plan, i, config));
        traffic.sources.push_back(traffic.owned.back().get());
    }
    return traffic;
}

dram::ControllerConfig load_config(const DramRequest& request) {
    const fs::path folder = dram_folder();
    std::vector<std::string> settings = request.settings;
    if (request.check) settings.push_back("checker=true");
    return load_dram_config(find_file(request.config, folder, "SDRAM configuration"), settings,
                            folder / "standards");
}

void check_choice(const DramRequest& request) {
    if (!request.pattern.empty() && !request.trace.empty()) {
        throw ConfigError(
            fmt::format("--pattern {} and --trace {}: only one of the two may be given",
                        join(request.pattern, " "), request.trace));
    }
    if (request.pattern.empty() && request.trace.empty()) {
        throw ConfigError(
            "dram: what should it do? --pattern rand|seq|mix|idle|stride N|bank-conflict, or "
            "--trace FILE");
    }
    const fs::path commands = request.commands;
    const fs::path wave = request.wave;
    if (!wave.empty() &&
        (commands == wave || commands == fs::path(wave).replace_extension(".gtkw"))) {
        throw ConfigError(fmt::format("--commands {}: also the name of --wave {} or of its layout",
                                      request.commands, request.wave));
    }
}

}  // namespace

int run_dram(const DramRequest& request) {
    check_choice(request);
    DramRun run;
    run.config = load_config(request);
    run.mode = parse_mode(request.mode);
    run.cargo = request.bytes ? Cargo::Bytes : Cargo::TimeOnly;
    run.initiators =
        static_cast<uint32_t>(parse_count("--initiators", request.initiators, kInitiatorsMax));
    Traffic traffic = request.trace.empty() ? open_pattern(request, run.config, run.initiators)
                                            : open_trace(request, run.config, run.initiators);
    run.sources = traffic.sources;
    std::optional<CommandWriter> commands;
    if (!request.commands.empty()) run.observers.push_back(&commands.emplace(request.commands));
    std::optional<DramWave> wave;
    if (!request.wave.empty()) run.wave = &wave.emplace(request.wave, run.config.spec);

    DramOutcome outcome = run_dram_bench(run);
    if (outcome.interrupted) {
        fmt::print(stderr, "weir: interrupted; nothing was kept\n");
        return kExitInterrupted;
    }
    outcome.result.traffic = traffic.name;
    if (commands) commands->commit();
    if (wave) wave->commit(outcome.end_ps);
    fmt::print("{}", request.json ? dram_json(outcome.result) : dram_text(outcome.result));
    const bool broken = outcome.result.checker && outcome.result.checker->violations != 0;
    return broken ? kExitMachineDied : kExitAsExpected;
}

}  // namespace weir::runner
