// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Words for messages: the nearest valid name, lists of choices, lines of text.
// - nearest(given, names): what the user probably meant.
// - join(words, separator): a list as a text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weir::runner {

/// Counts the single-letter changes, swaps of neighbours included, from one word to the other.
size_t edit_distance(std::string_view a, std::string_view b);

/// Finds the name with the least edit distance to `given`, the first one on a tie.
/// A dotted name that `given` is the end of comes first: only its prefix was forgotten.
/// Returns an empty string if `given` is longer than 100 characters, or if none is near enough to
/// be what the user meant.
std::string nearest(std::string_view given, const std::vector<std::string>& names);

/// The text, or the beginning of a long one and "...": about 60 characters at most.
std::string shortened(std::string_view text);

/// The tail of a message: "; did you mean X?" or nothing.
std::string did_you_mean(std::string_view given, const std::vector<std::string>& names);

std::string join(const std::vector<std::string>& words, std::string_view separator);

}  // namespace weir::runner
