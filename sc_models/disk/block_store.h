// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The bytes of a disk, without timing.
// - A 4 KiB block never written reads as hal::pristine_base(disk number, block).
// - A written block that is an arithmetic progression of words is kept as its base (and step); any
//   other is kept as it is. Nothing is lost either way.
// - read_block()/write_block() are the fast paths; read()/write() work on any run of sectors.
// Memory: about 9 bytes a block in every 16 MiB of disk that holds a written block; beside that 16
// bytes for a progression whose step is not hal::kPatternStep, and 4 KiB for any other content.
#pragma once

#include "firmware/hal/types.h"
#include "sc_models/disk/page_pattern.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace weir::disk {

class BlockStore {
  public:
    /// Errors: throws std::invalid_argument unless sector_count is a multiple of 8.
    BlockStore(uint32_t disk_number, uint64_t sector_count);

    uint32_t disk_number() const { return disk_number_; }
    uint64_t sector_count() const { return block_count_ * hal::kSectorsPerPage; }
    uint64_t block_count() const { return block_count_; }

    void read_block(uint64_t block, void* page) const;
    void write_block(uint64_t block, const void* page);
    void read(hal::Sector first, uint32_t sector_count, void* bytes) const;
    void write(hal::Sector first, uint32_t sector_count, const void* bytes);

    struct Usage {
        uint64_t pattern_blocks = 0;      // step hal::kPatternStep
        uint64_t progression_blocks = 0;  // any other step
        uint64_t raw_blocks = 0;
        uint64_t host_bytes = 0;
    };
    Usage usage() const;

  private:
    enum class Kind : uint8_t { Pristine, Pattern, Progression, Raw };
    static constexpr uint32_t kChunkBlocks = 4096;
    using Page = std::array<std::byte, hal::kPageBytes>;

    /// Pattern: word is the base. Progression and Raw: word is an index into their pool.
    struct Chunk {
        std::array<Kind, kChunkBlocks> kind{};
        std::array<uint64_t, kChunkBlocks> word{};
    };
    void release(Kind kind, uint64_t index);

    uint32_t disk_number_;
    uint64_t block_count_;
    std::vector<std::unique_ptr<Chunk>> chunks_;
    std::vector<Progression> progressions_;
    std::vector<uint64_t> free_progressions_;
    std::vector<std::unique_ptr<Page>> raw_pages_;
    std::vector<uint64_t> free_raw_pages_;
    uint64_t pattern_blocks_ = 0;
};

}  // namespace weir::disk
