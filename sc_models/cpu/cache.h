// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The tags of one cache level. Timing only: the bytes stay in RAM.
// - find() looks a line up; use() notes a use; install() puts a line into a victim's place.
// - Set associative; replacement is bit-PLRU: a bit a way, set by use, all but the newest cleared
//   when all are set; the victim is the first way without one.
// A line is numbered by its offset in RAM / line_bytes. Plain C++.
#pragma once

#include "sc_models/machine/config.h"

#include <bit>
#include <cstdint>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace weir::cpu {

class Cache {
  public:
    static constexpr uint32_t kNoWay = 0xffffffffu;

    /// key names the level in error messages, e.g. "machine.cpu.l1".
    /// Errors: std::invalid_argument unless sets and line_bytes are powers of two and
    /// 1 <= ways <= 32.
    Cache(const machine::CacheConfig& config, const char* key);

    /// Way that holds the line, kNoWay if none does.
    uint32_t find(uint32_t line) const {
        const uint32_t* tags = &tags_[static_cast<size_t>(line & set_mask_) * way_stride_];
        const uint32_t tag = line + 1;
#if defined(__SSE2__)
        const __m128i wanted = _mm_set1_epi32(static_cast<int>(tag));
        for (uint32_t way = 0; way < way_stride_; way += 4) {
            const __m128i four = _mm_load_si128(reinterpret_cast<const __m128i*>(tags + way));
            const int hits = _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(four, wanted)));
            if (hits)
                return way + static_cast<uint32_t>(std::countr_zero(static_cast<uint32_t>(hits)));
        }
#else
        for (uint32_t way = 0; way < way_stride_; ++way)
            if (tags[way] == tag) return way;
#endif
        return kNoWay;
    }

    void use(uint32_t line, uint32_t way) {
        Set& set = sets_[line & set_mask_];
        set.used |= 1u << way;
        if (set.used == all_ways_) set.used = 1u << way;
    }
    bool dirty(uint32_t line, uint32_t way) const {
        return sets_[line & set_mask_].dirty >> way & 1;
    }
    void set_dirty(uint32_t line, uint32_t way) {
        sets_[line & set_mask_].dirty |= 1u << way;
    }
    void clear_dirty(uint32_t line, uint32_t way) {
        sets_[line & set_mask_].dirty &= ~(1u << way);
    }

    struct Victim {
        uint32_t line = 0;
        bool valid = false;
        bool dirty = false;
    };
    /// Puts a line in, marks it used, and says what had to leave.
    Victim install(uint32_t line, bool dirty) {
        Set& set = sets_[line & set_mask_];
        const uint32_t free_ways = ~set.valid & all_ways_;
        const uint32_t candidates = free_ways ? free_ways : ~set.used & all_ways_;
        // With one way `used` is always full; it is the victim all the same.
        const uint32_t way = candidates ? static_cast<uint32_t>(std::countr_zero(candidates)) : 0;
        const uint32_t bit = 1u << way;
        uint32_t& tag = tags_[static_cast<size_t>(line & set_mask_) * way_stride_ + way];
        Victim victim;
        if (set.valid & bit) victim = {tag - 1, true, (set.dirty & bit) != 0};
        tag = line + 1;
        set.valid |= bit;
        set.dirty = dirty ? set.dirty | bit : set.dirty & ~bit;
        set.used |= bit;
        if (set.used == all_ways_) set.used = bit;
        return victim;
    }
    void invalidate(uint32_t line, uint32_t way) {
        Set& set = sets_[line & set_mask_];
        const uint32_t keep = ~(1u << way);
        tags_[static_cast<size_t>(line & set_mask_) * way_stride_ + way] = 0;
        set.valid &= keep;
        set.dirty &= keep;
        set.used &= keep;
    }

    uint32_t line_shift() const {
        return line_shift_;
    }
    uint32_t hit_cycles() const {
        return hit_cycles_;
    }

  private:
    struct Set {
        uint32_t valid = 0;
        uint32_t dirty = 0;
        uint32_t used = 0;
    };
    struct alignas(16) FourTags {
        uint32_t tag[4]{};
    };

    uint32_t set_mask_ = 0;
    uint32_t way_stride_ = 0;  // ways rounded up to 4; the padding never matches
    uint32_t all_ways_ = 0;
    uint32_t line_shift_ = 0;
    uint32_t hit_cycles_ = 0;
    uint32_t* tags_ = nullptr;  // into storage_; 0: nothing, else line + 1
    std::vector<FourTags> storage_;
    std::vector<Set> sets_;
};

}  // namespace weir::cpu
