// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/disk/block_store.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace weir::disk {

BlockStore::BlockStore(uint32_t disk_number, uint64_t sector_count)
    : disk_number_(disk_number), block_count_(sector_count / hal::kSectorsPerPage) {
    if (sector_count == 0 || sector_count % hal::kSectorsPerPage != 0)
        throw std::invalid_argument("size_mib: must be a whole number of 4 KiB blocks, above 0");
    chunks_.resize((block_count_ + kChunkBlocks - 1) / kChunkBlocks);
}

void BlockStore::read_block(uint64_t block, void* page) const {
    const Chunk* chunk = chunks_[block / kChunkBlocks].get();
    const uint64_t at = block % kChunkBlocks;
    const Kind kind = chunk != nullptr ? chunk->kind[at] : Kind::Pristine;
    switch (kind) {
        case Kind::Pristine:
            stream_progression(page, {hal::pristine_base(disk_number_, block), hal::kPatternStep});
            return;
        case Kind::Pattern:
            stream_progression(page, {chunk->word[at], hal::kPatternStep});
            return;
        case Kind::Progression:
            stream_progression(page, progressions_[chunk->word[at]]);
            return;
        case Kind::Raw:
            std::memcpy(page, raw_pages_[chunk->word[at]]->data(), hal::kPageBytes);
            return;
    }
}

void BlockStore::write_block(uint64_t block, const void* page) {
    std::unique_ptr<Chunk>& chunk = chunks_[block / kChunkBlocks];
    if (!chunk) chunk = std::make_unique<Chunk>();
    const uint64_t at = block % kChunkBlocks;
    Kind& kind = chunk->kind[at];
    uint64_t& word = chunk->word[at];

    Progression progression;
    if (!find_progression(page, progression)) {
        if (kind != Kind::Raw) {
            release(kind, word);
            if (free_raw_pages_.empty()) {
                free_raw_pages_.push_back(raw_pages_.size());
                raw_pages_.push_back(nullptr);
            }
            word = free_raw_pages_.back();
            free_raw_pages_.pop_back();
            raw_pages_[word] = std::make_unique<Page>();
            kind = Kind::Raw;
        }
        std::memcpy(raw_pages_[word]->data(), page, hal::kPageBytes);
        return;
    }
    release(kind, word);
    if (progression.step == hal::kPatternStep) {
        kind = Kind::Pattern;
        word = progression.base;
        ++pattern_blocks_;
        return;
    }
    if (free_progressions_.empty()) {
        free_progressions_.push_back(progressions_.size());
        progressions_.push_back({});
    }
    kind = Kind::Progression;
    word = free_progressions_.back();
    free_progressions_.pop_back();
    progressions_[word] = progression;
}

void BlockStore::release(Kind kind, uint64_t index) {
    switch (kind) {
        case Kind::Pristine:
            return;
        case Kind::Pattern:
            --pattern_blocks_;
            return;
        case Kind::Progression:
            free_progressions_.push_back(index);
            return;
        case Kind::Raw:
            raw_pages_[index].reset();
            free_raw_pages_.push_back(index);
            return;
    }
}

void BlockStore::read(hal::Sector first, uint32_t sector_count, void* bytes) const {
    auto* out = static_cast<std::byte*>(bytes);
    Page page;
    for (uint64_t sector = first.value, end = first.value + sector_count; sector < end;) {
        const uint64_t in_block = sector % hal::kSectorsPerPage;
        const uint64_t count = std::min(hal::kSectorsPerPage - in_block, end - sector);
        if (count == hal::kSectorsPerPage) {
            read_block(sector / hal::kSectorsPerPage, out);
        } else {
            read_block(sector / hal::kSectorsPerPage, page.data());
            std::memcpy(out, page.data() + in_block * hal::kSectorBytes, count * hal::kSectorBytes);
        }
        out += count * hal::kSectorBytes;
        sector += count;
    }
}

void BlockStore::write(hal::Sector first, uint32_t sector_count, const void* bytes) {
    const auto* in = static_cast<const std::byte*>(bytes);
    Page page;
    for (uint64_t sector = first.value, end = first.value + sector_count; sector < end;) {
        const uint64_t in_block = sector % hal::kSectorsPerPage;
        const uint64_t count = std::min(hal::kSectorsPerPage - in_block, end - sector);
        if (count == hal::kSectorsPerPage) {
            write_block(sector / hal::kSectorsPerPage, in);
        } else {
            read_block(sector / hal::kSectorsPerPage, page.data());
            std::memcpy(page.data() + in_block * hal::kSectorBytes, in, count * hal::kSectorBytes);
            write_block(sector / hal::kSectorsPerPage, page.data());
        }
        in += count * hal::kSectorBytes;
        sector += count;
    }
}

BlockStore::Usage BlockStore::usage() const {
    Usage usage;
    usage.pattern_blocks = pattern_blocks_;
    usage.progression_blocks = progressions_.size() - free_progressions_.size();
    usage.raw_blocks = raw_pages_.size() - free_raw_pages_.size();
    const auto chunks = std::count_if(chunks_.begin(), chunks_.end(),
                                      [](const auto& chunk) { return chunk != nullptr; });
    usage.host_bytes =
        static_cast<uint64_t>(chunks) * sizeof(Chunk) + chunks_.size() * sizeof(chunks_[0]) +
        progressions_.size() * sizeof(Progression) + usage.raw_blocks * sizeof(Page) +
        (raw_pages_.size() + free_raw_pages_.size() + free_progressions_.size()) * 8;
    return usage;
}

}  // namespace weir::disk
