// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/config/text.h"
#include "testbenches/runner/dram/standard_file.h"

#include <fmt/format.h>

namespace weir::runner {

using dram::Command;
using dram::CommandSet;

std::string describe_standard(const dram::Spec& spec) {
    const auto names_of = [](CommandSet set) {
        std::vector<std::string> names;
        for (uint32_t i = 0; i < dram::kCommandCount; ++i) {
            const auto command = static_cast<Command>(i);
            if (contains(set, command)) names.emplace_back(command_name(command));
        }
        return join(names, "/");
    };
    constexpr const char* kLevels[] = {"bank", "bank group", "rank", "other ranks", "channel"};
    std::string text = fmt::format("{}: tCK {} ps, peak {} bytes/s\n", spec.name, spec.tck_ps,
                                   spec.peak_bytes_per_s());
    for (const dram::Parameter& parameter : spec.parameters) {
        const std::string ns = parameter.ns > 0 ? fmt::format("{} ns", parameter.ns) : "-";
        text += fmt::format("{:<10} {:>12} {:>8} clocks  # {}\n", parameter.name, ns,
                            parameter.clocks, parameter.source);
    }
    for (const dram::Rule& rule : spec.rules) {
        text += fmt::format("{:<23} {:<11} {} -> {}: {} clocks{}\n", rule.name,
                            kLevels[static_cast<uint32_t>(rule.level)], names_of(rule.preceding),
                            names_of(rule.following), rule.clocks,
                            rule.window > 1 ? fmt::format(", window {}", rule.window) : "");
    }
    return text;
}

}  // namespace weir::runner
