// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Checks a JSON value against the part of JSON Schema that docs/summary.schema.json uses: type,
// required, properties, additionalProperties, items, enum. Returns every violation by path.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace weir::test {

inline bool has_type(const nlohmann::json& value, const std::string& type) {
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return type == "object"   ? value.is_object()
           : type == "array"  ? value.is_array()
           : type == "string" ? value.is_string()
                              : false;
}

inline void check_schema(const nlohmann::json& value, const nlohmann::json& schema,
                         const std::string& path, std::vector<std::string>& violations) {
    if (schema.contains("type") && !has_type(value, schema["type"]))
        violations.push_back(path + " is not of type " + schema["type"].get<std::string>());
    if (schema.contains("enum")) {
        bool found = false;
        for (const auto& allowed : schema["enum"]) found = found || allowed == value;
        if (!found) violations.push_back(path + " has a value outside its enum: " + value.dump());
    }
    if (schema.contains("required"))
        for (const auto& key : schema["required"])
            if (!value.contains(key)) violations.push_back(path + " lacks " + key.get<std::string>());
    if (value.is_object())
        for (const auto& [key, member] : value.items()) {
            if (schema.contains("properties") && schema["properties"].contains(key))
                check_schema(member, schema["properties"][key], path + "." + key, violations);
            else if (schema.contains("additionalProperties"))
                check_schema(member, schema["additionalProperties"], path + "." + key, violations);
        }
    if (value.is_array() && schema.contains("items"))
        for (size_t i = 0; i < value.size(); ++i)
            check_schema(value[i], schema["items"], path + "." + std::to_string(i), violations);
}

}  // namespace weir::test
