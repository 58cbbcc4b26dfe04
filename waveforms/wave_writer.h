// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Writes levels over time to a file that a waveform viewer opens.
// - make_fst_writer / make_vcd_writer: the two formats; enumerations keep their names in both.
// - define() may come at any time; changes come in order of time.
#pragma once

#include "sc_models/probe/recorder.h"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace weir::waveforms {

/// Units: time_ps since power-on; the files' time scale is 1 ps.
class WaveWriter {
  public:
    virtual ~WaveWriter() = default;
    virtual void define(probe::SignalId id, const probe::SignalInfo& info) = 0;
    virtual void change(uint64_t time_ps, probe::SignalId id, uint64_t value) = 0;
    /// An estimate while the file is open, for the output budget.
    virtual uint64_t bytes_written() const = 0;
    /// Ends the file at time_ps, so that the last levels are seen to hold until then.
    virtual void close(uint64_t time_ps) = 0;
};

/// Errors: std::runtime_error if the file cannot be made.
std::unique_ptr<WaveWriter> make_fst_writer(const std::filesystem::path& file);
std::unique_ptr<WaveWriter> make_vcd_writer(const std::filesystem::path& file);

/// A hierarchical path split for a viewer: "machine.disk0.phase" -> scopes {machine, disk0}, phase.
struct SplitPath {
    std::vector<std::string> scopes;
    std::string leaf;
};
SplitPath split_path(const std::string& path);
/// Bits needed to show every value of a signal.
uint32_t shown_width_bits(const probe::SignalInfo& info);

}  // namespace weir::waveforms
