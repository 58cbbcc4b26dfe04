// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: is each policy the composition it claims to be, and does every override reach it?
#include "firmware/policy/linux_2_6.h"
#include "firmware/policy/policy.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace weir::policy {
namespace {

TEST(PolicyRegistry, HoldsTheFivePoliciesSortedByName) {
    std::vector<std::string> names;
    for (uint32_t i = 0; i < policy_count(); ++i) names.emplace_back(policy_at(i).name);
    EXPECT_EQ(names,
              (std::vector<std::string>{"2.6.32", "2.6.32-revertevict", "2.6.32-watermark-wait",
                                        "2.6.33", "2.6.33-revertevict"}));
}

TEST(PolicyRegistry, FindsWholeNamesOnly) {
    ASSERT_NE(find("2.6.32"), nullptr);
    EXPECT_STREQ(find("2.6.32")->name, "2.6.32");
    EXPECT_STREQ(find("2.6.33-revertevict")->name, "2.6.33-revertevict");
    EXPECT_EQ(find("2.6.3"), nullptr);
    EXPECT_EQ(find("2.6.32-"), nullptr);
    EXPECT_EQ(find(""), nullptr);
}

/// Names of the switches in which two policies differ.
std::vector<std::string> differences(const char* a_name, const char* b_name) {
    const Switches& a = find(a_name)->switches;
    const Switches& b = find(b_name)->switches;
    std::vector<std::string> names;
    const auto compare = [&](const char* name, auto x, auto y) {
        if (x != y) names.emplace_back(name);
    };
#define WEIR_COMPARE(field) compare(#field, a.field, b.field)
    WEIR_COMPARE(allocator_nap);
    WEIR_COMPARE(watermark_wake);
    WEIR_COMPARE(watermark_queue_global);
    WEIR_COMPARE(watermark_wait_checks_first);
    WEIR_COMPARE(kswapd_nap);
    WEIR_COMPARE(kswapd_nap_before_exit_test);
    WEIR_COMPARE(kswapd_tests_after_shrink);
    WEIR_COMPARE(kswapd_skips_nap_below_min);
    WEIR_COMPARE(kswapd_probation);
    WEIR_COMPARE(kswapd_unlimited_target);
    WEIR_COMPARE(active_file_aging);
    WEIR_COMPARE(skipped_active_scan_takes_inactive);
    WEIR_COMPARE(shared_scan_carry);
    WEIR_COMPARE(approximate_free_count);
    WEIR_COMPARE(metadata_on_active_list);
    WEIR_COMPARE(wake_needs_below_off_mark);
    WEIR_COMPARE(completion_cost);
    WEIR_COMPARE(per_cpu_lists);
#undef WEIR_COMPARE
    return names;
}

using Names = std::vector<std::string>;

TEST(PolicyComposition, RevertEvictDiffersInTheAgingOfTheActiveFileListAlone) {
    EXPECT_EQ(differences("2.6.32", "2.6.32-revertevict"), (Names{"active_file_aging"}));
    EXPECT_EQ(differences("2.6.33", "2.6.33-revertevict"), (Names{"active_file_aging"}));
}

TEST(PolicyComposition, WatermarkWaitIsTheThreePatchesAndNothingElse) {
    EXPECT_EQ(differences("2.6.32", "2.6.32-watermark-wait"),
              (Names{"allocator_nap", "watermark_wake", "kswapd_nap"}));
}

TEST(PolicyComposition, Linux2633DiffersInKswapdAndInTheSkippedActiveScan) {
    EXPECT_EQ(differences("2.6.32", "2.6.33"),
              (Names{"kswapd_tests_after_shrink", "kswapd_skips_nap_below_min", "kswapd_probation",
                     "kswapd_unlimited_target", "skipped_active_scan_takes_inactive"}));
}

TEST(PolicyOverride, LeavesEverythingAloneByDefault) {
    const Switches before = find("2.6.32")->switches;
    const Switches after = apply_overrides(before, hal::PolicyOverrides{});
    EXPECT_EQ(std::memcmp(&before, &after, sizeof(before)), 0);
}

TEST(PolicyOverride, ReachesEachSwitchBothWays) {
    const Switches base = find("2.6.32")->switches;
    const auto with = [&](uint32_t hal::PolicyOverrides::*field, uint32_t value) {
        hal::PolicyOverrides overrides;
        overrides.*field = value;
        return apply_overrides(base, overrides);
    };
    using O = hal::PolicyOverrides;
    struct Row {
        uint32_t O::*field;
        bool Switches::*target;
    };
    const Row rows[] = {
        {&O::shared_scan_carry, &Switches::shared_scan_carry},
        {&O::kswapd_nap_before_exit_test, &Switches::kswapd_nap_before_exit_test},
        {&O::kswapd_tests_after_shrink, &Switches::kswapd_tests_after_shrink},
        {&O::kswapd_skips_nap_below_min, &Switches::kswapd_skips_nap_below_min},
        {&O::kswapd_probation, &Switches::kswapd_probation},
        {&O::kswapd_unlimited_target, &Switches::kswapd_unlimited_target},
        {&O::skipped_active_scan_takes_inactive, &Switches::skipped_active_scan_takes_inactive},
        {&O::approximate_free_count, &Switches::approximate_free_count},
        {&O::metadata_on_active_list, &Switches::metadata_on_active_list},
        {&O::wake_needs_below_off_mark, &Switches::wake_needs_below_off_mark},
        {&O::completion_cost, &Switches::completion_cost},
        {&O::per_cpu_lists, &Switches::per_cpu_lists},
        {&O::watermark_wait_checks_first, &Switches::watermark_wait_checks_first},
        {&O::watermark_queue_global, &Switches::watermark_queue_global},
    };
    for (const Row& row : rows) {
        EXPECT_FALSE(with(row.field, 0).*row.target);
        EXPECT_TRUE(with(row.field, 1).*row.target);
    }
    EXPECT_EQ(with(&O::evict_once, 0).active_file_aging, ActiveFileAging::Always);
    EXPECT_EQ(with(&O::evict_once, 1).active_file_aging, ActiveFileAging::OnlyWhenLarger);
    EXPECT_EQ(with(&O::watermark_wait, 1).allocator_nap, AllocatorNap::WatermarkQueue);
    EXPECT_EQ(with(&O::watermark_wait, 0).allocator_nap, AllocatorNap::CongestionQueue);
    EXPECT_EQ(with(&O::wake_on_bulk_free, 1).watermark_wake,
              WatermarkWake::AfterShrinkZoneAndBulkFree);
    EXPECT_EQ(with(&O::wake_on_bulk_free, 0).watermark_wake, WatermarkWake::AfterShrinkZone);
    EXPECT_EQ(with(&O::wake_on_bulk_free, hal::kBulkFreeOnly).watermark_wake,
              WatermarkWake::BulkFreeOnly);
    EXPECT_EQ(with(&O::wakeable_kswapd_nap, 1).kswapd_nap, KswapdNap::OwnQueue);
    EXPECT_EQ(with(&O::wakeable_kswapd_nap, 0).kswapd_nap, KswapdNap::CongestionQueue);
}

TEST(PolicyOverride, EverySwitchHasOne) {
    using Bytes = std::array<unsigned char, sizeof(Switches)>;  // a switch is a byte
    constexpr size_t kOverrideCount = sizeof(hal::PolicyOverrides) / sizeof(uint32_t);
    std::set<size_t> reached;
    for (size_t field = 0; field < kOverrideCount; ++field) {
        const auto with = [&](uint32_t value) {
            std::array<uint32_t, kOverrideCount> words;
            words.fill(hal::kFromPolicy);
            words[field] = value;
            return std::bit_cast<Bytes>(apply_overrides(
                find("2.6.32")->switches, std::bit_cast<hal::PolicyOverrides>(words)));
        };
        const Bytes off = with(0);
        const Bytes on = with(1);
        for (size_t i = 0; i < off.size(); ++i) {
            if (off[i] != on[i]) reached.insert(i);
        }
    }
    EXPECT_EQ(reached.size(), sizeof(Switches));
}

}  // namespace
}  // namespace weir::policy
