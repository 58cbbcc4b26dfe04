// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/dram/bound.h"

#include "testbenches/runner/config/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace weir::runner {
namespace {

using dram::Command;
using dram::CommandSet;
using dram::Level;
using dram::Rule;
using dram::Wait;

/// From here on the data bus itself is the bound. Less would hide a gap that a better mapping
/// mends: one bank group alone reaches 67 %. With more, a share of 5 % would be called the bound.
constexpr double kBusBoundPercent = 80;

constexpr CommandSet kReads = set_of(Command::Rd) | set_of(Command::Rda);
constexpr CommandSet kWrites = set_of(Command::Wr) | set_of(Command::Wra);
constexpr CommandSet kColumns = kReads | kWrites;
constexpr CommandSet kCloses = set_of(Command::Pre) | set_of(Command::Prea);
constexpr CommandSet kRefreshes = set_of(Command::Ref) | set_of(Command::Refpb);
constexpr CommandSet kPowerDown = set_of(Command::Pde) | set_of(Command::Pdx);

bool only(CommandSet set, CommandSet of) {
    return set != 0 && (set & ~of) == 0;
}

bool is_turnaround(const Rule& rule) {
    if (!only(rule.preceding, kColumns) || !only(rule.following, kColumns)) return false;
    return rule.level == Level::OtherRanks ||
           (only(rule.preceding, kReads) && only(rule.following, kWrites)) ||
           (only(rule.preceding, kWrites) && only(rule.following, kReads));
}

std::string meaning_of(const Rule& rule) {
    const bool from_act = only(rule.preceding, set_of(Command::Act));
    const bool to_act = only(rule.following, set_of(Command::Act));
    const bool one_bank = rule.level == Level::Bank;
    if (rule.window > 1) {
        return fmt::format("at most {} activates in {} clocks", rule.window, rule.clocks);
    }
    if (only(rule.preceding, kColumns) && only(rule.following, kColumns)) {
        return rule.level == Level::BankGroup ? "the same-bank-group gap between bursts"
                                              : "the gap between bursts";
    }
    if (from_act && to_act) {
        return one_bank                         ? "the row cycle of one bank"
               : rule.level == Level::BankGroup ? "the gap between activates of a bank group"
                                                : "the gap between activates";
    }
    if (from_act && only(rule.following, kColumns)) return "opening a row before its data";
    if (from_act && only(rule.following, kCloses)) return "the time that a row must stay open";
    if (only(rule.preceding, kCloses) && to_act) return "closing a row before the next one";
    if (only(rule.preceding, kReads) && only(rule.following, kCloses)) {
        return "a read before its row may close";
    }
    if (only(rule.preceding, kWrites) && only(rule.following, kCloses)) {
        return "a write before its row may close";
    }
    return "";
}

ClockShare share_of_rule(const Rule& rule, uint64_t clocks) {
    if (is_turnaround(rule)) {
        return {ShareKind::Turnaround, "turnaround", rule.name, clocks};
    }
    if (only(rule.preceding, kRefreshes)) return {ShareKind::Refresh, "refresh", "", clocks};
    if (only(rule.preceding, kPowerDown)) return {ShareKind::PowerDown, "power-down", "", clocks};
    return {ShareKind::Rule, rule.name, meaning_of(rule), clocks};
}

ClockShare share_of_wait(Wait wait, uint64_t clocks) {
    switch (wait) {
        case Wait::CommandBus:
            return {ShareKind::CommandBus, "command bus", "one command a clock", clocks};
        case Wait::Refresh:
            return {ShareKind::Refresh, "refresh", "", clocks};
        default:
            return {ShareKind::NoRequest, "no request", "", clocks};
    }
}

double percent(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

/// As a sentence names it.
std::string text_of(const ClockShare& share) {
    if (share.kind == ShareKind::Turnaround) {
        return fmt::format("turnaround of the data bus (mostly {})", share.meaning);
    }
    return share.meaning.empty() ? share.name : fmt::format("{} ({})", share.name, share.meaning);
}

}  // namespace

std::vector<ClockShare> where_clocks_went(const dram::Spec& spec, const dram::ChannelStats& stats) {
    std::vector<ClockShare> shares;
    std::vector<uint64_t> largest;  // rule of each share, whose meaning it has
    const auto add = [&](ClockShare share) {
        const auto same = std::find_if(shares.begin(), shares.end(), [&](const ClockShare& other) {
            return other.name == share.name;
        });
        if (same == shares.end()) {
            largest.push_back(share.clocks);
            shares.push_back(std::move(share));
            return;
        }
        uint64_t& most = largest[static_cast<size_t>(same - shares.begin())];
        if (share.clocks > most) {
            most = share.clocks;
            same->meaning = share.meaning;
        }
        same->clocks += share.clocks;
    };
    for (size_t i = 0; i < stats.wait_clocks.size(); ++i) {
        const uint64_t clocks = stats.wait_clocks[i];
        if (clocks == 0) continue;
        add(i < spec.rules.size() ? share_of_rule(spec.rules[i], clocks)
                                  : share_of_wait(static_cast<Wait>(i), clocks));
    }
    std::stable_sort(shares.begin(), shares.end(),
                     [](const ClockShare& a, const ClockShare& b) { return a.clocks > b.clocks; });
    shares.insert(shares.begin(), {ShareKind::Data, "data", "", stats.data_bus_clocks});
    return shares;
}

std::string bound_sentence(const std::vector<ClockShare>& shares, uint64_t clocks) {
    const double data = percent(shares.front().clocks, clocks);
    if (shares.size() < 2) {
        return fmt::format(
            "Bound not known: the data bus carries data {:.1f} % of the time, and what it waits "
            "for is told only at command level (--mode at).",
            data);
    }
    const ClockShare& worst = shares[1];
    const double share = percent(worst.clocks, clocks);
    if (data >= kBusBoundPercent) {
        return fmt::format(
            "Bound by the data bus: it carries data {:.1f} % of the time, and waits longest for "
            "{}, "
            "{:.1f} %.",
            data, text_of(worst), share);
    }
    if (worst.kind == ShareKind::NoRequest) {
        return fmt::format(
            "Not bound: the data bus is idle for want of requests {:.1f} % of the time.", share);
    }
    return fmt::format("Bound by {}: the data bus waits for it {:.1f} % of the time.",
                       text_of(worst), share);
}

}  // namespace weir::runner
