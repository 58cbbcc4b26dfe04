// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A policy: one kernel version as a composition of named mechanisms and their switches.
// - policy/linux_2_6_32.cpp and its like hold nothing but such compositions.
// - find(name) looks the registry up; activate() connects it to mm::pressure().
#pragma once

#include "firmware/hal/boot_info.h"
#include "firmware/mm/pressure.h"

namespace weir::policy {

/// What a stalled allocator naps on between two tries (site AllocatorRetry and AllocatorNoFail).
enum class AllocatorNap : uint8_t { CongestionQueue, WatermarkQueue };
/// What kswapd naps on between two passes.
enum class KswapdNap : uint8_t { CongestionQueue, OwnQueue };
/// When the watermark queue is woken.
enum class WatermarkWake : uint8_t { AfterShrinkZone, AfterShrinkZoneAndBulkFree, BulkFreeOnly };
/// How the active file list ages.
enum class ActiveFileAging : uint8_t { OnlyWhenLarger /* evict-once */, Always };

struct Switches {
    AllocatorNap allocator_nap;
    WatermarkWake watermark_wake;
    bool watermark_queue_global;       // one queue for the allocator, or one a zone
    bool watermark_wait_checks_first;  // re-check the mark before sleeping
    KswapdNap kswapd_nap;
    bool kswapd_nap_before_exit_test;  // 4.12.2
    bool kswapd_tests_after_shrink;    // 2.6.33: is the zone above high now? (4.7)
    bool kswapd_skips_nap_below_min;   // 2.6.33
    bool kswapd_probation;             // 2.6.33: HZ/10 first sleep
    bool kswapd_unlimited_target;      // 2.6.33
    ActiveFileAging active_file_aging;
    /// 2.6.32: a turn of an active list that evict-once (or a balanced anon list) skips is spent on
    /// the inactive list instead; 2.6.33 skips it. Source: linux-mm, Nov 2009, "vmscan: do not
    /// evict inactive pages when skipping an active list scan".
    bool skipped_active_scan_takes_inactive;
    bool shared_scan_carry;          // 4.12.1
    bool approximate_free_count;     // 4.12.3
    bool metadata_on_active_list;    // 4.12.4
    bool wake_needs_below_off_mark;  // 4.12.7
    bool completion_cost;            // 4.12.9: charge completion work to the interrupted hart
    bool per_cpu_lists;              // 4.2
};

struct Policy {
    const char* name;
    const char* story;  // one sentence for `weir list policies`
    Switches switches;
};

uint32_t policy_count();
const Policy& policy_at(uint32_t index);
const Policy* find(const char* name);
/// Switches in force: the policy's, with BootInfo's overrides applied.
const Switches& switches();
/// A policy's switches with every field of `overrides` that is not kFromPolicy put in its place.
Switches apply_overrides(Switches switches, const hal::PolicyOverrides& overrides);
/// Puts switches in force without connecting or starting anything: activate() and unit tests.
void use_switches(const Switches& switches);
/// Connects the policy to mm, starts kswapd. Panics if BootInfo names no known policy.
void activate();

}  // namespace weir::policy
