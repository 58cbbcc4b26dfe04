// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/dram/checker/refresh_watch.h"

#include <algorithm>

namespace weir::dram {

RefreshWatch::RefreshWatch(const Spec& spec, const CheckerOptions& options, const Limits& limits)
    : trefi_(limits.trefi),
      postpone_(options.postpone_max),
      pull_in_(options.pull_in_max),
      grace_(options.refresh_grace_clocks),
      organization_(spec.organization),
      accounts_(spec.organization.banks()) {}

Clk RefreshWatch::limit(const Account& a) const {
    return a.start == kEndless ? kEndless : std::min(postponed_limit(a), gap_limit(a));
}

void RefreshWatch::set_alarm() {
    alarm_ = kEndless;
    for (const Account& a : accounts_)
        if (!a.reported) alarm_ = std::min(alarm_, limit(a));
}

void RefreshWatch::start(uint32_t rank, Clk now) {
    if (!on()) return;
    const uint32_t banks = organization_.banks_per_rank();
    for (uint32_t i = 0; i < banks; ++i) accounts_[rank * banks + i] = {now, now, 0, false};
    set_alarm();
}

void RefreshWatch::refreshed(Ledger& ledger, uint32_t first, uint32_t count) {
    if (!on() || accounts_[first].start == kEndless) return;
    // The strictest of the banks decides; with REF alone they are all alike.
    Account early = accounts_[first], owed = early, oldest = early;
    for (uint32_t i = first; i < first + count; ++i) {
        Account& a = accounts_[i];
        if (a.done > early.done) early = a;
        if (a.done < owed.done) owed = a;
        if (a.last < oldest.last) oldest = a;
        ++a.done;
        a.last = ledger.now;
    }
    if (early.done > pull_in_)
        ledger.not_before(RuleId::RefreshPulledIn, early.start + (early.done - pull_in_) * trefi_);
    // What is late was reported as overdue at the first command after its limit.
    ledger.count(RuleId::RefreshPostponed, ledger.now == postponed_limit(owed));
    ledger.count(RuleId::RefreshGap, ledger.now == gap_limit(oldest));
    for (uint32_t i = first; i < first + count; ++i) accounts_[i].reported = false;
    set_alarm();
}

void RefreshWatch::report_overdue(Ledger& ledger, uint64_t clk) {
    const uint32_t banks = organization_.banks_per_rank();
    for (uint32_t rank = 0; rank < organization_.ranks; ++rank) {
        uint32_t overdue = 0, which = 0;
        for (uint32_t i = rank * banks; i < (rank + 1) * banks; ++i) {
            Account& a = accounts_[i];
            if (a.reported || ledger.now <= limit(a)) continue;
            if (overdue++ == 0) which = i;
            a.reported = true;
        }
        if (overdue == 0) continue;
        CommandRecord missing{clk, Command::Ref, rank};
        if (overdue < banks) {
            missing.command = Command::Refpb;
            missing.bank_group = which % banks / organization_.banks_per_group;
            missing.bank = which % organization_.banks_per_group;
        }
        ledger.begin_missing(missing);
        const Account& a = accounts_[which];
        if (postponed_limit(a) <= gap_limit(a)) {
            ledger.late(RuleId::RefreshPostponed, a.start, postponed_limit(a));
        } else {
            ledger.late(RuleId::RefreshGap, a.last, gap_limit(a));
        }
    }
    set_alarm();
}

}  // namespace weir::dram
