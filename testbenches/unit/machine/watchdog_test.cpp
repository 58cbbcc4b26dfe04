// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: within what time is a run that gets nowhere ended?
#include "sc_models/machine/watchdog.h"

#include <gtest/gtest.h>

namespace weir::test {
namespace {

constexpr uint64_t kPsPerMs = 1'000'000'000;

/// When a watchdog that is asked once a period ends a run whose last progress was then.
uint64_t end_ps(uint64_t patience_ps, uint64_t last_progress_ps) {
    machine::Watchdog dog(patience_ps);
    uint64_t now_ps = machine::kWatchPeriodPs;
    while (!dog.barks(now_ps, now_ps < last_progress_ps ? now_ps : last_progress_ps))
        now_ps += machine::kWatchPeriodPs;
    return now_ps;
}

TEST(WatchdogBound, ARunEndsAfterItsPatienceAndAtMostTwoPeriodsLater) {
    for (const uint64_t patience_ms : {100, 999, 1'000, 1'001, 2'500, 60'000}) {
        for (uint64_t last_ms = 1; last_ms < 4'000; last_ms += 37) {
            const uint64_t late_ps = end_ps(patience_ms * kPsPerMs, last_ms * kPsPerMs) -
                                     (last_ms + patience_ms) * kPsPerMs;
            EXPECT_LE(late_ps, 2 * machine::kWatchPeriodPs) << patience_ms << " " << last_ms;
        }
    }
}

}  // namespace
}  // namespace weir::test
