// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The active lists' turn: up to 32 frames leave, most of them for the inactive list.
// Source: fact book 4.6, shrink_active_list.
#include "firmware/hal/hal.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/sched.h"
#include "firmware/mm/address_space.h"
#include "firmware/mm/lru.h"
#include "firmware/policy/mechanism/page_use.h"
#include "firmware/policy/mechanism/split_lru_scan.h"

namespace weir::policy {

namespace {

struct Aging {
    uint32_t rotated = 0;
    uint32_t deactivated = 0;
};

/// Decides for each frame: executable pages in use go to `again`, the others lose their active
/// flag and stay in `frames`.
Aging age(mm::FrameList& frames, mm::FrameList& again) {
    Aging result;
    for (uint32_t left = frames.size(); left > 0; --left) {
        mm::Frame& f = *frames.pop_front();
        if (in_use(f)) {
            const PageReferences references = take_references(f);
            if (references.count != 0) {
                ++result.rotated;
                if (references.executable_file && !f.test(mm::kFrameSwapBacked)) {
                    again.push_back(f);
                    continue;
                }
            }
        }
        // A page not mapped by anyone keeps its referenced bit: one more touch activates it again.
        f.clear(mm::kFrameActive);
        ++result.deactivated;
        frames.push_back(f);
    }
    return result;
}

}  // namespace

void shrink_active_list(mm::Zone& zone, mm::Lru list, uint32_t want) {
    mm::lru_add_drain();
    mm::FrameList held;
    const mm::Isolated isolated = mm::isolate(zone, list, want, 0, held);
    kernel::count(kernel::VmCounter::PgRefill, isolated.scanned_count);
    if (isolated.taken_count == 0) return;
    hal::spend(hal::Op::ScanFrame, isolated.taken_count);

    mm::FrameList again;
    const Aging aging = age(held, again);
    // All that were in use count as rotated, whichever list they go to. Source: 4.6.
    zone.reclaim_stat.rotated[mm::is_file(list) ? 1 : 0] += aging.rotated;
    kernel::count(kernel::VmCounter::PgDeactivate, aging.deactivated);
    mm::move_to_list(zone, again, list);
    mm::putback(zone, held, list, isolated.taken_count);
    kernel::cond_resched();
}

}  // namespace weir::policy
