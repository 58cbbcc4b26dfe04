// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Buddy lists. A free block's head carries kFrameBuddy and its order; its other frames carry
// nothing.
#include "firmware/mm/buddy.h"

namespace weir::mm {

namespace {

uint32_t index_of(const Frame& f) {
    return static_cast<uint32_t>(&f - frame_table);
}

void link_block(Zone& z, Frame& f, uint32_t order) {
    f.set(kFrameBuddy);
    f.order = order;
    z.free_lists[order].push_front(f);
}

void unlink_block(Zone& z, Frame& f, uint32_t order) {
    z.free_lists[order].remove(f);
    f.clear(kFrameBuddy);
    f.order = 0;
}

}  // namespace

Frame* buddy_take(Zone& z, uint32_t order) {
    uint32_t have = order;
    while (have < kMaxOrder && z.free_lists[have].empty()) ++have;
    if (have == kMaxOrder) return nullptr;
    Frame* f = z.free_lists[have].front();
    unlink_block(z, *f, have);
    while (have > order) {
        --have;
        link_block(z, *(f + (1u << have)), have);
    }
    return f;
}

void buddy_give(Zone& z, Frame& f, uint32_t order) {
    uint32_t index = index_of(f);
    WEIR_ASSERT(index + (1u << order) <= frame_count && (index & ((1u << order) - 1)) == 0,
                "block freed that no block can be", index, order);
    while (order + 1 < kMaxOrder) {
        const uint32_t buddy_index = index ^ (1u << order);
        if (buddy_index + (1u << order) > frame_count) break;
        Frame& buddy = frame_table[buddy_index];
        if (!buddy.test(kFrameBuddy) || buddy.order != order) break;
        unlink_block(z, buddy, order);
        index &= buddy_index;
        ++order;
    }
    link_block(z, frame_table[index], order);
}

}  // namespace weir::mm
