// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The event record as trace_pipe text, so that scripts written for Linux traces read it.
// - Event names and field orders of 2.6.37 (facts book 9.1 to 9.4); no flag column.
// - Events that Linux does not have (naps, workload phases) are written as key=value pairs.
#pragma once

#include "sc_models/probe/recorder.h"
#include "waveforms/text_file.h"

#include <string>
#include <unordered_map>

namespace weir::waveforms {

struct TraceWindow {
    uint64_t begin_ps = 0;
    uint64_t end_ps = ~0ull;
    uint64_t max_bytes = ~0ull;
};

class FtraceWriter final : public probe::Sink {
  public:
    FtraceWriter(const std::filesystem::path& file, TraceWindow window);
    void on_event(const probe::EventRecord& record) override;
    void on_end(uint64_t time_ps) override;
    uint64_t truncated_at_ps() const { return truncated_at_ps_; }

  private:
    const std::string& comm(uint64_t pid) const;
    std::string fields(const probe::EventRecord& record) const;

    TextFile file_;
    TraceWindow window_;
    std::unordered_map<uint64_t, std::string> names_;
    uint64_t truncated_at_ps_ = 0;
};

}  // namespace weir::waveforms
