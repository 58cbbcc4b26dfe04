// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Layout of a data disk: what the test bench prepares (mkfs) and the kernel mounts.
// Blocks are 4 KiB. Preallocated files only; no bitmaps, directories or journal.
//
//   block 0            Superblock
//   block 1            inode table: up to 64 Inodes of 64 bytes
//   then, per file, at first_block: groups of 1 + 1024 blocks:
//     an indirect block (1024 little-endian 32-bit block numbers, as ext2), then its data blocks.
//
// So a file page's block is found by reading the indirect block of its group, as on ext2, and one
// indirect block covers 4 MiB. Left out: direct and double-indirect blocks.
#pragma once

#include <cstdint>

namespace weir::hal {

inline constexpr uint64_t kSuperblockMagic = 0x5745'4952'4653'3031ull;  // "WEIRFS01"
inline constexpr uint32_t kPointersPerBlock = 1024;
inline constexpr uint32_t kGroupBlocks = kPointersPerBlock + 1;
inline constexpr uint32_t kInodeTableBlock = 1;
inline constexpr uint32_t kFirstDataBlock = 2;
inline constexpr uint32_t kMaxFiles = 64;

struct Superblock {
    uint64_t magic;
    uint64_t block_count;
    uint32_t file_count;
    uint32_t disk_number;
};

struct Inode {
    uint64_t size_bytes;
    uint64_t first_block;
    uint64_t page_count;
    uint64_t reserved[5];
};
static_assert(sizeof(Inode) == 64);

constexpr uint64_t indirect_block_of(uint64_t first_block, uint64_t file_page) {
    return first_block + file_page / kPointersPerBlock * kGroupBlocks;
}
/// Where mkfs places a file page. The kernel does not use this: it reads the pointer.
constexpr uint64_t data_block_of(uint64_t first_block, uint64_t file_page) {
    return indirect_block_of(first_block, file_page) + 1 + file_page % kPointersPerBlock;
}
/// Blocks that a file takes, indirect blocks included.
constexpr uint64_t blocks_of_file(uint64_t page_count) {
    return page_count + (page_count + kPointersPerBlock - 1) / kPointersPerBlock;
}

}  // namespace weir::hal
