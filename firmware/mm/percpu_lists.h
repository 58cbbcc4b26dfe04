// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Per-CPU lists of free order-0 frames. Hot frames at the front, cold ones at the back; batches
// move between a list and the zone. Source: facts 4.2. Interrupts of the hart are off in all calls.
#pragma once

#include "firmware/mm/zone.h"

namespace weir::mm {

enum class Temperature : uint8_t { Hot, Cold };

/// A frame from this hart's list, refilled by one batch when empty. Null: the zone is empty too.
Frame* pcp_take(Zone& z, Temperature temperature);
/// Gives a frame to this hart's list. Returns how many frames went on to the zone: one batch when
/// the list reached its high mark, else 0.
uint32_t pcp_give(Zone& z, Frame& f, Temperature temperature);
/// Moves up to `frame_count_max` frames, coldest first, from a hart's list to the zone.
uint32_t pcp_flush(Zone& z, uint32_t hart, uint32_t frame_count_max);

}  // namespace weir::mm
