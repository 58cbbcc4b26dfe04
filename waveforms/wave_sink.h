// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The recorder's sink in front of a WaveWriter: which signals, which window, how many bytes.
// - Before the window only the last level of each signal is kept, and written at its begin.
// - Past the byte budget it stops and says so (truncated_at_ps).
#pragma once

#include "sc_models/probe/recorder.h"
#include "waveforms/wave_writer.h"

#include <memory>
#include <string>
#include <vector>

namespace weir::waveforms {

struct WaveWindow {
    uint64_t begin_ps = 0;
    uint64_t end_ps = ~0ull;
    uint64_t max_bytes = ~0ull;
    std::vector<std::string> paths;  // prefixes; empty: every signal
};

class WaveSink final : public probe::Sink {
  public:
    WaveSink(std::unique_ptr<WaveWriter> writer, WaveWindow window);
    void on_define(probe::SignalId id, const probe::SignalInfo& info) override;
    void on_signal(uint64_t time_ps, probe::SignalId id, uint64_t value) override;
    void on_end(uint64_t time_ps) override;
    /// Signals that are in the file, in order of definition.
    const std::vector<probe::SignalInfo>& signals() const { return recorded_; }
    /// 0: the whole window is in the file.
    uint64_t truncated_at_ps() const { return truncated_at_ps_; }

  private:
    struct Level {
        bool recorded = false;
        bool known = false;
        uint64_t value = 0;
    };
    bool wanted(const std::string& path) const;
    void open_window();

    std::unique_ptr<WaveWriter> writer_;
    WaveWindow window_;
    std::vector<Level> levels_;
    std::vector<probe::SignalInfo> recorded_;
    bool window_open_ = false;
    bool closed_ = false;
    uint64_t truncated_at_ps_ = 0;
};

}  // namespace weir::waveforms
