// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/dram/dram_wave.h"

#include "testbenches/runner/config/document.h"
#include "waveforms/gtkw_layout.h"
#include "waveforms/text_file.h"

#include <algorithm>
#include <fmt/format.h>

namespace weir::runner {
namespace {

namespace fs = std::filesystem;
using dram::Command;
using dram::Direction;

/// The recorder sorts what lies ahead of this: often enough to keep it small.
constexpr uint64_t kCommandsBetweenAdvances = 4096;
/// What a layout shows at first: some refresh intervals would hide the commands.
constexpr uint64_t kShownClocks = 2000;

fs::path checked(const fs::path& target) {
    if (target.extension() != ".fst") {
        throw ConfigError(fmt::format("--wave {}: the name must end in .fst", target.string()));
    }
    return target;
}

fs::path layout_of(fs::path target) {
    return target.replace_extension(".gtkw");
}

}  // namespace

DramWave::DramWave(const fs::path& target, const dram::Spec& spec)
    : spec_(spec),
      wave_file_("--wave", checked(target)),
      layout_file_("--wave", layout_of(target)),
      sink_(waveforms::make_fst_writer(wave_file_.path()), waveforms::WaveWindow{}),
      banks_(recorder_, "dram", spec) {
    depths_[0] = recorder_.define_signal({"dram.queue.reads", "requests", 16, {}});
    depths_[1] = recorder_.define_signal({"dram.queue.writes", "requests", 16, {}});
    data_ = recorder_.define_signal({"dram.bus.data", "direction", 2, {"idle", "read", "write"}});
    for (uint32_t rank = 0; rank < spec.organization.ranks; ++rank) {
        refreshes_.push_back(
            recorder_.define_signal({fmt::format("dram.rank{}.refresh", rank), "", 1, {}}));
    }
    recorder_.add_sink(sink_);
    recorder_.set(data_, static_cast<uint64_t>(Bus::Idle), 0);
    for (const auto depth : depths_) recorder_.set(depth, 0, 0);
    for (const auto refresh : refreshes_) recorder_.set(refresh, 0, 0);
}

void DramWave::show_depth(Direction direction, uint64_t time_ps) {
    const auto d = static_cast<uint32_t>(direction);
    uint64_t depth = accepted_[d] - columns_[d];
    if (direction == Direction::Read && stats_) depth -= stats_->forwarded_reads;
    recorder_.set(depths_[d], depth, time_ps);
}

void DramWave::on_accept(Direction direction, uint64_t time_ps) {
    ++accepted_[static_cast<uint32_t>(direction)];
    show_depth(direction, time_ps);
}

/// Bursts that follow each other without a gap show no idle between them.
void DramWave::close_data(uint64_t clk) {
    if (data_end_clk_ < clk)
        recorder_.set(data_, static_cast<uint64_t>(Bus::Idle), data_end_clk_ * spec_.tck_ps);
}

void DramWave::show_data(Bus bus, uint64_t begin_clk) {
    close_data(begin_clk);
    recorder_.set(data_, static_cast<uint64_t>(bus), begin_clk * spec_.tck_ps);
    data_end_clk_ = begin_clk + spec_.organization.burst_clocks();
}

void DramWave::show_refresh(uint32_t rank, uint64_t begin_clk, uint32_t clocks) {
    recorder_.set(refreshes_[rank], 1, begin_clk * spec_.tck_ps);
    recorder_.set(refreshes_[rank], 0, (begin_clk + clocks) * spec_.tck_ps);
}

void DramWave::on_command(const dram::CommandRecord& record) {
    banks_.on_command(record);
    if (is_column(record.command)) {
        const Direction direction = is_read(record.command) ? Direction::Read : Direction::Write;
        ++columns_[static_cast<uint32_t>(direction)];
        show_depth(direction, record.clk * spec_.tck_ps);
        if (direction == Direction::Read)
            show_data(Bus::Read, record.clk + spec_.cl_clocks);
        else
            show_data(Bus::Write, record.clk + spec_.cwl_clocks);
    } else if (record.command == Command::Ref) {
        show_refresh(record.rank, record.clk, spec_.trfc_clocks);
    } else if (record.command == Command::Refpb) {
        show_refresh(record.rank, record.clk, spec_.trfc_pb_clocks);
    }
    if (++command_count_ % kCommandsBetweenAdvances == 0) {
        close_data(record.clk);
        // Requests are accepted a little before the clock of the command that made room for them.
        const uint64_t back = std::min<uint64_t>(record.clk, spec_.trfc_clocks);
        recorder_.advance((record.clk - back) * spec_.tck_ps);
    }
}

void DramWave::commit(uint64_t end_ps) {
    close_data(~uint64_t{0});
    recorder_.finish(end_ps);
    waveforms::TextFile layout(layout_file_.path());
    layout.write(waveforms::gtkw_layout(sink_.signals(),
                                        {wave_file_.target().filename().string(), 0,
                                         std::min<uint64_t>(end_ps, kShownClocks * spec_.tck_ps)}));
    layout.close();
    wave_file_.commit();
    layout_file_.commit();
}

}  // namespace weir::runner
