// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A GTKWave save file that opens a run ready to read: naps first, then memory, disks, CPUs.
// Every name comes from the recorded signals, so that the layout cannot open empty.
#pragma once

#include "sc_models/probe/recorder.h"

#include <string>
#include <vector>

namespace weir::waveforms {

struct LayoutView {
    std::string wave_file;  // name beside the layout
    uint64_t begin_ps = 0;  // what the window shows at first
    uint64_t end_ps = 0;
};

/// The text of view.gtkw for the signals that are in the wave file.
std::string gtkw_layout(const std::vector<probe::SignalInfo>& signals, const LayoutView& view);
/// The signal paths a layout names, for tests: ranges such as [31:0] are taken off.
std::vector<std::string> layout_paths(const std::string& layout);

}  // namespace weir::waveforms
