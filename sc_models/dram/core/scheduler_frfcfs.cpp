// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// First ready, first come, first served: row hits of either direction before everything else.
// Source: Rixner et al., "Memory Access Scheduling", ISCA 2000.
#include "sc_models/dram/core/scheduler.h"

namespace weir::dram {
namespace {

class Frfcfs : public Scheduler {
  public:
    SchedulerTraits traits() const override { return {}; }
    Serve serve(const QueueView&) override { return Serve::Both; }
};

}  // namespace

std::unique_ptr<Scheduler> make_frfcfs(const SchedulerConfig&) {
    return std::make_unique<Frfcfs>();
}

}  // namespace weir::dram
