// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// vmstat.txt: one line a simulated second in the columns of the year 2000 (facts book 9.6):
// procs(r b w) memory(swpd free buff cache) swap(si so) io(bi bo) system(in cs) cpu(us sy id).
// Units: memory kB; si so kB/s; bi bo blocks of 1 kB/s. id includes waiting for I/O, as it did
// then.
#pragma once

#include "waveforms/text_file.h"

#include <vector>

namespace weir::waveforms {

class VmstatWriter {
  public:
    explicit VmstatWriter(const std::filesystem::path& file);
    /// counters: in the order of firmware/kernel/counters.h.
    void sample(uint64_t time_ps, const std::vector<uint64_t>& counters);
    void close() { file_.close(); }

  private:
    TextFile file_;
    std::vector<uint64_t> previous_;
    uint64_t previous_time_ps_ = 0;
    uint32_t line_count_ = 0;
};

}  // namespace weir::waveforms
