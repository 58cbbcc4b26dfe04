// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Read, write and flush of the disk controller: checks, page pointers, data.
#include "sc_models/common/units.h"
#include "sc_models/disk/controller.h"
#include "sc_models/disk/timeline.h"

#include <algorithm>
#include <limits>

namespace weir::disk {

namespace nvme = hal::nvme;

namespace {

// Runs of neighbouring pages cross in one transaction up to this. Larger ones would keep the harts
// off the bus for microseconds, smaller ones cost host time for nothing.
constexpr uint32_t kLargestRunBytes = 16'384;
// Time in which a command that cannot be done is refused.
constexpr uint64_t kRefusePs = kPsPerUs;

bool is_write(const nvme::SubmissionEntry& entry) {
    return entry.opcode == static_cast<uint8_t>(nvme::IoOpcode::Write);
}

}  // namespace

void Controller::execute_io(uint32_t slot, uint64_t now_ps, uint64_t start_ps) {
    Command& command = commands_[slot];
    const machine::FaultConfig& fault = config_.disk.fault;
    ++io_commands_;
    if (fault.hang_after_commands > 0 && io_commands_ > fault.hang_after_commands) {
        enter_medium(slot, start_ps);  // and never leave it
        return;
    }
    command.status = check_io(command);
    if (command.status == nvme::kStatusSuccess && fault.error_every_commands > 0 &&
        io_commands_ % fault.error_every_commands == 0)
        command.status = nvme::kStatusInternalError;
    if (command.status != nvme::kStatusSuccess) {
        schedule(StepKind::Complete, start_ps + kRefusePs, slot, command.serial);
        return;
    }
    if (command.entry.opcode != static_cast<uint8_t>(nvme::IoOpcode::Flush)) {
        execute_transfer(slot, now_ps, start_ps);
        return;
    }
    command.plan = medium_->flush(start_ps);
    enter_medium(slot, start_ps);
    schedule(StepKind::Complete, command.plan.done_ps, slot, command.serial);
}

uint16_t Controller::check_io(const Command& command) const {
    const nvme::SubmissionEntry& entry = command.entry;
    const bool flush = entry.opcode == static_cast<uint8_t>(nvme::IoOpcode::Flush);
    if (!flush && !is_write(entry) && entry.opcode != static_cast<uint8_t>(nvme::IoOpcode::Read))
        return nvme::kStatusInvalidOpcode;
    if (entry.nsid != nvme::kNamespaceId) return nvme::kStatusInvalidNamespace;
    if (flush) return nvme::kStatusSuccess;
    const uint64_t first = nvme::start_lba(entry).value;
    const uint64_t count = nvme::block_count(entry);
    if (first >= store_->sector_count() || count > store_->sector_count() - first)
        return nvme::kStatusLbaOutOfRange;
    if (count * hal::kSectorBytes > uint64_t{hal::kPageBytes} << max_transfer_log2_pages())
        return nvme::kStatusInvalidField;
    return nvme::kStatusSuccess;
}

void Controller::execute_transfer(uint32_t slot, uint64_t now_ps, uint64_t start_ps) {
    Command& command = commands_[slot];
    const MediumRequest request{nvme::start_lba(command.entry), nvme::block_count(command.entry),
                                is_write(command.entry),
                                (command.entry.cdw12 & nvme::kCdw12ForceUnitAccess) != 0};
    command.bytes = uint64_t{request.sector_count} * hal::kSectorBytes;
    sc_core::sc_time delay = from_ps(start_ps - now_ps);
    command.status = gather_runs(command, delay);
    // Writes bring their data in now; the medium works meanwhile.
    if (command.status == nvme::kStatusSuccess && request.write &&
        !move_data(command, hal::Access::Read, delay))
        command.status = nvme::kStatusDataTransferError;
    if (command.status != nvme::kStatusSuccess) {
        schedule(StepKind::Complete, std::max(after(now_ps, delay), start_ps + kRefusePs), slot,
                 command.serial);
        return;
    }
    command.plan = medium_->serve(request, start_ps);
    if (command.plan.cache_hit) ++stats_.cache_hits;
    enter_medium(slot, start_ps);
    if (request.write) {
        schedule(StepKind::Complete, std::max(command.plan.done_ps, after(now_ps, delay)), slot,
                 command.serial);
        return;
    }
    if (is_unreadable(request.sector, request.sector_count)) {
        command.status = nvme::kStatusUnrecoveredRead;
        schedule(StepKind::Complete, command.plan.done_ps, slot, command.serial);
        return;
    }
    // Read data crosses to memory while the last phase, the bus, lasts.
    command.moves_data = true;
    const uint32_t spans = command.plan.span_count;
    const PhaseSpan last = spans > 0 ? command.plan.spans[spans - 1] : PhaseSpan{Phase::Idle, 0};
    const uint64_t on_bus_ps = last.phase == Phase::Bus ? last.duration_ps : 0;
    schedule(StepKind::TransferData, command.plan.done_ps - on_bus_ps, slot, command.serial);
}

bool Controller::is_unreadable(hal::Sector first, uint32_t count) const {
    const auto at =
        std::lower_bound(unreadable_sectors_.begin(), unreadable_sectors_.end(), first.value);
    return at != unreadable_sectors_.end() && *at < first.value + count;
}

// ---- page pointers ----------------------------------------------------------------------------

/// Turns PRP1, PRP2 and the list into runs of memory.
uint16_t Controller::gather_runs(Command& command, sc_core::sc_time& delay) {
    constexpr uint64_t kPageMask = hal::kPageBytes - 1;
    constexpr uint64_t kDwordMask = 3;
    constexpr uint64_t kQwordMask = 7;
    const uint64_t prp1 = command.entry.prp1;
    const uint64_t prp2 = command.entry.prp2;
    if ((prp1 & kDwordMask) != 0) return nvme::kStatusInvalidPrpOffset;
    uint64_t left = command.bytes;
    const auto first =
        static_cast<uint32_t>(std::min<uint64_t>(left, hal::kPageBytes - (prp1 & kPageMask)));
    append_run(command, prp1, first);
    left -= first;
    if (left == 0) return nvme::kStatusSuccess;
    if (left <= hal::kPageBytes) {
        if ((prp2 & kPageMask) != 0) return nvme::kStatusInvalidPrpOffset;
        append_run(command, prp2, static_cast<uint32_t>(left));
        return nvme::kStatusSuccess;
    }
    const uint64_t entries = (left + hal::kPageBytes - 1) / hal::kPageBytes;
    if ((prp2 & kQwordMask) != 0) return nvme::kStatusInvalidPrpOffset;
    if (entries > (hal::kPageBytes - (prp2 & kPageMask)) / nvme::kPrpEntryBytes)
        return nvme::kStatusInvalidField;  // would need a chained list
    std::array<uint64_t, nvme::kPrpEntriesPerPage> list;
    if (!dma_.read(prp2, list.data(), static_cast<uint32_t>(entries * nvme::kPrpEntryBytes), delay))
        return nvme::kStatusDataTransferError;
    for (uint64_t i = 0; i < entries; ++i) {
        if ((list[i] & kPageMask) != 0) return nvme::kStatusInvalidPrpOffset;
        const auto bytes = static_cast<uint32_t>(std::min<uint64_t>(left, hal::kPageBytes));
        append_run(command, list[i], bytes);
        left -= bytes;
    }
    return nvme::kStatusSuccess;
}

void Controller::append_run(Command& command, uint64_t address, uint32_t bytes) {
    if (!command.runs.empty()) {
        DmaRun& last = command.runs.back();
        if (last.address + last.bytes == address && last.bytes + bytes <= kLargestRunBytes) {
            last.bytes += bytes;
            return;
        }
    }
    command.runs.push_back({address, bytes});
}

// ---- data -------------------------------------------------------------------------------------

/// Moves a command's bytes between memory and store; false if memory answered with an error.
bool Controller::move_data(Command& command, hal::Access memory_access, sc_core::sc_time& delay) {
    const bool whole_blocks =
        nvme::start_lba(command.entry).value % hal::kSectorsPerPage == 0 &&
        std::all_of(command.runs.begin(), command.runs.end(), [](const DmaRun& run) {
            return run.address % hal::kPageBytes == 0 && run.bytes % hal::kPageBytes == 0;
        });
    return whole_blocks ? move_pages(command, memory_access, delay)
                        : move_by_copy(command, memory_access, delay);
}

bool Controller::move_pages(Command& command, hal::Access memory_access, sc_core::sc_time& delay) {
    const uint64_t now_ps = simulator_now_ps();
    uint64_t block = nvme::start_lba(command.entry).value / hal::kSectorsPerPage;
    for (const DmaRun& run : command.runs) {
        std::byte* bytes = nullptr;
        const DmaEngine::Mapping mapping = dma_.map(run, memory_access, delay, bytes);
        if (mapping == DmaEngine::Mapping::Failed) return false;
        for (uint32_t done = 0; done < run.bytes; done += hal::kPageBytes, ++block) {
            if (mapping == DmaEngine::Mapping::Direct) {
                move_block(block, bytes + done, memory_access, now_ps);
                continue;
            }
            copy_buffer_.resize(std::max<size_t>(copy_buffer_.size(), hal::kPageBytes));
            std::byte* page = copy_buffer_.data();
            if (memory_access == hal::Access::Read &&
                !dma_.read(run.address + done, page, hal::kPageBytes, delay))
                return false;
            move_block(block, page, memory_access, now_ps);
            if (memory_access == hal::Access::Write &&
                !dma_.write(run.address + done, page, hal::kPageBytes, delay))
                return false;
        }
    }
    return true;
}

void Controller::move_block(uint64_t block, std::byte* page, hal::Access memory_access,
                            uint64_t now_ps) {
    const hal::Sector first{block * hal::kSectorsPerPage};
    if (memory_access == hal::Access::Write) {
        store_->read_block(block, page);
        if (observer_ != nullptr) observer_->on_read(first, hal::kSectorsPerPage, page, now_ps);
    } else {
        store_->write_block(block, page);
        if (observer_ != nullptr) observer_->on_written(first, hal::kSectorsPerPage, page, now_ps);
    }
}

/// For transfers that are not whole blocks to whole pages: through a buffer, in plain transactions.
bool Controller::move_by_copy(Command& command, hal::Access memory_access,
                              sc_core::sc_time& delay) {
    const uint64_t now_ps = simulator_now_ps();
    const hal::Sector first = nvme::start_lba(command.entry);
    const uint32_t count = nvme::block_count(command.entry);
    copy_buffer_.resize(std::max<size_t>(copy_buffer_.size(), command.bytes));
    std::byte* bytes = copy_buffer_.data();
    if (memory_access == hal::Access::Write) {
        store_->read(first, count, bytes);
        if (observer_ != nullptr) observer_->on_read(first, count, bytes, now_ps);
    }
    uint64_t done = 0;
    for (const DmaRun& run : command.runs) {
        const bool moved = memory_access == hal::Access::Write
                               ? dma_.write(run.address, bytes + done, run.bytes, delay)
                               : dma_.read(run.address, bytes + done, run.bytes, delay);
        if (!moved) return false;
        done += run.bytes;
    }
    if (memory_access == hal::Access::Read) {
        store_->write(first, count, bytes);
        if (observer_ != nullptr) observer_->on_written(first, count, bytes, now_ps);
    }
    return true;
}

}  // namespace weir::disk
