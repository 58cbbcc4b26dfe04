// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The disk controller as software sees it: a reduced NVMe 1.x profile plus Weir's congestion block.
// Shared by the driver (firmware/block) and by every model of the controller.
//
//   0x0000 CAP (64)   0x0008 VS      0x000C INTMS   0x0010 INTMC   0x0014 CC    0x001C CSTS
//   0x0024 AQA        0x0028 ASQ (64)               0x0030 ACQ (64)
//   0x1000            doorbells: SQ q tail at +2q * (4 << stride), CQ q head at +(2q+1) * (4 <<
//   stride) 0x2000            congestion block, 32-bit registers (facts/disk.md 3.2)
//
// - Queue pairs: 0 admin, 1 sync (reads and flagged writes), 2 async (writeback).
// - One interrupt line. It is a level: high while an unmasked vector is pending. Vector of queue
//   pair q is q, pending while its completion queue holds entries that the head doorbell has not
//   acknowledged; vector kEventVector is pending while (event pending & event enable) != 0.
// - A ring of n entries holds n - 1 commands. A block is one 512-byte sector. One namespace,
// number 1. Source: NVM Express base specification 1.x and facts/disk.md 3.2. Leaves out: SGLs,
// several namespaces, asynchronous events, arbitration classes, metadata.
#pragma once

#include "firmware/hal/types.h"

#include <cstdint>

namespace weir::hal::nvme {

// ---- registers --------------------------------------------------------------------------------

inline constexpr uint64_t kRegCap = 0x00;    // 64 bits, read only
inline constexpr uint64_t kRegVs = 0x08;     // read only
inline constexpr uint64_t kRegIntms = 0x0C;  // write 1: mask vector; reads as the mask
inline constexpr uint64_t kRegIntmc = 0x10;  // write 1: unmask vector; reads as the mask
inline constexpr uint64_t kRegCc = 0x14;
inline constexpr uint64_t kRegCsts = 0x1C;  // read only
inline constexpr uint64_t kRegAqa = 0x24;
inline constexpr uint64_t kRegAsq = 0x28;  // 64 bits, 4 KiB aligned
inline constexpr uint64_t kRegAcq = 0x30;  // 64 bits, 4 KiB aligned
inline constexpr uint64_t kRegDoorbells = 0x1000;
inline constexpr uint64_t kRegCongestion = 0x2000;

inline constexpr uint32_t kVersion14 = 0x0001'0400;

/// CAP: largest queue (entries - 1), time limit for ready in units of 500 ms, doorbell stride.
constexpr uint64_t make_cap(uint16_t max_queue_entries_minus_1, uint8_t timeout_500ms,
                            uint8_t doorbell_stride_log2_words) {
    // Bit 16: queues must be contiguous. Bit 37: the NVM command set.
    return static_cast<uint64_t>(max_queue_entries_minus_1) | (1ull << 16) |
           (static_cast<uint64_t>(timeout_500ms) << 24) |
           (static_cast<uint64_t>(doorbell_stride_log2_words & 0xf) << 32) | (1ull << 37);
}
constexpr uint32_t cap_max_queue_entries(uint64_t cap) {
    return static_cast<uint32_t>(cap & 0xffff) + 1;
}
constexpr uint32_t cap_timeout_ms(uint64_t cap) {
    return static_cast<uint32_t>((cap >> 24) & 0xff) * 500;
}
constexpr uint32_t cap_doorbell_stride(uint64_t cap) {
    return static_cast<uint32_t>((cap >> 32) & 0xf);
}

// CC
inline constexpr uint32_t kCcEnable = 1u << 0;
inline constexpr uint32_t kCcCommandSetShift = 4;    // 3 bits, 0: NVM
inline constexpr uint32_t kCcPageSizeShift = 7;      // 4 bits, 2^(12+n) bytes
inline constexpr uint32_t kCcArbitrationShift = 11;  // 3 bits, 0: round robin
inline constexpr uint32_t kCcShutdownShift = 14;     // 2 bits
inline constexpr uint32_t kCcSqEntrySizeShift = 16;  // 4 bits, log2 bytes
inline constexpr uint32_t kCcCqEntrySizeShift = 20;  // 4 bits, log2 bytes
/// What the driver writes to enable: 4 KiB pages, 64-byte and 16-byte entries, round robin.
inline constexpr uint32_t kCcEnabled =
    kCcEnable | (6u << kCcSqEntrySizeShift) | (4u << kCcCqEntrySizeShift);

// CSTS
inline constexpr uint32_t kCstsReady = 1u << 0;
inline constexpr uint32_t kCstsFatal = 1u << 1;
inline constexpr uint32_t kCstsShutdownShift = 2;

/// AQA: sizes of the admin queues, each as entries - 1.
constexpr uint32_t make_aqa(uint32_t sq_entries, uint32_t cq_entries) {
    return ((cq_entries - 1) << 16) | (sq_entries - 1);
}
constexpr uint32_t aqa_sq_entries(uint32_t aqa) {
    return (aqa & 0xfff) + 1;
}
constexpr uint32_t aqa_cq_entries(uint32_t aqa) {
    return ((aqa >> 16) & 0xfff) + 1;
}

// ---- queues and doorbells ---------------------------------------------------------------------

inline constexpr uint16_t kAdminQueue = 0;
inline constexpr uint16_t kSyncQueue = 1;
inline constexpr uint16_t kAsyncQueue = 2;
inline constexpr uint32_t kQueuePairs = 3;
inline constexpr uint32_t kNamespaceId = 1;

inline constexpr uint32_t kEventVector = 31;
constexpr uint32_t vector_bit(uint32_t vector) {
    return 1u << vector;
}

constexpr uint64_t sq_tail_doorbell(uint32_t qid, uint32_t stride) {
    return kRegDoorbells + 2ull * qid * (4ull << stride);
}
constexpr uint64_t cq_head_doorbell(uint32_t qid, uint32_t stride) {
    return kRegDoorbells + (2ull * qid + 1) * (4ull << stride);
}
struct Doorbell {
    bool valid;
    bool is_cq_head;
    uint32_t qid;
};
/// What register a write at `offset` rings; valid only for aligned offsets of the kQueuePairs
/// pairs.
constexpr Doorbell doorbell_at(uint64_t offset, uint32_t stride) {
    const uint64_t step = 4ull << stride;
    if (offset < kRegDoorbells || (offset - kRegDoorbells) % step != 0) return {false, false, 0};
    const uint64_t index = (offset - kRegDoorbells) / step;
    return {index < 2 * kQueuePairs, (index & 1) != 0, static_cast<uint32_t>(index / 2)};
}

// ---- entries ----------------------------------------------------------------------------------

inline constexpr uint32_t kSqEntryBytes = 64;
inline constexpr uint32_t kCqEntryBytes = 16;

struct SubmissionEntry {
    uint8_t opcode;
    uint8_t flags;
    uint16_t command_id;
    uint32_t nsid;
    uint32_t reserved[2];
    uint64_t metadata;
    uint64_t prp1;
    uint64_t prp2;  // second page, or the PRP list where the transfer has more than two pages
    uint32_t cdw10;
    uint32_t cdw11;
    uint32_t cdw12;
    uint32_t cdw13;
    uint32_t cdw14;
    uint32_t cdw15;
};
static_assert(sizeof(SubmissionEntry) == kSqEntryBytes);

struct CompletionEntry {
    uint32_t result;
    uint32_t reserved;
    uint16_t sq_head;
    uint16_t sq_id;
    uint16_t command_id;
    uint16_t status_phase;  // bit 0 phase, bits 15:1 status field
};
static_assert(sizeof(CompletionEntry) == kCqEntryBytes);

// Read and write: start LBA in cdw10/11; cdw12 = blocks - 1 (16 bits) and control in the upper
// half.
inline constexpr uint32_t kCdw12ForceUnitAccess = 1u << 30;
inline constexpr uint32_t kMaxBlocksPerCommand = 0x1'0000;
inline void set_lba_range(SubmissionEntry& entry, Sector start, uint32_t block_count) {
    entry.cdw10 = static_cast<uint32_t>(start.value);
    entry.cdw11 = static_cast<uint32_t>(start.value >> 32);
    entry.cdw12 = block_count - 1;
}
inline Sector start_lba(const SubmissionEntry& entry) {
    return Sector{(static_cast<uint64_t>(entry.cdw11) << 32) | entry.cdw10};
}
inline uint32_t block_count(const SubmissionEntry& entry) {
    return (entry.cdw12 & 0xffff) + 1;
}

// PRP lists: 8-byte page addresses. A list ends at the end of its 4 KiB page at the latest, so one
// page of 512 entries and PRP1 make the largest transfer without chaining. Lists are not chained.
inline constexpr uint32_t kPrpEntryBytes = 8;
inline constexpr uint32_t kPrpEntriesPerPage = kPageBytes / kPrpEntryBytes;
inline constexpr uint32_t kMaxPagesPerCommand = kPrpEntriesPerPage + 1;

// ---- opcodes ----------------------------------------------------------------------------------

enum class IoOpcode : uint8_t { Flush = 0x00, Write = 0x01, Read = 0x02 };
enum class AdminOpcode : uint8_t {
    DeleteSq = 0x00,
    CreateSq = 0x01,
    DeleteCq = 0x04,
    CreateCq = 0x05,
    Identify = 0x06,
    SetFeatures = 0x09,
};

// Create queue: cdw10 = queue id, entries - 1 in the upper half; prp1 = base, 4 KiB aligned.
constexpr uint32_t create_queue_cdw10(uint32_t qid, uint32_t entries) {
    return ((entries - 1) << 16) | qid;
}
constexpr uint32_t cdw10_queue_id(uint32_t cdw10) {
    return cdw10 & 0xffff;
}
constexpr uint32_t cdw10_queue_entries(uint32_t cdw10) {
    return (cdw10 >> 16) + 1;
}
// Create CQ: cdw11 bit 0 contiguous, bit 1 interrupts enabled, vector in the upper half.
inline constexpr uint32_t kCdw11Contiguous = 1u << 0;
inline constexpr uint32_t kCdw11InterruptsEnabled = 1u << 1;
constexpr uint32_t create_cq_cdw11(uint32_t vector) {
    return (vector << 16) | kCdw11InterruptsEnabled | kCdw11Contiguous;
}
// Create SQ: cdw11 bit 0 contiguous, completion queue id in the upper half.
constexpr uint32_t create_sq_cdw11(uint32_t cq_id) {
    return (cq_id << 16) | kCdw11Contiguous;
}
constexpr uint32_t cdw11_upper(uint32_t cdw11) {
    return cdw11 >> 16;
}

// Identify: cdw10 selects the data structure; prp1 = a 4 KiB page.
inline constexpr uint32_t kIdentifyNamespace = 0;
inline constexpr uint32_t kIdentifyController = 1;
// Byte offsets in the identify pages.
inline constexpr uint32_t kIdSerial = 4;            // 20 bytes of text
inline constexpr uint32_t kIdModel = 24;            // 40 bytes of text
inline constexpr uint32_t kIdMaxTransferLog2 = 77;  // 2^n pages; 0: no limit
inline constexpr uint32_t kIdNamespaceCount = 516;  // 32 bits
inline constexpr uint32_t kIdNsSizeBlocks = 0;      // 64 bits
inline constexpr uint32_t kIdNsFormat0 = 128;       // 32 bits; log2 of the block size in 23:16

// ---- status -----------------------------------------------------------------------------------

// Status field: code in bits 7:0, type in 10:8, do-not-retry in 14. Values are type << 8 | code.
inline constexpr uint16_t kStatusSuccess = 0x000;
inline constexpr uint16_t kStatusInvalidOpcode = 0x001;
inline constexpr uint16_t kStatusInvalidField = 0x002;
inline constexpr uint16_t kStatusDataTransferError = 0x004;
inline constexpr uint16_t kStatusInternalError = 0x006;
inline constexpr uint16_t kStatusAborted = 0x007;
inline constexpr uint16_t kStatusInvalidNamespace = 0x00B;
inline constexpr uint16_t kStatusInvalidPrpOffset = 0x013;
inline constexpr uint16_t kStatusLbaOutOfRange = 0x080;
inline constexpr uint16_t kStatusInvalidCqId = 0x100;
inline constexpr uint16_t kStatusInvalidQueueId = 0x101;
inline constexpr uint16_t kStatusInvalidQueueSize = 0x102;
inline constexpr uint16_t kStatusWriteFault = 0x280;
inline constexpr uint16_t kStatusUnrecoveredRead = 0x281;
inline constexpr uint16_t kStatusCodeMask = 0x7ff;
inline constexpr uint16_t kStatusDoNotRetry = 1u << 14;

constexpr uint16_t make_status_phase(uint16_t status, bool phase) {
    return static_cast<uint16_t>((status << 1) | (phase ? 1 : 0));
}
constexpr bool phase_of(uint16_t status_phase) {
    return (status_phase & 1) != 0;
}
constexpr uint16_t status_of(uint16_t status_phase) {
    return static_cast<uint16_t>(status_phase >> 1);
}

// ---- congestion block at kRegCongestion -------------------------------------------------------

// Offsets within the block. _rd is the sync pair, _wr the async pair. Depth counts commands from
// the tail doorbell to the completion entry.
inline constexpr uint64_t kCongDepthRd = 0x00;     // read only
inline constexpr uint64_t kCongDepthWr = 0x04;     // read only
inline constexpr uint64_t kCongDepthMaxRd = 0x08;  // any write sets it to the present depth
inline constexpr uint64_t kCongDepthMaxWr = 0x0C;
inline constexpr uint64_t kCongOn = 0x10;      // congested when depth >= on; 0: never
inline constexpr uint64_t kCongOff = 0x14;     // no longer congested when depth < off
inline constexpr uint64_t kCongStatus = 0x18;  // read only
inline constexpr uint64_t kCongEvent = 0x1C;
inline constexpr uint64_t kCongNrRequests = 0x20;  // software's slots a class; for the waveform
inline constexpr uint64_t kCongBusyCycles = 0x24;  // read only, wraps; one cycle is 1 us
inline constexpr uint64_t kCongIdleCycles = 0x28;  // idle while congested; read only, wraps
inline constexpr uint64_t kCongBlockBytes = 0x2C;

inline constexpr uint32_t kCongStatusRd = 1u << 0;
inline constexpr uint32_t kCongStatusWr = 1u << 1;

// kCongEvent: bits 3:0 pending, write 1 to clear; bits 19:16 enable, plain read/write. So an
// acknowledging write repeats the enable bits.
inline constexpr uint32_t kEventOnRd = 1u << 0;
inline constexpr uint32_t kEventOffRd = 1u << 1;
inline constexpr uint32_t kEventOnWr = 1u << 2;
inline constexpr uint32_t kEventOffWr = 1u << 3;
inline constexpr uint32_t kEventMask = 0xf;
inline constexpr uint32_t kEventEnableShift = 16;

}  // namespace weir::hal::nvme
