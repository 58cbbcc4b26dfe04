// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Physical address to place in the channel and back, bit by bit, with XOR.
// Errors: create() throws ConfigProblem (a std::invalid_argument), naming the field, if bits are
// missing or double.
#pragma once

#include "sc_models/dram/core/config.h"

#include <array>
#include <cstdint>
#include <vector>

namespace weir::dram {

/// A burst's place. flat_bank = (rank x bank_groups + bank_group) x banks_per_group + bank.
struct Place {
    uint32_t rank;
    uint32_t bank_group;
    uint32_t bank;
    uint32_t flat_bank;
    uint32_t row;
    uint32_t burst;  // column in bursts: device column = burst x burst_length

    bool operator==(const Place&) const = default;
};

/// Bits of an address that a field has: Column counts bursts, Offset the bytes of one.
/// Shapes: every figure of the organization a power of two.
uint32_t field_bits(Field field, const Organization& organization);
/// As in mappings: rank row bank bankgroup column offset.
const char* field_name(Field field);

class AddressMap {
  public:
    static AddressMap create(const Organization& organization, const Mapping& mapping);
    /// Addresses beyond the device wrap: callers check the range.
    Place place_of(uint64_t address) const;
    uint64_t address_of(const Place& place) const;
    uint64_t size_bytes() const { return size_bytes_; }
    /// Consecutive bytes (a power of two) over which only the column changes.
    uint64_t same_row_run_bytes() const { return same_row_run_bytes_; }

  private:
    /// place_of() is called once a burst: the lowest piece of every field is a shift and a mask;
    /// only split or XORed fields pay for more.
    struct Piece {
        Field field;
        uint8_t address_shift = 0;
        uint8_t field_shift = 0;
        uint32_t mask = 0;  // of the piece's bits, at bit 0
    };
    struct Xor {
        Field field;
        uint8_t field_bit = 0;
        uint8_t address_bit = 0;  // where the field's bit stands in the address
        uint64_t by_mask = 0;     // address bits whose parity is XORed in
    };
    using Fields = std::array<uint32_t, kFieldCount>;  // the offset is not looked at

    std::array<Piece, kFieldCount> lowest_{};
    uint32_t group_bits_ = 0;
    uint32_t bank_bits_ = 0;
    std::vector<Piece> more_;    // of split fields
    std::vector<Xor> xors_;      // for the way back
    std::vector<Piece> xor_in_;  // for the way there: more_, and the bits of xors_ run by run
    uint64_t size_bytes_ = 0;
    uint64_t same_row_run_bytes_ = 0;

    uint32_t lowest(Field field, uint64_t address) const {
        const Piece& piece = lowest_[static_cast<uint32_t>(field)];
        return static_cast<uint32_t>(address >> piece.address_shift) & piece.mask;
    }
    void add_pieces(const Organization& organization, const Mapping& mapping);
    void add_xors(const Organization& organization, const Mapping& mapping);
    void xor_in(const Piece& bit);
    uint32_t address_bit_of(Field field, uint32_t bit) const;
};

inline Place AddressMap::place_of(uint64_t address) const {
    Fields fields{lowest(Field::Rank, address), lowest(Field::Row, address),
                  lowest(Field::Bank, address), lowest(Field::BankGroup, address),
                  lowest(Field::Column, address)};
    for (const Piece& piece : xor_in_) {
        fields[static_cast<uint32_t>(piece.field)] ^=
            (static_cast<uint32_t>(address >> piece.address_shift) & piece.mask)
            << piece.field_shift;
    }
    const auto [rank, row, bank, bank_group, burst, offset] = fields;
    return {rank, bank_group, bank, ((rank << group_bits_ | bank_group) << bank_bits_) | bank,
            row,  burst};
}

}  // namespace weir::dram
