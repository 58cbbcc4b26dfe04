// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Zones: what is computed at boot, the approximate count of free frames, the watermark test.
#include "firmware/mm/zone.h"

#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/kernel.h"
#include "firmware/mm/swap.h"

#include <new>

namespace weir::mm {

namespace {

Zone* the_zone = nullptr;

constexpr uint32_t kMinFreeKibFloor = 128;
constexpr uint32_t kMinFreeKibCeiling = 65536;
constexpr uint32_t kKibPerFrame = hal::kPageBytes / 1024;
constexpr uint32_t kHighBatches = 6;         // a per-CPU list's high mark in batches
constexpr uint32_t kStatThresholdMax = 125;  // a delta fits a signed byte in Linux

/// Largest r with r * r <= value.
uint64_t integer_sqrt(uint64_t value) {
    uint64_t root = 0;
    for (uint64_t bit = 1ull << 31; bit != 0; bit >>= 1) {
        const uint64_t candidate = root | bit;
        if (candidate * candidate <= value) root = candidate;
    }
    return root;
}

/// Position of the highest set bit, 1-based; 0 for 0.
uint32_t bit_width(uint64_t value) {
    uint32_t width = 0;
    for (; value != 0; value >>= 1) ++width;
    return width;
}

}  // namespace

Watermarks compute_watermarks(uint64_t managed_frames, uint32_t min_free_kib) {
    if (min_free_kib == 0) {
        const uint64_t kib = integer_sqrt(16 * managed_frames * kKibPerFrame);
        min_free_kib = kib < kMinFreeKibFloor     ? kMinFreeKibFloor
                       : kib > kMinFreeKibCeiling ? kMinFreeKibCeiling
                                                  : static_cast<uint32_t>(kib);
    }
    const uint32_t min = min_free_kib / kKibPerFrame;
    return Watermarks{min, min + min / 4, min + min / 2};
}

uint32_t compute_batch_frames(uint64_t zone_frames) {
    constexpr uint64_t kCapFrames = 512 * 1024 / hal::kPageBytes;
    uint64_t batch = zone_frames / 1024;
    if (batch > kCapFrames) batch = kCapFrames;
    batch /= 4;
    if (batch == 0) batch = 1;
    // One below a power of two: cache aliasing of batches, in Linux; here, the fact of the number.
    const uint32_t power = 1u << (bit_width(batch + batch / 2) - 1);
    return power > 1 ? power - 1 : 1;
}

uint32_t compute_stat_threshold(uint32_t harts, uint64_t zone_frames) {
    const uint64_t units = zone_frames >> (27 - hal::kPageShift);
    const uint32_t threshold = 2 * bit_width(harts) * (1 + bit_width(units));
    return threshold < kStatThresholdMax ? threshold : kStatThresholdMax;
}

void init_zones() {
    const hal::BootInfo& info = kernel::boot_info();
    the_zone = new (kernel::boot_alloc(sizeof(Zone))) Zone{};
    Zone& z = *the_zone;
    z.present_frames = info.ram_bytes / hal::kPageBytes;
    z.mark = compute_watermarks(z.present_frames, info.min_free_kib);
    z.stat_threshold_frames = compute_stat_threshold(info.hart_count, z.present_frames);
    z.approximate_free_count = true;
    z.use_per_cpu_lists = true;
    for (PerCpuLists& pcp : z.per_cpu) {
        pcp.batch_frames = compute_batch_frames(z.present_frames);
        pcp.high_frames = kHighBatches * pcp.batch_frames;
    }
    hal::gauge(hal::Gauge::ZoneMin, 0, z.mark.min_frames);
    hal::gauge(hal::Gauge::ZoneLow, 0, z.mark.low_frames);
    hal::gauge(hal::Gauge::ZoneHigh, 0, z.mark.high_frames);
}

uint32_t zone_count() {
    return the_zone != nullptr ? 1 : 0;
}

Zone& zone(uint32_t index) {
    WEIR_ASSERT(index < zone_count(), "no such zone", index, zone_count());
    return *the_zone;
}

uint64_t free_frames_exact(const Zone& z) {
    int64_t sum = z.free_frames;
    for (const PerCpuLists& pcp : z.per_cpu) sum += pcp.free_delta;
    return static_cast<uint64_t>(sum);
}

uint64_t pcp_frames(const Zone& z) {
    uint64_t sum = 0;
    for (uint32_t hart = 0; hart < hal::hart_count(); ++hart) sum += z.per_cpu[hart].frames.size();
    return sum;
}

void add_free_frames(Zone& z, int64_t delta_frames) {
    const int64_t threshold = z.approximate_free_count ? z.stat_threshold_frames : 0;
    int32_t& private_delta = z.per_cpu[hal::hart_id()].free_delta;
    const int64_t sum = private_delta + delta_frames;
    if (sum > threshold || sum < -threshold) {
        z.free_frames += sum;
        kernel::count(kernel::VmCounter::NrFreePages, sum);
        private_delta = 0;
    } else {
        private_delta = static_cast<int32_t>(sum);
    }
}

bool watermark_ok(const Zone& z, uint32_t order, uint32_t mark_frames) {
    if (order == 0) return z.free_frames > static_cast<int64_t>(mark_frames);
    int64_t free = z.free_frames - (1ll << order) + 1;
    int64_t mark = mark_frames;
    if (free <= mark) return false;
    for (uint32_t smaller = 0; smaller < order; ++smaller) {
        // Blocks too small to serve the request do not count; less is asked of what remains.
        free -= static_cast<int64_t>(z.free_lists[smaller].size()) << smaller;
        mark >>= 1;
        if (free <= mark) return false;
    }
    return true;
}

uint32_t lru_size(const Zone& z, Lru list) {
    return z.lru[static_cast<uint32_t>(list)].size();
}

uint64_t reclaimable_frames(const Zone& z) {
    uint64_t frames = lru_size(z, Lru::ActiveFile) + lru_size(z, Lru::InactiveFile);
    if (swap_enabled() && swap_free_slots() > 0)
        frames += lru_size(z, Lru::ActiveAnon) + lru_size(z, Lru::InactiveAnon);
    return frames;
}

void show_free_levels(Zone& z) {
    const uint64_t on_lists = pcp_frames(z);
    const auto counter = static_cast<uint32_t>(kernel::VmCounter::NrPcpPages);
    kernel::vm_counters[counter] = on_lists;
    hal::gauge(hal::Gauge::ZoneFree, 0, free_frames(z));
    hal::gauge(hal::Gauge::ZonePcp, 0, on_lists);
}

}  // namespace weir::mm
