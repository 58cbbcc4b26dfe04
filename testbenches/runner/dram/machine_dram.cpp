// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/dram/machine_dram.h"

#include "testbenches/runner/config/scenario.h"
#include "testbenches/runner/config/text.h"
#include "testbenches/runner/dram/dram_config.h"

#include <cstdlib>
#include <fmt/format.h>

namespace weir::runner {

std::filesystem::path project_root() {
    const char* root = std::getenv("WEIR_ROOT");
    return root != nullptr ? root : WEIR_SOURCE_DIR;
}

std::filesystem::path dram_folder() {
    return project_root() / "testbenches" / "dram";
}

void resolve_dram(machine::DramConfig& dram, uint32_t ram_mib) {
    std::vector<std::string> settings;
    const auto put = [&](const char* key, const std::string& value) {
        if (value != "as_config") {
            settings.push_back(fmt::format("{}={}", key, value));
        }
    };
    put("scheduler.name", dram.scheduler);
    put("page.name", dram.page);
    put("refresh.name", dram.refresh);
    if (dram.power_down_after_clocks != machine::DramConfig::kAsConfig) {
        put("power_down_after_clocks", std::to_string(dram.power_down_after_clocks));
    }
    const auto file = find_file(dram.config, dram_folder(), "SDRAM configuration");
    dram.controller = load_dram_config(file, settings, dram_folder() / "standards");
    const uint64_t device_mib = dram.controller.spec.organization.bytes() >> 20;
    if (ram_mib > device_mib) {
        throw ConfigError(fmt::format(
            "machine.ram_mib = {}: more than the SDRAM of machine.dram.config = \"{}\" holds; at "
            "most {} MiB",
            ram_mib, dram.config, device_mib));
    }
}

}  // namespace weir::runner
