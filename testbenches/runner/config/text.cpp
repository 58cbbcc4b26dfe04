// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/config/text.h"

#include <algorithm>

namespace weir::runner {

size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); ++i) {
        for (size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            const size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            cost[i][j] =
                std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
            }
        }
    }
    return cost[a.size()][b.size()];
}

std::string nearest(std::string_view given, const std::vector<std::string>& names) {
    constexpr size_t kLongestWord = 100;  // beyond it is no mistyped name; the search is quadratic
    if (given.empty() || given.size() > kLongestWord) {
        return "";
    }
    const std::string ending = "." + std::string(given);
    for (const std::string& name : names) {
        if (name.ends_with(ending)) {
            return name;
        }
    }
    // Half of the word may be wrong: a longer distance is a guess, not a help.
    size_t best = std::max<size_t>(2, given.size() / 2) + 1;
    std::string found;
    for (const std::string& name : names) {
        const size_t distance = edit_distance(given, name);
        if (distance < best) {
            best = distance;
            found = name;
        }
    }
    return found;
}

std::string shortened(std::string_view text) {
    constexpr size_t kLongest = 60;
    constexpr std::string_view kMore = "...";
    if (text.size() <= kLongest) {
        return std::string(text);
    }
    size_t end = kLongest - kMore.size();
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
        --end;  // not in the middle of a UTF-8 character
    }
    return std::string(text.substr(0, end)) + std::string(kMore);
}

std::string did_you_mean(std::string_view given, const std::vector<std::string>& names) {
    const std::string name = nearest(given, names);
    return name.empty() ? "" : "; did you mean " + name + "?";
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
    std::string text;
    for (size_t i = 0; i < words.size(); ++i) {
        text += (i == 0 ? "" : std::string(separator)) + words[i];
    }
    return text;
}

}  // namespace weir::runner
