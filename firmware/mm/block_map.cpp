// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Files of the disk image (firmware/hal/disk_image.h): mounting, opening, finding blocks.
#include "firmware/kernel/object_cache.h"
#include "firmware/mm/allocator.h"
#include "firmware/mm/cache_insert.h"
#include "firmware/mm/device_state.h"
#include "firmware/mm/lru.h"
#include "firmware/mm/page_io.h"

namespace weir::mm {

namespace {

kernel::ObjectCache<DeviceState> device_states;
kernel::ObjectCache<File> files;

/// Reclaim on behalf of a metadata read must not come back into the file system.
constexpr uint32_t kAllocMetadata = kAllocMayWait | kAllocMayIo | kAllocMovable;

void init_mapping(Mapping& mapping, MappingKind kind, DeviceState& state, File* file) {
    mapping.kind = kind;
    mapping.device = state.device;
    mapping.device_state = &state;
    mapping.file = file;
}

uint64_t page_count_of(const File& file) {
    return (file.size_bytes + hal::kPageBytes - 1) / hal::kPageBytes;
}

/// An inode whose extent leaves the disk would make later reads fail far from their cause.
bool plausible(const hal::Inode& inode, uint64_t block_count) {
    const uint64_t pages = (inode.size_bytes + hal::kPageBytes - 1) / hal::kPageBytes;
    if (inode.page_count != pages || inode.first_block < hal::kFirstDataBlock) return false;
    return inode.first_block + hal::blocks_of_file(pages) <= block_count;
}

hal::Status add_file(DeviceState& state, uint32_t number, const hal::Inode& inode) {
    File* file = files.create();
    if (!file) return hal::Error::NoMemory;
    init_mapping(file->mapping, MappingKind::File, state, file);
    file->number = number;
    file->size_bytes = inode.size_bytes;
    file->first_block = inode.first_block;
    state.files[number] = file;
    state.file_count = number + 1;
    return {};
}

hal::Status read_inodes(DeviceState& state, uint32_t file_count, uint64_t block_count) {
    const auto table = read_metadata(state, hal::kInodeTableBlock);
    if (!table.ok()) return table.error();
    const auto* inodes = static_cast<const hal::Inode*>(frame_bytes(*table.value()));
    hal::Status status;
    for (uint32_t i = 0; i < file_count && status.ok(); ++i) {
        hal::touch(&inodes[i], sizeof(hal::Inode), hal::Access::Read);
        status = plausible(inodes[i], block_count) ? add_file(state, i, inodes[i])
                                                   : hal::Status{hal::Error::Invalid};
    }
    put_frame(*table.value());
    return status;
}

hal::Status read_image(DeviceState& state) {
    const auto block = read_metadata(state, 0);
    if (!block.ok()) return block.error();
    const auto super = *static_cast<const hal::Superblock*>(frame_bytes(*block.value()));
    put_frame(*block.value());
    const uint64_t device_blocks = block::sector_count(*state.device) / hal::kSectorsPerPage;
    if (super.magic != hal::kSuperblockMagic || super.file_count > hal::kMaxFiles ||
        super.block_count > device_blocks) {
        return hal::Error::Invalid;
    }
    return read_inodes(state, super.file_count, super.block_count);
}

}  // namespace

DeviceState* device_state(block::BlockDevice& device) {
    // A swap device's room belongs to the swap code.
    if (block::disk_info(device).role != hal::DiskRole::Data) return nullptr;
    return static_cast<DeviceState*>(block::mm_state(device));
}

/// Errors: Invalid if the disk holds no image, IoError, NoMemory.
hal::Status mount(block::BlockDevice& device) {
    DeviceState* state = device_states.create();
    if (!state) return hal::Error::NoMemory;
    state->device = &device;
    init_mapping(state->metadata, MappingKind::Metadata, *state, nullptr);
    block::mm_state(device) = state;
    return read_image(*state);
}

/// A fresh open: no memory of earlier readers. Null if the number is not in use.
File* open_file(block::BlockDevice& device, uint32_t number) {
    DeviceState* state = device_state(device);
    if (!state || number >= state->file_count) return nullptr;
    File& file = *state->files[number];
    file.readahead = ReadaheadState{};
    file.readahead.max_pages = block::disk_info(device).readahead_pages;
    return &file;
}

hal::Result<Frame*> read_metadata(DeviceState& state, uint64_t device_block) {
    Frame* f = find_frame(state.metadata, device_block);
    if (f && f->test(kFrameUptodate)) return f;
    if (f) put_frame(*f);
    const auto created = find_or_create_locked(state.metadata, device_block, kAllocMetadata);
    if (!created.ok()) return created.error();
    f = created.value();
    if (f->test(kFrameUptodate)) {
        unlock_frame(*f);
        return f;
    }
    const hal::Status status =
        read_frame_and_wait(*state.device, device_block, *f, block::kBioMeta | block::kBioSync);
    if (status.ok()) return f;
    put_frame(*f);
    return status.error();
}

hal::Result<uint64_t> map_blocks(File& file, uint64_t page, uint32_t want_pages,
                                 uint32_t* run_pages) {
    const uint64_t file_pages = page_count_of(file);
    if (page >= file_pages || want_pages == 0) return hal::Error::OutOfRange;
    hal::spend(hal::Op::BlockMap);
    const auto indirect =
        read_metadata(*file.mapping.device_state, hal::indirect_block_of(file.first_block, page));
    if (!indirect.ok()) return indirect.error();
    Frame& f = *indirect.value();
    mark_accessed(f);

    const auto slot = static_cast<uint32_t>(page % hal::kPointersPerBlock);
    uint64_t limit = hal::kPointersPerBlock - slot;
    if (want_pages < limit) limit = want_pages;
    if (file_pages - page < limit) limit = file_pages - page;
    const auto* pointers = static_cast<const uint32_t*>(frame_bytes(f)) + slot;
    const uint32_t first = pointers[0];
    uint32_t run = 1;
    while (run < limit && pointers[run] == first + run) ++run;
    hal::touch(pointers, run * static_cast<uint32_t>(sizeof(uint32_t)), hal::Access::Read);
    put_frame(f);

    const uint64_t device_blocks = block::sector_count(*file.mapping.device) / hal::kSectorsPerPage;
    if (first < hal::kFirstDataBlock || uint64_t{first} + run > device_blocks) {
        return hal::Error::IoError;  // not an indirect block: the image is damaged
    }
    *run_pages = run;
    return uint64_t{first};
}

hal::Result<uint64_t> map_block(File& file, uint64_t page) {
    uint32_t run_pages = 0;
    return map_blocks(file, page, 1, &run_pages);
}

}  // namespace weir::mm
