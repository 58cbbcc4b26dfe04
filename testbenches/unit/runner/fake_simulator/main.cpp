// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Stands in for `weir simulate` in the runner's tests: writes the summary.json that the spec asks
// for, or misbehaves. The seed says how:
//   13 crashes, 14 ends as a panicked machine, 15 loses data, 16 refuses the configuration,
//   17 leaves a truncated summary, 18 never ends, 19 warns; anything else is a good run.
// Throughput: 1000 kB/s a thread, half as much again for a policy with "watermark" in its name.
#include "testbenches/runner/child_pool.h"
#include "testbenches/runner/simulate.h"
#include "testbenches/runner/spec.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unistd.h>

namespace {

using weir::runner::RunSpec;

nlohmann::json summary_of(const RunSpec& spec) {
    const uint64_t seed = spec.plan.settings.run.seed;
    const bool watermark = spec.plan.policy.find("watermark") != std::string::npos;
    nlohmann::json json;
    json["policy"] = spec.plan.policy;
    json["ending"] = {{"kind", seed == 14 ? "panicked" : "powered_off"},
                      {"exit_code", 0},
                      {"message", seed == 14 ? "out of frames" : ""}};
    json["simulated_s"] = 2.0;
    json["host_s"] = 0.5;
    json["metrics"] = {
        {"throughput_kBps", spec.plan.settings.run.workload.threads * (watermark ? 1500 : 1000)},
        {"pages_wrong", seed == 15 ? 3 : 0}};
    const char* waker = watermark ? "watermark" : "timer";
    json["naps"]["allocator_retry"] = {
        {"count", 10}, {"total_us", 200'000}, {"woken_by", {{waker, 10}}}};
    json["devices"] = {{{"name", "disk0"}, {"util_pct", 20.0}},
                       {{"name", "disk1"}, {"util_pct", 40.0}}};
    if (seed == 19) {
        json["record"]["warnings"] = {"trace.fst is empty"};
    }
    return json;
}

std::string read_file(const std::filesystem::path& path) {
    std::stringstream content;
    content << std::ifstream(path).rdbuf();
    return content.str();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        return 1;
    }
    const std::filesystem::path folder = argv[2];
    const RunSpec spec = weir::runner::read_spec(read_file(folder / "spec.json"));
    const char line[] = "p 1000000000000 4096\n";
    if (write(weir::runner::kProgressFd, line, sizeof line - 1) < 0) {
        return 1;
    }
    switch (spec.plan.settings.run.seed) {
        case 13:
            std::fputs("about to crash\n", stderr);
            std::abort();
        case 16:
            std::fputs("machine.ram_mib: the model refuses it\n", stderr);
            return weir::runner::kChildBadConfig;
        case 17:
            std::ofstream(folder / "summary.json") << "{\"policy\": \"2.";
            return weir::runner::kChildDone;
        case 18:
            pause();
            return 1;
        default:
            std::ofstream(folder / "summary.json") << summary_of(spec).dump();
            return weir::runner::kChildDone;
    }
}
