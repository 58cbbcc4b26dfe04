// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The buddy lists of a zone: free blocks of 2^order frames, aligned to their size, that join their
// neighbour when it is free too. The caller holds the zone's lock and counts NR_FREE.
#pragma once

#include "firmware/mm/zone.h"

namespace weir::mm {

/// Takes a block, splitting a larger one where needed. Null: none is large enough.
Frame* buddy_take(Zone& z, uint32_t order);
/// Gives a block back and joins it with its free buddies.
void buddy_give(Zone& z, Frame& f, uint32_t order);

}  // namespace weir::mm
