// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Every limit of the block layer, with unit and reason. Sources: facts 4.4 and 7, unless noted.
#pragma once

#include "firmware/hal/nvme_regs.h"

#include <cstdint>

namespace weir::block {

// Slots. A task that finds the class full may go on for a batch, so that a burst is not cut into
// single requests by tasks that take turns.
inline constexpr uint32_t kBatchRequests = 32;
inline constexpr uint32_t kBatchHzDivisor = 50;      // a batch ends after HZ/50 at the latest
inline constexpr uint32_t kBatchTableEntries = 256;  // tasks remembered; a power of two, arbitrary
inline constexpr uint32_t kNrRequestsMin = 4;        // fewer leave no room between the marks

// Plugging.
inline constexpr uint32_t kUnplugThreshold = 4;  // queued requests
inline constexpr uint32_t kUnplugDelayMs = 3;

// Deadline elevator, in jiffies as HZ / divisor or HZ * factor.
inline constexpr uint32_t kReadExpireHzDivisor = 2;
inline constexpr uint32_t kWriteExpireHzFactor = 5;
inline constexpr uint32_t kFifoBatch = 16;
inline constexpr uint32_t kWritesStarvedMax = 2;

// Merge lookup: 384 queued requests at most, so chains stay short. A power of two.
inline constexpr uint32_t kMergeBuckets = 128;

// Bios made at boot and kept: reclaim can always start some writes when memory has run out.
inline constexpr uint32_t kReservedBios = 64;

// Driver. Retries as in the SCSI disk driver of the era; the other figures are our choice: a lost
// interrupt must be noticed well before the request times out (30 s and more by default).
inline constexpr uint32_t kErrorRetriesMax = 3;
inline constexpr uint32_t kResetRetriesMax = 3;
inline constexpr uint32_t kPollPauseMax = 1024;  // turns of Op::PollPause, about 1 ms
inline constexpr uint32_t kCheckPeriodMs = 500;
inline constexpr uint64_t kOverdueNs = 1'000'000'000;  // age at which completions are polled for
inline constexpr uint32_t kDefaultTimeoutMs = 30'000;  // where BootInfo says 0
inline constexpr uint32_t kAdminRingEntries = 8;
inline constexpr uint64_t kAdminTimeoutNs = 5'000'000'000;
inline constexpr uint32_t kIoRingEntriesMin = 2;  // holds one command
inline constexpr uint32_t kIoRingEntriesMax = 4096;

}  // namespace weir::block
