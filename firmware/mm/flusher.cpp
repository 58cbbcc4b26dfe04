// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The flusher threads of 2.6.32: one a data disk. Source: facts 4.9.
// - An order says how many pages, or "below the background limit".
// - Every 5 s, data that has been dirty for 30 s is written without an order.
#include "firmware/kernel/counters.h"
#include "firmware/kernel/nap.h"
#include "firmware/kernel/sched.h"
#include "firmware/kernel/timer.h"
#include "firmware/mm/device_state.h"
#include "firmware/mm/writeback.h"

namespace weir::mm {

using kernel::counter_value;
using kernel::VmCounter;

namespace {

constexpr uint64_t kChunkPages = 1024;
constexpr uint32_t kPeriodicIntervalMs = 5'000;
constexpr uint32_t kExpireMs = 30'000;

bool over_background_limit() {
    return counter_value(VmCounter::NrDirty) >= dirty_limits().background_pages;
}

/// Chunk after chunk until so many pages are written or nothing more can be.
/// Each chunk visits the mappings in turn, so that none waits for the whole of another.
template <typename GoOn>
uint64_t write_chunks(DeviceState& state, uint64_t page_count, uint64_t older_than_jiffy,
                      GoOn go_on) {
    uint64_t written_pages = 0;
    while (written_pages < page_count && go_on()) {
        const WriteTarget chunk{
            .max_pages = kChunkPages, .older_than_jiffy = older_than_jiffy, .sync = false};
        const uint64_t written = write_dirty_pages(*state.device, chunk);
        if (written == 0) break;
        written_pages += written;
        kernel::cond_resched();
    }
    return written_pages;
}

uint64_t write_old_data(DeviceState& state) {
    const uint64_t now = kernel::jiffies();
    if (now < state.last_periodic_jiffy + kernel::ms_to_jiffies(kPeriodicIntervalMs)) return 0;
    state.last_periodic_jiffy = now;
    const uint64_t expire = kernel::ms_to_jiffies(kExpireMs);
    if (now < expire) return 0;
    const uint64_t dirty_pages = counter_value(VmCounter::NrDirty);
    // Dirty for at least the whole time: since `now - expire` or earlier.
    return write_chunks(state, dirty_pages, now - expire + 1, [] { return true; });
}

bool has_orders(const DeviceState& state) {
    return state.ordered_pages != 0 || state.background_ordered;
}

int run_flusher(void* argument) {
    kernel::KernelMode mode;
    auto& state = *static_cast<DeviceState*>(argument);
    while (true) {
        flusher_round(state);
        kernel::WaitEntry entry;
        kernel::prepare_to_wait(state.flusher_queue, entry, kernel::SleepKind::Interruptible);
        // An order that came since the round began must not wait for the timer.
        if (!has_orders(state)) {
            kernel::schedule_timeout(kernel::ms_to_jiffies(kPeriodicIntervalMs));
        }
        kernel::finish_wait(state.flusher_queue, entry);
    }
}

/// detail: a device index or kDirtyWishGlobal.
bool dirty_fell(uint64_t detail) {
    const DirtyLimits limits = dirty_limits();
    const uint64_t dirty =
        counter_value(VmCounter::NrDirty) + counter_value(VmCounter::NrWriteback);
    if (dirty < (limits.background_pages + limits.limit_pages) / 2) return true;
    if (detail >= block::device_count()) return false;
    block::BlockDevice& device = block::device(static_cast<uint32_t>(detail));
    const DeviceDirty own = device_dirty(device);
    return own.reclaimable_pages + own.writeback_pages <=
           device_dirty_limit(device, limits.limit_pages);
}

bool writeback_fell(uint64_t) {
    const uint64_t limit = dirty_limits().limit_pages;
    return counter_value(VmCounter::NrWriteback) <= limit + limit / 10;
}

void write_decimal(char* to, uint32_t number) {
    char digits[10];
    uint32_t count = 0;
    do {
        digits[count++] = static_cast<char>('0' + number % 10);
        number /= 10;
    } while (number != 0);
    while (count > 0) *to++ = digits[--count];
    *to = '\0';
}

}  // namespace

uint64_t flusher_round(DeviceState& state) {
    uint64_t written_pages = 0;
    if (const uint64_t ordered = state.ordered_pages) {
        state.ordered_pages = 0;
        written_pages += write_chunks(state, ordered, 0, [] { return true; });
    }
    if (state.background_ordered) {
        state.background_ordered = false;
        written_pages += write_chunks(state, ~0ull, 0, over_background_limit);
    }
    return written_pages + write_old_data(state);
}

void wake_flusher(block::BlockDevice& device, uint64_t pages) {
    DeviceState* state = device_state(device);
    if (!state) return;
    if (pages == 0) state->background_ordered = true;
    state->ordered_pages += pages;
    kernel::wake_all(state->flusher_queue, kernel::Waker::Event);
}

void wake_all_flushers(uint64_t pages) {
    if (pages == 0) pages = counter_value(VmCounter::NrDirty);
    if (pages == 0) return;
    for (uint32_t d = 0; d < block::device_count(); ++d) wake_flusher(block::device(d), pages);
}

void start_flushers() {
    init_writeout_period();
    kernel::set_wish_test(kernel::NapWish::DirtyFell, dirty_fell);
    kernel::set_wish_test(kernel::NapWish::WritebackFell, writeback_fell);
    for (uint32_t d = 0; d < block::device_count(); ++d) {
        DeviceState* state = device_state(block::device(d));
        if (!state) continue;
        char name[kernel::kTaskNameBytes] = "flush-";
        write_decimal(name + 6, d);
        state->last_periodic_jiffy = kernel::jiffies();
        state->flusher = kernel::create_task(name, kernel::TaskKind::Flusher, run_flusher, state);
        WEIR_ASSERT(state->flusher, "no memory for a flusher thread", d, 0);
    }
}

}  // namespace weir::mm
