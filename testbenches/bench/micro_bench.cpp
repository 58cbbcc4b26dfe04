// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Parts of the simulator by themselves, with google-benchmark: `weir bench --micro`.
// - Recorder: cost of one event and of one level change on their way to the sinks.
// - Configuration: reading a scenario through the table of keys.
#include "sc_models/probe/recorder.h"
#include "testbenches/runner/config/key_table.h"
#include "testbenches/runner/spec.h"

#include <benchmark/benchmark.h>

namespace weir::bench {

namespace {

void record_level(benchmark::State& state) {
    probe::Recorder recorder;
    const auto signal = recorder.define_signal({"machine.test.level", "", 32, {}});
    uint64_t time_ps = 0;
    for (auto _ : state) {
        time_ps += 1000;
        recorder.set(signal, time_ps / 1000, time_ps);
        if (time_ps % 64'000 == 0) {
            recorder.advance(time_ps);
        }
    }
    recorder.finish(time_ps);
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(record_level);

void record_event(benchmark::State& state) {
    probe::Recorder recorder;
    uint64_t time_ps = 0;
    for (auto _ : state) {
        time_ps += 1000;
        recorder.event({time_ps, hal::Event::SchedWakeup, 0, 1, {1, 2, 3, 4, 5, 6}});
        if (time_ps % 64'000 == 0) {
            recorder.advance(time_ps);
        }
    }
    recorder.finish(time_ps);
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(record_event);

void read_settings(benchmark::State& state) {
    const std::string text = runner::write_spec({});
    for (auto _ : state) {
        benchmark::DoNotOptimize(runner::read_spec(text));
    }
}
BENCHMARK(read_settings);

}  // namespace

}  // namespace weir::bench

BENCHMARK_MAIN();
