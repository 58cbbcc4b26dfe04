// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/dram/core/stats.h"

#include <algorithm>
#include <bit>

namespace weir::dram {
namespace {

constexpr uint32_t kExactBits = 12;    // 4096 = 2^12 exact buckets
constexpr uint32_t kFractionBits = 6;  // 64 = 2^6 buckets an octave

}  // namespace

uint32_t LatencyHistogram::bucket_of(uint64_t clocks) {
    if (clocks < kExact) return static_cast<uint32_t>(clocks);
    const uint32_t octave = static_cast<uint32_t>(std::bit_width(clocks)) - 1 - kExactBits;
    const uint32_t shift = octave + kExactBits - kFractionBits;
    const uint32_t fraction = static_cast<uint32_t>(clocks >> shift) & (kPerOctave - 1);
    return kExact + octave * kPerOctave + fraction;
}

uint64_t LatencyHistogram::upper_bound_of(uint32_t bucket) {
    if (bucket < kExact) return bucket;
    const uint32_t octave = (bucket - kExact) / kPerOctave;
    const uint64_t fraction = (bucket - kExact) % kPerOctave;
    const uint32_t shift = octave + kExactBits - kFractionBits;
    return ((kPerOctave + fraction + 1) << shift) - 1;
}

void LatencyHistogram::add(uint64_t clocks) {
    const uint32_t bucket = bucket_of(clocks);
    if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
    ++buckets_[bucket];
    ++count_;
    sum_ += clocks;
    max_ = std::max(max_, clocks);
}

uint64_t LatencyHistogram::percentile(uint32_t permille) const {
    if (count_ == 0) return 0;
    // Rounded up, so that "at least" holds; at least one request, so that 0 permille is the
    // minimum.
    const uint64_t wanted =
        std::max<uint64_t>(1, (count_ * std::min(permille, 1000u) + 999) / 1000);
    uint64_t seen = 0;
    for (uint32_t bucket = 0; bucket < buckets_.size(); ++bucket) {
        seen += buckets_[bucket];
        if (seen >= wanted) return std::min(upper_bound_of(bucket), max_);
    }
    return max_;
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
    if (other.buckets_.size() > buckets_.size()) buckets_.resize(other.buckets_.size());
    for (size_t bucket = 0; bucket < other.buckets_.size(); ++bucket) {
        buckets_[bucket] += other.buckets_[bucket];
    }
    count_ += other.count_;
    sum_ += other.sum_;
    max_ = std::max(max_, other.max_);
}

}  // namespace weir::dram
