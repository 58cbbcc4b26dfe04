// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What the hal functions of host mode work on: plain functions have no object, so there is one
// platform a process (SystemC allows one elaboration a process too).
// - HostPlatform makes itself the platform and makes the harts, as children of the module that is
//   being constructed. Bind their sockets and pins; they start at time 0.
#pragma once

#include "firmware/hal/hal.h"
#include "sc_models/cpu/coherence.h"
#include "sc_models/cpu/hart.h"
#include "sc_models/cpu/kernel_trace.h"
#include "sc_models/machine/config.h"
#include "sc_models/probe/recorder.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weir::cpu {

/// How the firmware ended, if it did.
struct FirmwareEnd {
    bool powered_off = false;
    bool panicked = false;
    uint32_t exit_code = 0;
    uint64_t time_ps = 0;
    std::string message;
};

struct Platform {
    uint8_t* ram = nullptr;  // by DMI
    uint64_t ram_bytes = 0;
    hal::PhysAddr ram_base{};
    hal::TrapHandlers handlers;
    std::vector<Hart*> harts;
    KernelTrace* trace = nullptr;
    CoherenceDirectory* directory = nullptr;
    FirmwareEnd end;
    sc_core::sc_event lock_released;
    uint32_t lock_waiters = 0;
};

/// The platform of this process. Set by HostPlatform.
extern Platform* platform;

/// The harts of a machine and all that host mode needs beside them.
class HostPlatform {
  public:
    /// Errors: std::invalid_argument, naming the key, as Hart, Cache and Tlb.
    HostPlatform(const machine::CpuConfig& config, hal::PhysAddr ram_base, uint64_t ram_bytes,
                 probe::Recorder& recorder);
    ~HostPlatform();
    HostPlatform(const HostPlatform&) = delete;

    Hart& hart(uint32_t index) { return *harts_[index]; }
    uint32_t hart_count() const { return static_cast<uint32_t>(harts_.size()); }
    Platform& state() { return state_; }
    KernelTrace& trace() { return trace_; }
    CoherenceDirectory& directory() { return directory_; }
    const KernelTrace& trace() const { return trace_; }
    /// Grows with whatever user programs achieve: pages translated and worked on.
    uint64_t user_work() const;

  private:
    Platform state_;
    KernelTrace trace_;
    CoherenceDirectory directory_;
    std::vector<std::unique_ptr<Hart>> harts_;
};

}  // namespace weir::cpu

/// Where every hart starts. Supplied by the firmware; by the tests where there is none.
extern "C" void weir_firmware_main();
