// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// No refresh: for closed forms and for showing what refresh costs. A real device would forget.
#include "sc_models/dram/core/refresh.h"

namespace weir::dram {
namespace {

class NoRefresh : public RefreshPolicy {
  public:
    RefreshDemand demand(uint32_t, uint64_t) override { return {}; }
    uint64_t next_clk(uint32_t) const override { return kNever; }
    void done(uint32_t) override {}
    void begin(uint64_t) override {}
};

}  // namespace

std::unique_ptr<RefreshPolicy> make_refresh_none(const ControllerConfig&) {
    return std::make_unique<NoRefresh>();
}

}  // namespace weir::dram
