// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Level interrupts from devices to harts, with claim and complete.
//
//   +0x0000 + 8h  claim (read): the lowest-numbered source pending for hart h, 0 if none; it is in
//                 service until completed. complete (write): the source number. 32 or 64
//                 bits.
//   +0x1000 + 4s  enable of source s, bit 0, read/write, 0 after reset
//
// A source is pending while its input is high, it is enabled and it is not in service.
// Routing, decided once when a source becomes pending:
// - FixedHart: source s goes to hart (s - 1) mod harts.
// - Floating: the lowest-numbered idle hart that has interrupts enabled; else the next hart in turn
//   with interrupts enabled; else the next in turn. Any hart may claim any pending source.
// Coding style: loosely timed; b_transport never waits. Outputs change a delta cycle later, up to the
// annotated delay early: a hart that runs ahead must not see again what it has just claimed.
#pragma once

#include "sc_models/common/interrupt_target.h"
#include "sc_models/common/register_file.h"
#include "sc_models/machine/config.h"

#include <systemc>
#include <tlm_utils/simple_target_socket.h>

#include <vector>

namespace weir::interconnect {

class InterruptController : public sc_core::sc_module {
  public:
    tlm_utils::simple_target_socket<InterruptController> register_socket;
    sc_core::sc_vector<sc_core::sc_in<bool>> source_irq_in;  // index 0 is source 1
    sc_core::sc_vector<sc_core::sc_out<bool>> hart_irq_out;

    /// targets: one a hart, outlives the controller.
    InterruptController(sc_core::sc_module_name name, uint32_t source_count,
                        machine::IrqRouting routing, std::vector<const InterruptTarget*> targets);
    SC_HAS_PROCESS(InterruptController);

  private:
    struct Source {
        bool enabled = false;
        bool in_service = false;
        bool pending = false;
        uint32_t hart = 0;
    };

    void b_transport(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& trans);
    void update_pending_method();
    uint32_t route(uint32_t source_index);
    uint64_t read_claim(uint32_t hart);
    void write_complete(uint32_t hart, uint64_t source);
    uint64_t read_enable(uint32_t source);
    void write_enable(uint32_t source, uint64_t value);

    RegisterFile<InterruptController> registers_;
    machine::IrqRouting routing_;
    std::vector<const InterruptTarget*> targets_;
    std::vector<Source> sources_;
    uint32_t next_hart_ = 0;
    sc_core::sc_event changed_;
};

}  // namespace weir::interconnect
