// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/dram/core/page_policy.h"

#include "sc_models/dram/core/registry.h"

namespace weir::dram {
namespace {

constexpr Maker<PagePolicy, PageConfig> kMakers[]{
    {"adaptive", make_page_adaptive},
    {"closed", make_page_closed},
    {"open", make_page_open},
    {"timeout", make_page_timeout},
};

}  // namespace

std::vector<std::string> page_policy_names() {
    return names_of(std::span<const Maker<PagePolicy, PageConfig>>(kMakers));
}

std::unique_ptr<PagePolicy> make_page_policy(const PageConfig& config) {
    return make_by_name(std::span<const Maker<PagePolicy, PageConfig>>(kMakers), "page.name",
                        config.name, config);
}

}  // namespace weir::dram
