// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// FR-FCFS that serves reads until the write queue is filled to a high mark, then writes until it
// has fallen to a low mark: fewer turnarounds of the data bus. Writes are also served while there
// is no read.
#include "sc_models/dram/core/scheduler.h"

namespace weir::dram {
namespace {

class FrfcfsDrain : public Scheduler {
  public:
    explicit FrfcfsDrain(const SchedulerConfig& config)
        : high_entries_(config.drain_high_entries), low_entries_(config.drain_low_entries) {}

    SchedulerTraits traits() const override { return {}; }
    Serve serve(const QueueView& view) override {
        if (view.writes >= high_entries_) draining_ = true;
        if (view.writes <= low_entries_) draining_ = false;
        if (draining_ || view.reads == 0) return Serve::Writes;
        return Serve::Reads;
    }

  private:
    uint32_t high_entries_;
    uint32_t low_entries_;
    bool draining_ = false;
};

}  // namespace

std::unique_ptr<Scheduler> make_frfcfs_drain(const SchedulerConfig& config) {
    return std::make_unique<FrfcfsDrain>(config);
}

}  // namespace weir::dram
