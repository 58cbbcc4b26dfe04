// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/unit/models_core/rig.h"

#include <cstdio>
#include <cstdlib>

namespace weir::test {

std::vector<std::function<void()>>* firmware_programs = nullptr;

uint64_t seed() {
    const char* text = std::getenv("WEIR_SEED");
    const uint64_t value = text ? std::strtoull(text, nullptr, 0) : 1;
    std::printf("seed %llu (set WEIR_SEED)\n", static_cast<unsigned long long>(value));
    return value;
}

dram::ControllerConfig rig_dram() {
    using dram::Command;
    constexpr dram::CommandSet kColumns = dram::set_of(Command::Rd) | dram::set_of(Command::Rda) |
                                          dram::set_of(Command::Wr) | dram::set_of(Command::Wra);
    constexpr dram::CommandSet kActivate = dram::set_of(Command::Act);
    constexpr dram::CommandSet kPrecharge = dram::set_of(Command::Pre);
    constexpr dram::CommandSet kRefresh = dram::set_of(Command::Ref);
    dram::ControllerConfig config;
    dram::Spec& spec = config.spec;
    spec.name = "rig";
    spec.tck_ps = 1000;
    spec.organization = {.ranks = 1,
                         .bank_groups = 1,
                         .banks_per_group = 16,
                         .rows = 1024,
                         .columns = 1024,
                         .device_width_bits = 8,
                         .devices = 8,
                         .burst_length = 1,
                         .beats_per_clock = 1};
    spec.cl_clocks = spec.cwl_clocks = spec.trcd_clocks = spec.trp_clocks = spec.tras_clocks = 15;
    spec.trc_clocks = 30;
    spec.trfc_clocks = 128;
    spec.trefi_clocks = 7800;
    spec.rules = {{"tRCD", dram::Level::Bank, kActivate, kColumns, 15, 1, ""},
                  {"tRP", dram::Level::Bank, kPrecharge, kActivate, 15, 1, ""},
                  {"tRFC", dram::Level::Rank, kRefresh, kActivate | kRefresh, 128, 1, ""},
                  {"tCCD", dram::Level::Rank, kColumns, kColumns, 1, 1, ""}};
    config.mapping.pieces = {{dram::Field::Row, 10},
                             {dram::Field::Bank, 4},
                             {dram::Field::Column, 10},
                             {dram::Field::Offset, 3}};
    return config;
}

machine::MachineConfig rig_config(uint32_t harts) {
    machine::MachineConfig config;
    config.cpu.count = harts;
    config.cpu.clock_hz = 1'000'000'000;
    config.cpu.quantum_ns = 10'000;
    config.cpu.tlb_entries = 8;
    config.cpu.tlb_ways = 2;
    config.cpu.tlb_walk_cycles = 60;
    config.cpu.l1 = {4096, 4, 256, 1};
    config.cpu.l2 = {16'384, 4, 256, 10};
    for (auto& cost : config.cpu.cost_cycles) cost = 100;
    config.bus = {1'000'000'000, 16, 2};
    config.dram.controller = rig_dram();
    return config;
}

Rig::Rig(const machine::MachineConfig& config, sc_core::sc_module_name name)
    : sc_module(name),
      firmware(config.cpu.count),
      host(config.cpu, hal::kRamBase, kRamBytes, recorder),
      memory("dram", config.dram.controller, kRamBytes),
      bus("bus", config.bus, config.cpu.count + 1,
          {{hal::kRamBase, kRamBytes}, {hal::kTimerBase, 0xC000}, {hal::kIntcBase, 0x2000}}),
      timer("timer", config.cpu.count),
      intc("intc", kSources, config.irq_routing, targets()),
      source("source", kSources),
      dma_socket("dma_socket"),
      timer_irq_("timer_irq", config.cpu.count),
      external_irq_("external_irq", config.cpu.count) {
    firmware_programs = &firmware;
    bus.target_side[0].bind(memory.socket);
    bus.target_side[1].bind(timer.register_socket);
    bus.target_side[2].bind(intc.register_socket);
    for (uint32_t i = 0; i < config.cpu.count; ++i) {
        host.hart(i).socket.bind(bus.initiator_side[i]);
        timer.hart_irq_out[i].bind(timer_irq_[i]);
        host.hart(i).timer_irq_in.bind(timer_irq_[i]);
        intc.hart_irq_out[i].bind(external_irq_[i]);
        host.hart(i).external_irq_in.bind(external_irq_[i]);
    }
    for (uint32_t i = 0; i < kSources; ++i) intc.source_irq_in[i].bind(source[i]);
    dma_socket.bind(bus.initiator_side[config.cpu.count]);
    bus.set_snooper(host.directory(), 0, config.cpu.count);
}

std::vector<const InterruptTarget*> Rig::targets() {
    std::vector<const InterruptTarget*> list;
    for (uint32_t i = 0; i < host.hart_count(); ++i)
        list.push_back(&host.hart(i).interrupt_target());
    return list;
}

bool Rig::run(uint64_t limit_ps) {
    try {
        sc_core::sc_start(from_ps(limit_ps));
    } catch (const std::exception& error) {
        failure = error.what();
    }
    if (auto noted = take_failure()) failure = *noted;
    recorder.finish(simulator_now_ps());
    return host.state().end.powered_off && failure.empty();
}

Rig::Reply Rig::dma(tlm::tlm_command command, uint64_t addr, void* bytes, uint32_t count) {
    tlm::tlm_generic_payload trans;
    trans.set_command(command);
    trans.set_address(addr);
    trans.set_data_ptr(static_cast<unsigned char*>(bytes));
    trans.set_data_length(count);
    trans.set_streaming_width(count);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    dma_socket->b_transport(trans, delay);
    return {trans.get_response_status(), delay.value()};
}

}  // namespace weir::test

extern "C" void weir_firmware_main() {
    const auto& program = (*weir::test::firmware_programs)[weir::hal::hart_id()];
    if (program) program();
    sc_core::sc_event never;
    for (;;) sc_core::wait(never);
}
