// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The four LRU lists with per-CPU add batches and isolation.
// - lru_add(): a frame joins through this hart's batch of 14 (kPagevecFrames).
// - isolate(): a reclaimer takes frames off a list's old end (the front) into its own list.
// - putback(): survivors go back to the young end of the list their flags say.
#pragma once

#include "firmware/mm/zone.h"

namespace weir::mm {

inline constexpr uint32_t kPagevecFrames = 14;

/// The list that a frame's flags name.
Lru lru_of(const Frame& f);
/// Joins a new frame; its flags must already name the list. Takes no use: a frame that is freed
/// leaves its list or batch by itself.
void lru_add(Frame& f);
/// Flushes this hart's add batches to the lists (lru_add_drain).
void lru_add_drain();
void lru_add_drain_all();
/// The use-once rule: not referenced -> referenced; referenced, inactive -> active. A frame still
/// in an add batch, or isolated, is not activated. Source: 4.6.
void mark_accessed(Frame& f);
void activate(Frame& f);
/// Takes a frame off its list or add batch, for removal from the page cache.
void lru_remove(Frame& f);
/// To the old end of its inactive list, so that it is reclaimed next (end of a reclaim write).
/// Does nothing for a locked, dirty or active frame. Callable from interrupts.
void rotate_reclaimable(Frame& f);

struct Isolated {
    uint32_t scanned_count = 0;
    uint32_t taken_count = 0;
};
/// Takes up to `want` frames from the old end of a list. Frames with no use left are skipped.
/// Caller does not hold lru_lock. Each frame taken gains a use, which putback, move_to_list or the
/// reclaimer's own put_frame drops, and the flag kFrameIsolated.
/// Accounts here, so that the caller must not: isolation counters, pages_scanned, the "recent
/// scanned" of reclaim_stat, and the LruIsolate event.
/// order > 0: also neighbours of the same type in the aligned block (lumpy), active ones after
/// deactivation; then a block may carry taken_count above `want`.
Isolated isolate(Zone& z, Lru list, uint32_t want, uint32_t order, FrameList& into);
/// Puts frames back on the lists that their flags name; isolation counters fall by
/// `isolated_count` (those freed meanwhile included) of type file/anon of `from`; notes
/// NapWish::IsolationFell. Frames that went to an active list raise "recent rotated". The caller
/// counts PgActivate and PgDeactivate. `frames` may be empty.
void putback(Zone& z, FrameList& frames, Lru from, uint32_t isolated_count);
/// Moves the whole list `frames` (isolated, e.g. deactivated) to `to`'s young end and makes their
/// Active flags agree. Changes neither isolation counters (call putback with an empty list for
/// that) nor reclaim_stat.
void move_to_list(Zone& z, FrameList& frames, Lru to);

/// Sets the gauges of the list sizes; called where batches move.
void show_lru_levels(Zone& z);
/// Boot.
void init_lru();
/// Whether touched-again metadata pages may become active (facts 4.12.4). Set by the policy.
void set_metadata_on_active_list(bool allowed);

}  // namespace weir::mm
