// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/cpu/cache.h"

#include <stdexcept>
#include <string>

namespace weir::cpu {

Cache::Cache(const machine::CacheConfig& config, const char* key) {
    const auto require = [key](bool condition, const char* text) {
        if (!condition) throw std::invalid_argument(std::string(key) + text);
    };
    require(config.ways >= 1 && config.ways <= 32, ".ways: must be 1 to 32");
    require(std::has_single_bit(config.line_bytes) && config.line_bytes >= 16 &&
                config.line_bytes <= 4096,
            ".line_bytes: must be a power of two from 16 to 4096");
    const uint64_t set_bytes = uint64_t{config.ways} * config.line_bytes;
    require(
        config.size_bytes % set_bytes == 0 && std::has_single_bit(config.size_bytes / set_bytes),
        ".size_bytes: must be ways x line_bytes x a power of two");
    const uint64_t sets = config.size_bytes / set_bytes;
    set_mask_ = static_cast<uint32_t>(sets - 1);
    way_stride_ = (config.ways + 3) / 4 * 4;
    set_words_ = way_stride_ + sizeof(Meta) / sizeof(uint32_t);
    way_mask_ = config.ways == 1 ? 0 : 31;
    all_ways_ = config.ways == 32 ? 0xffffffffu : (1u << config.ways) - 1;
    line_shift_ = static_cast<uint32_t>(std::countr_zero(config.line_bytes));
    hit_cycles_ = config.hit_cycles;
    storage_.resize((sets * set_words_ + 15) / 16);
    words_ = storage_[0].word;
}

}  // namespace weir::cpu
