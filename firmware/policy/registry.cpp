// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The table of policies and the switches in force.
#include "firmware/hal/hal.h"
#include "firmware/policy/linux_2_6.h"
#include "firmware/policy/policy.h"

namespace weir::policy {

namespace {

constexpr const Policy* kPolicies[] = {
#define WEIR_POLICY(symbol) &symbol,
#include "firmware/policy/policies.inc"
#undef WEIR_POLICY
};
constexpr uint32_t kPolicyCount = sizeof(kPolicies) / sizeof(kPolicies[0]);

constinit Switches switches_in_force = linux_2_6_32();

bool same_name(const char* a, const char* b) {
    while (*a != '\0' && *a == *b) {
        ++a;
        ++b;
    }
    return *a == *b;
}

void put(bool& field, uint32_t value) {
    if (value != hal::kFromPolicy) field = value != 0;
}

template <typename Enum>
void put(Enum& field, uint32_t value, Enum when_on, Enum when_off) {
    if (value != hal::kFromPolicy) field = value != 0 ? when_on : when_off;
}

}  // namespace

uint32_t policy_count() {
    return kPolicyCount;
}

const Policy& policy_at(uint32_t index) {
    WEIR_ASSERT(index < kPolicyCount, "policy index out of range", index, kPolicyCount);
    return *kPolicies[index];
}

const Policy* find(const char* name) {
    for (const Policy* policy : kPolicies) {
        if (same_name(policy->name, name)) return policy;
    }
    return nullptr;
}

const Switches& switches() {
    return switches_in_force;
}

void use_switches(const Switches& switches) {
    switches_in_force = switches;
}

Switches apply_overrides(Switches s, const hal::PolicyOverrides& o) {
    put(s.shared_scan_carry, o.shared_scan_carry);
    put(s.kswapd_nap_before_exit_test, o.kswapd_nap_before_exit_test);
    put(s.kswapd_tests_after_shrink, o.kswapd_tests_after_shrink);
    put(s.kswapd_skips_nap_below_min, o.kswapd_skips_nap_below_min);
    put(s.kswapd_probation, o.kswapd_probation);
    put(s.kswapd_unlimited_target, o.kswapd_unlimited_target);
    put(s.approximate_free_count, o.approximate_free_count);
    put(s.metadata_on_active_list, o.metadata_on_active_list);
    put(s.active_file_aging, o.evict_once, ActiveFileAging::OnlyWhenLarger,
        ActiveFileAging::Always);
    put(s.skipped_active_scan_takes_inactive, o.skipped_active_scan_takes_inactive);
    put(s.wake_needs_below_off_mark, o.wake_needs_below_off_mark);
    put(s.completion_cost, o.completion_cost);
    put(s.per_cpu_lists, o.per_cpu_lists);
    put(s.allocator_nap, o.watermark_wait, AllocatorNap::WatermarkQueue,
        AllocatorNap::CongestionQueue);
    put(s.watermark_wake, o.wake_on_bulk_free, WatermarkWake::AfterShrinkZoneAndBulkFree,
        WatermarkWake::AfterShrinkZone);
    if (o.wake_on_bulk_free == hal::kBulkFreeOnly) s.watermark_wake = WatermarkWake::BulkFreeOnly;
    put(s.kswapd_nap, o.wakeable_kswapd_nap, KswapdNap::OwnQueue, KswapdNap::CongestionQueue);
    put(s.watermark_wait_checks_first, o.watermark_wait_checks_first);
    put(s.watermark_queue_global, o.watermark_queue_global);
    return s;
}

}  // namespace weir::policy
