// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "waveforms/wave_sink.h"

#include <algorithm>

namespace weir::waveforms {

WaveSink::WaveSink(std::unique_ptr<WaveWriter> writer, WaveWindow window)
    : writer_(std::move(writer)), window_(std::move(window)) {}

bool WaveSink::wanted(const std::string& path) const {
    return window_.paths.empty() ||
           std::any_of(window_.paths.begin(), window_.paths.end(),
                       [&](const std::string& prefix) { return path.starts_with(prefix); });
}

void WaveSink::on_define(probe::SignalId id, const probe::SignalInfo& info) {
    if (levels_.size() <= id.value) levels_.resize(id.value + 1);
    if (!wanted(info.path)) return;
    levels_[id.value].recorded = true;
    recorded_.push_back(info);
    writer_->define(id, info);
}

void WaveSink::open_window() {
    window_open_ = true;
    for (uint32_t i = 0; i < levels_.size(); ++i)
        if (levels_[i].recorded && levels_[i].known)
            writer_->change(window_.begin_ps, probe::SignalId{i}, levels_[i].value);
}

void WaveSink::on_signal(uint64_t time_ps, probe::SignalId id, uint64_t value) {
    Level& level = levels_[id.value];
    if (!level.recorded || closed_) return;
    if (time_ps > window_.end_ps) {
        if (!window_open_) open_window();
        writer_->close(window_.end_ps);
        closed_ = true;
        return;
    }
    if (time_ps >= window_.begin_ps && !window_open_) open_window();
    level.known = true;
    level.value = value;
    if (!window_open_) return;
    if (writer_->bytes_written() > window_.max_bytes) {
        truncated_at_ps_ = time_ps;
        writer_->close(time_ps);
        closed_ = true;
        return;
    }
    writer_->change(time_ps, id, value);
}

void WaveSink::on_end(uint64_t time_ps) {
    if (closed_) return;
    if (!window_open_ && time_ps >= window_.begin_ps) open_window();
    writer_->close(std::min(time_ps, window_.end_ps));
    closed_ = true;
}

}  // namespace weir::waveforms
