// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/dram/pattern.h"

#include "sc_models/dram/core/address_map.h"
#include "testbenches/runner/config/document.h"
#include "testbenches/runner/config/text.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace weir::runner {
namespace {

using dram::Direction;

struct Name {
    const char* text;
    PatternKind kind;
};
constexpr Name kNames[] = {
    {"rand", PatternKind::Rand},     {"seq", PatternKind::Seq},
    {"mix", PatternKind::Mix},       {"idle", PatternKind::Idle},
    {"stride", PatternKind::Stride}, {"bank-conflict", PatternKind::BankConflict},
};

std::vector<std::string> pattern_names() {
    std::vector<std::string> names;
    for (const Name& name : kNames) names.emplace_back(name.text);
    return names;
}

uint64_t parse_stride(const std::string& given, const std::string& digits) {
    uint64_t value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code != std::errc() || end != digits.data() + digits.size() || value == 0) {
        throw ConfigError(
            fmt::format("--pattern {}: a stride is a number of bytes of at least 1, as in stride "
                        "4096",
                        shortened(given)));
    }
    return value;
}

uint64_t share_of(const PatternPlan& plan, uint32_t initiator) {
    const uint64_t rest = plan.requests % plan.initiators;
    return plan.requests / plan.initiators + (initiator < rest ? 1 : 0);
}

/// Uniform over the bursts of the footprint.
class RandomSource final : public TrafficSource {
  public:
    struct Timing {
        uint64_t first_cycle = 0;
        uint64_t gap_clocks = 0;
    };
    RandomSource(uint64_t seed, uint64_t requests, uint64_t bursts, uint32_t burst_bytes,
                 bool half_writes, Timing timing)
        : random_(seed),
          left_(requests),
          bursts_(bursts),
          burst_bytes_(burst_bytes),
          write_mask_(half_writes ? 1 : 0),
          cycle_(timing.first_cycle),
          gap_clocks_(timing.gap_clocks) {}

    bool next(TrafficRequest& request) override {
        if (left_ == 0) return false;
        --left_;
        const uint64_t value = random_.next();
        // The high half of the product is uniform below bursts_; its lowest bit is not used there.
        const auto product = static_cast<unsigned __int128>(value) * bursts_;
        request.address = static_cast<uint64_t>(product >> 64) * burst_bytes_;
        request.direction = static_cast<Direction>(value & write_mask_);
        request.cycle = cycle_;
        cycle_ += gap_clocks_;
        return true;
    }

  private:
    Random random_;
    uint64_t left_;
    uint64_t bursts_;
    uint64_t burst_bytes_;
    uint64_t write_mask_;
    uint64_t cycle_;
    uint64_t gap_clocks_;
};

/// Steps of one size, round the footprint.
class StrideSource final : public TrafficSource {
  public:
    StrideSource(uint64_t requests, uint64_t first, uint64_t stride_bytes, uint64_t footprint_bytes,
                 uint32_t burst_bytes)
        : left_(requests),
          position_(first % footprint_bytes),
          stride_bytes_(stride_bytes),
          footprint_bytes_(footprint_bytes),
          burst_mask_(~(uint64_t{burst_bytes} - 1)) {}

    bool next(TrafficRequest& request) override {
        if (left_ == 0) return false;
        --left_;
        request.address = position_ & burst_mask_;
        request.direction = Direction::Read;
        request.cycle = 0;
        position_ += stride_bytes_;
        if (position_ >= footprint_bytes_) position_ -= footprint_bytes_;
        return true;
    }

  private:
    uint64_t left_;
    uint64_t position_;
    uint64_t stride_bytes_;
    uint64_t footprint_bytes_;
    uint64_t burst_mask_;
};

/// Row after row of the first bank.
class ConflictSource final : public TrafficSource {
  public:
    ConflictSource(uint64_t requests, std::vector<uint64_t> rows, size_t first)
        : left_(requests), rows_(std::move(rows)), row_(first % rows_.size()) {}

    bool next(TrafficRequest& request) override {
        if (left_ == 0) return false;
        --left_;
        request.address = rows_[row_];
        request.direction = Direction::Read;
        request.cycle = 0;
        if (++row_ == rows_.size()) row_ = 0;
        return true;
    }

  private:
    uint64_t left_;
    std::vector<uint64_t> rows_;
    size_t row_;
};

/// Addresses of the first burst of each row of the first bank, below the footprint's end.
std::vector<uint64_t> rows_of_one_bank(const PatternPlan& plan,
                                       const dram::ControllerConfig& config) {
    const auto map = dram::AddressMap::create(config.spec.organization, config.mapping);
    std::vector<uint64_t> rows;
    for (uint32_t row = 0; row < config.spec.organization.rows; ++row) {
        const uint64_t address = map.address_of({0, 0, 0, 0, row, 0});
        if (address < plan.footprint_bytes) rows.push_back(address);
    }
    // More initiators than rows would meet in the same row.
    const size_t wanted = std::max<size_t>(2, plan.initiators);
    if (rows.size() < wanted) {
        throw ConfigError(fmt::format(
            "--pattern bank-conflict: the footprint of {} MiB holds {} rows of one bank under this "
            "mapping; at least {} are needed",
            plan.footprint_bytes >> 20, rows.size(), wanted));
    }
    return rows;
}

}  // namespace

Random::Random(uint64_t seed) {
    for (uint64_t& word : state_) {
        seed += 0x9e3779b97f4a7c15ull;
        uint64_t z = seed;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        word = z ^ (z >> 31);
    }
}

Pattern parse_pattern(const std::vector<std::string>& words) {
    const std::string given = join(words, " ");
    const size_t separator = given.find_first_of(": ");
    const std::string name = given.substr(0, separator);
    const auto known = std::find_if(std::begin(kNames), std::end(kNames),
                                    [&](const Name& entry) { return name == entry.text; });
    if (known == std::end(kNames)) {
        throw ConfigError(
            fmt::format("--pattern {}: no such pattern{}; known: rand, seq, mix, "
                        "idle, stride N, bank-conflict",
                        shortened(given), did_you_mean(name, pattern_names())));
    }
    const std::string rest = separator == std::string::npos ? "" : given.substr(separator + 1);
    Pattern pattern{known->kind, 0, name};
    if (pattern.kind == PatternKind::Stride) {
        pattern.stride_bytes = parse_stride(given, rest);
        pattern.name = fmt::format("stride {}", pattern.stride_bytes);
    } else if (separator != std::string::npos) {
        throw ConfigError(
            fmt::format("--pattern {}: nothing may follow \"{}\"", shortened(given), name));
    }
    return pattern;
}

std::unique_ptr<TrafficSource> make_pattern(const PatternPlan& plan, uint32_t initiator,
                                            const dram::ControllerConfig& config) {
    const uint32_t burst_bytes = config.spec.organization.access_bytes();
    const uint64_t bursts = plan.footprint_bytes / burst_bytes;
    const uint64_t requests = share_of(plan, initiator);
    // Initiators that walk the footprint begin at equal distances.
    const uint64_t walk_begin = bursts / plan.initiators * initiator * burst_bytes;
    const uint64_t seed = plan.seed + initiator;
    switch (plan.pattern.kind) {
        case PatternKind::Rand:
        case PatternKind::Mix:
            return std::make_unique<RandomSource>(seed, requests, bursts, burst_bytes,
                                                  plan.pattern.kind == PatternKind::Mix,
                                                  RandomSource::Timing{});
        case PatternKind::Idle:
            return std::make_unique<RandomSource>(
                seed, requests, bursts, burst_bytes, false,
                RandomSource::Timing{initiator * kIdleGapClocks, plan.initiators * kIdleGapClocks});
        case PatternKind::Seq:
            return std::make_unique<StrideSource>(requests, walk_begin, burst_bytes,
                                                  plan.footprint_bytes, burst_bytes);
        case PatternKind::Stride:
            if (plan.pattern.stride_bytes >= plan.footprint_bytes) {
                throw ConfigError(fmt::format(
                    "--pattern {}: must be less than the footprint of {} bytes, else every address "
                    "is the same",
                    plan.pattern.name, plan.footprint_bytes));
            }
            return std::make_unique<StrideSource>(requests, walk_begin, plan.pattern.stride_bytes,
                                                  plan.footprint_bytes, burst_bytes);
        case PatternKind::BankConflict: {
            std::vector<uint64_t> rows = rows_of_one_bank(plan, config);
            const size_t first = rows.size() / plan.initiators * initiator;
            return std::make_unique<ConflictSource>(requests, std::move(rows), first);
        }
    }
    return nullptr;
}

}  // namespace weir::runner
