// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: is there one record, in order of time, whatever order its parts arrive in?
#include "sc_models/probe/recorder.h"

#include "sc_models/cpu/kernel_trace.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace weir::test {
namespace {

using probe::Recorder;
using probe::SignalId;

struct Listing : probe::Sink {
    std::vector<std::string> lines;
    void on_define(SignalId id, const probe::SignalInfo& info) override {
        lines.push_back("define " + std::to_string(id.value) + " " + info.path);
    }
    void on_signal(uint64_t time_ps, SignalId id, uint64_t value) override {
        lines.push_back(std::to_string(time_ps) + " s" + std::to_string(id.value) + "=" +
                        std::to_string(value));
    }
    void on_event(const probe::EventRecord& record) override {
        lines.push_back(std::to_string(record.time_ps) + " e" + std::to_string(record.args[0]));
    }
    void on_end(uint64_t time_ps) override { lines.push_back("end " + std::to_string(time_ps)); }
};

probe::EventRecord event_at(uint64_t time_ps, uint64_t argument) {
    return {time_ps, hal::Event::SchedWakeup, 0, 1, {argument, 0, 0, 0, 0, 0}};
}
using Lines = std::vector<std::string>;

TEST(Recorder, PutsRunAheadStampsInOrderOfTimeThenArrival) {
    Recorder recorder;
    Listing listing;
    const SignalId a = recorder.define_signal({"a", "", 32, {}});
    recorder.add_sink(listing);
    recorder.event(event_at(900, 1));
    recorder.set(a, 5, 300);
    recorder.event(event_at(300, 2));
    recorder.event(event_at(100, 3));
    recorder.advance(300);
    EXPECT_EQ(listing.lines, (Lines{"define 0 a", "100 e3", "300 s0=5", "300 e2"}));
    recorder.event(event_at(500, 4));
    recorder.finish(1000);
    EXPECT_EQ(listing.lines.back(), "end 1000");
    EXPECT_EQ(listing.lines[4], "500 e4");
    EXPECT_EQ(listing.lines[5], "900 e1");
    EXPECT_EQ(recorder.record_count(), 5u);
}

TEST(Recorder, HoldsBackWhatIsLaterThanAdvance) {
    Recorder recorder;
    Listing listing;
    recorder.add_sink(listing);
    recorder.event(event_at(501, 1));
    recorder.advance(500);
    EXPECT_TRUE(listing.lines.empty());
    recorder.advance(501);
    EXPECT_EQ(listing.lines.size(), 1u);
}

TEST(Recorder, DropsEqualValuesAndKeepsOneSignalsChangesInOrder) {
    Recorder recorder;
    Listing listing;
    const SignalId a = recorder.define_signal({"a", "", 32, {}});
    recorder.add_sink(listing);
    recorder.set(a, 0, 10);
    recorder.set(a, 0, 20);
    recorder.set(a, 7, 90);
    recorder.set(a, 8, 40);  // by a hart that is behind: the level is 8 from 90 on
    recorder.finish(100);
    EXPECT_EQ(listing.lines, (Lines{"define 0 a", "10 s0=0", "90 s0=7", "90 s0=8", "end 100"}));
}

TEST(Recorder, TimesNeverFallEvenIfARecordComesTooLate) {
    Recorder recorder;
    Listing listing;
    recorder.add_sink(listing);
    recorder.event(event_at(500, 1));
    recorder.advance(500);
    recorder.event(event_at(200, 2));
    recorder.advance(600);
    EXPECT_EQ(listing.lines, (Lines{"500 e1", "500 e2"}));
}

TEST(Recorder, TellsLateSinksOfEverySignalAndEndsOnce) {
    Recorder recorder;
    recorder.define_signal({"a", "", 1, {}});
    recorder.define_signal({"b", "", 1, {}});
    Listing listing;
    recorder.add_sink(listing);
    recorder.finish(7);
    recorder.finish(8);
    EXPECT_EQ(listing.lines, (Lines{"define 0 a", "define 1 b", "end 7"}));
}

TEST(Recorder, EqualRunsHaveEqualHashesAndAnyDifferenceShows) {
    const auto hash = [](uint64_t value, bool swapped) {
        Recorder recorder;
        const SignalId a = recorder.define_signal({"a", "", 32, {}});
        if (swapped) recorder.event(event_at(5, 1));
        recorder.set(a, value, 4);
        if (!swapped) recorder.event(event_at(5, 1));
        recorder.finish(9);
        return recorder.hash();
    };
    EXPECT_EQ(hash(3, false), hash(3, false));
    EXPECT_EQ(hash(3, false), hash(3, true));  // arrival order of different times does not matter
    EXPECT_NE(hash(3, false), hash(4, false));
}

// ---- the kernel's gauges ------------------------------------------------------------------------

void create_task(cpu::KernelTrace& trace, uint64_t pid, const char* name) {
    uint64_t words[2] = {};
    std::memcpy(words, name, std::strlen(name));
    const uint64_t args[6] = {pid, words[0], words[1], 0, 0, 0};
    trace.event({0, 0, 0}, hal::Event::TaskCreated, args);
}

TEST(KernelTrace, NamesTaskSignalsByTheTaskAndTellsEqualNamesApart) {
    Recorder recorder;
    Listing listing;
    recorder.add_sink(listing);
    cpu::KernelTrace trace(recorder);
    create_task(trace, 3, "iozone-0");
    create_task(trace, 4, "iozone-0");
    trace.gauge({10, 0, 3}, hal::Gauge::TaskState, 3, 1);
    trace.gauge({10, 0, 4}, hal::Gauge::TaskState, 4, 1);
    trace.gauge({10, 0, 3}, hal::Gauge::TaskNap, 3, 1);
    trace.gauge({10, 1, 9}, hal::Gauge::HartTask, 1, 9);
    EXPECT_EQ(listing.lines,
              (Lines{"define 0 kernel.task.iozone-0.state", "define 1 kernel.task.iozone-0-4.state",
                     "define 2 kernel.naps.iozone-0.site", "define 3 machine.cpu1.task"}));
    EXPECT_EQ(recorder.signal_info(SignalId{0}).names.at(3), "disk_sleep");
    EXPECT_EQ(recorder.signal_info(SignalId{2}).names.at(0), "none");
    EXPECT_EQ(recorder.signal_info(SignalId{2}).names.at(1), "allocator_retry");
}

TEST(KernelTrace, DescribesWhoWaitsForWhatSinceWhen) {
    Recorder recorder;
    cpu::KernelTrace trace(recorder);
    create_task(trace, 5, "memset-0");
    trace.gauge({2'000'000'000, 0, 5}, hal::Gauge::TaskState, 5, 3);
    trace.gauge({2'000'000'000, 0, 5}, hal::Gauge::TaskNap, 5, 4);
    trace.gauge({0, 0, 5}, hal::Gauge::QueueAsync, 0, 103);
    const std::string text = trace.describe(9'000'000'000);
    EXPECT_NE(text.find("memset-0"), std::string::npos) << text;
    EXPECT_NE(text.find("disk_sleep for 7 ms"), std::string::npos) << text;
    EXPECT_NE(text.find("direct_reclaim for 7 ms"), std::string::npos) << text;
    EXPECT_NE(text.find("queue0: 0 sync and 103 async"), std::string::npos) << text;
}

}  // namespace
}  // namespace weir::test
