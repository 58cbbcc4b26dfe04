// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/dram/open_row_timing.h"

#include "sc_models/common/units.h"

#include <bit>
#include <stdexcept>

namespace weir::dram {
namespace {

void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

}  // namespace

OpenRowTiming::OpenRowTiming(const machine::DramConfig& config)
    : hit_ps_(config.tcl_ps),
      miss_ps_(config.trcd_ps + config.tcl_ps),
      conflict_ps_(config.trp_ps + config.trcd_ps + config.tcl_ps),
      bandwidth_bytes_per_s_(config.bandwidth_bytes_per_s),
      refresh_interval_ps_(config.refresh_interval_ps),
      refresh_ps_(config.refresh_ps) {
    require(std::has_single_bit(config.banks), "machine.dram.banks: must be a power of two");
    require(std::has_single_bit(config.row_bytes) && config.row_bytes >= 64,
            "machine.dram.row_bytes: must be a power of two, at least 64");
    require(config.bandwidth_bytes_per_s > 0, "machine.dram.bandwidth_bytes_per_s: must not be 0");
    require(config.refresh_interval_ps > config.refresh_ps,
            "machine.dram.refresh_interval_ps: must be longer than refresh_ps");
    row_shift_ = static_cast<uint32_t>(std::countr_zero(config.row_bytes));
    bank_shift_ = static_cast<uint32_t>(std::countr_zero(config.banks));
    bank_mask_ = config.banks - 1;
    banks_.resize(config.banks);
}

uint64_t OpenRowTiming::transfer_ps(uint64_t bytes) const {
    if (bytes <= 8192) [[likely]]
        return (bytes * kPsPerSecond + bandwidth_bytes_per_s_ - 1) / bandwidth_bytes_per_s_;
    return cycles_to_ps(bytes, bandwidth_bytes_per_s_);
}

uint64_t OpenRowTiming::after_refresh(uint64_t time_ps, uint64_t& refresh_count) {
    if (time_ps - interval_begin_ps_ >= refresh_interval_ps_) [[unlikely]] {
        interval_number_ = time_ps / refresh_interval_ps_;
        interval_begin_ps_ = interval_number_ * refresh_interval_ps_;
    }
    refresh_count = interval_number_;
    const uint64_t end_ps = interval_begin_ps_ + refresh_ps_;
    if (time_ps >= end_ps || interval_number_ == 0) [[likely]]
        return time_ps;
    ++stats_.refresh_waits;
    return end_ps;
}

uint64_t OpenRowTiming::open_row(uint64_t time_ps, uint64_t refresh_count, uint64_t row_number) {
    const auto bank_number = static_cast<uint32_t>(row_number) & bank_mask_;
    const uint64_t row = row_number >> bank_shift_;
    Bank& bank = banks_[bank_number];
    const bool closed = bank.row == kClosed || bank.refresh_count != refresh_count;
    if (!closed && bank.row == row) [[likely]] {
        ++stats_.row_hits;
        return time_ps + hit_ps_;
    }
    bank = {row, refresh_count};
    if (observer_) observer_->on_row_opened(bank_number, row, time_ps);
    if (closed) {
        ++stats_.row_misses;
        return time_ps + miss_ps_;
    }
    ++stats_.row_conflicts;
    return time_ps + conflict_ps_;
}

uint64_t OpenRowTiming::access(uint64_t time_ps, uint64_t offset, uint64_t bytes) {
    uint64_t refresh_count = 0;
    const uint64_t command_ps = after_refresh(time_ps, refresh_count);
    stats_.bytes += bytes;
    uint64_t done_ps = command_ps;
    const uint64_t end = offset + bytes;
    while (offset < end) {
        const uint64_t row_number = offset >> row_shift_;
        const uint64_t row_end = (row_number + 1) << row_shift_;
        const uint64_t piece_bytes = (row_end < end ? row_end : end) - offset;
        const uint64_t ready_ps = open_row(command_ps, refresh_count, row_number);
        const uint64_t wanted_ps = ready_ps > done_ps ? ready_ps : done_ps;
        const uint64_t duration_ps = transfer_ps(piece_bytes);
        done_ps = data_bus_.reserve(wanted_ps, duration_ps) + duration_ps;
        offset += piece_bytes;
    }
    return done_ps;
}

}  // namespace weir::dram
