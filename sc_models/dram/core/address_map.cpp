// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/dram/core/address_map.h"

#include "sc_models/dram/core/check_config.h"

#include <algorithm>
#include <bit>

namespace weir::dram {
namespace {

constexpr std::array<const char*, kFieldCount> kFieldNames{"rank",      "row",    "bank",
                                                           "bankgroup", "column", "offset"};

constexpr uint32_t index_of(Field field) {
    return static_cast<uint32_t>(field);
}

uint32_t log2_of(uint64_t power_of_two) {
    return static_cast<uint32_t>(std::countr_zero(power_of_two));
}

std::string bit_name(Field field, uint32_t bit) {
    return field_name(field) + std::to_string(bit);
}

void check_bits(const Organization& organization, const Mapping& mapping) {
    std::array<uint32_t, kFieldCount> mapped{};
    for (const MappingPiece& piece : mapping.pieces) {
        // Capped, so that no sum overflows; no field is near as long.
        mapped[index_of(piece.field)] += std::min(piece.bits, 64u);
    }
    for (uint32_t i = 0; i < kFieldCount; ++i) {
        const Field field{static_cast<uint8_t>(i)};
        const uint32_t has = field_bits(field, organization);
        if (mapped[i] == has) continue;
        const std::string difference = mapped[i] < has
                                           ? std::to_string(has - mapped[i]) + " missing"
                                           : std::to_string(mapped[i] - has) + " too many (double)";
        throw ConfigProblem("mapping", std::string(field_name(field)) + " has " +
                                           std::to_string(has) + " bits, mapped are " +
                                           std::to_string(mapped[i]) + ": " + difference);
    }
    bool above_offset = false;
    for (auto piece = mapping.pieces.rbegin(); piece != mapping.pieces.rend(); ++piece) {
        if (piece->bits == 0) continue;
        if (piece->field != Field::Offset) above_offset = true;
        if (piece->field == Field::Offset && above_offset) {
            throw ConfigProblem("mapping",
                                "offset must come last: a burst is of consecutive bytes");
        }
    }
}

void check_xor(const Organization& organization, const Mapping& mapping, const MappingXor& x) {
    const std::string text = bit_name(x.field, x.bit) + " ^ " + bit_name(x.by_field, x.by_bit);
    const auto check_range = [&](Field field, uint32_t bit) {
        if (bit < field_bits(field, organization)) return;
        throw ConfigProblem("xor", text + ": " + field_name(field) + " has " +
                                       std::to_string(field_bits(field, organization)) +
                                       " bits, counted from 0");
    };
    if (x.field == Field::Offset) {
        throw ConfigProblem("xor", text + ": the offset stays: a burst is of consecutive bytes");
    }
    check_range(x.field, x.bit);
    if (x.by_field != Field::Row && x.by_field != Field::Column) {
        throw ConfigProblem("xor", text + ": the second bit must be one of row or column");
    }
    check_range(x.by_field, x.by_bit);
    for (const MappingXor& other : mapping.xors) {
        if (other.field == x.by_field && other.bit == x.by_bit) {
            throw ConfigProblem("xor", text + ": " + bit_name(x.by_field, x.by_bit) +
                                           " is XORed itself, so that two addresses could share "
                                           "a place");
        }
    }
}

}  // namespace

uint32_t field_bits(Field field, const Organization& organization) {
    switch (field) {
        case Field::Rank:
            return log2_of(organization.ranks);
        case Field::Row:
            return log2_of(organization.rows);
        case Field::Bank:
            return log2_of(organization.banks_per_group);
        case Field::BankGroup:
            return log2_of(organization.bank_groups);
        case Field::Column:
            return log2_of(organization.bursts_per_row());
        case Field::Offset:
            return log2_of(organization.access_bytes());
    }
    return 0;
}

const char* field_name(Field field) {
    return kFieldNames[index_of(field)];
}

void AddressMap::add_pieces(const Organization& organization, const Mapping& mapping) {
    std::array<uint32_t, kFieldCount> left{};
    uint32_t address_shift = 0;
    for (uint32_t i = 0; i < kFieldCount; ++i) {
        const Field field{static_cast<uint8_t>(i)};
        left[i] = field_bits(field, organization);
        lowest_[i].field = field;
        address_shift += left[i];
    }
    size_bytes_ = uint64_t{1} << address_shift;
    for (const MappingPiece& wanted : mapping.pieces) {
        if (wanted.bits == 0) continue;
        address_shift -= wanted.bits;
        uint32_t& field_shift = left[index_of(wanted.field)];
        field_shift -= wanted.bits;
        const Piece piece{wanted.field, static_cast<uint8_t>(address_shift),
                          static_cast<uint8_t>(field_shift),
                          static_cast<uint32_t>((uint64_t{1} << wanted.bits) - 1)};
        if (field_shift == 0) {
            lowest_[index_of(wanted.field)] = piece;
        } else if (wanted.field != Field::Offset) {
            more_.push_back(piece);
        }
    }
    xor_in_ = more_;
}

void AddressMap::xor_in(const Piece& bit) {
    for (Piece& piece : xor_in_) {
        const uint32_t width = static_cast<uint32_t>(std::bit_width(piece.mask));
        if (piece.field == bit.field && piece.address_shift + width == bit.address_shift &&
            piece.field_shift + width == bit.field_shift) {
            piece.mask = piece.mask << 1 | 1;
            return;
        }
    }
    xor_in_.push_back(bit);
}

uint32_t AddressMap::address_bit_of(Field field, uint32_t bit) const {
    const auto has = [&](const Piece& piece) {
        return piece.field == field && bit >= piece.field_shift &&
               (piece.mask >> (bit - piece.field_shift) & 1) != 0;
    };
    for (const Piece& piece : more_) {
        if (has(piece)) return piece.address_shift + bit - piece.field_shift;
    }
    return lowest_[index_of(field)].address_shift + bit;
}

void AddressMap::add_xors(const Organization& organization, const Mapping& mapping) {
    for (const MappingXor& wanted : mapping.xors) {
        check_xor(organization, mapping, wanted);
        const uint32_t by_shift = address_bit_of(wanted.by_field, wanted.by_bit);
        const uint64_t by = uint64_t{1} << by_shift;
        bool merged = false;
        for (Xor& known : xors_) {
            if (known.field != wanted.field || known.field_bit != wanted.bit) continue;
            if ((known.by_mask & by) != 0) {
                throw ConfigProblem("xor", bit_name(wanted.field, wanted.bit) + " ^ " +
                                               bit_name(wanted.by_field, wanted.by_bit) +
                                               " stands twice");
            }
            known.by_mask |= by;
            merged = true;
        }
        xor_in({wanted.field, static_cast<uint8_t>(by_shift), static_cast<uint8_t>(wanted.bit), 1});
        if (merged) continue;
        const uint32_t own = address_bit_of(wanted.field, wanted.bit);
        xors_.push_back(
            {wanted.field, static_cast<uint8_t>(wanted.bit), static_cast<uint8_t>(own), by});
    }
}

AddressMap AddressMap::create(const Organization& organization, const Mapping& mapping) {
    check_bits(organization, mapping);
    AddressMap map;
    map.group_bits_ = field_bits(Field::BankGroup, organization);
    map.bank_bits_ = field_bits(Field::Bank, organization);
    map.add_pieces(organization, mapping);
    map.add_xors(organization, mapping);

    // Address bits that move anything but the column.
    uint64_t others = map.size_bytes_;
    const auto add = [&](const Piece& piece) {
        if (piece.field == Field::Column || piece.field == Field::Offset) return;
        others |= static_cast<uint64_t>(piece.mask) << piece.address_shift;
    };
    for (const Piece& piece : map.lowest_) add(piece);
    for (const Piece& piece : map.more_) add(piece);
    for (const Xor& x : map.xors_) {
        if (x.field != Field::Column) others |= x.by_mask;
    }
    map.same_row_run_bytes_ = others & (~others + 1);
    return map;
}

uint64_t AddressMap::address_of(const Place& place) const {
    const Fields fields{place.rank, place.row, place.bank, place.bank_group, place.burst, 0};
    uint64_t address = 0;
    const auto put = [&](const Piece& piece) {
        const uint64_t value = fields[index_of(piece.field)] >> piece.field_shift & piece.mask;
        address |= value << piece.address_shift;
    };
    for (const Piece& piece : lowest_) put(piece);
    for (const Piece& piece : more_) put(piece);
    // The bits XORed in are not XORed themselves, so they already stand as in the address.
    for (const Xor& x : xors_) {
        address ^= static_cast<uint64_t>(std::popcount(address & x.by_mask) & 1) << x.address_bit;
    }
    return address;
}

}  // namespace weir::dram
