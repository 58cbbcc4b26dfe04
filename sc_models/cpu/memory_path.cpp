// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/cpu/memory_path.h"

#include "sc_models/common/check.h"
#include "sc_models/common/units.h"

#include <stdexcept>

namespace weir::cpu {

using hal::Access;

MemoryPath::MemoryPath(const machine::CpuConfig& config, Place place, CoherenceDirectory& directory)
    : hart_(place.hart), ram_base_(place.ram_base), directory_(directory) {
    if (config.l1.size_bytes) l1_.emplace(config.l1, "machine.cpu.l1");
    if (config.l2.size_bytes) l2_.emplace(config.l2, "machine.cpu.l2");
    if (l1_ && l2_ && l1_->line_shift() != l2_->line_shift())
        throw std::invalid_argument("machine.cpu.l2.line_bytes: must be that of machine.cpu.l1");
    // Lines of one frame must not push each other out while they come in together.
    if (l1_ && l2_ && config.l2.size_bytes / config.l2.ways < hal::kPageBytes)
        throw std::invalid_argument("machine.cpu.l2.size_bytes: must be at least ways x 4096");
    near_ = l1_ ? &*l1_ : l2_ ? &*l2_ : nullptr;
    last_ = l2_ ? &*l2_ : near_;
    if (near_) {
        line_shift_ = near_->line_shift();
        near_hit_ps_ = cycles_to_ps(near_->hit_cycles(), config.clock_hz);
        last_hit_ps_ = cycles_to_ps(last_->hit_cycles(), config.clock_hz);
    }
    last_lines_.resize(directory.frame_count());
    near_lines_.resize(directory.frame_count());
    trans_.set_command(tlm::TLM_IGNORE_COMMAND);
    trans_.set_data_ptr(nullptr);
    trans_.set_extension(&hint_);
}

MemoryPath::~MemoryPath() {
    // The payload frees the extensions it holds; this one is a member.
    trans_.clear_extension(&hint_);
}

uint64_t MemoryPath::burst(Run run, Access access, uint64_t time_ps) {
    hint_.access = access;
    const auto bytes = run.count << line_shift_;
    trans_.set_address(ram_base_ + (static_cast<uint64_t>(run.first) << line_shift_));
    trans_.set_data_length(bytes);
    trans_.set_streaming_width(bytes);
    trans_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    trans_.set_dmi_allowed(false);
    const uint64_t now_ps = simulator_now_ps();
    sc_core::sc_time delay = from_ps(time_ps - now_ps);
    bus_->b_transport(trans_, delay);
    WEIR_CHECK(trans_.is_response_ok(), "machine.cpu" + std::to_string(hart_),
               "RAM refused a cache line (address, bytes)", trans_.get_address(), bytes);
    return now_ps + delay.value();
}

void MemoryPath::queue_write_back(uint32_t line, uint64_t time_ps) {
    ++stats_.write_back_lines;
    if (write_back_count_ > 0) {
        Run& run = write_backs_[write_back_count_ - 1];
        if (line == run.first + run.count) {
            ++run.count;
            return;
        }
    }
    if (write_back_count_ == kWriteBackRuns) flush_write_backs(time_ps);
    write_backs_[write_back_count_++] = {line, 1};
}

void MemoryPath::flush_write_backs(uint64_t time_ps) {
    stats_.write_back_bursts += write_back_count_;
    // Posted: the hart does not wait, but bus and SDRAM are in use.
    for (uint32_t i = 0; i < write_back_count_; ++i) burst(write_backs_[i], Access::Write, time_ps);
    write_back_count_ = 0;
}

void MemoryPath::leave_near(uint32_t line) {
    const uint32_t way = near_->find(line);
    if (way == Cache::kNoWay) return;
    near_->invalidate(line, way);
    --near_lines_[frame_of(line)];
}

/// What leaves L1 is in L2 and marked there: nothing to do but to count.
void MemoryPath::install_near(uint32_t line, bool dirty) {
    if (near_ == last_) return;
    const Cache::Victim victim = near_->install(line, dirty);
    if (victim.valid()) --near_lines_[frame_of(victim.line)];
    ++near_lines_[frame_of(line)];
}

/// A line that is in this hart's caches turns dirty: nobody else may hold it.
void MemoryPath::own(uint32_t line, uint64_t time_ps) {
    const uint32_t others = directory_.others(hart_, frame_of(line));
    if (others) directory_.snoop(others, line, Access::Write, time_ps);
}

/// Brings in lines of one frame that are in no cache of this hart.
void MemoryPath::fetch(uint32_t first, uint32_t count, Walk& walk) {
    const uint32_t frame = frame_of(first);
    const bool write = walk.access == Access::Write;
    const uint32_t others = directory_.others(hart_, frame);
    if (walk.run.count && first == walk.run.first + walk.run.count) {
        walk.run.count += count;
    } else {
        if (walk.run.count) walk.time_ps = burst(walk.run, Access::Read, walk.time_ps);
        walk.run = {first, count};
        ++stats_.fill_bursts;
    }
    stats_.misses += count;
    if (others) [[unlikely]]
        for (uint32_t line = first; line < first + count; ++line)
            directory_.snoop(others, line, walk.access, walk.time_ps);
    if (last_lines_[frame] == 0) directory_.frame_entered(hart_, frame);
    last_lines_[frame] = static_cast<uint16_t>(last_lines_[frame] + count);
    CacheTags last = *last_;
    for (uint32_t line = first; line < first + count; ++line) {
        const Cache::Victim victim = last.install(line, write);
        if (!victim.valid()) continue;
        leave_last(victim.line);
        if (victim.dirty()) queue_write_back(victim.line, walk.time_ps);
    }
    if (near_ == last_) return;
    near_lines_[frame] = static_cast<uint16_t>(near_lines_[frame] + count);
    CacheTags near = *near_;
    for (uint32_t line = first; line < first + count; ++line) {
        const Cache::Victim victim = near.install(line, write);
        if (victim.valid()) --near_lines_[frame_of(victim.line)];
    }
}

void MemoryPath::look_up(uint32_t line, Walk& walk) {
    const bool write = walk.access == Access::Write;
    const bool two_levels = near_ != last_;
    const uint32_t near_way = near_->find(line);
    if (near_way != Cache::kNoWay) {
        ++walk.near_hits;
        near_->use(line, near_way);
        if (!write || near_->dirty(line, near_way)) return;
        near_->set_dirty(line, near_way);
        const uint32_t way = two_levels ? last_->find(line) : near_way;
        if (two_levels && last_->dirty(line, way)) return;
        own(line, walk.time_ps);
        last_->set_dirty(line, way);
        return;
    }
    const uint32_t way = two_levels ? last_->find(line) : Cache::kNoWay;
    if (way == Cache::kNoWay) return fetch(line, 1, walk);
    ++walk.last_hits;
    last_->use(line, way);
    if (write && !last_->dirty(line, way)) {
        own(line, walk.time_ps);
        last_->set_dirty(line, way);
    }
    install_near(line, write);
}

uint64_t MemoryPath::access(uint32_t first, uint32_t last, Access access, uint64_t time_ps) {
    if (!last_) return burst({first, last - first + 1}, access, time_ps);
    Walk walk{access, time_ps};
    const uint32_t frame_lines = 1u << (hal::kPageShift - line_shift_);
    for (uint32_t line = first; line <= last;) {
        const uint32_t frame_end = (line | (frame_lines - 1)) + 1;
        const uint32_t end = frame_end <= last ? frame_end : last + 1;
        if (last_lines_[frame_of(line)] == 0)
            fetch(line, end - line, walk);
        else
            for (; line < end; ++line) look_up(line, walk);
        line = end;
    }
    uint64_t now_ps = walk.time_ps;
    if (walk.run.count) now_ps = burst(walk.run, Access::Read, now_ps);
    if (write_back_count_) flush_write_backs(now_ps);
    stats_.l1_hits += walk.near_hits;
    stats_.l2_hits += walk.last_hits;
    return now_ps + walk.near_hits * near_hit_ps_ + walk.last_hits * last_hit_ps_;
}

void MemoryPath::snoop_lines(uint32_t first, uint32_t last, Access access, KeepDirty keep,
                             uint64_t time_ps) {
    if (!last_) return;
    for (uint32_t line = first; line <= last; ++line) {
        const uint32_t way = last_->find(line);
        if (way == Cache::kNoWay) continue;
        ++stats_.snooped_lines;
        if (last_->dirty(line, way) && (keep == KeepDirty::Yes || access == Access::Read))
            queue_write_back(line, time_ps);
        if (access == Access::Read) {
            last_->clear_dirty(line, way);
            const uint32_t near_way = near_->find(line);
            if (near_way != Cache::kNoWay) near_->clear_dirty(line, near_way);
            continue;
        }
        last_->invalidate(line, way);
        leave_last(line);
    }
    if (write_back_count_) flush_write_backs(time_ps);
}

}  // namespace weir::cpu
