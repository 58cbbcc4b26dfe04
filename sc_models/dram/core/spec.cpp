// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/dram/core/spec.h"

namespace weir::dram {

uint32_t Spec::clocks_of(const std::string& parameter, bool* found) const {
    for (const Parameter& candidate : parameters) {
        if (candidate.name != parameter) continue;
        if (found != nullptr) *found = true;
        return candidate.clocks;
    }
    if (found != nullptr) *found = false;
    return 0;
}

}  // namespace weir::dram
