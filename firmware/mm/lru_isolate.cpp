// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Isolation: reclaimers take frames off the LRU into their own hands, and put survivors back.
#include "firmware/kernel/nap.h"
#include "firmware/mm/lru_internal.h"

namespace weir::mm {

using kernel::count;
using kernel::VmCounter;

namespace {

// LruIsolate event, isolate_mode as in Linux 2.6.37.
constexpr uint32_t kModeInactive = 0;
constexpr uint32_t kModeActive = 1;
constexpr uint32_t kModeBoth = 2;

constexpr uint32_t type_of(Lru list) {
    return is_file(list) ? 1 : 0;
}

/// Takes one frame off its list into a reclaimer's hands.
void take_locked(Zone& z, Frame& f, Lru list, FrameList& into) {
    unlink_locked(z, f, list);
    f.set(kFrameIsolated);
    get_frame(f);
    into.push_back(f);
}

/// Lumpy: the other frames of the aligned block around `f` that could go too, same type only,
/// because isolation is accounted by type. Returns how many were taken.
uint32_t take_block_locked(Zone& z, const Frame& f, Lru list, uint32_t order, FrameList& into) {
    const auto index = static_cast<uint32_t>(&f - frame_table);
    const uint32_t begin = index & ~((1u << order) - 1);
    uint32_t end = begin + (1u << order);
    if (end > frame_count) end = frame_count;
    uint32_t taken = 0;
    for (uint32_t i = begin; i < end; ++i) {
        Frame& neighbour = frame_table[i];
        if (!neighbour.test(kFrameLru) || neighbour.add_batch != 0) continue;
        if (neighbour.use_count == 0) continue;
        const Lru its_list = lru_of(neighbour);
        if (is_file(its_list) != is_file(list)) continue;
        take_locked(z, neighbour, its_list, into);
        if (neighbour.test(kFrameActive)) {
            neighbour.clear(kFrameActive);
            count(VmCounter::PgDeactivate);
        }
        ++taken;
    }
    return taken;
}

void change_isolated_locked(Zone& z, uint32_t type, int64_t delta) {
    const int64_t isolated = z.isolated[type] + delta;
    WEIR_ASSERT(isolated >= 0, "more frames put back than were isolated", z.isolated[type], -delta);
    z.isolated[type] = static_cast<uint32_t>(isolated);
    count(type == 0 ? VmCounter::NrIsolatedAnon : VmCounter::NrIsolatedFile, delta);
}

void show_isolated(const Zone& z, uint32_t type) {
    hal::gauge(type == 0 ? hal::Gauge::IsolatedAnon : hal::Gauge::IsolatedFile, 0,
               z.isolated[type]);
}

/// Drops the reclaimer's use of a frame and links it, unless that use is the last: then the frame
/// goes to `unused`. True if linked.
bool release_locked(Zone& z, Frame& f, Lru list, FrameList& unused) {
    f.clear(kFrameIsolated);
    if (f.use_count == 1) {
        unused.push_back(f);
        return false;
    }
    --f.use_count;
    link_young_locked(z, f, list);
    return true;
}

void free_unused(FrameList& unused) {
    while (Frame* f = unused.pop_front()) put_frame(*f);
}

}  // namespace

Isolated isolate(Zone& z, Lru list, uint32_t want, uint32_t order, FrameList& into) {
    Isolated result;
    {
        kernel::IrqSpinGuard guard(z.lru_lock);
        FrameList& source = z.lru[static_cast<uint32_t>(list)];
        while (result.scanned_count < want) {
            Frame* f = source.front();
            if (f == nullptr) break;
            ++result.scanned_count;
            if (f->use_count == 0) {  // its last user is about to take it off the list
                source.remove(*f);
                source.push_back(*f);
                continue;
            }
            take_locked(z, *f, list, into);
            ++result.taken_count;
            if (order > 0) {
                const uint32_t neighbours = take_block_locked(z, *f, list, order, into);
                result.taken_count += neighbours;
                result.scanned_count += neighbours;
            }
        }
        z.pages_scanned += result.scanned_count;
        note_recent_locked(z, list, result.taken_count, 0);
        change_isolated_locked(z, type_of(list), result.taken_count);
        if (result.scanned_count != 0) hal::spend(hal::Op::LruIsolate, result.scanned_count);
    }
    const uint32_t mode = order > 0 ? kModeBoth : is_active(list) ? kModeActive : kModeInactive;
    hal::trace(hal::Event::LruIsolate, mode, order, want, result.scanned_count, result.taken_count,
               type_of(list));
    show_isolated(z, type_of(list));
    if (order > 0) {
        show_lru_levels(z);
    } else {
        show_lru_level(z, list);
    }
    return result;
}

void putback(Zone& z, FrameList& frames, Lru from, uint32_t isolated_count) {
    FrameList unused;
    {
        kernel::IrqSpinGuard guard(z.lru_lock);
        uint32_t put_count = 0;
        while (Frame* f = frames.pop_front()) {
            const Lru list = lru_of(*f);
            if (release_locked(z, *f, list, unused) && is_active(list)) {
                note_recent_locked(z, list, 0, 1);
            }
            ++put_count;
        }
        change_isolated_locked(z, type_of(from), -static_cast<int64_t>(isolated_count));
        if (put_count != 0) hal::spend(hal::Op::LruPutback, put_count);
    }
    free_unused(unused);
    show_isolated(z, type_of(from));
    show_lru_levels(z);
    if (isolated_count != 0) kernel::note_state(kernel::NapWish::IsolationFell);
}

void move_to_list(Zone& z, FrameList& frames, Lru to) {
    if (frames.empty()) return;
    FrameList unused;
    {
        kernel::IrqSpinGuard guard(z.lru_lock);
        const uint32_t moved = frames.size();
        while (Frame* f = frames.pop_front()) {
            if (is_active(to)) {
                f->set(kFrameActive);
            } else {
                f->clear(kFrameActive);
            }
            release_locked(z, *f, to, unused);
        }
        hal::spend(hal::Op::LruPutback, moved);
    }
    free_unused(unused);
    show_lru_level(z, to);
}

}  // namespace weir::mm
