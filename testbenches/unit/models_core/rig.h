// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A machine without disks or kernel, for tests of the models that carry one.
// - Rig rig(config): harts, bus, RAM, timer, interrupt controller with four sources.
// - rig.firmware[h] = ...: what hart h runs; it stops afterwards. rig.run() ends at power_off().
// - seed(): WEIR_SEED or 1, printed.
// SystemC elaborates once a process: one Rig a test, one test a process (ctest does so).
#pragma once

#include "firmware/hal/boot_info.h"
#include "firmware/hal/hal.h"
#include "sc_models/common/check.h"
#include "sc_models/common/units.h"
#include "sc_models/cpu/platform.h"
#include "sc_models/dram/controller.h"
#include "sc_models/interconnect/bus.h"
#include "sc_models/interconnect/interrupt_controller.h"
#include "sc_models/interconnect/timer.h"

#include <systemc>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace weir::test {

uint64_t seed();
/// Small numbers that are easy to calculate with: 1 GHz everywhere.
machine::MachineConfig rig_config(uint32_t harts);
/// 1 GHz, 8 bytes a clock, bursts of one beat; CAS, activate and precharge 15 clocks each, and no
/// other rule; 16 banks with rows of 8 KiB, refresh of 128 each 7800 clocks.
dram::ControllerConfig rig_dram();

/// What weir_firmware_main() runs on each hart; a Rig points it at its own.
extern std::vector<std::function<void()>>* firmware_programs;

class Rig : public sc_core::sc_module {
  public:
    static constexpr uint32_t kSources = 4;
    static constexpr uint64_t kRamBytes = 16 * 1024 * 1024;

    explicit Rig(const machine::MachineConfig& config, sc_core::sc_module_name name = "rig");
    ~Rig() override { firmware_programs = nullptr; }

    /// Simulates until power_off(), panic, a failed check, or the limit; true at power_off().
    bool run(uint64_t limit_ps = 10 * kPsPerSecond);
    /// One transaction from an initiator without caches.
    struct Reply {
        tlm::tlm_response_status status;
        uint64_t delay_ps;
    };
    /// What RAM has moved.
    uint64_t dram_bytes() const {
        const dram::ChannelStats& stats = memory.stats();
        return 8 * (stats.read.requests + stats.write.requests);
    }
    Reply dma(tlm::tlm_command command, uint64_t addr, void* bytes, uint32_t count);

    probe::Recorder recorder;
    std::vector<std::function<void()>> firmware;
    cpu::HostPlatform host;
    dram::Controller memory;
    interconnect::Bus bus;
    interconnect::Timer timer;
    interconnect::InterruptController intc;
    sc_core::sc_vector<sc_core::sc_signal<bool, sc_core::SC_MANY_WRITERS>> source;
    tlm_utils::simple_initiator_socket<Rig> dma_socket;
    std::string failure;

  private:
    std::vector<const InterruptTarget*> targets();
    sc_core::sc_vector<sc_core::sc_signal<bool>> timer_irq_;
    sc_core::sc_vector<sc_core::sc_signal<bool>> external_irq_;
};

/// Where a test's data lies: from the start of RAM, behind BootInfo.
inline uint8_t* ram(uint64_t offset) {
    return static_cast<uint8_t*>(hal::ram_ptr(hal::kRamBase + offset));
}
inline uint64_t now_ps() {
    return cpu::current_hart->local_ps();
}

}  // namespace weir::test
