// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/swap/swap_device.h"

#include "sc_models/disk/page_pattern.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string>

namespace weir::swap {

namespace {

struct Fingerprint {
    uint64_t low;
    uint64_t high;
};

/// Exact for a progression of words (its base and step), a 64-bit mixture of all words otherwise.
Fingerprint fingerprint_of(const void* page) {
    disk::Progression progression;
    if (disk::find_progression(page, progression)) return {progression.base, progression.step};
    const auto* bytes = static_cast<const unsigned char*>(page);
    uint64_t low = 0;
    uint64_t high = 0;
    for (uint32_t i = 0; i < hal::kWordsPerPage; ++i) {
        uint64_t word;
        std::memcpy(&word, bytes + i * sizeof word, sizeof word);
        low = hal::mix64(low ^ word);
        high += low;
    }
    return {low, high};
}

}  // namespace

SwapDevice::SwapDevice(const SwapArea& area, probe::Recorder& recorder, const std::string& prefix)
    : area_(area), recorder_(recorder), slots_(area.slot_count), finished_runs_(64, 0) {
    const auto define = [&](const char* name, const char* unit) {
        const probe::SignalId id = recorder.define_signal({prefix + "." + name, unit, 32, {}});
        recorder.set(id, 0, 0);
        return id;
    };
    written_signal_ = define("slots_written", "slots");
    read_signal_ = define("slots_read", "slots");
    run_signal_ = define("write_run", "slots");
    used_signal_ = define("slots_used", "slots");
    mismatch_signal_ = define("mismatches", "slots");
}

template <typename Visit>
void SwapDevice::for_each_slot(hal::Sector first, uint32_t sector_count, const void* bytes,
                               Visit visit) {
    const auto* page = static_cast<const std::byte*>(bytes);
    const uint64_t area_first = area_.first_block * hal::kSectorsPerPage;
    const uint64_t area_end = area_first + area_.slot_count * hal::kSectorsPerPage;
    uint64_t sector = first.value;
    const uint64_t end = first.value + sector_count;
    while (sector < end) {
        const uint64_t in_block = sector % hal::kSectorsPerPage;
        const uint64_t count = std::min<uint64_t>(hal::kSectorsPerPage - in_block, end - sector);
        if (sector >= area_first && sector < area_end) {
            if (count == hal::kSectorsPerPage)
                visit((sector - area_first) / hal::kSectorsPerPage, page);
            else
                ++stats_.partial_accesses;
        }
        page += count * hal::kSectorBytes;
        sector += count;
    }
}

void SwapDevice::on_written(hal::Sector first, uint32_t sector_count, const void* bytes,
                            uint64_t now_ps) {
    for_each_slot(first, sector_count, bytes, [&](uint64_t number, const std::byte* page) {
        Slot& slot = slots_[number];
        const Fingerprint fingerprint = fingerprint_of(page);
        slot.fingerprint[0] = fingerprint.low;
        slot.fingerprint[1] = fingerprint.high;
        if (slot.counts.writes++ == 0) ++stats_.distinct_slots_written;
        ++stats_.slots_written;
        if (last_written_slot_ == kNoSlot || number != last_written_slot_ + 1) {
            end_write_run();
            ++stats_.write_runs;
        }
        ++write_run_slots_;
        last_written_slot_ = number;
    });
    recorder_.set(written_signal_, stats_.slots_written, now_ps);
    recorder_.set(run_signal_, write_run_slots_, now_ps);
    recorder_.set(used_signal_, stats_.distinct_slots_written, now_ps);
}

void SwapDevice::on_read(hal::Sector first, uint32_t sector_count, const void* bytes,
                         uint64_t now_ps) {
    for_each_slot(first, sector_count, bytes, [&](uint64_t number, const std::byte* page) {
        Slot& slot = slots_[number];
        const Fingerprint found = fingerprint_of(page);
        Fingerprint expected{slot.fingerprint[0], slot.fingerprint[1]};
        if (slot.counts.writes == 0) {
            ++stats_.reads_of_unwritten_slots;
            expected = {hal::pristine_base(area_.disk_number, area_.first_block + number),
                        hal::kPatternStep};
        }
        if (found.low != expected.low || found.high != expected.high) {
            if (stats_.mismatches++ == 0) stats_.first_mismatch_slot = number;
        }
        ++slot.counts.reads;
        ++stats_.slots_read;
        if (last_read_slot_ == kNoSlot || number != last_read_slot_ + 1) ++stats_.read_runs;
        last_read_slot_ = number;
    });
    recorder_.set(read_signal_, stats_.slots_read, now_ps);
    recorder_.set(mismatch_signal_, stats_.mismatches, now_ps);
}

SlotCounts SwapDevice::slot(uint64_t slot) const {
    return slots_.at(slot).counts;
}

void SwapDevice::end_write_run() {
    if (write_run_slots_ > 0) ++finished_runs_[std::bit_width(write_run_slots_) - 1];
    write_run_slots_ = 0;
}

std::vector<uint64_t> SwapDevice::write_run_histogram() const {
    std::vector<uint64_t> histogram = finished_runs_;
    if (write_run_slots_ > 0) ++histogram[std::bit_width(write_run_slots_) - 1];
    while (!histogram.empty() && histogram.back() == 0) histogram.pop_back();
    return histogram;
}

}  // namespace weir::swap
