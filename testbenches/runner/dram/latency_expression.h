// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The latency of a rule as its datasheet writes it: "CWL + BL/2 + tWTR_L", "max(tRAS, tRCD + 4)".
// Whole numbers, parameter names, + - * /, parentheses, max(a, b, ...), min(a, b, ...).
// A division must leave no remainder: half a clock is a mistake in the file, not a rounding.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

namespace weir::runner {

class LatencyError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Clocks by parameter name.
using ParameterClocks = std::map<std::string, int64_t>;

/// Computes an expression; adds the names it meets to `used`, unless that is null.
/// Errors: LatencyError: what is wrong, at which character, and the nearest parameter.
int64_t evaluate_latency(std::string_view text, const ParameterClocks& clocks,
                         std::set<std::string>* used = nullptr);

}  // namespace weir::runner
