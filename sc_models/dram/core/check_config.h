// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Whether a configuration makes sense, however it was made: by a file, a test or a program.
// - check_config(): everything, the standard and the mapping included. check_spec(): the standard.
// Errors: ConfigProblem, whose text is "key: problem".
#pragma once

#include "sc_models/dram/core/config.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace weir::dram {

/// The key, dotted as in a file, what is wrong with its value, and which names it may take.
class ConfigProblem : public std::invalid_argument {
  public:
    ConfigProblem(std::string key, std::string problem, std::vector<std::string> choices = {});
    const std::string& key() const { return key_; }
    const std::string& problem() const { return problem_; }
    /// For "did you mean"; empty if the value is no name.
    const std::vector<std::string>& choices() const { return choices_; }

  private:
    std::string key_;
    std::string problem_;
    std::vector<std::string> choices_;
};

void check_spec(const Spec& spec);
void check_config(const ControllerConfig& config);

}  // namespace weir::dram
