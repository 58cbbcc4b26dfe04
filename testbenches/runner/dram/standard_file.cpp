// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/dram/standard_file.h"

#include "sc_models/dram/core/check_config.h"
#include "testbenches/runner/config/text.h"
#include "testbenches/runner/dram/latency_expression.h"
#include "testbenches/runner/dram/standard_document.h"
#include "testbenches/runner/dram/table_reader.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace weir::runner {
namespace {

using dram::Command;
using dram::CommandSet;
using dram::Level;

constexpr uint32_t kLargest = 1u << 30;  // of any count in a file; arbitrary, sums still fit
constexpr double kLargestNs = 1e9;       // a second

/// Parameters that the Spec takes out of the table. Those that a standard may lack come last.
struct Slot {
    const char* name;
    uint32_t dram::Spec::*clocks;
    bool needed;
};
constexpr Slot kSlots[] = {
    {"CL", &dram::Spec::cl_clocks, true},
    {"CWL", &dram::Spec::cwl_clocks, true},
    {"tRCD", &dram::Spec::trcd_clocks, true},
    {"tRP", &dram::Spec::trp_clocks, true},
    {"tRAS", &dram::Spec::tras_clocks, true},
    {"tRC", &dram::Spec::trc_clocks, true},
    {"tRTP", &dram::Spec::trtp_clocks, true},
    {"tWR", &dram::Spec::twr_clocks, true},
    {"tRFC", &dram::Spec::trfc_clocks, true},
    {"tREFI", &dram::Spec::trefi_clocks, true},
    {"tRAS_max", &dram::Spec::tras_max_clocks, false},
    {"tXP", &dram::Spec::txp_clocks, false},
    {"tCKE", &dram::Spec::tcke_clocks, false},
    {"tRFC_pb", &dram::Spec::trfc_pb_clocks, false},
};
/// Known, though no rule needs them yet: self refresh, short calibration.
constexpr const char* kUnusedParameters[] = {"tXS", "tZQCS"};

std::vector<std::string> known_parameters() {
    std::vector<std::string> names(std::begin(kUnusedParameters), std::end(kUnusedParameters));
    for (const Slot& slot : kSlots) names.emplace_back(slot.name);
    return names;
}

std::vector<std::string> command_names() {
    std::vector<std::string> names;
    for (uint32_t i = 0; i < dram::kCommandCount; ++i) {
        names.emplace_back(command_name(static_cast<Command>(i)));
    }
    return names;
}

/// The standard file while it is read.
class StandardFile {
  public:
    explicit StandardFile(Document document) : document_(std::move(document)), reader_(document_) {}

    dram::Spec read() {
        reader_.find("base");
        if (const uint32_t schema = reader_.integer("schema", 0, kLargest); schema != 1) {
            reader_.refuse(reader_.need("schema"), "allowed: 1");
        }
        spec_.name = reader_.text("name");
        spec_.tck_ps = reader_.integer("tck_ps", 100, 1'000'000);
        reader_.integer_if("rounding_guard_permille", 0, 999, guard_permille_);
        if (guard_permille_ != 0) reader_.text("rounding_source");
        std::string unused;
        reader_.text_if("rounding_source", unused);
        read_organization();
        read_parameters();
        fill_slots();
        read_rules();
        read_power_up();
        read_currents();
        reader_.integer_if("refresh.postpone_max", 0, 64, spec_.refresh_postpone_max);
        reader_.integer_if("refresh.pull_in_max", 0, 64, spec_.refresh_pull_in_max);
        reader_.text_if("refresh.source", unused);
        reader_.refuse_the_rest({"rule", "power_up"});
        check();
        return std::move(spec_);
    }

  private:
    Document document_;
    TableReader reader_;
    dram::Spec spec_;
    uint32_t guard_permille_ = 0;
    ParameterClocks clocks_;
    std::set<std::string> used_;  // parameters that an expression names

    void read_organization() {
        dram::Organization& o = spec_.organization;
        const auto read = [&](const char* key, uint32_t& target) {
            target = reader_.integer(std::string("organization.") + key, 0, kLargest);
        };
        read("ranks", o.ranks);
        read("bank_groups", o.bank_groups);
        read("banks_per_group", o.banks_per_group);
        read("rows", o.rows);
        read("columns", o.columns);
        read("device_width_bits", o.device_width_bits);
        read("devices", o.devices);
        read("burst_length", o.burst_length);
        read("beats_per_clock", o.beats_per_clock);
        reader_.text("organization.source");
        clocks_["BL"] = o.burst_length;
    }

    /// The leaves "parameters.NAME.KEY" as one small document a name, in the file's order.
    std::vector<std::pair<std::string, Document>> parameter_tables() {
        const std::string prefix = "parameters.";
        std::vector<std::pair<std::string, Document>> tables;
        for (const Leaf& leaf : document_.leaves) {
            if (!leaf.path.starts_with(prefix)) continue;
            reader_.find(leaf.path);
            const size_t dot = leaf.path.find('.', prefix.size());
            if (dot == std::string::npos) {
                reader_.refuse(leaf,
                               "a parameter is a table: { ns = ..., source = \"...\" } or "
                               "{ clocks = ..., source = \"...\" }");
            }
            const std::string name = leaf.path.substr(prefix.size(), dot - prefix.size());
            if (tables.empty() || tables.back().first != name) {
                tables.push_back({name, Document{document_.file, leaf.place, {}, {}, {}}});
            }
            Leaf inner = leaf;
            inner.path = leaf.path.substr(dot + 1);
            tables.back().second.leaves.push_back(std::move(inner));
        }
        return tables;
    }

    void read_parameters() {
        const auto tables = parameter_tables();
        for (const auto& [name, table] : tables) {
            TableReader reader(table, "parameters." + name);
            if (clocks_.contains(name)) {
                reader.refuse(table.leaves.front(), "the name is taken");
            }
            dram::Parameter parameter;
            parameter.name = name;
            parameter.source = reader.text("source");
            if (reader.find("formula") == nullptr) {
                if (reader.has("ns")) {
                    read_time(reader, parameter);
                } else {
                    parameter.clocks = reader.integer("clocks", 0, kLargest);
                }
                clocks_[name] = parameter.clocks;
            }
            reader.refuse_the_rest();
            spec_.parameters.push_back(std::move(parameter));
        }
        // A formula may name any parameter that is none, and formulas above it.
        for (size_t i = 0; i < tables.size(); ++i) {
            const auto& [name, table] = tables[i];
            if (table.find("formula") == nullptr) continue;
            TableReader reader(table, "parameters." + name);
            spec_.parameters[i].clocks = formula(reader, "formula", 0);
            clocks_[name] = spec_.parameters[i].clocks;
        }
    }

    void read_time(TableReader& reader, dram::Parameter& parameter) {
        parameter.ns = reader.number("ns", 0, kLargestNs);
        if (std::abs(parameter.ns * 1000 - std::round(parameter.ns * 1000)) > 1e-3) {
            reader.refuse(reader.need("ns"), "finer than a picosecond");
        }
        std::string rounding = "up";
        reader.text_if("round", rounding);
        if (rounding != "up" && rounding != "down") {
            reader.refuse(reader.need("round"), "allowed: \"up\", \"down\"");
        }
        const RoundTo round = rounding == "up" ? RoundTo::Above : RoundTo::Below;
        parameter.clocks = clocks_of_ns(parameter.ns, spec_.tck_ps, guard_permille_, round);
        uint32_t min_clocks = 0;
        reader.integer_if("min_clocks", 0, kLargest, min_clocks);
        parameter.clocks = std::max(parameter.clocks, min_clocks);
    }

    uint32_t formula(TableReader& reader, const std::string& key, int64_t min) {
        const std::string text = reader.text(key);
        try {
            const int64_t clocks = evaluate_latency(text, clocks_, &used_);
            if (clocks < min || clocks > kLargest) {
                throw LatencyError(
                    fmt::format("is {} clocks; allowed: {} to {}", clocks, min, kLargest));
            }
            return static_cast<uint32_t>(clocks);
        } catch (const LatencyError& error) {
            reader.refuse(reader.need(key), error.what());
        }
    }

    void fill_slots() {
        std::vector<std::string> names;
        for (const dram::Parameter& parameter : spec_.parameters) {
            const auto is_it = [&](const Slot& slot) { return parameter.name == slot.name; };
            if (std::none_of(std::begin(kSlots), std::end(kSlots), is_it)) {
                names.push_back(parameter.name);  // perhaps a misspelt one
            }
        }
        for (const Slot& slot : kSlots) {
            bool found = false;
            spec_.*slot.clocks = spec_.clocks_of(slot.name, &found);
            if (!found && slot.needed) {
                throw ConfigError(fmt::format("{}: parameters.{} is missing{}", document_.place,
                                              slot.name, did_you_mean(slot.name, names)));
            }
            if (found && slot.clocks == &dram::Spec::trfc_pb_clocks) spec_.per_bank_refresh = true;
        }
    }

    CommandSet commands(TableReader& reader, const std::string& key) {
        CommandSet set = 0;
        for (const std::string& name : reader.texts(key)) {
            Command command{};
            if (!dram::command_from_name(name, command)) {
                reader.refuse(reader.need(key), fmt::format("no command \"{}\"{}", shortened(name),
                                                            did_you_mean(name, command_names())));
            }
            set |= set_of(command);
        }
        if (set == 0) reader.refuse(reader.need(key), "at least one command is wanted");
        return set;
    }

    static Level level(TableReader& reader) {
        static const std::vector<std::string> kLevels{"bank", "bank_group", "rank", "other_ranks",
                                                      "channel"};
        const std::string name = reader.text("level");
        const auto found = std::find(kLevels.begin(), kLevels.end(), name);
        if (found == kLevels.end()) {
            reader.refuse(reader.need("level"), fmt::format("allowed: {}{}", join(kLevels, ", "),
                                                            did_you_mean(name, kLevels)));
        }
        return static_cast<Level>(found - kLevels.begin());
    }

    void read_rules() {
        const auto tables = document_.tables.find("rule");
        if (tables == document_.tables.end()) {
            throw ConfigError(document_.place + ": no [[rule]]: every command would be legal");
        }
        CommandSet met = 0;
        for (const Document& table : tables->second) {
            dram::Rule rule;
            rule.name = TableReader(table).text("name");
            TableReader reader(table, "rule " + rule.name);
            reader.find("name");
            rule.level = level(reader);
            rule.preceding = commands(reader, "preceding");
            rule.following = commands(reader, "following");
            rule.clocks = formula(reader, "latency", 1);
            reader.integer_if("window", 1, 64, rule.window);
            rule.source = reader.text("source");
            reader.refuse_the_rest();
            check_level(reader, rule);
            met |= rule.preceding | rule.following;
            spec_.rules.push_back(std::move(rule));
        }
        if (contains(met, Command::Refpb) != spec_.per_bank_refresh) {
            throw ConfigError(document_.place +
                              ": per-bank refresh needs both rules with REFPB and the parameter "
                              "tRFC_pb, or neither");
        }
    }

    /// A command to a whole rank has no bank: at bank level it would be met by no one.
    static void check_level(TableReader& reader, const dram::Rule& rule) {
        if (rule.level != Level::Bank && rule.level != Level::BankGroup) return;
        for (const Command command : {Command::Prea, Command::Ref, Command::Pde, Command::Pdx,
                                      Command::Mrs, Command::Zqcl}) {
            if (!contains(rule.preceding | rule.following, command)) continue;
            reader.refuse(reader.need("level"),
                          fmt::format("{} goes to a whole rank; its rules are at level rank",
                                      command_name(command)));
        }
    }

    void read_power_up() {
        const auto tables = document_.tables.find("power_up");
        if (tables == document_.tables.end()) return;
        for (const Document& table : tables->second) {
            TableReader reader(table, "power_up");
            const std::string name = reader.text("command");
            Command command{};
            if (!dram::command_from_name(name, command)) {
                reader.refuse(reader.need("command"),
                              fmt::format("no command{}", did_you_mean(name, command_names())));
            }
            const uint32_t wait_clocks = formula(reader, "wait", 0);
            uint32_t times = 1;
            reader.integer_if("times", 1, 64, times);
            reader.text("source");
            reader.refuse_the_rest();
            spec_.power_up.insert(spec_.power_up.end(), times, {command, wait_clocks});
        }
    }

    void read_currents() {
        const auto of_table = [](const Leaf& leaf) { return leaf.path.starts_with("currents."); };
        if (std::none_of(document_.leaves.begin(), document_.leaves.end(), of_table)) return;
        dram::Currents& currents = spec_.currents;
        const auto read = [&](const char* key, double& target, double max) {
            target = reader_.number(std::string("currents.") + key, 0, max);
        };
        currents.known = true;
        read("vdd_v", currents.vdd_v, 10);
        read("idd0_ma", currents.idd0_ma, 10'000);
        read("idd2n_ma", currents.idd2n_ma, 10'000);
        read("idd2p_ma", currents.idd2p_ma, 10'000);
        read("idd3n_ma", currents.idd3n_ma, 10'000);
        read("idd3p_ma", currents.idd3p_ma, 10'000);
        read("idd4r_ma", currents.idd4r_ma, 10'000);
        read("idd4w_ma", currents.idd4w_ma, 10'000);
        read("idd5b_ma", currents.idd5b_ma, 10'000);
        currents.source = reader_.text("currents.source");
    }

    void check() const {
        const std::vector<std::string> known = known_parameters();
        for (const dram::Parameter& parameter : spec_.parameters) {
            if (used_.contains(parameter.name) ||
                std::find(known.begin(), known.end(), parameter.name) != known.end()) {
                continue;
            }
            throw ConfigError(fmt::format(
                "{}: parameters.{}: no rule uses it, and it is none of the known ones{}",
                place_of("parameters." + parameter.name), parameter.name,
                did_you_mean(parameter.name, known)));
        }
        try {
            check_spec(spec_);
        } catch (const dram::ConfigProblem& problem) {
            throw ConfigError(fmt::format("{}: {}", place_of(problem.key()), problem.what()));
        }
    }

    std::string place_of(const std::string& key) const {
        for (const Leaf& leaf : document_.leaves) {
            if (leaf.path == key || leaf.path.starts_with(key + ".")) return leaf.place;
        }
        return document_.place;
    }
};

}  // namespace

uint32_t clocks_of_ns(double ns, uint32_t tck_ps, uint32_t guard_permille, RoundTo round) {
    // In thousandths of a picosecond, so that the guard is exact.
    const auto time = static_cast<uint64_t>(std::llround(ns * 1000)) * 1000;
    const uint64_t clock = uint64_t{tck_ps} * 1000;
    const uint64_t guard = uint64_t{tck_ps} * guard_permille;
    if (round == RoundTo::Below) return static_cast<uint32_t>((time + guard) / clock);
    return static_cast<uint32_t>(time <= guard ? 0 : (time - guard + clock - 1) / clock);
}

dram::Spec load_standard(const std::filesystem::path& file, const std::vector<Leaf>& organization) {
    return StandardFile(read_standard_document(file, organization)).read();
}

}  // namespace weir::runner
