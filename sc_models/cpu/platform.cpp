// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/cpu/platform.h"

#include "firmware/hal/boot_info.h"

#include <stdexcept>

namespace weir::cpu {

Platform* platform = nullptr;

HostPlatform::HostPlatform(const machine::CpuConfig& config, hal::PhysAddr ram_base,
                           uint64_t ram_bytes, probe::Recorder& recorder)
    : trace_(recorder), directory_(ram_bytes) {
    if (config.count == 0 || config.count > hal::kMaxHarts)
        throw std::invalid_argument("machine.cpu.count: must be 1 to " +
                                    std::to_string(hal::kMaxHarts));
    if (config.clock_hz == 0) throw std::invalid_argument("machine.cpu.clock_hz: must not be 0");
    state_.ram_base = ram_base;
    state_.ram_bytes = ram_bytes;
    state_.trace = &trace_;
    state_.directory = &directory_;
    platform = &state_;
    for (uint32_t id = 0; id < config.count; ++id) {
        const std::string name = "cpu" + std::to_string(id);
        harts_.push_back(std::make_unique<Hart>(name.c_str(), id, config, state_));
        state_.harts.push_back(harts_.back().get());
    }
}

HostPlatform::~HostPlatform() {
    if (platform == &state_) platform = nullptr;
}

uint64_t HostPlatform::user_work() const {
    uint64_t work = 0;
    for (const auto& hart : harts_)
        work += hart->stats().user_spans + hart->stats().user_work_pages;
    return work;
}

}  // namespace weir::cpu
