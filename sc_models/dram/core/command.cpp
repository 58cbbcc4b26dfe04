// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/dram/core/command.h"

#include <array>

namespace weir::dram {
namespace {

constexpr std::array<std::string_view, kCommandCount> kNames{
    "ACT", "RD", "RDA", "WR", "WRA", "PRE", "PREA", "REF", "REFPB", "PDE", "PDX", "MRS", "ZQCL"};

}  // namespace

std::string_view command_name(Command command) {
    return kNames[static_cast<uint32_t>(command)];
}

bool command_from_name(std::string_view name, Command& command) {
    for (uint32_t i = 0; i < kCommandCount; ++i) {
        if (kNames[i] != name) continue;
        command = static_cast<Command>(i);
        return true;
    }
    return false;
}

}  // namespace weir::dram
