// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What lru.cpp and lru_isolate.cpp share. _locked: the caller holds the zone's lru_lock.
#pragma once

#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/mm/lru.h"

namespace weir::mm {

/// The nr_* counter of a list's size; the four follow each other in the order of Lru.
constexpr kernel::VmCounter size_counter(Lru list) {
    return static_cast<kernel::VmCounter>(static_cast<uint32_t>(kernel::VmCounter::NrInactiveAnon) +
                                          static_cast<uint32_t>(list));
}
static_assert(size_counter(Lru::ActiveAnon) == kernel::VmCounter::NrActiveAnon);
static_assert(size_counter(Lru::InactiveFile) == kernel::VmCounter::NrInactiveFile);
static_assert(size_counter(Lru::ActiveFile) == kernel::VmCounter::NrActiveFile);

/// Links a frame at the young end and counts it.
void link_young_locked(Zone& z, Frame& f, Lru list);
void unlink_locked(Zone& z, Frame& f, Lru list);
/// Adds to the "recent" counters of a list's type.
void note_recent_locked(Zone& z, Lru list, uint32_t scanned, uint32_t rotated);
void show_lru_level(const Zone& z, Lru list);

}  // namespace weir::mm
