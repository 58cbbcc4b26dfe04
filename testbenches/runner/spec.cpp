// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/spec.h"

#include "testbenches/runner/config/key_table.h"
#include "testbenches/runner/dram/machine_dram.h"

#include <nlohmann/json.hpp>

namespace weir::runner {

using Json = nlohmann::ordered_json;

std::string write_spec(const RunSpec& spec) {
    Json json;
    json["schema"] = 1;
    json["scenario"] = spec.scenario;
    json["machine"] = spec.machine;
    json["row"] = spec.plan.row;
    json["policy"] = spec.plan.policy;
    json["variant"] = spec.plan.variant;
    json["params"] = spec.plan.params;
    json["settings"] = Json::object();
    for (const Key& key : all_keys()) {
        json["settings"][key.path] = key.load(spec.plan.settings).text();
    }
    return json.dump(2) + "\n";
}

RunSpec read_spec(const std::string& text) {
    RunSpec spec;
    try {
        const Json json = Json::parse(text);
        spec.scenario = json.at("scenario");
        spec.machine = json.at("machine");
        spec.plan.row = json.at("row");
        spec.plan.policy = json.at("policy");
        spec.plan.variant = json.at("variant");
        spec.plan.params = json.at("params").get<std::map<std::string, std::string>>();
        for (const auto& [path, value] : json.at("settings").items()) {
            apply(parse_setting(path + "=" + value.get<std::string>()), "", spec.plan.settings);
        }
    } catch (const Json::exception& error) {
        throw ConfigError(std::string("the run's spec is not whole: ") + error.what());
    }
    spec.plan.settings.run.policy = spec.plan.policy;
    machine::MachineConfig& machine = spec.plan.settings.run.machine;
    machine.name = spec.machine;
    resolve_dram(machine.dram, machine.ram_mib);
    return spec;
}

}  // namespace weir::runner
