// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// SDRAM behind one socket: it holds the bytes of RAM and says how long accesses take.
// - b_transport: plain reads and writes move bytes and add their time to the delay; it never
//   waits. TLM_IGNORE_COMMAND with a TimingHint adds the time only.
// - Errors: a start beyond the end: address error. An end beyond the end, no length, or a
//   streaming width of 0: burst error. Byte enables and streaming width are honoured.
// - transport_dbg: moves bytes up to the end of RAM, no time. DMI: all of RAM, read and write.
// Addresses are offsets from the start of RAM. Coding style: loosely timed. The initiator owns the
// payload. To replace the timing by a full controller, replace this module behind its socket.
#pragma once

#include "sc_models/dram/open_row_timing.h"
#include "sc_models/probe/recorder.h"

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include <memory>
#include <vector>

namespace weir::dram {

class Memory : public sc_core::sc_module, private RowObserver {
  public:
    tlm_utils::simple_target_socket<Memory> socket;

    /// Errors: std::invalid_argument as OpenRowTiming, or if the host has not enough memory.
    Memory(sc_core::sc_module_name name, const machine::DramConfig& config, uint64_t size_bytes);
    ~Memory() override;

    uint64_t size_bytes() const { return size_bytes_; }
    const DramStats& stats() const { return timing_.stats(); }
    uint32_t bank_count() const { return bank_count_; }
    /// Records the open row of every bank as PATH.bankN.row. Costs a record per row opened.
    void record_rows(probe::Recorder& recorder, const std::string& path);

  private:
    void b_transport(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& trans);
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& trans, tlm::tlm_dmi& dmi);
    tlm::tlm_response_status check(const tlm::tlm_generic_payload& trans) const;
    void move_bytes(tlm::tlm_generic_payload& trans);
    void on_row_opened(uint32_t bank, uint64_t row, uint64_t time_ps) override;

    uint64_t size_bytes_;
    uint32_t bank_count_;
    uint8_t* bytes_;
    OpenRowTiming timing_;
    probe::Recorder* recorder_ = nullptr;
    std::vector<probe::SignalId> row_signals_;
};

}  // namespace weir::dram
