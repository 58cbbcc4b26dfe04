// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Per-CPU lists of free frames.
#include "firmware/mm/percpu_lists.h"

#include "firmware/mm/buddy.h"

namespace weir::mm {

namespace {

/// One batch from the zone, whatever the marks say. Source: the refill of 2.6.32.
void refill(Zone& z, PerCpuLists& pcp, Temperature temperature) {
    uint32_t moved = 0;
    {
        kernel::SpinGuard guard(z.lock);
        for (; moved < pcp.batch_frames; ++moved) {
            Frame* f = buddy_take(z, 0);
            if (f == nullptr) break;
            f->set(kFramePcp);
            if (temperature == Temperature::Cold) {
                pcp.frames.push_front(*f);
            } else {
                pcp.frames.push_back(*f);
            }
        }
        add_free_frames(z, -static_cast<int64_t>(moved));
        if (moved != 0) hal::spend(hal::Op::BuddyFrame, moved);
    }
    show_free_levels(z);
}

}  // namespace

Frame* pcp_take(Zone& z, Temperature temperature) {
    PerCpuLists& pcp = z.per_cpu[hal::hart_id()];
    if (pcp.frames.empty()) refill(z, pcp, temperature);
    Frame* f = temperature == Temperature::Cold ? pcp.frames.pop_back() : pcp.frames.pop_front();
    if (f != nullptr) f->clear(kFramePcp);
    return f;
}

uint32_t pcp_give(Zone& z, Frame& f, Temperature temperature) {
    const uint32_t hart = hal::hart_id();
    PerCpuLists& pcp = z.per_cpu[hart];
    f.set(kFramePcp);
    if (temperature == Temperature::Cold) {
        pcp.frames.push_back(f);
    } else {
        pcp.frames.push_front(f);
    }
    if (pcp.frames.size() < pcp.high_frames) return 0;
    return pcp_flush(z, hart, pcp.batch_frames);
}

uint32_t pcp_flush(Zone& z, uint32_t hart, uint32_t frame_count_max) {
    PerCpuLists& pcp = z.per_cpu[hart];
    uint32_t moved = 0;
    {
        kernel::SpinGuard guard(z.lock);
        for (; moved < frame_count_max; ++moved) {
            Frame* f = pcp.frames.pop_back();
            if (f == nullptr) break;
            f->clear(kFramePcp);
            buddy_give(z, *f, 0);
        }
        add_free_frames(z, moved);
        // Something came free: the zone is worth scanning again.
        z.pages_scanned = 0;
        z.all_unreclaimable = false;
        if (moved != 0) hal::spend(hal::Op::BuddyFrame, moved);
    }
    show_free_levels(z);
    return moved;
}

}  // namespace weir::mm
