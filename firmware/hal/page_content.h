// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What test data looks like, so that a lost or misplaced page can be told from a right one.
// A page is 512 words of 64 bits: word i = base + i * kPatternStep. The base says whose page it is.
// - pristine_base: a device block that was never written.
// - stored_base: a page that a task stored.
#pragma once

#include <cstdint>

namespace weir::hal {

inline constexpr uint32_t kWordsPerPage = 512;
inline constexpr uint64_t kPatternStep = 0x9E37'79B9'7F4A'7C15ull;

/// splitmix64's finaliser: distinct inputs give distinct, well mixed bases.
constexpr uint64_t mix64(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58'476D'1CE4'E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D0'49BB'1331'11EBull;
    return x ^ (x >> 31);
}

/// Content of a page-sized device block that was never written.
constexpr uint64_t pristine_base(uint32_t disk, uint64_t device_block) {
    return mix64((static_cast<uint64_t>(disk + 1) << 48) ^ device_block);
}

/// Content that a task stores: generation of page `page` of object `object` (a file or region).
constexpr uint64_t stored_base(uint64_t object, uint64_t page, uint64_t generation) {
    return mix64((object << 40) ^ (generation << 56) ^ page ^ 0x5745'4952'0000'0000ull);
}

inline void fill_page(void* page, uint64_t base) {
    auto* words = static_cast<uint64_t*>(page);
    for (uint32_t i = 0; i < kWordsPerPage; ++i) words[i] = base + i * kPatternStep;
}

/// True if every word follows the pattern.
inline bool page_matches(const void* page, uint64_t base) {
    const auto* words = static_cast<const uint64_t*>(page);
    uint64_t difference = 0;
    for (uint32_t i = 0; i < kWordsPerPage; ++i) difference |= words[i] ^ (base + i * kPatternStep);
    return difference == 0;
}

}  // namespace weir::hal
