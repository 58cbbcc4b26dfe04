// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The frame allocator: fast path, buddy lists, per-CPU lists.
// - alloc_frame(): one frame, or the policy's slow path through `pressure`, or null.
// - The policy's slow path calls try_alloc() with the mark it wants.
#pragma once

#include "firmware/mm/zone.h"

namespace weir::mm {

// AllocRequest::flags
inline constexpr uint32_t kAllocMayWait = 1u << 0;  // may sleep and reclaim
inline constexpr uint32_t kAllocMayIo = 1u << 1;    // reclaim may start and wait for I/O
inline constexpr uint32_t kAllocMayFs = 1u << 2;    // reclaim may write file pages
inline constexpr uint32_t kAllocNoFail = 1u << 3;
inline constexpr uint32_t kAllocCold = 1u << 4;     // take from the cold end
inline constexpr uint32_t kAllocHigh = 1u << 5;     // may go to half the mark
inline constexpr uint32_t kAllocMovable = 1u << 6;  // user and page-cache memory
inline constexpr uint32_t kAllocNoRetry = 1u << 7;  // readahead: fail rather than try hard

inline constexpr uint32_t kAllocKernel = kAllocMayWait | kAllocMayIo | kAllocMayFs;
inline constexpr uint32_t kAllocUser = kAllocKernel | kAllocMovable;
inline constexpr uint32_t kAllocAtomic = kAllocHigh;

struct AllocRequest {
    uint32_t order = 0;
    uint32_t flags = kAllocUser;
};

/// Fast try at the low mark, then pressure().out_of_frames. use_count of the result is 1.
/// Errors: null when the policy gives up.
Frame* alloc_frame(const AllocRequest& request);
/// One attempt against a mark, no waiting: watermark test first, then the per-CPU list, then the
/// zone. ignore_marks: take anything there is. kAllocHigh and "cannot wait" lower the mark (4.1).
enum class Marks : uint8_t { Respect, Ignore };
Frame* try_alloc(Zone& z, const AllocRequest& request, uint32_t mark_frames, Marks marks);

/// Gives one unused frame to this hart's list; when that reaches its high mark one batch goes back
/// to the zone and pressure().frames_returned is called.
void free_frame(Frame& f, uint32_t order = 0);
/// Empties every hart's list into the zone (drain_all_pages).
void drain_per_cpu_lists(Zone& z);
/// One frame for kernel objects, at half the min mark and without sleeping; a task inside
/// reclaim ignores marks. kNoPfn: none. The kernel layer's FrameSource.
hal::Pfn alloc_object_frame();

/// Builds the frame table and zones from the frames boot_alloc left over.
void init_frames();

}  // namespace weir::mm
