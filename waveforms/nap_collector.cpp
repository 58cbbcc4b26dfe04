// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "waveforms/nap_collector.h"

#include "firmware/kernel/nap.h"

#include <iterator>

namespace weir::waveforms {

namespace {

constexpr const char* kClassNames[] = {"async", "sync", "watermark", "own"};

template <size_t kCount>
std::string name_at(const char* const (&names)[kCount], uint64_t index) {
    return index < kCount ? names[index] : "unknown";
}

}  // namespace

std::string unpack_name(uint64_t lo, uint64_t hi) {
    std::string name;
    for (const uint64_t word : {lo, hi})
        for (uint32_t byte = 0; byte < 8; ++byte) {
            const char character = static_cast<char>(word >> (8 * byte));
            if (character == '\0') return name;
            name.push_back(character);
        }
    return name;
}

void NapCollector::on_event(const probe::EventRecord& record) {
    switch (record.event) {
        case hal::Event::TaskCreated:
            task_names_[record.args[0]] = unpack_name(record.args[1], record.args[2]);
            break;
        case hal::Event::NapBegin: {
            NapRow row;
            row.site = name_at(kernel::kNapSiteNames, record.args[0]);
            row.pid = static_cast<uint32_t>(record.args[1]);
            row.task = task_names_[record.args[1]];
            row.requested_timeout_us = record.args[2];
            row.klass = name_at(kClassNames, record.args[3]);
            row.congested_at_entry = record.args[4] != 0;
            row.free_frames = record.args[5];
            open_[record.args[1]] = row;
            break;
        }
        case hal::Event::NapBegin2: {
            const auto found = open_.find(record.args[1]);
            if (found == open_.end()) break;
            found->second.pcp_frames = record.args[2];
            found->second.reclaimed_before = record.args[3];
            break;
        }
        case hal::Event::NapEnd: {
            const auto found = open_.find(record.args[1]);
            if (found == open_.end()) break;
            NapRow row = found->second;
            open_.erase(found);
            row.begin_ns = record.args[2];
            row.waker = name_at(kernel::kWakerNames, record.args[3]);
            row.true_ns = record.args[4];
            row.end_ns = record.time_ps / 1000;
            if (row.end_ns < row.begin_ns) row.end_ns = row.begin_ns;
            naps_.push_back(row);
            break;
        }
        default:
            break;
    }
}

}  // namespace weir::waveforms
