// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/disk/disk_image.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

namespace weir::disk {

namespace {

using BlockPointers = std::array<uint32_t, hal::kPointersPerBlock>;
static_assert(sizeof(BlockPointers) == hal::kPageBytes);

uint64_t pages_of(uint64_t size_bytes) {
    return (size_bytes + hal::kPageBytes - 1) / hal::kPageBytes;
}

void write_indirect_blocks(BlockStore& store, const hal::Inode& inode) {
    for (uint64_t page = 0; page < inode.page_count; page += hal::kPointersPerBlock) {
        BlockPointers pointers{};
        const uint64_t count = std::min<uint64_t>(hal::kPointersPerBlock, inode.page_count - page);
        for (uint64_t i = 0; i < count; ++i) {
            pointers[i] = static_cast<uint32_t>(hal::data_block_of(inode.first_block, page + i));
        }
        store.write_block(hal::indirect_block_of(inode.first_block, page), pointers.data());
    }
}

}  // namespace

uint64_t image_blocks(const std::vector<uint64_t>& file_sizes_bytes) {
    uint64_t blocks = hal::kFirstDataBlock;
    for (const uint64_t size_bytes : file_sizes_bytes) {
        blocks += hal::blocks_of_file(pages_of(size_bytes));
    }
    return blocks;
}

std::vector<hal::Inode> write_image(BlockStore& store, uint32_t disk_number,
                                    const std::vector<uint64_t>& file_sizes_bytes) {
    if (file_sizes_bytes.size() > hal::kMaxFiles)
        throw std::invalid_argument(
            "size_mib: a disk of any size holds at most " + std::to_string(hal::kMaxFiles) +
            " files, not " + std::to_string(file_sizes_bytes.size()) + " (workload.threads)");
    if (std::find(file_sizes_bytes.begin(), file_sizes_bytes.end(), 0u) != file_sizes_bytes.end())
        throw std::invalid_argument("size_mib: a file must not be empty (workload.file_mib)");
    const uint64_t needed = image_blocks(file_sizes_bytes);
    if (needed > store.block_count() || needed > 0xffffffffu)
        throw std::invalid_argument("size_mib: the files of disk " + std::to_string(disk_number) +
                                    " need " + std::to_string(needed) +
                                    " blocks of 4 KiB, it has " +
                                    std::to_string(store.block_count()));

    std::array<hal::Inode, hal::kMaxFiles> table{};
    static_assert(sizeof table == hal::kPageBytes);
    std::vector<hal::Inode> inodes;
    uint64_t next_block = hal::kFirstDataBlock;
    for (const uint64_t size_bytes : file_sizes_bytes) {
        const hal::Inode inode{size_bytes, next_block, pages_of(size_bytes), {}};
        table[inodes.size()] = inode;
        inodes.push_back(inode);
        next_block += hal::blocks_of_file(inode.page_count);
        write_indirect_blocks(store, inode);
    }
    store.write_block(hal::kInodeTableBlock, table.data());

    const hal::Superblock superblock{hal::kSuperblockMagic, store.block_count(),
                                     static_cast<uint32_t>(inodes.size()), disk_number};
    std::array<std::byte, hal::kPageBytes> page{};
    std::memcpy(page.data(), &superblock, sizeof superblock);
    store.write_block(0, page.data());
    return inodes;
}

}  // namespace weir::disk
