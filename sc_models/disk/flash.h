// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Flash storage: dies on channels behind a link (SSD, eMMC, SD card).
// - A read waits for its die, the array, the channel and the link, in that order.
// - A write ends when it is in the write buffer; full pages are programmed behind its back, and the
//   copies of garbage collection compete for the same dies and channels.
// - Cards: after so many random writes the device is busy for a while (machine keys flash.busy_*).
// Commands overlap; each is planned when it arrives. Leaves out: suspension of programs for reads,
// multi-plane operation, read retries, power states.
#pragma once

#include "sc_models/disk/flash_translation.h"
#include "sc_models/disk/medium.h"
#include "sc_models/disk/timeline.h"
#include "sc_models/machine/config.h"

#include <cstdint>
#include <queue>
#include <vector>

namespace weir::disk {

class Flash final : public Medium {
  public:
    /// Errors: throws std::invalid_argument naming the machine key that cannot be.
    Flash(const machine::FlashConfig& config, uint64_t sector_count);

    MediumPlan serve(const MediumRequest& request, uint64_t start_ps) override;
    MediumPlan flush(uint64_t start_ps) override;
    uint32_t max_in_flight() const override { return 1024; }
    uint64_t sector_count() const override { return sector_count_; }

    struct Counts {
        uint64_t host_units_written = 0;
        uint64_t pages_programmed = 0;
        uint64_t pages_copied = 0;
        uint64_t blocks_erased = 0;
        uint64_t busy_episodes = 0;
    };
    const Counts& counts() const { return counts_; }

  private:
    /// Buffer space that a program under way gives back.
    struct Release {
        uint64_t at_ps;
        uint64_t bytes;
        bool operator>(const Release& other) const { return at_ps > other.at_ps; }
    };
    MediumPlan serve_read(const MediumRequest& request, uint64_t start_ps);
    MediumPlan serve_write(const MediumRequest& request, uint64_t start_ps);
    void forget_before(uint64_t now_ps);
    uint64_t wait_for_room(uint64_t at_ps);
    uint64_t program_pending(uint64_t at_ps);
    bool is_pending(uint64_t unit) const;

    machine::FlashConfig config_;
    uint64_t sector_count_;
    FlashTranslation translation_;
    std::vector<Timeline> dies_;
    std::vector<Timeline> channels_;
    Timeline link_;
    std::vector<uint64_t> pending_units_;  // in the buffer, short of a page
    std::priority_queue<Release, std::vector<Release>, std::greater<>> releases_;
    uint64_t buffer_used_bytes_ = 0;
    uint64_t last_program_end_ps_ = 0;
    uint64_t previous_write_end_ = 0;
    uint32_t random_writes_ = 0;
    uint64_t busy_until_ps_ = 0;
    Counts counts_;
};

}  // namespace weir::disk
