// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/dram/checker/data_bus.h"

namespace weir::dram {

void DataBus::search(Ledger& ledger, const Burst& burst) const {
    for (const Burst& other : recent_) {
        if (other.end < 0) continue;
        const RuleId rule = rule_between(other, burst);
        const Clk free = bubble(ledger, rule);
        if (burst.begin >= other.end + free || other.begin >= burst.end + free) continue;
        const bool overlap = burst.begin < other.end && other.begin < burst.end;
        const RuleId broken = overlap ? RuleId::DataBus : rule;
        const Clk missing = other.end + free - burst.begin;
        ledger.count(broken, false);
        ledger.early(broken, other.end, ledger.now + missing);
    }
}

}  // namespace weir::dram
