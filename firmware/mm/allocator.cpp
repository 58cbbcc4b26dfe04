// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The frame allocator.
// - Fast path: charge, watermark test, per-CPU list. In host mode nothing else runs between the
//   test and the taking, because spend() comes first.
#include "firmware/mm/allocator.h"

#include "firmware/kernel/counters.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/nap.h"
#include "firmware/mm/buddy.h"
#include "firmware/mm/percpu_lists.h"
#include "firmware/mm/pressure.h"

namespace weir::mm {

namespace {

using kernel::count;
using kernel::VmCounter;

// What a free frame may not be: a user would go on using it.
constexpr uint32_t kBusyFlags = kFrameLocked | kFrameWriteback | kFrameLru | kFrameSwapCache |
                                kFrameBuddy | kFramePcp | kFrameReserved;

Frame* take_from_zone(Zone& z, uint32_t order) {
    Frame* f = nullptr;
    {
        kernel::SpinGuard guard(z.lock);
        f = buddy_take(z, order);
        if (f != nullptr) add_free_frames(z, -(1ll << order));
        hal::spend(hal::Op::BuddyFrame);
    }
    show_free_levels(z);
    return f;
}

uint32_t give_to_zone(Zone& z, Frame& f, uint32_t order) {
    {
        kernel::SpinGuard guard(z.lock);
        buddy_give(z, f, order);
        add_free_frames(z, 1ll << order);
        z.pages_scanned = 0;
        z.all_unreclaimable = false;
        hal::spend(hal::Op::BuddyFrame);
    }
    show_free_levels(z);
    return 1u << order;
}

void prepare_new(Frame& f, uint32_t order) {
    f.mapping = nullptr;
    f.index = 0;
    f.flags = 0;
    f.use_count = 1;
    f.map_count = 0;
    f.order = order;
    f.anon = nullptr;
    f.anon_page = 0;
    f.add_batch = 0;
    count(VmCounter::PgAlloc, 1ll << order);
}

Frame* take_frame(Zone& z, const AllocRequest& request, uint32_t mark_frames, Marks marks) {
    // What a refusal costs is the test alone; spend() comes before either.
    const bool hopeless =
        marks == Marks::Respect && !watermark_ok(z, request.order, mark_frames);
    hal::spend(hopeless ? hal::Op::AllocTest : hal::Op::AllocFrame);
    if (marks == Marks::Respect && !watermark_ok(z, request.order, mark_frames)) return nullptr;
    Frame* f = nullptr;
    {
        kernel::IrqGuard irq;
        if (request.order == 0 && z.use_per_cpu_lists) {
            f = pcp_take(z,
                         (request.flags & kAllocCold) != 0 ? Temperature::Cold : Temperature::Hot);
        } else {
            f = take_from_zone(z, request.order);
        }
    }
    if (f != nullptr) prepare_new(*f, request.order);
    return f;
}

/// Tells those who wait for frames that some are back in the zone.
void report_returned(Zone& z, uint32_t returned_frames) {
    kernel::note_state(kernel::NapWish::FrameAvailable);
    kernel::note_state(kernel::NapWish::ZoneBalanced);
    if (pressure().frames_returned != nullptr) pressure().frames_returned(z, returned_frames);
}

}  // namespace

Frame* try_alloc(Zone& z, const AllocRequest& request, uint32_t mark_frames, Marks marks) {
    if ((request.flags & kAllocHigh) != 0) mark_frames -= mark_frames / 2;
    if ((request.flags & kAllocMayWait) == 0) mark_frames -= mark_frames / 4;
    return take_frame(z, request, mark_frames, marks);
}

Frame* alloc_frame(const AllocRequest& request) {
    Zone& z = zone();
    // The first try is at the full low mark, whoever asks; only the slow path lowers marks.
    Frame* f = take_frame(z, request, z.mark.low_frames, Marks::Respect);
    if (f != nullptr) return f;
    if (pressure().out_of_frames != nullptr) return pressure().out_of_frames(z, request);
    return try_alloc(z, request, z.mark.min_frames, Marks::Respect);
}

void free_frame(Frame& f, uint32_t order) {
    WEIR_ASSERT(f.use_count <= 1 && !f.test(kBusyFlags) && f.mapping == nullptr && f.map_count == 0,
                "frame freed while in use", pfn_of(f).value, f.flags);
    const Temperature temperature = f.test(kFrameIsolated) ? Temperature::Cold : Temperature::Hot;
    f.flags = 0;
    f.use_count = 0;
    f.order = 0;
    hal::spend(hal::Op::FreeFrame);
    count(VmCounter::PgFree, 1ll << order);
    Zone& z = zone();
    uint32_t returned = 0;
    {
        kernel::IrqGuard irq;
        returned = order == 0 && z.use_per_cpu_lists ? pcp_give(z, f, temperature)
                                                     : give_to_zone(z, f, order);
    }
    if (returned != 0) report_returned(z, returned);
}

void drain_per_cpu_lists(Zone& z) {
    uint32_t returned = 0;
    {
        kernel::IrqGuard irq;
        for (uint32_t hart = 0; hart < hal::hart_count(); ++hart) {
            const uint32_t size = z.per_cpu[hart].frames.size();
            if (size != 0) returned += pcp_flush(z, hart, size);
        }
    }
    if (returned != 0) report_returned(z, returned);
}

hal::Pfn alloc_object_frame() {
    Zone& z = zone();
    const AllocRequest request{0, kAllocAtomic};
    const bool reclaiming = (kernel::current().flags & kernel::kTaskMemAlloc) != 0;
    Frame* f =
        try_alloc(z, request, z.mark.min_frames, reclaiming ? Marks::Ignore : Marks::Respect);
    return f != nullptr ? pfn_of(*f) : hal::kNoPfn;
}

void init_frames() {
    Zone& z = zone();
    frame_count = static_cast<uint32_t>(z.present_frames);
    frame_table = static_cast<Frame*>(
        kernel::boot_alloc(static_cast<uint64_t>(frame_count) * sizeof(Frame), hal::kPageBytes));
    // Below it: the kernel's image and what else BootInfo reserves, then boot memory.
    const uint32_t first = kernel::boot_alloc_end().value - hal::pfn_of(hal::kRamBase).value;
    WEIR_ASSERT(first + 4 * z.mark.high_frames < frame_count,
                "RAM too small: hardly a frame is left after boot", first, frame_count);
    for (uint32_t i = 0; i < first; ++i) {
        frame_table[i].flags = kFrameReserved;
        frame_table[i].use_count = 1;
    }
    kernel::IrqSpinGuard guard(z.lock);
    for (uint32_t i = first; i < frame_count;) {
        uint32_t order = 0;
        while (order + 1 < kMaxOrder && (i & ((2u << order) - 1)) == 0 &&
               i + (2u << order) <= frame_count) {
            ++order;
        }
        buddy_give(z, frame_table[i], order);
        i += 1u << order;
    }
    z.managed_frames = frame_count - first;
    z.free_frames = static_cast<int64_t>(z.managed_frames);
    count(VmCounter::NrFreePages, z.free_frames);
    show_free_levels(z);
}

}  // namespace weir::mm
