// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Refuses misspelt names before anything else is looked at: a table whose name is wrong would
// otherwise show as whatever its keys leave undone.
#pragma once

#include "testbenches/runner/config/document.h"

#include <string>
#include <vector>

namespace weir::runner {

/// The names that a kind of file may hold. Tables are what stands before the dots of its keys.
struct FileNames {
    std::vector<std::string> keys;   // full dotted paths
    std::vector<std::string> lists;  // of [[lists of tables]]
};

/// Errors: ConfigError with the place of the first wrong table, list or key, and the nearest name.
void check_names(const Document& document, const FileNames& names);

}  // namespace weir::runner
