// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The flash translation layer: which flash page holds which 4 KiB unit of the device.
// - locate(): where a unit is. A unit never written lies where a sequential fill would have put it.
// - program(): puts up to a page of units on the next die, collecting garbage there first if the
//   die has no other block to write to: greedy, the block with the fewest valid units.
// The device starts with all blocks erased. Memory: 8 bytes a unit once written.
// Leaves out: wear levelling, bad blocks, hot/cold separation, trim, the map's own flash traffic.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weir::disk {

inline constexpr uint32_t kFlashUnitBytes = 4096;

struct FlashShape {
    uint32_t dies;
    uint32_t pages_per_block;
    uint32_t units_per_page;
    uint64_t logical_units;
    uint32_t over_provision_permille;
};

class FlashTranslation {
  public:
    explicit FlashTranslation(const FlashShape& shape);

    /// `page` tells flash pages apart, across dies.
    struct Place {
        uint64_t page;
        uint32_t die;
    };
    Place locate(uint64_t unit) const;

    /// What the die has to do: the copies and erases of garbage collection, then one program.
    struct Work {
        uint32_t die = 0;
        uint32_t copy_pages_read = 0;
        uint32_t copy_pages_programmed = 0;
        uint32_t blocks_erased = 0;
    };
    /// Shapes: 1 to units_per_page units; fewer than that pads the page.
    Work program(std::span<const uint64_t> units);

    uint32_t blocks_per_die() const { return blocks_per_die_; }

  private:
    static constexpr uint32_t kUnmapped = 0xffffffffu;
    static constexpr uint32_t kMapChunkUnits = 1u << 14;

    struct Block {
        std::vector<uint32_t> owners;  // unit written at each place; empty: erased
        uint32_t valid_units = 0;
    };
    struct Die {
        std::vector<Block> blocks;
        std::vector<uint32_t> erased;
        uint32_t open_block = 0;
        uint64_t valid_units = 0;
    };
    uint32_t mapping(uint64_t unit) const;
    void place_page(uint32_t die_index, std::span<const uint32_t> units);
    void collect_garbage(uint32_t die_index, Work& work);
    uint32_t choose_die();

    FlashShape shape_;
    uint32_t units_per_block_;
    uint32_t blocks_per_die_;
    uint64_t die_limit_units_;  // valid units up to which a die can always be cleaned
    std::vector<Die> dies_;
    uint32_t next_die_ = 0;
    std::vector<std::unique_ptr<uint32_t[]>> map_;  // unit -> place, by chunks
};

}  // namespace weir::disk
