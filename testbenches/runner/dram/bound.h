// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Why a memory moved no more than it did: where the clocks of its data bus went.
// - where_clocks_went(): data, and what the idle clocks waited for, the largest first.
// - bound_sentence(): the one to blame, in words, with its share.
#pragma once

#include "sc_models/dram/core/spec.h"
#include "sc_models/dram/core/stats.h"

#include <cstdint>
#include <string>
#include <vector>

namespace weir::runner {

enum class ShareKind { Data, Rule, Turnaround, Refresh, CommandBus, NoRequest, PowerDown };

struct ClockShare {
    ShareKind kind = ShareKind::Rule;
    std::string name;     // "tFAW", "turnaround", "refresh"
    std::string meaning;  // "at most 4 activates in 26 clocks"; may be empty
    uint64_t clocks = 0;
};

/// Rules of one name are one share; all rules between a read and a write, and between ranks, are
/// "turnaround". Shares of 0 clocks are left out; data come first.
std::vector<ClockShare> where_clocks_went(const dram::Spec& spec, const dram::ChannelStats& stats);

/// Units: clocks: the whole time, of which the percentages are.
std::string bound_sentence(const std::vector<ClockShare>& shares, uint64_t clocks);

}  // namespace weir::runner
