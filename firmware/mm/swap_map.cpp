// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Swap slots: a count of users for each, and where the next free one is.
// - Slots are given out in clusters: a run of 256 free slots, then one after the other, so that
//   what is swapped out together lies together. Source: facts 2.1 and 2.2 (SWAPFILE_CLUSTER).
#include "firmware/block/block.h"
#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/kernel.h"
#include "firmware/mm/swap_internal.h"

#include <new>

namespace weir::mm {

using kernel::VmCounter;

namespace {

constexpr uint32_t kClusterSlots = 256;
constexpr uint32_t kFirstSlot = 1;  // slot 0 is the header

SwapState* swap_state = nullptr;

bool is_slot(const SwapState& state, SwapSlot slot) {
    return slot.value >= kFirstSlot && slot.value < state.slot_end;
}

/// First slot of the lowest run of kClusterSlots free ones, or 0.
uint32_t find_free_run(const SwapState& state) {
    uint32_t run = 0;
    for (uint32_t slot = state.lowest_free; slot < state.slot_end; ++slot) {
        run = state.users[slot] == 0 ? run + 1 : 0;
        if (run == kClusterSlots) return slot + 1 - kClusterSlots;
    }
    return 0;
}

uint32_t find_free_from(const SwapState& state, uint32_t begin) {
    for (uint32_t slot = begin; slot < state.slot_end; ++slot) {
        if (state.users[slot] == 0) return slot;
    }
    for (uint32_t slot = kFirstSlot; slot < begin; ++slot) {
        if (state.users[slot] == 0) return slot;
    }
    return 0;
}

void change_used(SwapState& state, int64_t delta) {
    state.free_slots = static_cast<uint32_t>(state.free_slots - delta);
    kernel::count(VmCounter::NrSwapUsed, delta);
    hal::gauge(hal::Gauge::SwapUsed, 0, swap_total_slots() - state.free_slots);
}

}  // namespace

SwapState& swap_globals() {
    return *swap_state;
}

void init_swap(uint64_t slot_count) {
    swap_state = new (kernel::boot_alloc(sizeof(SwapState))) SwapState{};
    SwapState& state = *swap_state;
    state.mapping.kind = MappingKind::Swap;
    state.capacity = slot_count;
    if (slot_count == 0) return;
    WEIR_ASSERT(slot_count <= 0xffff'ffffu, "swap device too large", slot_count, 0);
    state.users = static_cast<uint16_t*>(kernel::boot_alloc(slot_count * sizeof(uint16_t)));
}

void swap_on(block::BlockDevice& device) {
    SwapState& state = *swap_state;
    const uint64_t slots = block::sector_count(device) / hal::kSectorsPerPage;
    WEIR_ASSERT(state.device == nullptr, "a second swap device", block::device_index(device), 0);
    WEIR_ASSERT(slots <= state.capacity, "swap device larger than the room for its counts", slots,
                state.capacity);
    WEIR_ASSERT(slots > kFirstSlot, "swap device without a slot", slots, 0);
    state.device = &device;
    state.mapping.device = &device;
    state.slot_end = static_cast<uint32_t>(slots);
    state.lowest_free = kFirstSlot;
    state.free_slots = state.slot_end - kFirstSlot;
}

bool swap_enabled() {
    return swap_state->device != nullptr;
}

block::BlockDevice& swap_device() {
    WEIR_ASSERT(swap_enabled(), "no swap device", 0, 0);
    return *swap_state->device;
}

uint64_t swap_total_slots() {
    return swap_enabled() ? swap_state->slot_end - kFirstSlot : 0;
}

uint64_t swap_free_slots() {
    return swap_state->free_slots;
}

bool swap_mostly_full() {
    return swap_free_slots() * 2 < swap_total_slots();
}

Mapping& swap_mapping() {
    return swap_state->mapping;
}

SwapSlot alloc_swap_slot() {
    SwapState& state = *swap_state;
    kernel::SpinGuard guard(state.lock);
    if (state.free_slots == 0) return kNoSlot;
    if (state.cluster_left == 0) {
        state.cluster_left = kClusterSlots;
        const uint32_t run = state.free_slots >= kClusterSlots ? find_free_run(state) : 0;
        state.next_slot = run != 0 ? run : state.lowest_free;
    }
    const uint32_t slot = find_free_from(state, state.next_slot);
    WEIR_ASSERT(slot != 0, "free swap slots are counted but not found", state.free_slots, 0);
    state.users[slot] = 1;
    --state.cluster_left;
    state.next_slot = slot + 1;
    if (slot == state.lowest_free) ++state.lowest_free;
    change_used(state, 1);
    hal::spend(hal::Op::SwapSlot);
    return SwapSlot{slot};
}

bool swap_dup_if_used(SwapSlot slot) {
    SwapState& state = *swap_state;
    kernel::SpinGuard guard(state.lock);
    if (!is_slot(state, slot) || state.users[slot.value] == 0) return false;
    ++state.users[slot.value];
    return true;
}

void swap_dup(SwapSlot slot) {
    const bool used = swap_dup_if_used(slot);
    WEIR_ASSERT(used, "use of a free swap slot taken", slot.value, 0);
}

void swap_put(SwapSlot slot) {
    SwapState& state = *swap_state;
    kernel::SpinGuard guard(state.lock);
    WEIR_ASSERT(is_slot(state, slot) && state.users[slot.value] > 0,
                "use of a free swap slot dropped", slot.value, state.slot_end);
    if (--state.users[slot.value] != 0) return;
    if (slot.value < state.lowest_free) state.lowest_free = slot.value;
    change_used(state, -1);
    hal::spend(hal::Op::SwapSlot);
}

uint32_t swap_users(SwapSlot slot) {
    return is_slot(*swap_state, slot) ? swap_state->users[slot.value] : 0;
}

}  // namespace weir::mm
