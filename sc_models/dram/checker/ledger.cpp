// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/dram/checker/ledger.h"

namespace weir::dram {
namespace {

std::string clocks_text(Clk clocks) {
    return std::to_string(clocks) + (clocks == 1 ? " clock" : " clocks");
}

void append_field(std::string& text, const char* name, uint32_t value) {
    if (value != kNoField) text += std::string(" ") + name + " " + std::to_string(value);
}

/// "clk 137: RD rank 0 group 1 bank 2 column 8"
std::string command_text(const CommandRecord& record) {
    std::string text = "clk " + std::to_string(record.clk) + ": ";
    text += command_name(record.command);
    append_field(text, "rank", record.rank);
    append_field(text, "group", record.bank_group);
    append_field(text, "bank", record.bank);
    append_field(text, "row", record.row);
    append_field(text, "column", record.column);
    return text;
}

}  // namespace

void Ledger::keep(RuleId rule, Clk earliest, const std::string& what) {
    ++violation_count;
    if (violations.size() >= Checker::kKept) return;
    const std::string& name = limits.text(rule).name;
    violations.push_back({name, record_, earliest > 0 ? static_cast<uint64_t>(earliest) : 0,
                          command_text(record_) + " breaks \"" + name + "\": " + what});
}

void Ledger::early(RuleId rule, Clk since, Clk earliest) {
    std::string what =
        clocks_text(earliest - now) + " early, legal from clk " + std::to_string(earliest);
    if (since >= 0) what += " (counted from clk " + std::to_string(since) + ")";
    keep(rule, earliest, what);
}

void Ledger::late(RuleId rule, Clk since, Clk latest) {
    keep(rule, 0,
         clocks_text(now - latest) + " late, due by clk " + std::to_string(latest) +
             " (counted from clk " + std::to_string(since) + ")");
}

void Ledger::broken(RuleId rule, const std::string& what) {
    keep(rule, 0, what);
}

std::vector<RuleCoverage> Ledger::coverage() const {
    std::vector<RuleCoverage> result;
    for (uint32_t i = 0; i < kRuleCount; ++i) {
        if (!limits.texts[i].on) continue;
        result.push_back({limits.texts[i].name, counters_[i].applied, counters_[i].at_limit,
                          is_timed(static_cast<RuleId>(i))});
    }
    return result;
}

}  // namespace weir::dram
