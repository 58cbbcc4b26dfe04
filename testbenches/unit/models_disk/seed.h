// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Seeds of randomised tests: fixed by default, set by the environment variable WEIR_SEED, and
// printed, so that a failure can be had again.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace weir::test {

inline uint64_t seed() {
    const char* text = std::getenv("WEIR_SEED");
    const uint64_t value = text != nullptr ? std::strtoull(text, nullptr, 0) : 20260101;
    std::printf("WEIR_SEED=%llu\n", static_cast<unsigned long long>(value));
    return value;
}

}  // namespace weir::test
