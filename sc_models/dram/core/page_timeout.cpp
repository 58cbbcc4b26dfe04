// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Timeout: a row that was not used for so many clocks is closed.
#include "sc_models/dram/core/page_policy.h"

namespace weir::dram {
namespace {

class Timeout : public PagePolicy {
  public:
    explicit Timeout(const PageConfig& config) : timeout_clocks_(config.timeout_clocks) {}
    bool auto_precharge(uint32_t, bool) const override { return false; }
    uint64_t close_clk(const BankState& bank) const override {
        return bank.last_column_clk + timeout_clocks_;
    }

  private:
    uint32_t timeout_clocks_;
};

}  // namespace

std::unique_ptr<PagePolicy> make_page_timeout(const PageConfig& config) {
    return std::make_unique<Timeout>(config);
}

}  // namespace weir::dram
