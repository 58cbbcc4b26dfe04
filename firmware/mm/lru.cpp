// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// LRU lists: joining through batches, use-once, leaving, rotating. Isolation is in lru_isolate.cpp.
#include "firmware/mm/lru.h"

#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/nap.h"
#include "firmware/mm/lru_internal.h"

namespace weir::mm {

using kernel::count;
using kernel::VmCounter;

namespace {

bool metadata_may_activate = true;

/// Moves one hart's batch for one list to the young end of that list.
void flush_batch(Zone& z, uint32_t hart, Lru list) {
    FrameList& batch = z.per_cpu[hart].lru_add[static_cast<uint32_t>(list)];
    {
        kernel::IrqSpinGuard guard(z.lru_lock);
        uint32_t moved = 0;
        while (Frame* f = batch.pop_front()) {
            f->add_batch = 0;
            link_young_locked(z, *f, list);
            ++moved;
        }
        if (moved == 0) return;
        note_recent_locked(z, list, moved, is_active(list) ? moved : 0);
        hal::spend(hal::Op::LruAdd, moved);
    }
    if (!is_active(list)) kernel::note_state(kernel::NapWish::IsolationFell);
    show_lru_level(z, list);
}

/// The inactive list that an active one ages into, and the other way round.
constexpr Lru with_active(Lru list, bool active) {
    return static_cast<Lru>((static_cast<uint32_t>(list) & ~1u) | (active ? 1u : 0u));
}

}  // namespace

Lru lru_of(const Frame& f) {
    const Lru inactive = f.test(kFrameSwapBacked) ? Lru::InactiveAnon : Lru::InactiveFile;
    return with_active(inactive, f.test(kFrameActive));
}

void link_young_locked(Zone& z, Frame& f, Lru list) {
    z.lru[static_cast<uint32_t>(list)].push_back(f);
    f.set(kFrameLru);
    count(size_counter(list));
}

void unlink_locked(Zone& z, Frame& f, Lru list) {
    z.lru[static_cast<uint32_t>(list)].remove(f);
    f.clear(kFrameLru);
    count(size_counter(list), -1);
}

void note_recent_locked(Zone& z, Lru list, uint32_t scanned, uint32_t rotated) {
    const uint32_t type = is_file(list) ? 1 : 0;
    z.reclaim_stat.scanned[type] += scanned;
    z.reclaim_stat.rotated[type] += rotated;
}

void show_lru_level(const Zone& z, Lru list) {
    const auto first = static_cast<uint32_t>(hal::Gauge::InactiveAnon);
    hal::gauge(static_cast<hal::Gauge>(first + static_cast<uint32_t>(list)), 0, lru_size(z, list));
}

void show_lru_levels(Zone& z) {
    for (uint32_t i = 0; i < kLruCount; ++i) show_lru_level(z, static_cast<Lru>(i));
}

void init_lru() {
    metadata_may_activate = true;
}

void set_metadata_on_active_list(bool allowed) {
    metadata_may_activate = allowed;
}

void lru_add(Frame& f) {
    WEIR_ASSERT(!f.test(kFrameLru | kFrameIsolated | kFrameUnevictable),
                "frame cannot join the LRU", pfn_of(f).value, f.flags);
    Zone& z = zone();
    kernel::IrqGuard irq;
    const uint32_t hart = hal::hart_id();
    const Lru list = lru_of(f);
    FrameList& batch = z.per_cpu[hart].lru_add[static_cast<uint32_t>(list)];
    f.set(kFrameLru);
    f.add_batch = hart + 1;
    batch.push_back(f);
    if (batch.size() >= kPagevecFrames) flush_batch(z, hart, list);
}

void lru_add_drain() {
    Zone& z = zone();
    kernel::IrqGuard irq;
    const uint32_t hart = hal::hart_id();
    for (uint32_t i = 0; i < kLruCount; ++i) {
        if (!z.per_cpu[hart].lru_add[i].empty()) flush_batch(z, hart, static_cast<Lru>(i));
    }
}

void lru_add_drain_all() {
    Zone& z = zone();
    for (uint32_t hart = 0; hart < hal::hart_count(); ++hart) {
        for (uint32_t i = 0; i < kLruCount; ++i) flush_batch(z, hart, static_cast<Lru>(i));
    }
}

void mark_accessed(Frame& f) {
    hal::spend(hal::Op::MarkAccessed);
    if (!f.test(kFrameReferenced)) {
        f.set(kFrameReferenced);
        return;
    }
    if (!f.test(kFrameLru) || f.test(kFrameActive)) return;
    if (f.test(kFrameMeta) && !metadata_may_activate) return;
    if (f.add_batch != 0 || f.test(kFrameUnevictable)) return;
    activate(f);
    f.clear(kFrameReferenced);
}

void activate(Frame& f) {
    Zone& z = zone();
    {
        kernel::IrqSpinGuard guard(z.lru_lock);
        // Tested under the lock: a reclaimer may have isolated the frame while we waited for it.
        if (!f.test(kFrameLru) || f.test(kFrameActive | kFrameUnevictable) || f.add_batch != 0) {
            return;
        }
        const Lru inactive = lru_of(f);
        unlink_locked(z, f, inactive);
        f.set(kFrameActive);
        const Lru active = with_active(inactive, true);
        link_young_locked(z, f, active);
        note_recent_locked(z, active, 1, 1);
        hal::spend(hal::Op::LruAdd);
    }
    count(VmCounter::PgActivate);
}

void lru_remove(Frame& f) {
    Zone& z = zone();
    kernel::IrqSpinGuard guard(z.lru_lock);
    if (!f.test(kFrameLru)) return;
    const Lru list = lru_of(f);
    if (f.add_batch != 0) {
        z.per_cpu[f.add_batch - 1].lru_add[static_cast<uint32_t>(list)].remove(f);
        f.add_batch = 0;
        f.clear(kFrameLru);
        return;
    }
    unlink_locked(z, f, list);
}

void rotate_reclaimable(Frame& f) {
    Zone& z = zone();
    kernel::IrqSpinGuard guard(z.lru_lock);
    if (!f.test(kFrameLru) || f.add_batch != 0) return;
    if (f.test(kFrameLocked | kFrameDirty | kFrameActive | kFrameUnevictable)) return;
    FrameList& list = z.lru[static_cast<uint32_t>(lru_of(f))];
    list.remove(f);
    list.push_front(f);
    count(VmCounter::PgRotated);
}

}  // namespace weir::mm
