// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/machine/machine.h"

#include "sc_models/common/check.h"
#include "sc_models/common/units.h"
#include "sc_models/cpu/platform.h"
#include "sc_models/dram/audit.h"
#include "sc_models/dram/controller.h"
#include "sc_models/interconnect/bus.h"
#include "sc_models/interconnect/interrupt_controller.h"
#include "sc_models/interconnect/timer.h"
#include "sc_models/machine/boot_image.h"
#include "sc_models/machine/disk_unit.h"
#include "sc_models/machine/watchdog.h"

#include <systemc>

#include <algorithm>
#include <cstring>

namespace weir::machine {
namespace {

// How often the recorder's records are made final and the end of the run is looked for. Smaller
// costs host time (about 1 us a slice), larger costs memory for records that wait.
constexpr uint64_t kSlicePs = 10 * kPsPerMs;
constexpr uint64_t kTimerBytes = 0xC000;
constexpr uint64_t kIntcBytes = 0x2000;
constexpr uint32_t kRamRegion = 0;
constexpr uint32_t kTimerRegion = 1;
constexpr uint32_t kIntcRegion = 2;
constexpr uint32_t kFirstDiskRegion = 3;

std::vector<interconnect::Region> address_map(uint64_t ram_bytes, uint32_t disks) {
    std::vector<interconnect::Region> map{
        {hal::kRamBase, ram_bytes}, {hal::kTimerBase, kTimerBytes}, {hal::kIntcBase, kIntcBytes}};
    for (uint32_t i = 0; i < disks; ++i)
        map.push_back({hal::kDiskBase + i * hal::kDiskStrideBytes, hal::kDiskStrideBytes});
    return map;
}

/// The module "machine": every part and the wires between them.
class Board : public sc_core::sc_module {
  public:
    Board(sc_core::sc_module_name name, const RunConfig& config, const hal::BootInfo& boot,
          probe::Recorder& recorder)
        : sc_module(name),
          boot_(boot),
          disks(make_disks(config, recorder)),
          host(config.machine.cpu, hal::kRamBase, boot.ram_bytes, recorder),
          memory("dram", config.machine.dram.controller, boot.ram_bytes),
          bus("bus", config.machine.bus, host.hart_count() + static_cast<uint32_t>(disks.size()),
              address_map(boot.ram_bytes, static_cast<uint32_t>(disks.size()))),
          timer("timer", host.hart_count()),
          intc("interrupt_controller", std::max<uint32_t>(1, static_cast<uint32_t>(disks.size())),
               config.machine.irq_routing, interrupt_targets()),
          timer_irq_("timer_irq", host.hart_count()),
          external_irq_("external_irq", host.hart_count()),
          disk_irq_("disk_irq", std::max<size_t>(1, disks.size())) {
        wire();
        const DramConfig& dram = config.machine.dram;
        if (dram.audit || dram.record_banks)
            memory.audit(dram.record_banks ? &recorder : nullptr, "machine.dram");
    }

  private:
    hal::BootInfo boot_;

  public:
    std::vector<std::unique_ptr<disk::Controller>> disks;
    cpu::HostPlatform host;
    dram::Controller memory;
    interconnect::Bus bus;
    interconnect::Timer timer;
    interconnect::InterruptController intc;

    uint64_t debug_access(tlm::tlm_command command, hal::PhysAddr addr, void* bytes,
                          uint64_t count) {
        tlm::tlm_generic_payload trans;
        trans.set_command(command);
        trans.set_address(addr.value);
        trans.set_data_ptr(static_cast<unsigned char*>(bytes));
        trans.set_data_length(static_cast<unsigned>(count));
        trans.set_streaming_width(static_cast<unsigned>(count));
        return host.hart(0).socket->transport_dbg(trans);
    }
    uint64_t bytes_moved() {
        uint64_t bytes = 0;
        for (auto& disk : disks) {
            const disk::DeviceStats stats = disk->stats(simulator_now_ps());
            bytes += stats.bytes[0] + stats.bytes[1];
        }
        return bytes;
    }

  private:
    std::vector<const InterruptTarget*> interrupt_targets() {
        std::vector<const InterruptTarget*> targets;
        for (uint32_t i = 0; i < host.hart_count(); ++i)
            targets.push_back(&host.hart(i).interrupt_target());
        return targets;
    }

    void wire() {
        const uint32_t harts = host.hart_count();
        bus.target_side[kRamRegion].bind(memory.socket);
        bus.target_side[kTimerRegion].bind(timer.register_socket);
        bus.target_side[kIntcRegion].bind(intc.register_socket);
        for (uint32_t i = 0; i < harts; ++i) {
            host.hart(i).socket.bind(bus.initiator_side[i]);
            timer.hart_irq_out[i].bind(timer_irq_[i]);
            host.hart(i).timer_irq_in.bind(timer_irq_[i]);
            intc.hart_irq_out[i].bind(external_irq_[i]);
            host.hart(i).external_irq_in.bind(external_irq_[i]);
        }
        for (size_t i = 0; i < disk_irq_.size(); ++i) intc.source_irq_in[i].bind(disk_irq_[i]);
        for (uint32_t i = 0; i < disks.size(); ++i) {
            disks[i]->dma_socket.bind(bus.initiator_side[harts + i]);
            bus.target_side[kFirstDiskRegion + i].bind(disks[i]->register_socket);
            disks[i]->irq_out.bind(disk_irq_[i]);
        }
        bus.set_snooper(host.directory(), kRamRegion, harts);
    }

    /// The tables of power-on, before the first hart starts.
    void start_of_simulation() override {
        const uint64_t written =
            debug_access(tlm::TLM_WRITE_COMMAND, hal::kBootInfoAddr, &boot_, sizeof boot_);
        WEIR_CHECK(written == sizeof boot_, *this, "BootInfo does not fit into RAM", written,
                   sizeof boot_);
    }

    sc_core::sc_vector<sc_core::sc_signal<bool>> timer_irq_;
    sc_core::sc_vector<sc_core::sc_signal<bool>> external_irq_;
    sc_core::sc_vector<sc_core::sc_signal<bool>> disk_irq_;
};

}  // namespace

const char* ending_name(Ending ending) {
    switch (ending) {
        case Ending::PoweredOff:
            return "powered_off";
        case Ending::Panicked:
            return "panicked";
        case Ending::NoProgress:
            return "no_progress";
        case Ending::TimeLimit:
            return "time_limit";
    }
    return "unknown";
}

struct Machine::Parts {
    Parts(const RunConfig& config, probe::Recorder& record)
        : recorder(record),
          watchdog(config.machine.watchdog_ms * kPsPerMs),
          board("machine", config, make_boot_info(config), record) {}

    bool advance(uint64_t until_ps);
    bool ended();
    bool stuck(uint64_t now_ps, bool nothing_pending);
    void call_hooks(const Hooks& hooks, uint64_t now_ps);
    uint64_t next_stop_ps(const Hooks& hooks, uint64_t now_ps) const;

    probe::Recorder& recorder;
    Watchdog watchdog;
    Board board;
    RunOutcome outcome;
    uint64_t next_progress_ps = 0;
    uint64_t next_second_ps = kPsPerSecond;
};

Machine::Machine(const RunConfig& config, probe::Recorder& recorder)
    : parts_(std::make_unique<Parts>(config, recorder)) {
    // The simulator's own remarks ("Simulation stopped by user") tell nothing that we do not.
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
}
Machine::~Machine() = default;

uint64_t Machine::Parts::next_stop_ps(const Hooks& hooks, uint64_t now_ps) const {
    uint64_t stop_ps = std::min((now_ps / kSlicePs + 1) * kSlicePs, next_second_ps);
    if (hooks.on_progress) stop_ps = std::min(stop_ps, next_progress_ps);
    if (hooks.time_limit_ps) stop_ps = std::min(stop_ps, hooks.time_limit_ps);
    return stop_ps;
}

/// Simulates; false if the simulator must not be started again.
bool Machine::Parts::advance(uint64_t until_ps) {
    try {
        sc_core::sc_start(from_ps(until_ps - simulator_now_ps()), sc_core::SC_RUN_TO_TIME);
    } catch (const std::exception& error) {
        // What a process throws arrives here as the simulator's own report; ours says more.
        outcome.ending = Ending::Panicked;
        outcome.message = take_failure().value_or(error.what());
        return false;
    }
    return true;
}

bool Machine::Parts::ended() {
    const cpu::FirmwareEnd& end = board.host.state().end;
    outcome.simulated_ps = simulator_now_ps();
    if (auto failure = take_failure()) {
        outcome.ending = Ending::Panicked;
        outcome.message = *failure;
        return true;
    }
    if (!end.powered_off && !end.panicked) return false;
    outcome.ending = end.panicked ? Ending::Panicked : Ending::PoweredOff;
    outcome.exit_code = static_cast<int>(end.exit_code);
    outcome.message = end.message;
    outcome.simulated_ps = end.time_ps;
    return true;
}

bool Machine::Parts::stuck(uint64_t now_ps, bool nothing_pending) {
    const uint64_t progress =
        board.bytes_moved() + board.host.user_work() + board.host.trace().task_population_changes();
    const bool barks = watchdog.barks(now_ps, progress);
    if (!barks && !nothing_pending) return false;
    outcome.ending = Ending::NoProgress;
    outcome.message = "machine: ";
    outcome.message += nothing_pending ? "every hart sleeps and no event is to come"
                                       : "no disk moved a byte and no program did any work";
    outcome.message += ", at " + time_text(now_ps) + ", since " + time_text(watchdog.since_ps()) +
                       "\n" + board.host.trace().describe(now_ps);
    return true;
}

void Machine::Parts::call_hooks(const Hooks& hooks, uint64_t now_ps) {
    board.memory.advance_audit();
    recorder.advance(now_ps);
    if (hooks.on_progress && now_ps >= next_progress_ps) {
        next_progress_ps = now_ps + hooks.progress_period_ps;
        hooks.on_progress({now_ps, board.bytes_moved()});
    }
    if (now_ps >= next_second_ps) {
        next_second_ps += kPsPerSecond;
        if (hooks.every_second) hooks.every_second(now_ps);
    }
}

RunOutcome Machine::run(const Hooks& hooks) {
    Parts& parts = *parts_;
    parts.next_progress_ps = hooks.progress_period_ps;
    uint64_t next_watch_ps = kWatchPeriodPs;
    while (parts.advance(parts.next_stop_ps(hooks, simulator_now_ps()))) {
        const uint64_t now_ps = simulator_now_ps();
        if (parts.ended()) break;
        parts.call_hooks(hooks, now_ps);
        const bool nothing_pending = !sc_core::sc_pending_activity();
        if (nothing_pending || now_ps >= next_watch_ps) {
            next_watch_ps = now_ps + kWatchPeriodPs;
            if (parts.stuck(now_ps, nothing_pending)) break;
        }
        if (hooks.time_limit_ps && now_ps >= hooks.time_limit_ps) {
            parts.outcome.ending = Ending::TimeLimit;
            parts.outcome.message = "time limit reached at " + time_text(now_ps);
            break;
        }
    }
    if (parts.outcome.simulated_ps == 0) parts.outcome.simulated_ps = simulator_now_ps();
    parts.outcome.kernel_events = sc_core::sc_delta_count();
    parts.board.memory.finish();
    parts.recorder.finish(parts.outcome.simulated_ps);
    return parts.outcome;
}

std::vector<uint64_t> Machine::counters() const {
    const cpu::KernelTrace& trace = parts_->board.host.trace();
    std::vector<uint64_t> values(trace.counter_count());
    if (values.empty()) return values;
    cpu::Platform& platform = parts_->board.host.state();
    const auto offset =
        static_cast<uint64_t>(reinterpret_cast<const uint8_t*>(trace.counters()) - platform.ram);
    const uint64_t bytes = values.size() * sizeof(uint64_t);
    const uint64_t read = parts_->board.debug_access(
        tlm::TLM_READ_COMMAND, platform.ram_base + offset, values.data(), bytes);
    WEIR_CHECK(read == bytes, "machine", "the kernel's counters do not lie in RAM", offset, bytes);
    return values;
}

MemoryStats Machine::memory_stats() const {
    const dram::Controller& memory = parts_->board.memory;
    MemoryStats stats{memory.stats(), {}, memory.config().spec};
    if (const dram::Audit* audit = memory.audit()) stats.audit = audit->result();
    return stats;
}

std::vector<disk::DeviceStats> Machine::device_stats() const {
    std::vector<disk::DeviceStats> stats;
    for (auto& disk : parts_->board.disks) stats.push_back(disk->stats(simulator_now_ps()));
    return stats;
}

}  // namespace weir::machine
