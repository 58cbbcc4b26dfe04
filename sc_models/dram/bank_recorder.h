// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Puts a command stream on the waveform: PATH.bankN.state and PATH.bankN.row of every bank.
// - States: idle, open, read, write, refresh, asleep. A row stays shown after it has closed.
// - N counts over ranks and bank groups. Costs a few records a command: off by default.
#pragma once

#include "sc_models/dram/core/command.h"
#include "sc_models/dram/core/spec.h"
#include "sc_models/probe/recorder.h"

#include <string>
#include <vector>

namespace weir::dram {

class BankRecorder : public CommandObserver {
  public:
    BankRecorder(probe::Recorder& recorder, const std::string& path, const Spec& spec);
    void on_command(const CommandRecord& record) override;

  private:
    enum class State : uint8_t { Idle, Open, Read, Write, Refresh, Asleep };
    void set(uint32_t bank, State state, uint64_t clk);
    void set_rank(uint32_t rank, State state, uint64_t clk);

    probe::Recorder& recorder_;
    const Spec spec_;
    std::vector<probe::SignalId> states_, rows_;
    std::vector<bool> open_;
};

}  // namespace weir::dram
