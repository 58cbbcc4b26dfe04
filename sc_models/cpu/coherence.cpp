// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/cpu/coherence.h"

#include "sc_models/cpu/memory_path.h"

#include <bit>

namespace weir::cpu {

CoherenceDirectory::CoherenceDirectory(uint64_t ram_bytes)
    : holders_((ram_bytes + hal::kPageBytes - 1) >> hal::kPageShift) {}

void CoherenceDirectory::add(MemoryPath& path) {
    paths_.push_back(&path);
}

void CoherenceDirectory::snoop(uint32_t mask, uint32_t line, hal::Access access, uint64_t time_ps) {
    for (; mask != 0; mask &= mask - 1) {
        MemoryPath& path = *paths_[static_cast<uint32_t>(std::countr_zero(mask))];
        path.snoop_lines(line, line, access, KeepDirty::Yes, time_ps);
    }
}

void CoherenceDirectory::on_dma(uint64_t ram_offset, uint64_t bytes, hal::Access access,
                                uint64_t time_ps) {
    const uint64_t end = ram_offset + bytes;
    while (ram_offset < end) {
        const uint64_t frame = ram_offset >> hal::kPageShift;
        const uint64_t frame_end = (frame + 1) << hal::kPageShift;
        const uint64_t piece_end = frame_end < end ? frame_end : end;
        // A page that a device overwrites as a whole needs no write-back of what it replaces.
        const bool whole = piece_end - ram_offset == hal::kPageBytes;
        for (uint32_t mask = holders_[frame]; mask != 0; mask &= mask - 1) {
            MemoryPath& path = *paths_[static_cast<uint32_t>(std::countr_zero(mask))];
            path.snoop_lines(static_cast<uint32_t>(ram_offset >> path.line_shift()),
                             static_cast<uint32_t>((piece_end - 1) >> path.line_shift()), access,
                             whole ? KeepDirty::No : KeepDirty::Yes, time_ps);
        }
        ram_offset = piece_end;
    }
}

}  // namespace weir::cpu
