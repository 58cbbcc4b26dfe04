// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Everything that one memory controller can be told: the standard, the address mapping, queues and
// policies by name. Names are resolved by the registries in scheduler.h, page_policy.h, refresh.h.
#pragma once

#include "sc_models/dram/core/spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace weir::dram {

enum class Field : uint8_t { Rank, Row, Bank, BankGroup, Column, Offset };
inline constexpr uint32_t kFieldCount = 6;

/// `bits` more bits of a field, from its most significant one that no earlier piece took.
struct MappingPiece {
    Field field;
    uint32_t bits;
};
/// Field bit `bit` is XORed with bit `by_bit` of `by_field`, which must be a row or column bit that
/// is itself not XORed: so every address keeps a place of its own.
struct MappingXor {
    Field field;
    uint32_t bit;
    Field by_field;
    uint32_t by_bit;
};
/// From the most significant address bit down. Column counts bursts, Offset the bytes of a burst.
struct Mapping {
    std::vector<MappingPiece> pieces;
    std::vector<MappingXor> xors;
};

/// How long before tRAS_max a row is closed: enough for what may hold up the precharge.
inline constexpr uint32_t kRowLimitMarginClocks = 256;

struct SchedulerConfig {
    std::string name = "frfcfs";  // scheduler_names()
    uint32_t read_queue_entries = 32;
    uint32_t write_queue_entries = 32;
    uint32_t drain_high_entries = 24;  // frfcfs_drain: begin to serve writes
    uint32_t drain_low_entries = 8;    // frfcfs_drain: back to reads
    uint32_t age_cap_clocks = 4000;    // a request older than this goes first; 0: no cap
};

struct PageConfig {
    std::string name = "open";      // page_policy_names()
    uint32_t timeout_clocks = 200;  // timeout: close a row that was not used so long
    uint32_t adaptive_max = 8;      // adaptive: hits after which a closed guess turns open
};

struct RefreshConfig {
    std::string name = "all_bank";  // refresh_names(): none, all_bank, per_bank
    uint32_t postpone_max = 0;      // refreshes that may be owed while requests wait
    uint32_t pull_in_max = 0;       // refreshes done ahead while idle
};

struct ControllerConfig {
    Spec spec;
    Mapping mapping;
    SchedulerConfig scheduler;
    PageConfig page;
    RefreshConfig refresh;
    uint32_t power_down_after_clocks = 0;  // idle this long: CKE low; 0: never
    bool power_up = false;                 // begin with the power-up sequence
    bool checker = false;                  // bind the independent checker to the command stream
};

}  // namespace weir::dram
