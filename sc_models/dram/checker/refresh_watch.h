// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Refresh debt, bank by bank: refresh n is due in the n-th tREFI. REF pays for all banks of a rank,
// REFPB for one, so one account serves both kinds.
#pragma once

#include "sc_models/dram/checker/ledger.h"

#include <cstdint>
#include <vector>

namespace weir::dram {

class RefreshWatch {
  public:
    RefreshWatch(const Spec& spec, const CheckerOptions& options, const Limits& limits);

    /// The schedule of a rank begins; until then it owes nothing.
    void start(uint32_t rank, Clk now);
    /// Banks [first, first + count) of a rank are refreshed now.
    void refreshed(Ledger& ledger, uint32_t first, uint32_t count);
    /// No refresh is overdue up to here.
    Clk alarm() const { return alarm_; }
    /// Reports, once each, what is overdue.
    void report_overdue(Ledger& ledger, uint64_t clk);

  private:
    struct Account {
        Clk start = kEndless;  // of the schedule
        Clk last = 0;          // refresh, or start
        Clk done = 0;
        bool reported = false;  // the refresh that is due now
    };
    Clk trefi_, postpone_, pull_in_, grace_;
    Organization organization_;
    std::vector<Account> accounts_;
    Clk alarm_ = kEndless;

    bool on() const { return trefi_ > 0; }
    Clk postponed_limit(const Account& a) const {
        return a.start + (a.done + 1 + postpone_) * trefi_ + grace_;
    }
    Clk gap_limit(const Account& a) const { return a.last + (postpone_ + 1) * trefi_ + grace_; }
    Clk limit(const Account& a) const;
    void set_alarm();
};

}  // namespace weir::dram
