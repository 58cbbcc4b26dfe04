// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/dram/core/energy.h"

#include <algorithm>
#include <numeric>

namespace weir::dram {

std::optional<EnergyReport> energy_of(const Spec& spec, const ChannelStats& stats,
                                      uint64_t clocks) {
    if (!spec.currents.known) return std::nullopt;
    const Currents& idd = spec.currents;
    const Organization& organization = spec.organization;

    // Of one rank: mA x V is mW, times ps is 1e-6 nJ.
    const double nj_per_ma_clock = idd.vdd_v * spec.tck_ps * 1e-6 * organization.devices;
    const auto count = [&](Command command) {
        return static_cast<double>(stats.commands[static_cast<uint32_t>(command)]);
    };
    const double tras = spec.tras_clocks;
    const double trc = spec.trc_clocks;
    const double burst = organization.burst_clocks();
    const double refreshes =
        count(Command::Ref) + count(Command::Refpb) / organization.banks_per_rank();

    const double rank_clocks = static_cast<double>(clocks) * organization.ranks;
    const double active = static_cast<double>(
        std::accumulate(stats.active_clocks.begin(), stats.active_clocks.end(), uint64_t{0}));
    const double power_down = static_cast<double>(stats.power_down_clocks);
    const double precharged = std::max(0.0, rank_clocks - active - power_down);

    EnergyReport report;
    report.activate_nj = count(Command::Act) * nj_per_ma_clock *
                         (idd.idd0_ma * trc - idd.idd3n_ma * tras - idd.idd2n_ma * (trc - tras));
    report.read_nj = (count(Command::Rd) + count(Command::Rda)) * nj_per_ma_clock * burst *
                     (idd.idd4r_ma - idd.idd3n_ma);
    report.write_nj = (count(Command::Wr) + count(Command::Wra)) * nj_per_ma_clock * burst *
                      (idd.idd4w_ma - idd.idd3n_ma);
    report.refresh_nj =
        refreshes * nj_per_ma_clock * spec.trfc_clocks * (idd.idd5b_ma - idd.idd3n_ma);
    report.active_standby_nj = active * nj_per_ma_clock * idd.idd3n_ma;
    report.precharge_standby_nj = precharged * nj_per_ma_clock * idd.idd2n_ma;
    const double asleep_open = static_cast<double>(stats.power_down_active_clocks);
    report.power_down_nj =
        ((power_down - asleep_open) * idd.idd2p_ma + asleep_open * idd.idd3p_ma) * nj_per_ma_clock;
    report.total_nj = report.activate_nj + report.read_nj + report.write_nj + report.refresh_nj +
                      report.active_standby_nj + report.precharge_standby_nj + report.power_down_nj;
    // nJ / ps is kW.
    const double time_ps = static_cast<double>(clocks) * spec.tck_ps;
    report.mean_mw = clocks == 0 ? 0 : report.total_nj / time_ps * 1e6;
    return report;
}

}  // namespace weir::dram
