// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/dram/core/check_config.h"

#include "sc_models/dram/core/address_map.h"
#include "sc_models/dram/core/page_policy.h"
#include "sc_models/dram/core/refresh.h"
#include "sc_models/dram/core/scheduler.h"

#include <algorithm>
#include <bit>

namespace weir::dram {
namespace {

constexpr uint32_t kBanksMax = 64;  // the channel keeps one bit a bank
constexpr uint32_t kAdaptiveMax = 1'000'000;
constexpr uint32_t kQueueEntriesMax = 4096;  // arbitrary; a real queue has some dozens
constexpr uint32_t kRulesMax = 250;          // Wait: a rule's index shares a byte with its values
constexpr uint64_t kBytesMax = uint64_t{1} << 48;  // of a channel; arbitrary, far above any

std::string text_of(uint64_t value) {
    return std::to_string(value);
}

void check_name(const std::string& key, const std::string& name,
                const std::vector<std::string>& choices) {
    if (std::find(choices.begin(), choices.end(), name) != choices.end()) return;
    std::string list;
    for (const std::string& choice : choices) list += (list.empty() ? "" : ", ") + choice;
    throw ConfigProblem(key, "\"" + name + "\" is none of " + list, choices);
}

void check_power_of_two(const std::string& key, uint64_t value) {
    if (std::has_single_bit(value)) return;
    throw ConfigProblem("organization." + key,
                        text_of(value) + (value == 0 ? " is none" : " is no power of two"));
}

void check_organization(const Organization& organization) {
    check_power_of_two("ranks", organization.ranks);
    check_power_of_two("bank_groups", organization.bank_groups);
    check_power_of_two("banks_per_group", organization.banks_per_group);
    const uint64_t groups = uint64_t{organization.ranks} * organization.bank_groups;
    if (groups > kBanksMax || groups * organization.banks_per_group > kBanksMax) {
        throw ConfigProblem("organization.banks_per_group",
                            "more than " + text_of(kBanksMax) + " banks in all ranks");
    }
    check_power_of_two("rows", organization.rows);
    check_power_of_two("columns", organization.columns);
    check_power_of_two("device_width_bits", organization.device_width_bits);
    check_power_of_two("devices", organization.devices);
    check_power_of_two("burst_length", organization.burst_length);
    if (organization.beats_per_clock != 1 && organization.beats_per_clock != 2) {
        throw ConfigProblem("organization.beats_per_clock",
                            "1 or 2, not " + text_of(organization.beats_per_clock));
    }
    if (organization.burst_length < organization.beats_per_clock) {
        throw ConfigProblem("organization.burst_length", "a burst takes no whole clock");
    }
    if (organization.burst_length > organization.columns) {
        throw ConfigProblem("organization.burst_length",
                            text_of(organization.burst_length) + " is longer than a row of " +
                                text_of(organization.columns) + " columns");
    }
    if (uint64_t{organization.devices} * organization.device_width_bits < 8) {
        throw ConfigProblem("organization.devices", "the bus is narrower than a byte");
    }
    const uint32_t bits =
        field_bits(Field::Rank, organization) + field_bits(Field::BankGroup, organization) +
        field_bits(Field::Bank, organization) + field_bits(Field::Row, organization) +
        field_bits(Field::Column, organization) + field_bits(Field::Offset, organization);
    if ((uint64_t{1} << std::min(bits, 63u)) > kBytesMax) {
        throw ConfigProblem("organization.rows", "more than 2^48 bytes in all");
    }
}

ConfigProblem misordered(const std::string& less, uint32_t less_clocks, const std::string& more,
                         uint32_t more_clocks, const std::string& why) {
    return {"parameters." + more, text_of(more_clocks) + " clocks are fewer than " + less + " = " +
                                      text_of(less_clocks) + ": " + why};
}

/// `less` <= `more`, both parameters; absent ones are not compared.
void check_order(const Spec& spec, const std::string& less, const std::string& more,
                 const std::string& why) {
    bool has_less = false;
    bool has_more = false;
    const uint32_t less_clocks = spec.clocks_of(less, &has_less);
    const uint32_t more_clocks = spec.clocks_of(more, &has_more);
    if (!has_less || !has_more || less_clocks <= more_clocks) return;
    throw misordered(less, less_clocks, more, more_clocks, why);
}

void check_latencies(const Spec& spec) {
    const auto positive = [](const char* name, uint32_t clocks) {
        if (clocks == 0) {
            throw ConfigProblem("parameters." + std::string(name),
                                "0 clocks; at least 1 is wanted");
        }
    };
    positive("CL", spec.cl_clocks);
    positive("tRCD", spec.trcd_clocks);
    positive("tRP", spec.trp_clocks);
    positive("tRAS", spec.tras_clocks);
    positive("tRFC", spec.trfc_clocks);
    const auto ordered = [](const char* less, uint32_t less_clocks, const char* more,
                            uint32_t more_clocks, const char* why) {
        if (less_clocks > more_clocks) throw misordered(less, less_clocks, more, more_clocks, why);
    };
    ordered("tRAS", spec.tras_clocks, "tRC", spec.trc_clocks,
            "a row cycle holds the row's active time");
    ordered("tRAS + tRP", spec.tras_clocks + spec.trp_clocks, "tRC", spec.trc_clocks,
            "the tRAS hidden in an auto-precharge would be cut; rounding may need the formula "
            "tRC = tRAS + tRP");
    ordered("tRCD", spec.trcd_clocks, "tRAS", spec.tras_clocks,
            "no column command fits before the precharge");
    ordered("tRFC", spec.trfc_clocks, "tREFI", spec.trefi_clocks,
            "refreshing would leave no time for anything else");
    if (spec.tras_max_clocks != 0) {
        ordered("tRC", spec.trc_clocks + kRowLimitMarginClocks, "tRAS_max", spec.tras_max_clocks,
                "a row is closed that margin of 256 clocks before its limit");
    }
    if ((spec.txp_clocks == 0) != (spec.tcke_clocks == 0)) {
        throw ConfigProblem(spec.txp_clocks == 0 ? "parameters.tCKE" : "parameters.tXP",
                            "power-down needs both tXP and tCKE, or neither");
    }
    if (spec.per_bank_refresh && spec.trfc_pb_clocks == 0) {
        throw ConfigProblem("parameters.tRFC_pb", "0 clocks; at least 1 is wanted");
    }
    for (const char* name : {"tRRD", "tRRD_S", "tRRD_L"}) {
        check_order(spec, name, "tFAW", "a window of four activates holds one gap at least");
    }
    for (const std::string name : {"tRRD", "tCCD", "tWTR"}) {
        check_order(spec, name + "_S", name + "_L",
                    "within a bank group the gap is the longer one");
    }
}

void check_scheduler(const SchedulerConfig& scheduler) {
    check_name("scheduler.name", scheduler.name, scheduler_names());
    const auto check_entries = [](const char* key, uint32_t entries) {
        if (entries >= 1 && entries <= kQueueEntriesMax) return;
        throw ConfigProblem(
            "scheduler." + std::string(key),
            text_of(entries) + " entries; allowed: 1 to " + text_of(kQueueEntriesMax));
    };
    check_entries("read_queue_entries", scheduler.read_queue_entries);
    check_entries("write_queue_entries", scheduler.write_queue_entries);
    if (scheduler.name != "frfcfs_drain") return;
    if (scheduler.drain_high_entries > scheduler.write_queue_entries) {
        throw ConfigProblem(
            "scheduler.drain_high_entries",
            text_of(scheduler.drain_high_entries) + " is more than write_queue_entries = " +
                text_of(scheduler.write_queue_entries) + ": the drain would never begin");
    }
    if (scheduler.drain_low_entries >= scheduler.drain_high_entries) {
        throw ConfigProblem(
            "scheduler.drain_low_entries",
            text_of(scheduler.drain_low_entries) +
                " must be below drain_high_entries = " + text_of(scheduler.drain_high_entries));
    }
}

void check_refresh(const RefreshConfig& refresh, const Spec& spec) {
    check_name("refresh.name", refresh.name, refresh_names());
    if (refresh.name == "per_bank" && !spec.per_bank_refresh) {
        throw ConfigProblem("refresh.name", "per_bank: " + spec.name +
                                                " has no per-bank refresh; allowed here: none, "
                                                "all_bank");
    }
    const auto check_at_most = [&](const char* key, uint32_t value, uint32_t max) {
        if (value <= max) return;
        throw ConfigProblem("refresh." + std::string(key), text_of(value) + " is more than the " +
                                                               text_of(max) + " that " + spec.name +
                                                               " allows");
    };
    check_at_most("postpone_max", refresh.postpone_max, spec.refresh_postpone_max);
    check_at_most("pull_in_max", refresh.pull_in_max, spec.refresh_pull_in_max);
}

}  // namespace

ConfigProblem::ConfigProblem(std::string key, std::string problem, std::vector<std::string> choices)
    : std::invalid_argument(key + ": " + problem),
      key_(std::move(key)),
      problem_(std::move(problem)),
      choices_(std::move(choices)) {}

void check_spec(const Spec& spec) {
    if (spec.tck_ps == 0) throw ConfigProblem("tck_ps", "0: the clock stands still");
    check_organization(spec.organization);
    check_latencies(spec);
    if (spec.rules.size() >= kRulesMax) {
        throw ConfigProblem(
            "rule", text_of(spec.rules.size()) + " rules; at most " + text_of(kRulesMax - 1));
    }
    for (const Rule& rule : spec.rules) {
        if (rule.preceding == 0 || rule.following == 0 || rule.clocks == 0 || rule.window == 0) {
            throw ConfigProblem("rule", rule.name + ": commands, clocks or window missing");
        }
    }
}

void check_config(const ControllerConfig& config) {
    check_spec(config.spec);
    AddressMap::create(config.spec.organization, config.mapping);
    check_scheduler(config.scheduler);
    check_name("page.name", config.page.name, page_policy_names());
    if (config.page.name == "timeout" && config.page.timeout_clocks == 0) {
        throw ConfigProblem("page.timeout_clocks", "0: write name = \"closed\" for that");
    }
    if (config.page.name == "adaptive" && config.page.adaptive_max == 0) {
        throw ConfigProblem("page.adaptive_max", "0: write name = \"open\" for that");
    }
    if (config.page.name == "adaptive" && config.page.adaptive_max > kAdaptiveMax) {
        throw ConfigProblem("page.adaptive_max", text_of(config.page.adaptive_max) +
                                                     ": a guess would never turn; at most " +
                                                     text_of(kAdaptiveMax));
    }
    check_refresh(config.refresh, config.spec);
    if (config.power_down_after_clocks != 0 && config.spec.txp_clocks == 0) {
        throw ConfigProblem("power_down_after_clocks",
                            config.spec.name + " has no power-down (no tXP); only 0 is allowed");
    }
    if (config.power_up && config.spec.power_up.empty()) {
        throw ConfigProblem("power_up", config.spec.name + " gives no power-up sequence");
    }
}

}  // namespace weir::dram
