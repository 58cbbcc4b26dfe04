// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/dram/dram_config.h"

#include "sc_models/dram/core/address_map.h"
#include "sc_models/dram/core/check_config.h"
#include "testbenches/runner/config/text.h"
#include "testbenches/runner/dram/standard_file.h"
#include "testbenches/runner/dram/table_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <sstream>

namespace weir::runner {
namespace {

using dram::ConfigProblem;
using dram::Field;

constexpr uint32_t kAny = std::numeric_limits<uint32_t>::max();  // check_config() knows the bounds
constexpr uint32_t kMostBits = 64;

std::vector<std::string> field_names() {
    std::vector<std::string> names;
    for (uint32_t i = 0; i < dram::kFieldCount; ++i) {
        names.emplace_back(dram::field_name(static_cast<Field>(i)));
    }
    return names;
}

Field field_of(const std::string& name, const std::string& key, std::string_view where) {
    const std::vector<std::string> names = field_names();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
        throw ConfigProblem(key, fmt::format("{}: no field \"{}\"; there are {}", shortened(where),
                                             shortened(name), join(names, ", ")) +
                                     did_you_mean(name, names));
    }
    return static_cast<Field>(found - names.begin());
}

/// A whole number of at most kMostBits; kAny if it is none.
uint32_t small_number(std::string_view text) {
    uint32_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = code == std::errc() && end == text.data() + text.size();
    return whole && value <= kMostBits ? value : kAny;
}

dram::MappingXor parse_xor(const std::string& text) {
    const auto bad = [&]() {
        return ConfigProblem(
            "xor", fmt::format("\"{}\" is not of the form \"bankgroup0 ^ row0\"", shortened(text)));
    };
    std::istringstream words(text);
    std::string left;
    std::string sign;
    std::string right;
    std::string more;
    if (!(words >> left >> sign >> right) || sign != "^" || words >> more) throw bad();
    const auto split = [&](const std::string& word) {
        const size_t digits = word.find_first_of("0123456789");
        if (digits == std::string::npos) throw bad();
        const uint32_t bit = small_number(std::string_view(word).substr(digits));
        if (bit == kAny) throw bad();
        return std::pair{field_of(word.substr(0, digits), "xor", text), bit};
    };
    const auto [field, bit] = split(left);
    const auto [by_field, by_bit] = split(right);
    return {field, bit, by_field, by_bit};
}

/// The controller's file while it is read.
class ConfigFile {
  public:
    ConfigFile(Document document, const std::filesystem::path& standards_folder)
        : document_(std::move(document)), reader_(document_), standards_folder_(standards_folder) {}

    dram::ControllerConfig read() {
        if (const uint32_t schema = reader_.integer("schema", 0, kAny); schema != 1) {
            reader_.refuse(reader_.need("schema"), "allowed: 1");
        }
        std::string unused;
        reader_.text_if("story", unused);
        read_standard();
        read_policies();
        const std::string mapping = reader_.text("mapping");
        std::vector<std::string> xors;
        if (reader_.find("xor") != nullptr) xors = reader_.texts("xor");
        reader_.refuse_the_rest();
        try {
            config_.mapping = parse_mapping(mapping, xors, config_.spec.organization);
            check_config(config_);
        } catch (const ConfigProblem& problem) {
            refuse(problem);
        }
        return std::move(config_);
    }

  private:
    Document document_;
    TableReader reader_;
    std::filesystem::path standards_folder_;
    dram::ControllerConfig config_;

    void read_standard() {
        const std::string name = reader_.text("standard");
        const std::vector<std::string> names = standard_names(standards_folder_);
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            reader_.refuse(
                reader_.need("standard"),
                fmt::format("no such file in {}; there are {}{}", standards_folder_.string(),
                            join(names, ", "), did_you_mean(name, names)));
        }
        std::vector<Leaf> organization;
        for (const Leaf& leaf : document_.leaves) {
            if (!leaf.path.starts_with("organization.")) continue;
            reader_.find(leaf.path);
            organization.push_back(leaf);
        }
        config_.spec = load_standard(standards_folder_ / (name + ".toml"), organization);
    }

    void read_policies() {
        dram::SchedulerConfig& scheduler = config_.scheduler;
        reader_.text_if("scheduler.name", scheduler.name);
        count("scheduler.read_queue_entries", scheduler.read_queue_entries);
        count("scheduler.write_queue_entries", scheduler.write_queue_entries);
        count("scheduler.drain_high_entries", scheduler.drain_high_entries);
        count("scheduler.drain_low_entries", scheduler.drain_low_entries);
        count("scheduler.age_cap_clocks", scheduler.age_cap_clocks);
        reader_.text_if("page.name", config_.page.name);
        count("page.timeout_clocks", config_.page.timeout_clocks);
        count("page.adaptive_max", config_.page.adaptive_max);
        reader_.text_if("refresh.name", config_.refresh.name);
        count("refresh.postpone_max", config_.refresh.postpone_max);
        count("refresh.pull_in_max", config_.refresh.pull_in_max);
        count("power_down_after_clocks", config_.power_down_after_clocks);
        reader_.boolean_if("power_up", config_.power_up);
        reader_.boolean_if("checker", config_.checker);
    }

    void count(const char* key, uint32_t& target) { reader_.integer_if(key, 0, kAny, target); }

    [[noreturn]] void refuse(const ConfigProblem& problem) const {
        const Leaf* leaf = document_.find(problem.key());
        if (leaf == nullptr) {
            throw ConfigError(fmt::format("{}: {}", document_.place, problem.what()));
        }
        std::string hint;
        if (const auto* text = std::get_if<std::string>(&leaf->value.data)) {
            hint = did_you_mean(*text, problem.choices());
        }
        throw ConfigError(complaint(*leaf, problem.problem() + hint));
    }
};

}  // namespace

dram::Mapping parse_mapping(std::string_view mapping, const std::vector<std::string>& xors,
                            const dram::Organization& organization) {
    constexpr uint32_t kTheRest = kAny;
    dram::Mapping result;
    std::array<uint32_t, dram::kFieldCount> taken{};
    std::istringstream words{std::string(mapping)};
    for (std::string word; words >> word;) {
        const size_t colon = word.find(':');
        const Field field = field_of(word.substr(0, colon), "mapping", word);
        uint32_t bits = kTheRest;
        if (colon != std::string::npos) {
            bits = small_number(std::string_view(word).substr(colon + 1));
            if (bits == kAny || bits == 0) {
                throw ConfigProblem(
                    "mapping",
                    fmt::format("{}: a number of bits must follow the colon", shortened(word)));
            }
            taken[static_cast<uint32_t>(field)] += bits;
        }
        result.pieces.push_back({field, bits});
    }
    for (dram::MappingPiece& piece : result.pieces) {
        if (piece.bits != kTheRest) continue;
        uint32_t& used = taken[static_cast<uint32_t>(piece.field)];
        const uint32_t has = dram::field_bits(piece.field, organization);
        if (has != 0 && used >= has) {
            throw ConfigProblem("mapping", fmt::format("{} stands double: all of its {} bits are "
                                                       "mapped elsewhere",
                                                       dram::field_name(piece.field), has));
        }
        piece.bits = used < has ? has - used : 0;
        used += piece.bits;
    }
    for (const std::string& text : xors) result.xors.push_back(parse_xor(text));
    return result;
}

dram::ControllerConfig load_dram_config(const std::filesystem::path& file,
                                        const std::vector<std::string>& settings,
                                        const std::filesystem::path& standards_folder) {
    Document document = read_document(file);
    for (const std::string& setting : settings) set_leaf(document, parse_setting(setting));
    return ConfigFile(std::move(document), standards_folder).read();
}

}  // namespace weir::runner
