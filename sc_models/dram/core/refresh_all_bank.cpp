// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// All-bank refresh, one each tREFI a rank, ranks out of step by an equal share. Up to postpone_max
// may be owed while requests wait; up to pull_in_max are done ahead while none do.
#include "sc_models/dram/core/refresh.h"

#include <algorithm>

namespace weir::dram {
namespace {

class AllBank : public RefreshPolicy {
  public:
    explicit AllBank(const ControllerConfig& config)
        // At the standard's own limit a refresh must go out before the next one is due.
        : limits_{std::min(config.refresh.postpone_max,
                           std::max(1u, config.spec.refresh_postpone_max) - 1),
                  config.refresh.pull_in_max, std::max(1u, config.spec.refresh_postpone_max)} {
        const uint32_t ranks = config.spec.organization.ranks;
        const uint64_t interval = config.spec.trefi_clocks;
        for (uint32_t rank = 0; rank < ranks; ++rank)
            debts_.emplace_back(interval - interval * rank / ranks, interval);
    }

    RefreshDemand demand(uint32_t rank, uint64_t clk) override {
        debts_[rank].advance(clk);
        return {debts_[rank].urgency(limits_), Command::Ref, 0};
    }
    uint64_t next_clk(uint32_t rank) const override { return debts_[rank].next_due_clk(); }
    void done(uint32_t rank) override { debts_[rank].paid(); }
    void begin(uint64_t clk) override {
        for (RefreshDebt& debt : debts_) debt.begin(clk);
    }

  private:
    RefreshDebt::Limits limits_;
    std::vector<RefreshDebt> debts_;
};

}  // namespace

std::unique_ptr<RefreshPolicy> make_refresh_all_bank(const ControllerConfig& config) {
    return std::make_unique<AllBank>(config);
}

}  // namespace weir::dram
