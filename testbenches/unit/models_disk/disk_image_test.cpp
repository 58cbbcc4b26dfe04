// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Does mkfs write what a kernel must find to read every page of every file?
#include "sc_models/disk/disk_image.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <stdexcept>
#include <vector>

namespace weir::disk {
namespace {

TEST(DiskImage, EveryFilePageIsReachedThroughItsIndirectBlock) {
    BlockStore store(2, 1 << 18);  // 128 MiB
    const std::vector<uint64_t> sizes = {10 << 20, 1, 4096 * 1024, 4096 * 1024 + 1};
    const std::vector<hal::Inode> inodes = write_image(store, 2, sizes);

    std::vector<unsigned char> page(hal::kPageBytes);
    store.read_block(0, page.data());
    hal::Superblock superblock;
    std::memcpy(&superblock, page.data(), sizeof superblock);
    EXPECT_EQ(superblock.magic, hal::kSuperblockMagic);
    EXPECT_EQ(superblock.block_count, store.block_count());
    EXPECT_EQ(superblock.file_count, sizes.size());
    EXPECT_EQ(superblock.disk_number, 2u);

    std::set<uint64_t> used;
    for (size_t file = 0; file < sizes.size(); ++file) {
        store.read_block(hal::kInodeTableBlock, page.data());
        hal::Inode inode;
        std::memcpy(&inode, page.data() + file * sizeof inode, sizeof inode);
        EXPECT_EQ(inode.size_bytes, sizes[file]);
        EXPECT_EQ(inode.first_block, inodes[file].first_block);
        EXPECT_EQ(inode.page_count, (sizes[file] + 4095) / 4096);
        for (uint64_t file_page = 0; file_page < inode.page_count; ++file_page) {
            store.read_block(hal::indirect_block_of(inode.first_block, file_page), page.data());
            uint32_t pointer = 0;
            std::memcpy(&pointer, page.data() + file_page % hal::kPointersPerBlock * 4, 4);
            ASSERT_EQ(pointer, hal::data_block_of(inode.first_block, file_page));
            ASSERT_TRUE(used.insert(pointer).second) << "block used twice";
            ASSERT_LT(pointer, store.block_count());
        }
    }
    EXPECT_LE(used.size() + 2, image_blocks(sizes));
}

TEST(DiskImage, PointersBeyondTheEndOfAFileAreZero) {
    BlockStore store(0, 1 << 16);
    const std::vector<hal::Inode> inodes = write_image(store, 0, {3 * 4096});
    std::vector<uint32_t> pointers(hal::kPointersPerBlock);
    store.read_block(inodes[0].first_block, pointers.data());
    EXPECT_EQ(pointers[2], inodes[0].first_block + 3);
    for (uint32_t i = 3; i < hal::kPointersPerBlock; ++i) EXPECT_EQ(pointers[i], 0u);
}

TEST(DiskImage, WholeIndirectBlocksTakeNoMemoryToSpeakOf) {
    BlockStore store(0, 6u << 20);  // 3 GiB
    write_image(store, 0, {2ull << 30});
    EXPECT_EQ(store.usage().progression_blocks, 512u);
    EXPECT_LE(store.usage().raw_blocks, 2u);
}

TEST(DiskImage, FilesThatJustFitAreTakenAndOneBlockMoreIsRefused) {
    const std::vector<uint64_t> fits = {100 * 4096, 50 * 4096};
    const uint64_t blocks = image_blocks(fits);
    EXPECT_EQ(blocks, 2 + 101 + 51u);
    BlockStore exact(0, blocks * 8);
    EXPECT_NO_THROW(write_image(exact, 0, fits));
    BlockStore small(0, (blocks - 1) * 8);
    EXPECT_THROW(write_image(small, 0, fits), std::invalid_argument);
    EXPECT_EQ(small.usage().raw_blocks, 0u);
    EXPECT_THROW(write_image(exact, 0, std::vector<uint64_t>(65, 4096)), std::invalid_argument);
    EXPECT_THROW(write_image(exact, 0, {0}), std::invalid_argument);
}

}  // namespace
}  // namespace weir::disk
