// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Which harts' caches hold lines of which frame, so that coherence costs nothing where nothing is
// shared.
// - A frame of which no cache holds a line is one zero word.
// - on_dma(): a device's access to RAM: written lines leave every cache, read lines are made clean.
// - A line that is dirty in a cache is in no other cache (the states of MESI without the time of
//   the snoop itself).
#pragma once

#include "sc_models/common/snooper.h"

#include <cstdint>
#include <vector>

namespace weir::cpu {

class MemoryPath;

class CoherenceDirectory final : public Snooper {
  public:
    explicit CoherenceDirectory(uint64_t ram_bytes);
    /// Called once a hart, in order of hart number, at elaboration. At most 16.
    void add(MemoryPath& path);

    /// A hart holds its first line of a frame, or none any more. It counts the lines itself.
    void frame_entered(uint32_t hart, uint32_t frame) {
        holders_[frame] = static_cast<uint16_t>(holders_[frame] | 1u << hart);
    }
    void frame_left(uint32_t hart, uint32_t frame) {
        holders_[frame] = static_cast<uint16_t>(holders_[frame] & ~(1u << hart));
    }
    uint64_t frame_count() const { return holders_.size(); }
    /// Harts other than `hart` that hold lines of the frame, a bit each.
    uint32_t others(uint32_t hart, uint32_t frame) const { return holders_[frame] & ~(1u << hart); }
    /// Takes one line from the harts of a mask (Write) or makes it clean there (Read).
    void snoop(uint32_t mask, uint32_t line, hal::Access access, uint64_t time_ps);

    void on_dma(uint64_t ram_offset, uint64_t bytes, hal::Access access, uint64_t time_ps) override;

  private:
    std::vector<MemoryPath*> paths_;
    std::vector<uint16_t> holders_;  // by frame, a bit a hart
};

}  // namespace weir::cpu
