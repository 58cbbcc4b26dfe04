// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "waveforms/run_outputs.h"

#include "waveforms/ftrace_writer.h"
#include "waveforms/gtkw_layout.h"
#include "waveforms/nap_analysis.h"
#include "waveforms/summary.h"
#include "waveforms/vmstat_writer.h"
#include "waveforms/wave_sink.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace weir::waveforms {

namespace {

// Of the byte budget of a run: the rest is for naps.csv, vmstat.txt and summary.json.
constexpr uint64_t kWaveSharePct = 55;
constexpr uint64_t kFtraceSharePct = 35;
constexpr uint64_t kPsPerMs = 1'000'000'000;

}  // namespace

struct RunOutputs::Parts {
    Parts(const std::filesystem::path& folder_, const OutputOptions& options_,
          probe::Recorder& recorder_)
        : folder(folder_), options(options_), recorder(recorder_) {
        recorder.add_sink(work);
        recorder.add_sink(naps);
        if (options.wave != WaveFormat::None) {
            wave_name = options.wave == WaveFormat::Fst ? "trace.fst" : "trace.vcd";
            auto writer = options.wave == WaveFormat::Fst ? make_fst_writer(folder / wave_name)
                                                          : make_vcd_writer(folder / wave_name);
            wave.emplace(std::move(writer),
                         WaveWindow{options.window_begin_ps, options.window_end_ps,
                                    options.max_bytes / 100 * kWaveSharePct, options.wave_paths});
            recorder.add_sink(*wave);
        }
        if (options.ftrace) {
            ftrace.emplace(folder / "ftrace.txt",
                           TraceWindow{options.window_begin_ps, options.window_end_ps,
                                       options.max_bytes / 100 * kFtraceSharePct});
            recorder.add_sink(*ftrace);
        }
        if (options.vmstat) vmstat.emplace(folder / "vmstat.txt");
    }

    /// Why there is nothing to see in a file that was asked for.
    std::vector<std::string> warnings(uint64_t simulated_ps) const {
        std::vector<std::string> texts;
        if ((wave || ftrace) && simulated_ps < options.window_begin_ps)
            texts.push_back(fmt::format(
                "the run ended at {:.6f} s, before its record window begins "
                "(record.window_begin_ms = {}): {} empty",
                static_cast<double>(simulated_ps) * 1e-12, options.window_begin_ps / kPsPerMs,
                !wave ? "ftrace.txt is" : wave_name + (ftrace ? " and ftrace.txt are" : " is")));
        for (const std::string& prefix : options.wave_paths) {
            const auto begins = [&](const probe::SignalInfo& signal) {
                return signal.path.starts_with(prefix);
            };
            if (wave && std::none_of(wave->signals().begin(), wave->signals().end(), begins))
                texts.push_back(fmt::format(
                    "record.wave_paths: no signal begins with \"{}\": {} has none of it", prefix,
                    wave_name));
        }
        return texts;
    }

    void write_layout(uint64_t simulated_ps) const {
        // The first view shows the first naps that were recorded; the rest is a zoom away.
        constexpr uint64_t kFirstViewPs = 250'000'000'000;
        constexpr uint64_t kBeforeNapPs = 20'000'000'000;
        uint64_t begin_ps = options.window_begin_ps;
        for (const NapRow& nap : naps.naps()) {
            const uint64_t nap_ps = nap.begin_ns * 1000;
            if (nap.site == "flusher_idle" || nap_ps < options.window_begin_ps + kBeforeNapPs)
                continue;
            begin_ps = nap_ps - kBeforeNapPs;
            break;
        }
        const uint64_t last_ps = std::min(options.window_end_ps, simulated_ps);
        if (begin_ps >= last_ps) begin_ps = std::min(options.window_begin_ps, last_ps);
        TextFile layout(folder / "view.gtkw");
        layout.write(gtkw_layout(
            wave->signals(), {wave_name, begin_ps, std::min(last_ps, begin_ps + kFirstViewPs)}));
        layout.close();
    }

    std::filesystem::path folder;
    OutputOptions options;
    probe::Recorder& recorder;
    std::string wave_name;
    PhaseCollector work;
    NapCollector naps;
    std::optional<WaveSink> wave;
    std::optional<FtraceWriter> ftrace;
    std::optional<VmstatWriter> vmstat;
};

RunOutputs::RunOutputs(const std::filesystem::path& folder, const OutputOptions& options,
                       probe::Recorder& recorder)
    : parts_(std::make_unique<Parts>(folder, options, recorder)) {}

RunOutputs::~RunOutputs() = default;

void RunOutputs::sample_counters(uint64_t simulated_ps, const std::vector<uint64_t>& counters) {
    if (parts_->vmstat) parts_->vmstat->sample(simulated_ps, counters);
}

void RunOutputs::finish(const RunFacts& facts) {
    Parts& parts = *parts_;
    sample_counters(facts.simulated_ps, facts.counters);
    if (parts.vmstat) parts.vmstat->close();
    if (parts.wave) parts.write_layout(facts.simulated_ps);
    if (parts.options.naps) write_naps_csv(parts.folder / "naps.csv", parts.naps.naps());
    RecordFigures record{parts.recorder.hash(), parts.recorder.record_count(),
                         parts.wave ? parts.wave->truncated_at_ps() : 0,
                         parts.ftrace ? parts.ftrace->truncated_at_ps() : 0,
                         parts.warnings(facts.simulated_ps)};
    TextFile summary(parts.folder / "summary.json");
    summary.write(make_summary(facts, parts.work, parts.naps, record).dump(2) + "\n");
    summary.close();
}

}  // namespace weir::waveforms
