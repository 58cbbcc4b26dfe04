// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Physical address to place in the channel and back, bit by bit, with XOR.
// Errors: create() throws std::invalid_argument, naming the field, if bits are missing or double.
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
};

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
    struct Piece {
        uint32_t address_shift;
        uint32_t field_shift;
        uint32_t mask;  // of the piece's bits, at bit 0
    };
    struct Xor {
        uint64_t by_mask;  // address bits whose parity is XORed in
        uint32_t field_bit;
    };
    Organization organization_;
    std::array<std::vector<Piece>, kFieldCount> pieces_;
    std::array<std::vector<Xor>, kFieldCount> xors_;
    uint64_t size_bytes_ = 0;
    uint64_t same_row_run_bytes_ = 0;
    uint32_t field(Field f, uint64_t address) const;
    uint32_t plain_field(Field f, uint64_t address) const;
};

}  // namespace weir::dram
