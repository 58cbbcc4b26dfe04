// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Addresses that only bare metal needs, beside those of boot_info.h:
//
//   0x0010_0000  finisher: stops the machine
//   0x0200_0000  timer block: msip of hart h at +4h raises its inter-hart interrupt
//   0x0400_0000  trace window, 0x100 bytes a hart: the write-only port of hal/trace.h
//
// Every register is 64 bits wide, msip 32. A write to a register marked "commits" makes one record
// of what was written before it by the same hart.
#pragma once

#include "firmware/hal/boot_info.h"

#include <cstdint>

namespace weir::hal::rv64 {

inline constexpr PhysAddr kFinisherBase{0x0010'0000};
inline constexpr PhysAddr kTraceBase{0x0400'0000};
inline constexpr uint64_t kTraceStrideBytes = 0x100;

// Finisher. kFinishPass: powered off with exit code 0. Else the low half is kFinishFail and the
// upper half the exit code, or the low half is kFinishPanic and the panic registers say why.
inline constexpr uint64_t kFinishCommand = 0x00;  // commits
inline constexpr uint64_t kFinishFile = 0x08;     // address of a NUL-terminated file name
inline constexpr uint64_t kFinishLine = 0x10;
inline constexpr uint64_t kFinishWhat = 0x18;  // address of a NUL-terminated text
inline constexpr uint64_t kFinishA = 0x20;
inline constexpr uint64_t kFinishB = 0x28;
inline constexpr uint64_t kFinishPass = 0x5555;
inline constexpr uint64_t kFinishFail = 0x3333;
inline constexpr uint64_t kFinishPanic = 0x7777;

// Trace window of one hart.
inline constexpr uint64_t kTraceEvent = 0x00;      // commits an event; its number
inline constexpr uint64_t kTraceArgument0 = 0x08;  // six registers
inline constexpr uint64_t kTraceGaugeIndex = 0x38;
inline constexpr uint64_t kTraceGaugeValue = 0x40;
inline constexpr uint64_t kTraceGauge = 0x48;         // commits a gauge; its number
inline constexpr uint64_t kTraceCounters = 0x50;      // address of the counters
inline constexpr uint64_t kTraceCounterCount = 0x58;  // commits their place
inline constexpr uint64_t kTraceMode = 0x60;          // commits this hart's mode
inline constexpr uint64_t kTracePid = 0x68;           // commits this hart's task

}  // namespace weir::hal::rv64
