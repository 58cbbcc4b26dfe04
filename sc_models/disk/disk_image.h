// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// mkfs: puts preallocated files on a disk in the layout of firmware/hal/disk_image.h.
// - write_image(): superblock, inode table and indirect blocks; data blocks stay pristine.
// - image_blocks(): how many blocks that takes, for choosing a disk size.
#pragma once

#include "firmware/hal/disk_image.h"
#include "sc_models/disk/block_store.h"

#include <cstdint>
#include <vector>

namespace weir::disk {

uint64_t image_blocks(const std::vector<uint64_t>& file_sizes_bytes);

/// Returns the inodes as written, in the order of the files.
/// Errors: throws std::invalid_argument if there are too many files, a file is empty, or the disk
/// is too small; the store is then unchanged.
std::vector<hal::Inode> write_image(BlockStore& store, uint32_t disk_number,
                                    const std::vector<uint64_t>& file_sizes_bytes);

}  // namespace weir::disk
