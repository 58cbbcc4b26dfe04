// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Reads a device standard: testbenches/dram/standards/*.toml, see docs/guides/add_a_standard.md.
// - load_standard(file): the Spec, nanoseconds turned into clocks, checked.
// - standard_names(folder): what may be written as `standard`.
// - describe_standard(spec): every parameter in ns and clocks and every rule, for people.
// Errors: ConfigError: place, key, value, what is allowed, nearest name.
#pragma once

#include "sc_models/dram/core/spec.h"
#include "testbenches/runner/config/document.h"

#include <filesystem>
#include <string>
#include <vector>

namespace weir::runner {

/// Shapes: organization: leaves "organization.KEY" that replace the file's own: how many ranks and
///         devices a module has, and the burst length, are choices of the board and its firmware.
dram::Spec load_standard(const std::filesystem::path& file,
                         const std::vector<Leaf>& organization = {});

/// File names without ".toml", sorted.
std::vector<std::string> standard_names(const std::filesystem::path& folder);

std::string describe_standard(const dram::Spec& spec);

/// Clocks that a time takes: up to the next whole clock, but the guard's part of one is forgiven.
/// Shapes: a time that is a maximum (a refresh interval) takes RoundTo::Below: the guard adds.
enum class RoundTo { Above, Below };
uint32_t clocks_of_ns(double ns, uint32_t tck_ps, uint32_t guard_permille,
                      RoundTo round = RoundTo::Above);

}  // namespace weir::runner
