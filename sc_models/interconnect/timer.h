// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The machine's clock and one compare register a hart.
//
//   +0x4000 + 8h  mtimecmp of hart h, ns, read/write, all ones after reset
//   +0xBFF8       mtime, ns since power-on, read only
//
// hart_irq_out[h] is high from the instant mtime >= mtimecmp until a later value is written.
// Coding style: loosely timed. b_transport never waits. A read of mtime tells the simulator's time
// plus the annotated delay. A write reaches the output in the next delta cycle, up to that delay
// early: a hart that runs ahead must not take the interrupt again that it has just put off.
#pragma once

#include "sc_models/common/register_file.h"

#include <systemc>
#include <tlm_utils/simple_target_socket.h>

#include <vector>

namespace weir::interconnect {

class Timer : public sc_core::sc_module {
  public:
    tlm_utils::simple_target_socket<Timer> register_socket;
    sc_core::sc_vector<sc_core::sc_out<bool>> hart_irq_out;

    Timer(sc_core::sc_module_name name, uint32_t hart_count);
    SC_HAS_PROCESS(Timer);

  private:
    void b_transport(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& trans);
    void drive_irq_method();
    uint64_t read_now(uint32_t index);
    uint64_t read_compare(uint32_t hart);
    void write_compare(uint32_t hart, uint64_t value_ns);

    RegisterFile<Timer> registers_;
    std::vector<uint64_t> compare_ns_;
    uint64_t access_ps_ = 0;  // of the access under way
    sc_core::sc_event changed_;
};

}  // namespace weir::interconnect
