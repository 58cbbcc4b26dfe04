// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The rules that the checker knows, and what each says for one device.
// - RuleId: the index of a rule's counters. State rules come first: they have no limit in time.
// - Limits: each rule's name, whether the device has it, and its clocks. Resolved once.
#pragma once

#include "sc_models/dram/checker/checker.h"
#include "sc_models/dram/core/spec.h"

#include <array>
#include <cstdint>
#include <string>

namespace weir::dram {

/// A point on the command clock, or a distance; signed, so that "never" lies before every clock.
using Clk = int64_t;
inline constexpr Clk kNever = INT64_MIN / 4;
inline constexpr Clk kEndless = INT64_MAX / 4;

enum class RuleId : uint8_t {
    Fields,        // each field present, absent and in range as the command demands
    KnownCommand,  // the standard has this command
    BurstAligned,  // column commands start at a burst boundary
    BankClosed,    // ACT only on a closed bank
    BankOpen,      // column commands only on an open bank
    RowMatches,    // ... and with its row, where the record carries one
    AllClosed,     // REF, MRS, ZQCL with every bank closed; REFPB with its bank closed
    PowerDown,     // nothing but PDX in power-down, PDX only there
    PowerUpOrder,  // the sequence's commands in order before any other
    CommandBus,    // one command a clock, clocks strictly increasing
    TRc,           // ACT to ACT, one bank
    TRcd,          // ACT to column
    TRas,          // ACT to PRE
    TRp,           // PRE to ACT
    TRpAll,        // PREA to ACT
    TRtp,          // read to PRE
    TWr,           // write to PRE
    RdaToAct,      // from the hidden precharge, which waits for tRTP and the rest of tRAS
    WraToAct,      // likewise, after write recovery
    PreToRef,      // PRE, PREA to REF, REFPB, MRS, ZQCL
    RdaToRef,      // hidden precharge to the same
    WraToRef,
    ActToRef,   // tRC counts to REF too, though the row is closed
    TRfc,       // REF to anything but CKE
    TRfcPb,     // REFPB to ACT, REFPB of the bank and to REF
    TRrdL,      // ACT to ACT, one bank group
    TRrdS,      // ACT to ACT, another bank group of the rank
    TFaw,       // ACT to the fourth ACT after it
    TCcdLRead,  // column to column
    TCcdSRead,
    TCcdLWrite,
    TCcdSWrite,
    TWtrL,  // write to read, one rank
    TWtrS,
    ReadToWrite,       // one rank
    DataBus,           // bursts do not overlap
    DataTurnaround,    // a free clock between reads and writes
    RankSwitch,        // tRTRS free clocks between ranks
    TCke,              // PDX to PDE
    TPd,               // PDE to PDX
    TXp,               // PDX to any command
    ReadToPde,         // the burst is over
    WriteToPde,        // write recovery is over
    TMrd,              // MRS to MRS
    TMod,              // MRS to anything else
    TZq,               // ZQCL to anything
    PowerUpWait,       // the sequence's waits
    RefreshPulledIn,   // not more than pull_in_max ahead
    RefreshPostponed,  // not more than postpone_max owed
    RefreshGap,        // (postpone_max + 1) tREFI between two
    TRasMax,           // a row is closed in time
    Count,
};
inline constexpr uint32_t kRuleCount = static_cast<uint32_t>(RuleId::Count);
constexpr bool is_timed(RuleId rule) {
    return rule >= RuleId::CommandBus;
}

struct Limits {
    struct Text {
        std::string name;
        bool on = false;
    };
    std::array<Clk, kRuleCount> gaps;  // kNever, which always holds, for a rule that is off
    std::array<Text, kRuleCount> texts;

    Clk read_latency = 0, write_latency = 0;
    Clk burst = 0;           // clocks of data
    Clk read_to_close = 0;   // RDA to its hidden precharge, tRAS apart
    Clk write_to_close = 0;  // WRA likewise
    Clk tras = 0;
    Clk tras_max = kEndless;
    Clk trefi = 0;  // 0: no refresh debt

    Limits(const Spec& spec, const CheckerOptions& options);
    Clk gap(RuleId rule) const { return gaps[static_cast<uint32_t>(rule)]; }
    const Text& text(RuleId rule) const { return texts[static_cast<uint32_t>(rule)]; }
};

}  // namespace weir::dram
