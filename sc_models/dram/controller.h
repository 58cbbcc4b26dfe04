// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The SDRAM controller behind one multi socket: command-level timing, and it holds the bytes.
// - nb_transport_fw: BEGIN_REQ is answered by END_REQ when the last burst of the transaction has a
//   place in the queues (back-pressure: END_REQ is withheld); BEGIN_RESP carries the end of the
//   last burst's data as its annotated delay. Responses of one initiator keep the response
//   exclusion rule: if END_RESP is withheld, later responses of that initiator wait.
// - b_transport: loosely timed from the same bank state; never waits. TLM_IGNORE_COMMAND with a
//   TimingHint takes the time only.
// - Errors: as the base protocol: address error (start beyond the end), burst error (end beyond
//   the end, no length, streaming width 0), byte-enable error (length 0), command error (nb with
//   IGNORE and no hint).
// - transport_dbg: bytes up to the end, no time. DMI: all bytes, read and write.
// Bytes move when a transaction is accepted, in the order of acceptance. Initiators are served in
// turn. Coding style: AT and LT at once. The initiator owns the payload.
#pragma once

#include "sc_models/dram/core/config.h"
#include "sc_models/dram/core/stats.h"
#include "sc_models/probe/recorder.h"

#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <memory>
#include <vector>

namespace weir::dram {

class Audit;
class Checker;

class Controller : public sc_core::sc_module {
  public:
    tlm_utils::multi_passthrough_target_socket<Controller> socket;

    /// Errors: std::invalid_argument naming the key, as check_config(); or if the host has not
    /// enough memory. size_bytes: how much of the device is used; 0: all of it.
    Controller(sc_core::sc_module_name name, const ControllerConfig& config,
               uint64_t size_bytes = 0);
    ~Controller() override;
    SC_HAS_PROCESS(Controller);

    uint64_t size_bytes() const;
    const ControllerConfig& config() const;
    /// Of everything so far, AT and LT together.
    const ChannelStats& stats() const;
    /// Of one initiator: index in the order of binding.
    const DirectionStats& initiator_stats(uint32_t initiator, bool write) const;
    /// Hears every command of the AT path in order of its clock. Before the first transaction.
    void add_observer(CommandObserver& observer);
    /// Requests accepted and not yet answered; empty if none. For a watchdog: names the oldest, its
    /// bank and the rule that holds it.
    std::string describe_oldest() const;
    uint64_t outstanding() const;

    /// Every loosely timed access is also scheduled at command level, in order of time; see
    /// audit.h. Before the first transaction. recorder: also shows the banks as PATH.bankN.*; may
    /// be null.
    void audit(probe::Recorder* recorder, const std::string& path);
    /// For the audit: no access before now will come any more.
    void advance_audit();
    const Audit* audit() const;
    /// Null unless the configuration binds it.
    const Checker* checker() const;
    /// At the end of a run: what was due until now is caught up with, the checker closes its books.
    void finish();

  private:
    void end_of_elaboration() override;
    tlm::tlm_sync_enum nb_transport_fw(int id, tlm::tlm_generic_payload& trans,
                                       tlm::tlm_phase& phase, sc_core::sc_time& delay);
    void b_transport(int id, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay);
    unsigned transport_dbg(int id, tlm::tlm_generic_payload& trans);
    bool get_direct_mem_ptr(int id, tlm::tlm_generic_payload& trans, tlm::tlm_dmi& dmi);
    void pump_method();

    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace weir::dram
