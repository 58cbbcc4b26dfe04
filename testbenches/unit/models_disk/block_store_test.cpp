// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Does the store give back every byte it was given, however it keeps them?
#include "sc_models/disk/block_store.h"

#include "testbenches/unit/models_disk/seed.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <stdexcept>
#include <vector>

namespace weir::disk {
namespace {

using Page = std::array<unsigned char, hal::kPageBytes>;

TEST(BlockStorePristine, BlocksReadAsThePatternOfDiskAndBlock) {
    const BlockStore first(0, 80'000);
    const BlockStore second(1, 80'000);
    Page page;
    first.read_block(9999, page.data());
    EXPECT_TRUE(hal::page_matches(page.data(), hal::pristine_base(0, 9999)));
    second.read_block(9999, page.data());
    EXPECT_TRUE(hal::page_matches(page.data(), hal::pristine_base(1, 9999)));
    EXPECT_EQ(first.usage().raw_blocks, 0u);
}

TEST(BlockStoreCompression, ProgressionsAreKeptSmallAndOthersAsTheyAre) {
    BlockStore store(0, 1 << 20);
    Page page;
    hal::fill_page(page.data(), 123);
    store.write_block(1, page.data());
    page.fill(0);
    store.write_block(2, page.data());  // zeros: step 0
    page[4095] = 1;
    store.write_block(3, page.data());
    BlockStore::Usage usage = store.usage();
    EXPECT_EQ(usage.pattern_blocks, 1u);
    EXPECT_EQ(usage.progression_blocks, 1u);
    EXPECT_EQ(usage.raw_blocks, 1u);
    hal::fill_page(page.data(), 124);
    store.write_block(3, page.data());  // gives the raw page back
    usage = store.usage();
    EXPECT_EQ(usage.pattern_blocks, 2u);
    EXPECT_EQ(usage.raw_blocks, 0u);
}

TEST(BlockStoreCompression, MemoryOfATestDataDiskIsAsDocumented) {
    BlockStore store(0, 1 << 20);  // 512 MiB
    Page page;
    for (uint64_t block = 0; block < store.block_count(); ++block) {
        hal::fill_page(page.data(), block);
        store.write_block(block, page.data());
    }
    EXPECT_LE(store.usage().host_bytes, store.block_count() * 9 + 4096);
}

TEST(BlockStorePatterns, EveryDifferenceOfOneBitIsSeen) {
    Page page;
    Progression found;
    for (uint32_t byte = 0; byte < hal::kPageBytes; byte += 7) {
        hal::fill_page(page.data(), 99);
        EXPECT_TRUE(find_progression(page.data(), found));
        EXPECT_EQ(found, (Progression{99, hal::kPatternStep}));
        page[byte] ^= static_cast<unsigned char>(1u << byte % 8);
        EXPECT_FALSE(find_progression(page.data(), found)) << byte;
    }
}

TEST(BlockStorePatterns, BothWaysOfMakingAPageAgreeAtAnyAlignment) {
    alignas(16) std::array<unsigned char, hal::kPageBytes + 32> one{};
    alignas(16) std::array<unsigned char, hal::kPageBytes + 32> other{};
    for (const uint32_t offset : {0u, 16u, 1u, 8u}) {
        const Progression progression{0xfedcba9876543210u, 0x1111'2222'3333'4445u};
        write_progression(one.data() + offset, progression);
        stream_progression(other.data() + offset, progression);
        EXPECT_EQ(std::memcmp(one.data() + offset, other.data() + offset, hal::kPageBytes), 0);
        uint64_t word = 0;
        std::memcpy(&word, one.data() + offset + 511 * 8, sizeof word);
        EXPECT_EQ(word, progression.base + 511 * progression.step);
    }
}

/// A run of sectors with one of several kinds of content.
void make_content(std::mt19937_64& random, uint32_t sector_count, std::vector<unsigned char>& out) {
    out.resize(sector_count * hal::kSectorBytes);
    const uint64_t kind = random() % 4;
    uint64_t word = random();
    const uint64_t step = kind == 0 ? hal::kPatternStep : kind == 1 ? 0 : random();
    for (size_t at = 0; at < out.size(); at += sizeof word) {
        if (kind == 3) word = random();
        std::memcpy(out.data() + at, &word, sizeof word);
        word += step;
    }
}

TEST(BlockStoreProperty, BehavesLikeAMapOfSectors) {
    constexpr uint64_t kSectors = 3 * 4096 * 8;  // three chunks of the index
    std::mt19937_64 random(test::seed());
    BlockStore store(7, kSectors);
    std::map<uint64_t, std::array<unsigned char, hal::kSectorBytes>> expected;
    std::vector<unsigned char> bytes;
    for (uint32_t i = 0; i < 20'000; ++i) {
        const auto count = static_cast<uint32_t>(random() % 3 == 0 ? 8 : 1 + random() % 40);
        // A few hot places, so that blocks change their kind many times.
        uint64_t first = random() % 2 == 0 ? random() % 64 : random() % (kSectors - 64);
        if (random() % 2 == 0) first &= ~7ull;
        if (random() % 2 == 0) {
            make_content(random, count, bytes);
            store.write(hal::Sector{first}, count, bytes.data());
            for (uint32_t s = 0; s < count; ++s)
                std::memcpy(expected[first + s].data(), bytes.data() + s * hal::kSectorBytes,
                            hal::kSectorBytes);
            continue;
        }
        bytes.assign(count * hal::kSectorBytes, 0xee);
        store.read(hal::Sector{first}, count, bytes.data());
        for (uint32_t s = 0; s < count; ++s) {
            const uint64_t sector = first + s;
            std::array<unsigned char, hal::kSectorBytes> want;
            const auto written = expected.find(sector);
            if (written != expected.end()) {
                want = written->second;
            } else {
                Page page;
                hal::fill_page(page.data(), hal::pristine_base(7, sector / 8));
                std::memcpy(want.data(), page.data() + sector % 8 * hal::kSectorBytes,
                            hal::kSectorBytes);
            }
            ASSERT_EQ(
                std::memcmp(want.data(), bytes.data() + s * hal::kSectorBytes, hal::kSectorBytes),
                0)
                << "step " << i << " sector " << sector;
        }
    }
}

TEST(BlockStoreConfig, SizeMustBeWholeBlocks) {
    EXPECT_THROW(BlockStore(0, 0), std::invalid_argument);
    EXPECT_THROW(BlockStore(0, 9), std::invalid_argument);
    EXPECT_NO_THROW(BlockStore(0, 8));
}

}  // namespace
}  // namespace weir::disk
