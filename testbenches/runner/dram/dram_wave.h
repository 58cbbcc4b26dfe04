// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The waveform of `weir dram`, and the GTKWave layout beside it.
// - dram.bankN.state, .row: of each bank, as the machine's waveform shows them.
// - dram.queue.reads, .writes: accepted requests whose data command is not sent.
// - dram.bus.data: idle, read, write. dram.rankN.refresh: from a refresh command until tRFC.
#pragma once

#include "sc_models/dram/bank_recorder.h"
#include "sc_models/dram/core/stats.h"
#include "sc_models/probe/recorder.h"
#include "testbenches/runner/dram/partial_file.h"
#include "testbenches/runner/dram/traffic.h"
#include "waveforms/wave_sink.h"

#include <filesystem>

namespace weir::runner {

class DramWave final : public dram::CommandObserver, public AcceptListener {
  public:
    /// Errors: ConfigError if the name does not end in .fst, or a file cannot be written.
    DramWave(const std::filesystem::path& target, const dram::Spec& spec);
    /// Requests that never get a command of their own. Before the first of them.
    void watch(const dram::ChannelStats& stats) { stats_ = &stats; }
    void on_command(const dram::CommandRecord& record) override;
    void on_accept(dram::Direction direction, uint64_t time_ps) override;
    /// Errors: std::filesystem::filesystem_error; std::runtime_error if not all can be written.
    void commit(uint64_t end_ps);

  private:
    enum class Bus : uint8_t { Idle, Read, Write };
    void show_depth(dram::Direction direction, uint64_t time_ps);
    void show_data(Bus bus, uint64_t begin_clk);
    void close_data(uint64_t clk);
    void show_refresh(uint32_t rank, uint64_t begin_clk, uint32_t clocks);

    dram::Spec spec_;
    PartialFile wave_file_;
    PartialFile layout_file_;
    probe::Recorder recorder_;
    waveforms::WaveSink sink_;
    dram::BankRecorder banks_;
    const dram::ChannelStats* stats_ = nullptr;
    probe::SignalId depths_[2];
    probe::SignalId data_;
    std::vector<probe::SignalId> refreshes_;
    uint64_t accepted_[2] = {0, 0};
    uint64_t columns_[2] = {0, 0};
    uint64_t data_end_clk_ = 0;
    uint64_t command_count_ = 0;
};

}  // namespace weir::runner
