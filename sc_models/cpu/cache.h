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

/// The tags themselves, as a handle: a loop over many lines works on a local copy of it, so that
/// the compiler may keep the geometry in registers.
class CacheTags {
  public:
    static constexpr uint32_t kNoWay = 0xffffffffu;

    /// Way that holds the line, kNoWay if none does.
    uint32_t find(uint32_t line) const {
        const Set set = set_of(line);
        const uint32_t tag = line + 1;
        uint32_t hits = 0;
        // No way out of the loop before its end: the branch predictor would guess wrong.
        for (uint32_t way = 0; way < way_stride_; way += 4)
            hits |= match4(set.tags + way, tag) << way;
        return hits ? static_cast<uint32_t>(std::countr_zero(hits)) : kNoWay;
    }

    void use(uint32_t line, uint32_t way) {
        Meta& meta = set_of(line).meta();
        const uint32_t used = meta.used | 1u << way;
        meta.used = used == all_ways_ ? 1u << way : used;
    }
    bool dirty(uint32_t line, uint32_t way) const { return set_of(line).meta().dirty >> way & 1; }
    void set_dirty(uint32_t line, uint32_t way) { set_of(line).meta().dirty |= 1u << way; }
    void clear_dirty(uint32_t line, uint32_t way) { set_of(line).meta().dirty &= ~(1u << way); }

    struct Victim {
        uint32_t line;
        uint32_t state;  // 0: there was none, 1: clean, 2: dirty
        bool valid() const { return state != 0; }
        bool dirty() const { return state == 2; }
    };
    /// Puts a line in, marks it used, and says what had to leave.
    Victim install(uint32_t line, bool dirty) {
        const Set set = set_of(line);
        Meta& meta = set.meta();
        const uint32_t free_ways = ~meta.valid & all_ways_;
        const uint32_t candidates = free_ways ? free_ways : ~meta.used & all_ways_;
        // With one way `used` is always full; it is the victim all the same.
        const uint32_t way = static_cast<uint32_t>(std::countr_zero(candidates)) & way_mask_;
        const uint32_t bit = 1u << way;
        const Victim victim{set.tags[way] - 1, (meta.valid >> way & 1) + (meta.dirty >> way & 1)};
        set.tags[way] = line + 1;
        meta.valid |= bit;
        meta.dirty = (meta.dirty & ~bit) | (dirty ? bit : 0);
        const uint32_t used = meta.used | bit;
        meta.used = used == all_ways_ ? bit : used;
        return victim;
    }
    void invalidate(uint32_t line, uint32_t way) {
        const Set set = set_of(line);
        const uint32_t keep = ~(1u << way);
        set.tags[way] = 0;
        set.meta().valid &= keep;
        set.meta().dirty &= keep;
        set.meta().used &= keep;
    }

  protected:
    // A set is one run of words: what is known of its ways, then the tags (0: nothing, else
    // line + 1), rounded up to four. Twelve ways fill one cache line of the host.
    struct Meta {
        uint32_t valid;
        uint32_t dirty;
        uint32_t used;
        uint32_t unused;
    };
    struct Set {
        uint32_t* tags;
        Meta& meta() const { return *reinterpret_cast<Meta*>(tags - 4); }
    };
    Set set_of(uint32_t line) const {
        return {words_ + static_cast<size_t>(line & set_mask_) * set_words_ + 4};
    }
    static uint32_t match4(const uint32_t* tags, uint32_t tag) {
#if defined(__SSE2__)
        const __m128i four = _mm_load_si128(reinterpret_cast<const __m128i*>(tags));
        const __m128i equal = _mm_cmpeq_epi32(four, _mm_set1_epi32(static_cast<int>(tag)));
        return static_cast<uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(equal)));
#else
        return (tags[0] == tag) | (tags[1] == tag) << 1 | (tags[2] == tag) << 2 |
               (tags[3] == tag) << 3;
#endif
    }

    uint32_t* words_ = nullptr;
    uint32_t set_mask_ = 0;
    uint32_t set_words_ = 0;
    uint32_t way_stride_ = 0;
    uint32_t all_ways_ = 0;
    uint32_t way_mask_ = 31;  // 0 with one way
};

class Cache : public CacheTags {
  public:
    /// key names the level in error messages, e.g. "machine.cpu.l1".
    /// Errors: std::invalid_argument unless sets and line_bytes are powers of two and
    /// 1 <= ways <= 32.
    Cache(const machine::CacheConfig& config, const char* key);
    Cache(const Cache&) = delete;

    uint32_t line_shift() const { return line_shift_; }
    uint32_t hit_cycles() const { return hit_cycles_; }

  private:
    struct alignas(64) Words {
        uint32_t word[16]{};
    };

    uint32_t line_shift_ = 0;
    uint32_t hit_cycles_ = 0;
    std::vector<Words> storage_;  // words_ points into it
};

}  // namespace weir::cpu
