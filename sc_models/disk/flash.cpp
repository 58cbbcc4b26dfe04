// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/disk/flash.h"

#include <algorithm>
#include <stdexcept>

namespace weir::disk {

namespace {

constexpr uint64_t kSectorsPerUnit = kFlashUnitBytes / hal::kSectorBytes;

void require(bool condition, const char* what) {
    if (!condition) throw std::invalid_argument(what);
}

FlashShape checked_shape(const machine::FlashConfig& config, uint64_t sector_count) {
    require(config.channels > 0, "flash.channels: must be above 0");
    require(config.dies_per_channel > 0, "flash.dies_per_channel: must be above 0");
    require(config.page_bytes >= kFlashUnitBytes && config.page_bytes % kFlashUnitBytes == 0,
            "flash.page_bytes: must be a multiple of 4096");
    require(config.channel_bytes_per_s > 0, "flash.channel_bytes_per_s: must be above 0");
    require(config.link_bytes_per_s > 0, "flash.link_bytes_per_s: must be above 0");
    require(config.write_buffer_bytes >= 2ull * config.page_bytes,
            "flash.write_buffer_bytes: must hold at least two flash pages");
    return {config.channels * config.dies_per_channel, config.pages_per_block,
            config.page_bytes / kFlashUnitBytes,
            (sector_count + kSectorsPerUnit - 1) / kSectorsPerUnit, config.over_provision_permille};
}

}  // namespace

Flash::Flash(const machine::FlashConfig& config, uint64_t sector_count)
    : config_(config),
      sector_count_(sector_count),
      translation_(checked_shape(config, sector_count)),
      dies_(config.channels * config.dies_per_channel),
      channels_(config.channels) {}

MediumPlan Flash::serve(const MediumRequest& request, uint64_t start_ps) {
    forget_before(start_ps);
    return request.write ? serve_write(request, start_ps) : serve_read(request, start_ps);
}

MediumPlan Flash::flush(uint64_t start_ps) {
    forget_before(start_ps);
    MediumPlan plan = MediumPlan::begin(start_ps);
    plan.add(Phase::Overhead, config_.firmware_write_us * kPsPerUs);
    if (!pending_units_.empty()) program_pending(plan.done_ps);
    plan.add_until(Phase::Media, std::max(last_program_end_ps_, busy_until_ps_));
    return plan;
}

MediumPlan Flash::serve_read(const MediumRequest& request, uint64_t start_ps) {
    MediumPlan plan = MediumPlan::begin(start_ps);
    plan.add(Phase::Overhead, config_.firmware_read_us * kPsPerUs);
    plan.add_until(Phase::Media, busy_until_ps_);
    const uint64_t first_unit = request.sector.value / kSectorsPerUnit;
    const uint64_t end_unit =
        (request.sector.value + request.sector_count - 1) / kSectorsPerUnit + 1;
    uint64_t ready_ps = plan.done_ps;
    bool any_array_read = false;
    for (uint64_t unit = first_unit; unit < end_unit;) {
        if (is_pending(unit)) {
            ++unit;
            continue;
        }
        const FlashTranslation::Place place = translation_.locate(unit);
        uint64_t units = 1;
        while (unit + units < end_unit && translation_.locate(unit + units).page == place.page)
            ++units;
        const uint64_t array_ps =
            dies_[place.die].take_whole(plan.done_ps, config_.read_us * kPsPerUs);
        const uint64_t moved_ps = channels_[place.die % config_.channels].take(
            array_ps, transfer_ps(units * kFlashUnitBytes, config_.channel_bytes_per_s));
        ready_ps = std::max(ready_ps, moved_ps);
        any_array_read = true;
        unit += units;
    }
    plan.cache_hit = !any_array_read;
    const uint64_t link_ps =
        transfer_ps(uint64_t{request.sector_count} * hal::kSectorBytes, config_.link_bytes_per_s);
    // The link may start while pages still arrive, but ends after the last.
    const uint64_t link_from_ps = std::max(plan.done_ps, ready_ps - std::min(ready_ps, link_ps));
    const uint64_t done_ps = std::max(link_.take(link_from_ps, link_ps), ready_ps);
    plan.add_until(Phase::Media, std::min(done_ps, std::max(link_from_ps, plan.done_ps)));
    plan.add_until(Phase::Bus, done_ps);
    return plan;
}

MediumPlan Flash::serve_write(const MediumRequest& request, uint64_t start_ps) {
    MediumPlan plan = MediumPlan::begin(start_ps);
    plan.add(Phase::Overhead, config_.firmware_write_us * kPsPerUs);
    if (request.sector.value != previous_write_end_) ++random_writes_;
    previous_write_end_ = request.sector.value + request.sector_count;
    if (config_.busy_after_writes > 0 && random_writes_ >= config_.busy_after_writes) {
        random_writes_ = 0;
        busy_until_ps_ = std::max(busy_until_ps_, plan.done_ps) + config_.busy_us * kPsPerUs;
        ++counts_.busy_episodes;
    }
    plan.add_until(Phase::Media, busy_until_ps_);
    plan.add_until(Phase::Bus, link_.take(plan.done_ps, transfer_ps(uint64_t{request.sector_count} *
                                                                        hal::kSectorBytes,
                                                                    config_.link_bytes_per_s)));
    plan.cache_hit = true;
    uint64_t at_ps = plan.done_ps;
    uint64_t programmed_ps = at_ps;
    const uint64_t first_unit = request.sector.value / kSectorsPerUnit;
    const uint64_t last_unit = (request.sector.value + request.sector_count - 1) / kSectorsPerUnit;
    for (uint64_t unit = first_unit; unit <= last_unit; ++unit) {
        at_ps = wait_for_room(at_ps);
        buffer_used_bytes_ += kFlashUnitBytes;
        pending_units_.push_back(unit);
        ++counts_.host_units_written;
        if (pending_units_.size() * kFlashUnitBytes == config_.page_bytes)
            programmed_ps = std::max(programmed_ps, program_pending(at_ps));
    }
    if (request.fua) {
        if (!pending_units_.empty())
            programmed_ps = std::max(programmed_ps, program_pending(at_ps));
        at_ps = std::max(at_ps, programmed_ps);
    }
    if (at_ps > plan.done_ps) plan.cache_hit = false;
    plan.add_until(Phase::Media, at_ps);
    return plan;
}

/// Returns when one more unit fits into the write buffer.
uint64_t Flash::wait_for_room(uint64_t at_ps) {
    while (!releases_.empty() &&
           (releases_.top().at_ps <= at_ps ||
            buffer_used_bytes_ + kFlashUnitBytes > config_.write_buffer_bytes)) {
        at_ps = std::max(at_ps, releases_.top().at_ps);
        buffer_used_bytes_ -= releases_.top().bytes;
        releases_.pop();
    }
    return at_ps;
}

/// Sends the collected units to a die; returns when they are programmed.
uint64_t Flash::program_pending(uint64_t at_ps) {
    const FlashTranslation::Work work = translation_.program(pending_units_);
    const uint64_t page_ps = transfer_ps(config_.page_bytes, config_.channel_bytes_per_s);
    const uint64_t copies = work.copy_pages_read + work.copy_pages_programmed;
    const uint64_t moved_ps =
        channels_[work.die % config_.channels].take(at_ps, (1 + copies) * page_ps);
    const uint64_t array_us = uint64_t{work.copy_pages_read} * config_.read_us +
                              (1ull + work.copy_pages_programmed) * config_.program_us +
                              uint64_t{work.blocks_erased} * config_.erase_us;
    const uint64_t end_ps = dies_[work.die].take_whole(moved_ps, array_us * kPsPerUs);
    releases_.push({end_ps, pending_units_.size() * uint64_t{kFlashUnitBytes}});
    pending_units_.clear();
    last_program_end_ps_ = std::max(last_program_end_ps_, end_ps);
    ++counts_.pages_programmed;
    counts_.pages_copied += work.copy_pages_programmed;
    counts_.blocks_erased += work.blocks_erased;
    return end_ps;
}

bool Flash::is_pending(uint64_t unit) const {
    return std::find(pending_units_.begin(), pending_units_.end(), unit) != pending_units_.end();
}

void Flash::forget_before(uint64_t now_ps) {
    link_.forget_before(now_ps);
    for (Timeline& die : dies_) die.forget_before(now_ps);
    for (Timeline& channel : channels_) channel.forget_before(now_ps);
}

}  // namespace weir::disk
