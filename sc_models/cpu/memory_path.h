// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What an access of one hart to RAM costs: L1, L2, bus and SDRAM. Timing only.
// - near_hit(): the fast case, one line that hits the nearest cache.
// - access(): a range of lines; returns when the hart may go on. Lines that miss and lie next to
//   each other go to SDRAM as one burst.
// Rules: write-back, write-allocate with fetch; L2 includes L1; a line's dirty bit in L2 is set at
// its first write, so that a line may leave L1 without a word. Dirty lines that leave L2 are
// written as bursts that the hart does not wait for; they do hold the bus and the SDRAM.
// With one level only, that level is the last; with none every access goes to SDRAM.
// The payload is this object's own and is used again for every transaction.
#pragma once

#include "firmware/hal/types.h"
#include "sc_models/common/timing_hint.h"
#include "sc_models/cpu/cache.h"
#include "sc_models/cpu/coherence.h"

#include <tlm>

#include <cstdint>
#include <optional>
#include <vector>

namespace weir::cpu {

enum class KeepDirty : uint8_t { No, Yes };

struct MemoryStats {
    uint64_t l1_hits = 0;
    uint64_t l2_hits = 0;
    uint64_t misses = 0;
    uint64_t fill_bursts = 0;
    uint64_t write_back_bursts = 0;
    uint64_t write_back_lines = 0;
    uint64_t snooped_lines = 0;
};

class MemoryPath {
  public:
    struct Place {
        uint32_t hart;
        uint64_t ram_base;  // bus address of RAM
    };
    /// Errors: std::invalid_argument as Cache, if L1 and L2 differ in line size, or
    /// if a way of L2 is smaller than a page.
    MemoryPath(const machine::CpuConfig& config, Place place, CoherenceDirectory& directory);
    ~MemoryPath();
    MemoryPath(const MemoryPath&) = delete;

    /// Before the first access: where bursts go.
    void bind(tlm::tlm_fw_transport_if<>& bus) { bus_ = &bus; }
    uint32_t line_shift() const { return line_shift_; }
    uint64_t near_hit_ps() const { return near_hit_ps_; }

    /// True, and noted as a use, if the line hits the nearest cache and needs nothing else.
    bool near_hit(uint32_t line, hal::Access access) {
        if (!near_) return false;
        const uint32_t way = near_->find(line);
        if (way == Cache::kNoWay) [[unlikely]]
            return false;
        if (access == hal::Access::Write && !near_->dirty(line, way)) return false;
        near_->use(line, way);
        return true;
    }
    /// Units: ps since time 0. Lines first..last, both included.
    uint64_t access(uint32_t first, uint32_t last, hal::Access access, uint64_t time_ps);

    /// Another initiator's access. Write: the lines leave this hart's caches; Read: they become
    /// clean. What was dirty is written to SDRAM first unless keep is No.
    void snoop_lines(uint32_t first, uint32_t last, hal::Access access, KeepDirty keep,
                     uint64_t time_ps);
    const MemoryStats& stats() const { return stats_; }

  private:
    static constexpr uint32_t kWriteBackRuns = 32;
    struct Run {
        uint32_t first;
        uint32_t count;
    };

    /// State of one access() that its parts share.
    struct Walk {
        hal::Access access;
        uint64_t time_ps;
        Run run{0, 0};  // of lines to fetch, still open
        uint32_t near_hits = 0;
        uint32_t last_hits = 0;
    };
    void look_up(uint32_t line, Walk& walk);
    void fetch(uint32_t first, uint32_t count, Walk& walk);
    void install_near(uint32_t line, bool dirty);
    void own(uint32_t line, uint64_t time_ps);
    /// A line is no longer in the last level: counts it out, and out of L1 if it is there.
    void leave_last(uint32_t line) {
        const uint32_t frame = frame_of(line);
        if (--last_lines_[frame] == 0) directory_.frame_left(hart_, frame);
        if (near_lines_[frame] != 0) [[unlikely]]
            leave_near(line);
    }
    void leave_near(uint32_t line);
    void queue_write_back(uint32_t line, uint64_t time_ps);
    void flush_write_backs(uint64_t time_ps);
    uint64_t burst(Run run, hal::Access access, uint64_t time_ps);
    uint32_t frame_of(uint32_t line) const { return line >> (hal::kPageShift - line_shift_); }

    Cache* near_ = nullptr;  // L1 if there are two levels, else the only one
    Cache* last_ = nullptr;
    std::optional<Cache> l1_;
    std::optional<Cache> l2_;
    uint32_t line_shift_ = 6;
    uint64_t near_hit_ps_ = 0;
    uint64_t last_hit_ps_ = 0;
    uint32_t hart_;
    uint64_t ram_base_;
    CoherenceDirectory& directory_;
    // Lines of each frame in the last level and in L1 (if there are two levels): a frame without
    // any needs no look-up.
    std::vector<uint16_t> last_lines_;
    std::vector<uint16_t> near_lines_;
    tlm::tlm_fw_transport_if<>* bus_ = nullptr;
    TimingHint hint_;
    tlm::tlm_generic_payload trans_;
    Run write_backs_[kWriteBackRuns];
    uint32_t write_back_count_ = 0;
    MemoryStats stats_;
};

}  // namespace weir::cpu
