// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The text of a standard before it is understood: the file, what it takes from its base, and the
// figures of the organization that a controller file replaces.
#pragma once

#include "testbenches/runner/config/document.h"

#include <filesystem>
#include <vector>

namespace weir::runner {

/// Errors: ConfigError if the file or its base cannot be read.
Document read_standard_document(const std::filesystem::path& file,
                                const std::vector<Leaf>& organization);

}  // namespace weir::runner
