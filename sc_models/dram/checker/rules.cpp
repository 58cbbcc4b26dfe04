// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// From datasheet parameters to the checker's own clocks. A part that is missing turns its rule off.
#include "sc_models/dram/checker/rules.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

namespace weir::dram {
namespace {

using Clocks = std::optional<Clk>;

struct Named {
    Clocks clocks;
    std::string name;
};

class Datasheet {
  public:
    explicit Datasheet(const Spec& spec) : spec_(spec) {}

    /// The first of the names that the standard gives.
    Named first_of(std::initializer_list<const char*> names) const {
        for (const char* name : names)
            for (const Parameter& p : spec_.parameters)
                if (p.name == name) return {Clk{p.clocks}, p.name};
        return {};
    }
    /// A parameter, or the latency field of the same meaning where the file has no parameter.
    Clocks of(const char* name, uint32_t field = 0) const {
        const Clocks clocks = first_of({name}).clocks;
        return clocks || field == 0 ? clocks : Clocks{Clk{field}};
    }
    /// tX_L or tX_S by base name tX; without bank groups the plain name goes first.
    Named grouped(const char* plain, const char* suffixed, const char* third = "") const {
        if (spec_.organization.bank_groups == 1) return first_of({plain, suffixed, third});
        return first_of({suffixed, plain, third});
    }

  private:
    const Spec& spec_;
};

Clocks plus(Clocks a, Clk b) {
    return a ? Clocks{*a + b} : a;
}

void put(Limits& limits, RuleId rule, std::string name, bool on, Clk gap) {
    limits.gaps[static_cast<uint32_t>(rule)] = on ? gap : kNever;
    limits.texts[static_cast<uint32_t>(rule)] = {std::move(name), on};
}
void set(Limits& limits, RuleId rule, std::string name, const Clocks& gap) {
    put(limits, rule, std::move(name), gap.has_value(), gap.value_or(kNever));
}
void set_state(Limits& limits, RuleId rule, std::string name, bool on = true) {
    put(limits, rule, std::move(name), on, kNever);
}

void set_bank_rules(Limits& limits, const Datasheet& sheet, const Spec& spec, Clk write_end) {
    const bool sdr = spec.organization.beats_per_clock == 1;
    const Clocks trc = sheet.of("tRC", spec.trc_clocks), trp = sheet.of("tRP", spec.trp_clocks);
    const Clocks tras = sheet.of("tRAS", spec.tras_clocks);
    const Clocks twr = plus(sheet.of("tWR", spec.twr_clocks), write_end);
    Clocks trtp = sheet.of("tRTP", spec.trtp_clocks);
    // An SDR read may be cut short by a precharge; a whole burst needs this.
    if (!trtp && sdr) trtp = std::max<Clk>(1, limits.burst - (limits.read_latency - 1));

    set(limits, RuleId::TRc, "tRC", trc);
    set(limits, RuleId::TRcd, "tRCD", sheet.of("tRCD", spec.trcd_clocks));
    set(limits, RuleId::TRas, "tRAS", tras);
    set(limits, RuleId::TRp, "tRP", trp);
    const Clocks trp_all = sheet.of("tRP_ab");
    set(limits, RuleId::TRpAll, "tRP after PREA", trp_all ? trp_all : trp);
    set(limits, RuleId::TRtp, "tRTP", trtp);
    set(limits, RuleId::TWr, "tWR", twr);
    set(limits, RuleId::RdaToAct, "RDA to ACT", trtp ? trp : trtp);
    set(limits, RuleId::WraToAct, "WRA to ACT", twr ? trp : twr);
    set(limits, RuleId::PreToRef, "PRE to REF", trp);
    set(limits, RuleId::RdaToRef, "RDA to REF", trtp ? trp : trtp);
    set(limits, RuleId::WraToRef, "WRA to REF", twr ? trp : twr);
    set(limits, RuleId::ActToRef, "ACT to REF", trc);

    limits.tras = tras.value_or(0);
    limits.read_to_close = trtp.value_or(0);
    limits.write_to_close = twr.value_or(0);
    if (const Clocks tdal = sheet.of("tDAL"); tdal && trp)
        limits.write_to_close = write_end + *tdal - *trp;
    const Clocks longest = sheet.of("tRAS_max", spec.tras_max_clocks);
    set(limits, RuleId::TRasMax, "tRAS_max", longest);
    limits.tras_max = longest.value_or(kEndless);
}

void set_column_rules(Limits& limits, const Datasheet& sheet, const Spec& spec, Clk write_end) {
    const bool groups = spec.organization.bank_groups > 1;
    const auto pair = [&](RuleId l, RuleId s, Named same, Named other, const char* tail, Clk more) {
        set(limits, l, same.name + tail, plus(same.clocks, more));
        set(limits, s, other.name + tail, groups ? plus(other.clocks, more) : std::nullopt);
    };
    const Named rrd_l = sheet.grouped("tRRD", "tRRD_L"), rrd_s = sheet.grouped("tRRD", "tRRD_S");
    const Named ccd_l = sheet.grouped("tCCD", "tCCD_L"), ccd_s = sheet.grouped("tCCD", "tCCD_S");
    pair(RuleId::TRrdL, RuleId::TRrdS, rrd_l, rrd_s, "", 0);
    pair(RuleId::TCcdLRead, RuleId::TCcdSRead, ccd_l, ccd_s, " RD to RD", 0);
    pair(RuleId::TCcdLWrite, RuleId::TCcdSWrite, ccd_l, ccd_s, " WR to WR", 0);
    pair(RuleId::TWtrL, RuleId::TWtrS, sheet.grouped("tWTR", "tWTR_L", "tCDL"),
         sheet.grouped("tWTR", "tWTR_S", "tCDL"), "", write_end);
    set(limits, RuleId::TFaw, "tFAW", sheet.of("tFAW"));

    // SDR has no strobe, so no preamble.
    const Clk preamble = spec.organization.beats_per_clock == 1 ? 0 : 1;
    set(limits, RuleId::ReadToWrite, "read to write",
        limits.read_latency + limits.burst + 1 + sheet.of("tWPRE").value_or(preamble) -
            limits.write_latency);
    set(limits, RuleId::DataBus, "data bus", 0);
    set(limits, RuleId::DataTurnaround, "data bus turnaround", 1);
    set(limits, RuleId::RankSwitch, "tRTRS",
        spec.organization.ranks > 1 ? Clocks{sheet.of("tRTRS").value_or(1)} : std::nullopt);
}

void set_mode_rules(Limits& limits, const Datasheet& sheet, const Spec& spec, Clk write_end) {
    const Clocks txp = sheet.of("tXP", spec.txp_clocks), tcke = sheet.of("tCKE", spec.tcke_clocks);
    const Clocks tpd = sheet.of("tPD"), tmrd = sheet.of("tMRD"), tmod = sheet.of("tMOD");
    const Clocks twr = sheet.of("tWR", spec.twr_clocks);
    const auto with_power_down = [&](Clocks gap) { return txp ? gap : txp; };
    set(limits, RuleId::TXp, "tXP", txp);
    set(limits, RuleId::TCke, "tCKE", with_power_down(tcke));
    set(limits, RuleId::TPd, "tPD", with_power_down(tpd ? tpd : tcke));
    // DDR adds a clock for the postamble.
    const Clk postamble = spec.organization.beats_per_clock == 1 ? 0 : 1;
    set(limits, RuleId::ReadToPde, "read to PDE",
        with_power_down(limits.read_latency + limits.burst + postamble));
    set(limits, RuleId::WriteToPde, "write to PDE", with_power_down(plus(twr, write_end)));
    set_state(limits, RuleId::PowerDown, "power-down", txp.has_value());
    set(limits, RuleId::TMrd, "tMRD", tmrd);
    set(limits, RuleId::TMod, "tMOD", tmod ? tmod : tmrd);
    set(limits, RuleId::TZq, "tZQinit", sheet.of("tZQinit"));
}

void set_refresh_rules(Limits& limits, const Datasheet& sheet, const Spec& spec,
                       const CheckerOptions& options) {
    set(limits, RuleId::TRfc, "tRFC", sheet.of("tRFC", spec.trfc_clocks));
    set(limits, RuleId::TRfcPb, "tRFC_pb", sheet.of("tRFC_pb", spec.trfc_pb_clocks));
    Clocks trefi = sheet.of("tREFI", spec.trefi_clocks);
    if (!options.refresh_on) trefi.reset();
    limits.trefi = trefi.value_or(0);
    set(limits, RuleId::RefreshPulledIn, "refresh pulled in", trefi);
    set(limits, RuleId::RefreshPostponed, "refresh postponed", trefi);
    set(limits, RuleId::RefreshGap, "refresh gap", trefi);
}

}  // namespace

Limits::Limits(const Spec& spec, const CheckerOptions& options) {
    const Datasheet sheet(spec);
    const bool sdr = spec.organization.beats_per_clock == 1;
    read_latency = sheet.of("CL", spec.cl_clocks).value_or(0);
    write_latency = sheet.of("CWL", spec.cwl_clocks).value_or(0);
    burst = spec.organization.burst_clocks();
    // What follows a write counts from the end of its data; SDR names the edge of the last beat.
    const Clk write_end = write_latency + burst - (sdr ? 1 : 0);

    Limits& limits = *this;
    set_state(limits, RuleId::Fields, "fields");
    set_state(limits, RuleId::KnownCommand, "command of the standard");
    set_state(limits, RuleId::BurstAligned, "burst aligned");
    set_state(limits, RuleId::BankClosed, "ACT on closed bank");
    set_state(limits, RuleId::BankOpen, "column on open bank");
    set_state(limits, RuleId::RowMatches, "column in open row");
    set_state(limits, RuleId::AllClosed, "all banks closed");
    const bool power_up = options.expects_power_up && !spec.power_up.empty();
    set_state(limits, RuleId::PowerUpOrder, "power-up order", power_up);
    set(limits, RuleId::PowerUpWait, "power-up wait", power_up ? Clocks{0} : std::nullopt);
    set(limits, RuleId::CommandBus, "command bus", 1);
    set_bank_rules(limits, sheet, spec, write_end);
    set_column_rules(limits, sheet, spec, write_end);
    set_mode_rules(limits, sheet, spec, write_end);
    set_refresh_rules(limits, sheet, spec, options);
}

}  // namespace weir::dram
