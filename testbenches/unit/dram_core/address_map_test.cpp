// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Has every address a place of its own, whatever the mapping?
#include "sc_models/dram/core/address_map.h"

#include "testbenches/unit/models_disk/seed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <set>
#include <tuple>

namespace weir::dram {
namespace {

using Random = std::mt19937_64;

using test::seed;

uint32_t below(Random& random, uint32_t limit) {
    return static_cast<uint32_t>(random() % limit);
}

Organization some_organization(Random& random, uint32_t row_bits_max) {
    const auto power = [&](uint32_t bits_max) { return 1u << below(random, bits_max + 1); };
    Organization o;
    o.ranks = power(2);
    o.bank_groups = power(3);
    o.banks_per_group = power(3);
    o.rows = power(row_bits_max);
    o.burst_length = 4u << below(random, 3);
    o.columns = o.burst_length * power(5);
    o.device_width_bits = 8;
    o.devices = power(3);
    return o;
}

/// Pieces in any order and size, the offset last; XORs by bits that are not XORed themselves.
Mapping some_mapping(Random& random, const Organization& o) {
    Mapping mapping;
    for (const Field field :
         {Field::Rank, Field::Row, Field::Bank, Field::BankGroup, Field::Column}) {
        for (uint32_t left = field_bits(field, o); left > 0;) {
            const uint32_t bits = 1 + below(random, left);
            mapping.pieces.push_back({field, bits});
            left -= bits;
        }
    }
    std::shuffle(mapping.pieces.begin(), mapping.pieces.end(), random);
    mapping.pieces.push_back({Field::Offset, field_bits(Field::Offset, o)});

    std::set<std::tuple<Field, uint32_t, Field, uint32_t>> taken;
    const auto bit_of = [&](std::initializer_list<Field> fields) {
        const Field field = fields.begin()[below(random, static_cast<uint32_t>(fields.size()))];
        const uint32_t bits = field_bits(field, o);
        return std::pair{field, bits == 0 ? ~0u : below(random, bits)};
    };
    for (uint32_t i = below(random, 8); i > 0; --i) {
        const auto [field, bit] =
            bit_of({Field::Rank, Field::Bank, Field::BankGroup, Field::Row, Field::Column});
        const auto [by_field, by_bit] = bit_of({Field::Row, Field::Column});
        if (bit == ~0u || by_bit == ~0u) continue;
        const auto clashes = [&, f = field, b = bit, bf = by_field,
                              bb = by_bit](const MappingXor& x) {
            return (x.field == bf && x.bit == bb) || (x.by_field == f && x.by_bit == b);
        };
        if ((field == by_field && bit == by_bit) ||
            std::any_of(mapping.xors.begin(), mapping.xors.end(), clashes) ||
            !taken.insert({field, bit, by_field, by_bit}).second) {
            continue;
        }
        mapping.xors.push_back({field, bit, by_field, by_bit});
    }
    return mapping;
}

TEST(AddressMapProperty, EveryAddressOfASmallDeviceHasItsOwnPlaceAndComesBack) {
    Random random(seed());
    for (uint32_t round = 0; round < 300; ++round) {
        const Organization o = some_organization(random, 4);
        const AddressMap map = AddressMap::create(o, some_mapping(random, o));
        ASSERT_EQ(map.size_bytes(), o.bytes());
        if (map.size_bytes() / o.access_bytes() > (1u << 14)) continue;
        std::set<std::tuple<uint32_t, uint32_t, uint32_t>> places;
        for (uint64_t address = 0; address < map.size_bytes(); address += o.access_bytes()) {
            const Place p = map.place_of(address);
            ASSERT_EQ(map.address_of(p), address) << "round " << round;
            ASSERT_LT(p.rank, o.ranks);
            ASSERT_LT(p.bank_group, o.bank_groups);
            ASSERT_LT(p.bank, o.banks_per_group);
            ASSERT_LT(p.row, o.rows);
            ASSERT_LT(p.burst, o.bursts_per_row());
            ASSERT_EQ(p.flat_bank,
                      (p.rank * o.bank_groups + p.bank_group) * o.banks_per_group + p.bank);
            ASSERT_TRUE(places.insert({p.flat_bank, p.row, p.burst}).second) << "round " << round;
        }
    }
}

TEST(AddressMapProperty, AddressesOfALargeDeviceComeBack) {
    Random random(seed());
    for (uint32_t round = 0; round < 300; ++round) {
        const Organization o = some_organization(random, 17);
        const AddressMap map = AddressMap::create(o, some_mapping(random, o));
        for (uint32_t i = 0; i < 200; ++i) {
            const uint64_t address = random() % map.size_bytes();
            ASSERT_EQ(map.address_of(map.place_of(address)), address - address % o.access_bytes())
                << "round " << round;
            ASSERT_EQ(map.place_of(address + map.size_bytes()), map.place_of(address));
        }
    }
}

TEST(AddressMapProperty, OnlyTheColumnChangesWithinARunAndSomethingElseAfterIt) {
    Random random(seed());
    for (uint32_t round = 0; round < 300; ++round) {
        const Organization o = some_organization(random, 10);
        const AddressMap map = AddressMap::create(o, some_mapping(random, o));
        const uint64_t run = map.same_row_run_bytes();
        ASSERT_TRUE(std::has_single_bit(run));
        ASSERT_GE(run, o.access_bytes());
        const uint64_t begin = random() % map.size_bytes() / run * run;
        const Place first = map.place_of(begin);
        for (uint64_t offset = 0; offset < run; offset += o.access_bytes()) {
            const Place p = map.place_of(begin + offset);
            ASSERT_EQ(p.flat_bank, first.flat_bank) << "round " << round;
            ASSERT_EQ(p.row, first.row) << "round " << round;
        }
        if (run == map.size_bytes()) continue;
        const Place other = map.place_of(begin ^ run);
        ASSERT_TRUE(other.flat_bank != first.flat_bank || other.row != first.row)
            << "round " << round;
    }
}

TEST(AddressMap, XorMovesTheBankWithTheRow) {
    Organization o;
    o.bank_groups = 4;
    o.rows = 16;
    o.columns = 64;
    Mapping mapping{{{Field::Row, 4},
                     {Field::Bank, 2},
                     {Field::BankGroup, 2},
                     {Field::Column, 3},
                     {Field::Offset, 6}},
                    {{Field::BankGroup, 0, Field::Row, 0}, {Field::BankGroup, 0, Field::Row, 3}}};
    const AddressMap map = AddressMap::create(o, mapping);
    const uint64_t row_bytes = 64 * 8 * 16;
    EXPECT_EQ(map.place_of(0).bank_group, 0u);
    EXPECT_EQ(map.place_of(1 * row_bytes).bank_group, 1u);
    EXPECT_EQ(map.place_of(2 * row_bytes).bank_group, 0u);
    EXPECT_EQ(map.place_of(8 * row_bytes).bank_group, 1u);
    EXPECT_EQ(map.place_of(9 * row_bytes).bank_group, 0u);
}

}  // namespace
}  // namespace weir::dram
