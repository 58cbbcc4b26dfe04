// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/dram/audit.h"

#include "sc_models/dram/checker_options.h"

#include <algorithm>

namespace weir::dram {
Audit::Audit(const ControllerConfig& config)
    : burst_bytes_(config.spec.organization.access_bytes()),
      map_(AddressMap::create(config.spec.organization, config.mapping)),
      channel_(config),
      checker_(config.spec, checker_options(config)) {
    channel_.add_observer(checker_);
}

void Audit::note(const Access& access) {
    ++accesses_;
    loose_clocks_ += access.loose_latency_clocks;
    ahead_.push(access);
}

void Audit::take_completions() {
    for (const Completion& completion : channel_.completions()) {
        Open& open = open_[completion.token];
        open.end_clk = std::max(open.end_clk, completion.data_end_clk);
        if (--open.to_finish != 0) continue;
        command_level_clocks_ += open.end_clk - open.arrival_clk;
        ++done_;
        free_.push_back(completion.token);
    }
    channel_.completions().clear();
}

void Audit::schedule(const Access& access) {
    if (free_.empty()) {
        free_.push_back(static_cast<uint32_t>(open_.size()));
        open_.emplace_back();
    }
    const uint32_t token = free_.back();
    free_.pop_back();
    open_[token] = {access.arrival_clk, 0, access.bursts};
    // What was decided before this access came stays as it was.
    while (!channel_.idle() && access.arrival_clk > 0 && channel_.run(access.arrival_clk - 1))
        take_completions();
    for (uint32_t i = 0; i < access.bursts; ++i) {
        while (!channel_.has_room(access.direction)) {
            channel_.run(kNever - 1);
            take_completions();
        }
        const uint64_t address = access.address + i * burst_bytes_;
        channel_.push({map_.place_of(address), access.direction, token, access.arrival_clk},
                      std::max(access.arrival_clk, channel_.clk()));
    }
    take_completions();
}

void Audit::advance(uint64_t clk) {
    while (!ahead_.empty() && ahead_.top().arrival_clk < clk) {
        schedule(ahead_.top());
        ahead_.pop();
    }
}

void Audit::finish() {
    advance(kNever);
    while (!channel_.idle()) {
        channel_.run(kNever - 1);
        take_completions();
    }
    checker_.finish(channel_.clk());
}

AuditResult Audit::result() const {
    AuditResult result;
    result.accesses = done_;
    if (accesses_ != 0)
        result.loose_mean_clocks =
            static_cast<double>(loose_clocks_) / static_cast<double>(accesses_);
    if (done_ != 0)
        result.command_level_mean_clocks =
            static_cast<double>(command_level_clocks_) / static_cast<double>(done_);
    result.commands = checker_.command_count();
    result.violations = checker_.violation_count();
    return result;
}

}  // namespace weir::dram
