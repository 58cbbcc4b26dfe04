// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Energy of a channel from what its controller counted and the currents of the data sheet.
// What a command costs is its current beyond that of the state it happens in, for as long as it
// lasts; on top comes the current of the state for the whole time:
//   activate and precharge  IDD0 over tRC, less IDD3N over tRAS and IDD2N over the rest
//   read, write             IDD4R, IDD4W less IDD3N over the burst
//   refresh                 IDD5B less IDD3N over tRFC; of one bank: its share of all banks
//   background              IDD3N with a bank open, IDD2N with none, IDD2P asleep,
//                           IDD3P asleep with a bank open
// Source: Micron TN-41-01, "Calculating Memory System Power for DDR3" (DDR4: TN-40-07, the same).
// Leaves out: the bus and its termination, the VPP supply, temperature.
#pragma once

#include "sc_models/dram/core/spec.h"
#include "sc_models/dram/core/stats.h"

#include <cstdint>
#include <optional>

namespace weir::dram {

/// Of all devices of all ranks, in nanojoules.
struct EnergyReport {
    double activate_nj = 0;  // and the precharge that follows each
    double read_nj = 0;
    double write_nj = 0;
    double refresh_nj = 0;
    double active_standby_nj = 0;
    double precharge_standby_nj = 0;
    double power_down_nj = 0;
    double total_nj = 0;
    double mean_mw = 0;  // over the whole time
};

/// Units:  clocks: how long the statistics were taken.
/// Shapes: stats.power_down_clocks is the sum over the ranks, and none of it is in active_clocks.
/// Absent where no data sheet gave currents.
std::optional<EnergyReport> energy_of(const Spec& spec, const ChannelStats& stats, uint64_t clocks);

}  // namespace weir::dram
