// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Do the standard files come out in the clocks that data sheets and other simulators state?
#include "testbenches/unit/dram_core/dram_files.h"

#include <gmock/gmock.h>

#include <map>

namespace weir::runner {
namespace {

using Clocks = std::map<std::string, uint32_t>;

/// Those parameters of the standard that `expected` names.
Clocks clocks_like(const Clocks& expected, const dram::Spec& spec) {
    Clocks result;
    for (const auto& [name, clocks] : expected) {
        bool found = false;
        const uint32_t value = spec.clocks_of(name, &found);
        if (found) result[name] = value;
    }
    return result;
}

TEST(Standards, Ddr4HasTheClocksOfTheReferenceConfiguration) {
    const Clocks expected{{"CL", 16},     {"CWL", 12},    {"tRCD", 16},    {"tRP", 16},
                          {"tRAS", 39},   {"tRC", 55},    {"tWR", 18},     {"tRTP", 9},
                          {"tCCD_S", 4},  {"tCCD_L", 6},  {"tRRD_S", 4},   {"tRRD_L", 6},
                          {"tWTR_S", 3},  {"tWTR_L", 9},  {"tFAW", 26},    {"tRFC", 313},
                          {"tXP", 8},     {"tCKE", 6},    {"tREFI", 9364}, {"tXS", 324},
                          {"tMRD", 8},    {"tMOD", 24}};
    EXPECT_EQ(clocks_like(expected, standard("ddr4-2400")), expected);
}

TEST(Standards, TheReferenceFileIsTheReferenceConfiguration) {
    const dram::ControllerConfig config =
        load_dram_config(kDramFolder / "ddr4-2400-reference.toml", {}, kStandards);
    EXPECT_EQ(config.spec.name, "DDR4-2400R");
    EXPECT_EQ(config.spec.organization.bytes(), uint64_t{4} << 30);
    EXPECT_EQ(config.spec.organization.access_bytes(), 64u);
    EXPECT_EQ(config.scheduler.name, "frfcfs");
    EXPECT_EQ(config.scheduler.read_queue_entries, 32u);
    EXPECT_EQ(config.scheduler.write_queue_entries, 32u);
    EXPECT_EQ(config.page.name, "open");
    EXPECT_EQ(config.refresh.name, "all_bank");
    EXPECT_EQ(config.refresh.postpone_max, 0u);
    EXPECT_EQ(config.power_down_after_clocks, 0u);
}

}  // namespace
}  // namespace weir::runner
