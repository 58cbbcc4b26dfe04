// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Joins the NapBegin, NapBegin2 and NapEnd events of each sleep to one NapRow.
#pragma once

#include "sc_models/probe/recorder.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace weir::waveforms {

/// One sleep, as in naps.csv. Names are those of firmware/kernel/nap.h and wait_queue.h.
struct NapRow {
    std::string site;
    std::string task;
    uint32_t pid = 0;
    std::string klass;  // async, sync, watermark, own
    uint64_t requested_timeout_us = 0;
    uint64_t begin_ns = 0;
    uint64_t end_ns = 0;
    std::string waker;
    bool congested_at_entry = false;
    uint64_t free_frames = 0;       // at entry
    uint64_t pcp_frames = 0;        // at entry, hidden in per-CPU lists
    uint64_t reclaimed_before = 0;  // frames, by the direct reclaim just before
    uint64_t true_ns = 0;           // when what it waits for became true; 0: it did not

    uint64_t slept_ns() const { return end_ns - begin_ns; }
    /// Time slept after the thing waited for had become true.
    uint64_t wasted_ns() const {
        if (true_ns == 0 || true_ns >= end_ns) return 0;
        return end_ns - (true_ns > begin_ns ? true_ns : begin_ns);
    }
};

class NapCollector final : public probe::Sink {
  public:
    void on_event(const probe::EventRecord& record) override;
    const std::vector<NapRow>& naps() const { return naps_; }
    /// Tasks still asleep in a nap when the run ended: begun, not ended.
    uint64_t open_count() const { return open_.size(); }

  private:
    std::map<uint64_t, NapRow> open_;  // by pid
    std::map<uint64_t, std::string> task_names_;
    std::vector<NapRow> naps_;
};

/// Task name carried by a TaskCreated event (two words of eight characters).
std::string unpack_name(uint64_t lo, uint64_t hi);

}  // namespace weir::waveforms
