// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Per-bank refresh: one bank after the other, each tREFI over the number of banks, so that the
// other banks go on working. Postponed and pulled in as all-bank refreshes are, counted in banks.
#include "sc_models/dram/core/refresh.h"

#include <algorithm>
#include <stdexcept>

namespace weir::dram {
namespace {

class PerBank : public RefreshPolicy {
  public:
    explicit PerBank(const ControllerConfig& config)
        : banks_(config.spec.organization.banks_per_rank()),
          // At the standard's own limit a refresh must go out before the next one is due.
          limits_{std::min(config.refresh.postpone_max,
                           std::max(1u, config.spec.refresh_postpone_max) - 1) *
                      banks_,
                  config.refresh.pull_in_max * banks_,
                  std::max(1u, config.spec.refresh_postpone_max) * banks_},
          next_bank_(config.spec.organization.ranks) {
        const uint32_t ranks = config.spec.organization.ranks;
        const uint64_t interval = config.spec.trefi_clocks / banks_;
        for (uint32_t rank = 0; rank < ranks; ++rank)
            debts_.emplace_back(interval - interval * rank / ranks, config.spec.trefi_clocks,
                                banks_);
    }

    RefreshDemand demand(uint32_t rank, uint64_t clk) override {
        debts_[rank].advance(clk);
        return {debts_[rank].urgency(limits_), Command::Refpb, next_bank_[rank]};
    }
    uint64_t next_clk(uint32_t rank) const override { return debts_[rank].next_due_clk(); }
    void done(uint32_t rank) override {
        debts_[rank].paid();
        next_bank_[rank] = next_bank_[rank] + 1 == banks_ ? 0 : next_bank_[rank] + 1;
    }
    void begin(uint64_t clk) override {
        for (RefreshDebt& debt : debts_) debt.begin(clk);
    }

  private:
    uint32_t banks_;
    RefreshDebt::Limits limits_;
    std::vector<uint32_t> next_bank_;
    std::vector<RefreshDebt> debts_;
};

}  // namespace

std::unique_ptr<RefreshPolicy> make_refresh_per_bank(const ControllerConfig& config) {
    if (!config.spec.per_bank_refresh)
        throw std::invalid_argument("refresh.name: " + config.spec.name +
                                    " has no per-bank refresh; use all_bank");
    return std::make_unique<PerBank>(config);
}

}  // namespace weir::dram
