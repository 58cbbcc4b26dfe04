// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/dram/dram_run.h"

#include "sc_models/common/check.h"
#include "sc_models/common/units.h"
#include "sc_models/dram/controller.h"
#include "testbenches/runner/child_pool.h"
#include "testbenches/runner/config/document.h"
#include "testbenches/runner/dram/dram_wave.h"
#include "testbenches/runner/dram/stall_watch.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>

namespace weir::runner {
namespace {

/// Far longer than any memory makes wait: nine tREFI of SDR are 141 us.
constexpr uint64_t kPatiencePs = 10 * kPsPerMs;
/// How often somebody looks: short enough for Ctrl-C, long enough to cost nothing.
constexpr uint64_t kSlicePs = kPsPerMs;
constexpr size_t kViolationsShown = 5;

double process_cpu_s() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct Bench {
    explicit Bench(const DramRun& run) : controller("dram", run.config) {
        TrafficSettings settings;
        settings.burst_bytes = run.config.spec.organization.access_bytes();
        settings.tck_ps = run.config.spec.tck_ps;
        settings.in_flight_max =
            std::max(1u, run.config.scheduler.read_queue_entries / run.initiators);
        settings.cargo = run.cargo;
        settings.listener = run.wave;
        for (uint32_t i = 0; i < run.initiators; ++i) {
            const std::string name = fmt::format("initiator{}", i);
            if (run.mode == TrafficMode::ApproximatelyTimed) {
                at.push_back(
                    std::make_unique<AtTraffic>(name.c_str(), *run.sources.at(i), settings));
                at.back()->socket.bind(controller.socket);
            } else {
                lt.push_back(
                    std::make_unique<LtTraffic>(name.c_str(), *run.sources.at(i), settings));
                lt.back()->socket.bind(controller.socket);
            }
        }
        for (dram::CommandObserver* observer : run.observers) controller.add_observer(*observer);
        if (run.wave) {
            controller.add_observer(*run.wave);
            run.wave->watch(controller.stats());
        }
    }

    /// Of all initiators together.
    TrafficProgress progress() const {
        TrafficProgress sum;
        const auto add = [&](const TrafficProgress& one) {
            sum.offered += one.offered;
            sum.answered += one.answered;
            sum.last_arrival_ps = std::max(sum.last_arrival_ps, one.last_arrival_ps);
            sum.last_response_ps = std::max(sum.last_response_ps, one.last_response_ps);
            if (one.failure && !sum.failure) sum.failure = one.failure;
        };
        for (const auto& traffic : at) add(traffic->progress());
        for (const auto& traffic : lt) add(traffic->progress());
        return sum;
    }

    dram::Controller controller;
    std::vector<std::unique_ptr<AtTraffic>> at;
    std::vector<std::unique_ptr<LtTraffic>> lt;
};

[[noreturn]] void stuck(const Bench& bench, const TrafficProgress& progress, const char* how) {
    throw DramStuck(fmt::format("{}: {} of {} requests are not answered; {}; the oldest: {}",
                                time_text(simulator_now_ps()), progress.offered - progress.answered,
                                progress.offered, how, bench.controller.describe_oldest()));
}

void advance_one_slice(const Bench& bench) {
    try {
        // Up to the next event at least: a slice without one would not move time.
        sc_core::sc_time slice = from_ps(kSlicePs);
        if (sc_core::sc_pending_activity())
            slice = std::max(slice, sc_core::sc_time_to_pending_activity());
        sc_core::sc_start(slice, sc_core::SC_EXIT_ON_STARVATION);
    } catch (const sc_core::sc_report& report) {
        if (const auto failure = take_failure()) throw DramStuck(*failure);
        throw DramStuck(report.get_msg());
    }
    const TrafficProgress progress = bench.progress();
    if (progress.failure) std::rethrow_exception(progress.failure);
    if (const auto failure = take_failure()) throw DramStuck(*failure);
}

/// Runs until every request is answered. False if interrupted.
bool run_to_the_end(const Bench& bench) {
    const InterruptGuard guard;
    StallWatch watch(kPatiencePs);
    for (;;) {
        advance_one_slice(bench);
        if (InterruptGuard::interrupted()) return false;
        const TrafficProgress progress = bench.progress();
        const bool more_to_come = sc_core::sc_pending_activity();
        const bool open = progress.answered != progress.offered;
        if (!more_to_come && open) stuck(bench, progress, "nothing will ever happen");
        if (!more_to_come) return true;
        if (watch.stalled({simulator_now_ps(), progress.offered, progress.answered,
                           progress.last_arrival_ps, progress.last_response_ps}))
            stuck(bench, progress, "nothing has happened for 10 ms");
    }
}

CheckerSummary summary_of(const dram::Checker& checker) {
    CheckerSummary summary;
    summary.commands = checker.command_count();
    summary.violations = checker.violation_count();
    summary.coverage = checker.coverage();
    for (const dram::Violation& violation : checker.violations()) {
        if (summary.first_violations.size() == kViolationsShown) break;
        summary.first_violations.push_back(violation.text);
    }
    return summary;
}

}  // namespace

DramOutcome run_dram_bench(const DramRun& run) {
    // A failed check is an exception of ours; the simulator's own report of it adds nothing.
    sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
    Bench bench(run);
    DramOutcome outcome;
    const double begin_s = process_cpu_s();
    outcome.interrupted = !run_to_the_end(bench);
    outcome.result.cpu_s = process_cpu_s() - begin_s;
    bench.controller.finish();
    outcome.result.config = run.config;
    outcome.result.mode = run.mode == TrafficMode::ApproximatelyTimed ? "at" : "lt";
    outcome.result.stats = bench.controller.stats();
    for (uint32_t i = 0; i < run.initiators; ++i) {
        outcome.result.initiators.push_back({bench.controller.initiator_stats(i, false),
                                             bench.controller.initiator_stats(i, true)});
    }
    if (const dram::Checker* checker = bench.controller.checker())
        outcome.result.checker = summary_of(*checker);
    outcome.end_ps = std::max(simulator_now_ps(), bench.progress().last_response_ps);
    return outcome;
}

}  // namespace weir::runner
