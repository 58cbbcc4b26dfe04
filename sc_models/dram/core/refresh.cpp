// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/dram/core/refresh.h"

#include "sc_models/dram/core/registry.h"

namespace weir::dram {
namespace {

constexpr Maker<RefreshPolicy, ControllerConfig> kMakers[]{
    {"all_bank", make_refresh_all_bank},
    {"none", make_refresh_none},
    {"per_bank", make_refresh_per_bank},
};

}  // namespace

std::vector<std::string> refresh_names() {
    return names_of(std::span<const Maker<RefreshPolicy, ControllerConfig>>(kMakers));
}

std::unique_ptr<RefreshPolicy> make_refresh(const ControllerConfig& config) {
    return make_by_name(std::span<const Maker<RefreshPolicy, ControllerConfig>>(kMakers),
                        "refresh.name", config.refresh.name, config);
}

}  // namespace weir::dram
