// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Dirty accounting: which pages, mappings and devices are dirty, the limits, and each device's
// share.
#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/timer.h"
#include "firmware/mm/device_state.h"
#include "firmware/mm/pressure.h"
#include "firmware/mm/rmap.h"
#include "firmware/mm/writeback.h"
#include "firmware/mm/zone.h"

namespace weir::mm {

using kernel::count;
using kernel::VmCounter;

namespace {

constexpr uint64_t kDirtyRatioFloorPct = 5;  // 4.9

// Writeouts of all devices, and the log2 of the period over which a device's share is measured.
uint64_t writeout_total;
uint32_t writeout_period_log2 = 12;

/// Counts the page and puts the mapping on its device's list. The tree lock is held.
void account_dirtied(Mapping& mapping) {
    count(VmCounter::NrDirty);
    DeviceState* state = mapping.device_state;
    if (!state) return;
    kernel::SpinGuard guard(state->dirty_lock);
    ++state->dirty_pages;
    if (mapping.dirty_node.linked()) return;
    const uint64_t now = kernel::jiffies();
    mapping.dirty_since_jiffy = now ? now : 1;  // 0 means clean
    state->dirty_mappings.push_back(mapping);
}

}  // namespace

void set_frame_dirty(Frame& f) {
    if (f.test(kFrameDirty)) return;
    Mapping* mapping = f.mapping;
    if (!mapping || mapping->kind == MappingKind::Swap) {
        f.set(kFrameDirty);
        return;
    }
    {
        kernel::IrqSpinGuard guard(mapping->tree_lock);
        if (f.test(kFrameDirty) || f.mapping != mapping) return;
        f.set(kFrameDirty);
        mapping->pages.set_tag(f.index, Tag::Dirty);
        account_dirtied(*mapping);
    }
    hal::spend(hal::Op::DirtyPage);
}

/// The Dirty tag stays until start_frame_writeback. Stores through mappings from now on fault and
/// dirty the frame anew.
bool clear_dirty_for_io(Frame& f) {
    Mapping* mapping = f.mapping;
    if (!mapping || mapping->kind == MappingKind::Swap) {
        const bool was_dirty = f.test(kFrameDirty);
        f.clear(kFrameDirty);
        return was_dirty;
    }
    // The flag falls first: a store that comes while the mappings are cleaned raises it again.
    const bool was_dirty = f.test(kFrameDirty);
    if (was_dirty) {
        f.clear(kFrameDirty);
        count(VmCounter::NrDirty, -1);
        if (DeviceState* state = mapping->device_state) {
            kernel::IrqSpinGuard guard(state->dirty_lock);
            --state->dirty_pages;
        }
    }
    const bool was_stored_to = f.map_count != 0 && clean_mappings(f);
    return was_dirty || was_stored_to;
}

/// The rate limit itself is a matter of the policy.
void dirtied_ratelimited(Mapping& mapping, uint32_t page_count) {
    if (pressure().page_dirtied) pressure().page_dirtied(mapping, page_count);
}

void report_dirty_gauges() {
    hal::gauge(hal::Gauge::Dirty, 0, kernel::counter_value(VmCounter::NrDirty));
    hal::gauge(hal::Gauge::Writeback, 0, kernel::counter_value(VmCounter::NrWriteback));
}

// ---- limits -----------------------------------------------------------------------------------

uint64_t dirtyable_pages() {
    uint64_t pages = 0;
    for (uint32_t i = 0; i < zone_count(); ++i) {
        pages += free_frames(zone(i)) + reclaimable_frames(zone(i));
    }
    return pages;
}

DirtyLimits dirty_limits() {
    const hal::BootInfo& info = kernel::boot_info();
    const uint64_t dirtyable = dirtyable_pages() + 1;  // never 0
    const uint64_t ratio_pct =
        info.dirty_ratio_pct > kDirtyRatioFloorPct ? info.dirty_ratio_pct : kDirtyRatioFloorPct;
    const uint64_t limit = dirtyable * ratio_pct / 100;
    uint64_t background = dirtyable * info.dirty_background_pct / 100;
    if (background >= limit) background = limit / 2;
    return {background, limit};
}

DeviceDirty device_dirty(block::BlockDevice& device) {
    const DeviceState* state = device_state(device);
    if (!state) return {0, 0};
    return {state->dirty_pages, state->writeback_pages};
}

namespace {

/// Halves a device's events once for each half period that went by since it was last looked at.
void age(WriteoutShare& share) {
    const uint64_t period = writeout_total >> (writeout_period_log2 - 1);
    const uint64_t missed = period - share.period;
    share.event_count = missed < 64 ? share.event_count >> missed : 0;
    share.period = period;
}

}  // namespace

void note_writeout(DeviceState& state, uint32_t page_count) {
    kernel::IrqSpinGuard guard(state.dirty_lock);
    age(state.writeout);
    state.writeout.event_count += page_count;
    writeout_total += page_count;
}

/// Four times the dirty limit, rounded down to a power of two: long enough to be steady, short
/// enough to follow a change of load. Source: proportions of 2.6.24..2.6.33.
void init_writeout_period() {
    uint64_t pages = dirty_limits().limit_pages;
    writeout_period_log2 = 2;
    while (pages > 1) {
        pages >>= 1;
        ++writeout_period_log2;
    }
}

uint64_t device_dirty_limit(block::BlockDevice& device, uint64_t limit_pages) {
    DeviceState* state = device_state(device);
    if (!state) return limit_pages;
    uint64_t events;
    {
        kernel::IrqSpinGuard guard(state->dirty_lock);
        age(state->writeout);
        events = state->writeout.event_count;
    }
    const uint64_t half_period = 1ull << (writeout_period_log2 - 1);
    const uint64_t denominator = half_period + (writeout_total & (half_period - 1));
    if (events > denominator) events = denominator;
    const uint64_t share = limit_pages * events / denominator;

    // No device may use room that the others have filled already.
    const uint64_t used =
        kernel::counter_value(VmCounter::NrDirty) + kernel::counter_value(VmCounter::NrWriteback);
    uint64_t room = used < limit_pages ? limit_pages - used : 0;
    room += state->dirty_pages + state->writeback_pages;
    return share < room ? share : room;
}

}  // namespace weir::mm
