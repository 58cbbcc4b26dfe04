// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// First come, first served: only the oldest request of both queues has commands on the bus.
#include "sc_models/dram/core/scheduler.h"

namespace weir::dram {
namespace {

class Fcfs : public Scheduler {
  public:
    SchedulerTraits traits() const override { return {.only_oldest = true, .hits_first = false}; }
    Serve serve(const QueueView&) override { return Serve::Both; }
};

}  // namespace

std::unique_ptr<Scheduler> make_fcfs(const SchedulerConfig&) {
    return std::make_unique<Fcfs>();
}

}  // namespace weir::dram
