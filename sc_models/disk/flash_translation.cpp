// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/disk/flash_translation.h"

#include <algorithm>
#include <stdexcept>

namespace weir::disk {

FlashTranslation::FlashTranslation(const FlashShape& shape)
    : shape_(shape), units_per_block_(shape.pages_per_block * shape.units_per_page) {
    if (shape.pages_per_block < 2)
        throw std::invalid_argument("flash.pages_per_block: must be at least 2");
    const uint64_t wanted_units =
        shape.logical_units + shape.logical_units * shape.over_provision_permille / 1000;
    const uint64_t block_row_units = uint64_t{units_per_block_} * shape.dies;
    uint64_t blocks = std::max<uint64_t>(4, (wanted_units + block_row_units - 1) / block_row_units);
    // One block a die is kept erased and one is open. A die whose other blocks are, on average, one
    // page short of full of valid units holds a block whose cleaning gains a page: cleaning ends.
    const auto limit = [&] { return (blocks - 2) * (units_per_block_ - shape.units_per_page); };
    while (limit() * shape.dies < shape.logical_units + uint64_t{shape.dies} * shape.units_per_page)
        ++blocks;
    if (blocks * block_row_units >= kUnmapped)
        throw std::invalid_argument(
            "size_mib: larger than the flash translation table can address");
    blocks_per_die_ = static_cast<uint32_t>(blocks);
    die_limit_units_ = limit();
    dies_.resize(shape.dies);
    for (Die& die : dies_) {
        die.blocks.resize(blocks_per_die_);
        for (uint32_t block = blocks_per_die_ - 1; block > 0; --block) die.erased.push_back(block);
    }
    map_.resize((shape.logical_units + kMapChunkUnits - 1) / kMapChunkUnits);
}

uint32_t FlashTranslation::mapping(uint64_t unit) const {
    const auto& chunk = map_[unit / kMapChunkUnits];
    return chunk ? chunk[unit % kMapChunkUnits] : kUnmapped;
}

FlashTranslation::Place FlashTranslation::locate(uint64_t unit) const {
    const uint32_t place = mapping(unit);
    if (place != kUnmapped) {
        const uint32_t die_units = blocks_per_die_ * units_per_block_;
        return {place / shape_.units_per_page, place / die_units};
    }
    // Pages of a sequential fill go round the dies; numbered apart from those really written.
    const uint64_t page = unit / shape_.units_per_page;
    return {page | (1ull << 63), static_cast<uint32_t>(page % shape_.dies)};
}

FlashTranslation::Work FlashTranslation::program(std::span<const uint64_t> units) {
    Work work;
    work.die = choose_die();
    Die& die = dies_[work.die];
    if (die.blocks[die.open_block].owners.size() == units_per_block_) {
        die.open_block = die.erased.back();
        die.erased.pop_back();
        if (die.erased.empty()) collect_garbage(work.die, work);
    }
    std::vector<uint32_t> page(units.begin(), units.end());
    place_page(work.die, page);
    return work;
}

uint32_t FlashTranslation::choose_die() {
    // Round robin spreads the load; a die that could not be cleaned any more is passed over.
    uint32_t die = next_die_;
    while (dies_[die].valid_units + shape_.units_per_page > die_limit_units_)
        die = (die + 1) % shape_.dies;
    next_die_ = (die + 1) % shape_.dies;
    return die;
}

/// Writes one page of the open block; what is short of a page is padding.
void FlashTranslation::place_page(uint32_t die_index, std::span<const uint32_t> units) {
    const uint32_t die_units = blocks_per_die_ * units_per_block_;
    Die& die = dies_[die_index];
    Block& block = die.blocks[die.open_block];
    for (const uint32_t unit : units) {
        auto& chunk = map_[unit / kMapChunkUnits];
        if (!chunk) {
            chunk = std::make_unique<uint32_t[]>(kMapChunkUnits);
            std::fill_n(chunk.get(), kMapChunkUnits, kUnmapped);
        }
        uint32_t& place = chunk[unit % kMapChunkUnits];
        if (place != kUnmapped) {
            Die& old_die = dies_[place / die_units];
            --old_die.blocks[place % die_units / units_per_block_].valid_units;
            --old_die.valid_units;
        }
        place = die_index * die_units + die.open_block * units_per_block_ +
                static_cast<uint32_t>(block.owners.size());
        block.owners.push_back(unit);
        ++block.valid_units;
        ++die.valid_units;
    }
    block.owners.resize(block.owners.size() + shape_.units_per_page - units.size(), kUnmapped);
}

/// Empties the block with the fewest valid units into the block just opened, and erases it.
void FlashTranslation::collect_garbage(uint32_t die_index, Work& work) {
    const uint32_t die_units = blocks_per_die_ * units_per_block_;
    Die& die = dies_[die_index];
    uint32_t victim = die.open_block;
    for (uint32_t block = 0; block < blocks_per_die_; ++block) {
        if (block == die.open_block) continue;
        if (victim == die.open_block ||
            die.blocks[block].valid_units < die.blocks[victim].valid_units)
            victim = block;
    }
    const std::vector<uint32_t> owners = std::move(die.blocks[victim].owners);
    die.blocks[victim].owners.clear();
    const uint32_t first_place = die_index * die_units + victim * units_per_block_;
    std::vector<uint32_t> page;
    uint32_t last_page_read = kUnmapped;
    for (uint32_t i = 0; i < owners.size(); ++i) {
        if (owners[i] == kUnmapped || mapping(owners[i]) != first_place + i) continue;
        if (i / shape_.units_per_page != last_page_read) {
            last_page_read = i / shape_.units_per_page;
            ++work.copy_pages_read;
        }
        page.push_back(owners[i]);
        if (page.size() < shape_.units_per_page) continue;
        place_page(die_index, page);
        page.clear();
        ++work.copy_pages_programmed;
    }
    if (!page.empty()) {
        place_page(die_index, page);
        ++work.copy_pages_programmed;
    }
    ++work.blocks_erased;
    die.erased.push_back(victim);
}

}  // namespace weir::disk
