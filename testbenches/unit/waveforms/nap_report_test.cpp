// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: do the nap figures follow from the nap events, and do the files survive a round trip?
#include "firmware/kernel/counters.h"
#include "firmware/kernel/nap.h"
#include "testbenches/unit/waveforms/schema_check.h"
#include "waveforms/ftrace_writer.h"
#include "waveforms/nap_analysis.h"
#include "waveforms/phase_collector.h"
#include "waveforms/reports.h"
#include "waveforms/run_outputs.h"
#include "waveforms/summary.h"
#include "waveforms/vmstat_writer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>

namespace weir::waveforms {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kTimerWaker = static_cast<uint64_t>(kernel::Waker::Timer);
constexpr uint64_t kRetrySite = static_cast<uint64_t>(kernel::NapSite::AllocatorRetry);

fs::path fresh_folder() {
    std::string pattern = (fs::temp_directory_path() / "weir-naps-XXXXXX").string();
    return ::mkdtemp(pattern.data());
}

std::string slurp(const fs::path& file) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

probe::EventRecord event(uint64_t time_ps, hal::Event kind, std::initializer_list<uint64_t> args) {
    probe::EventRecord record{time_ps, kind, 1, 7, {}};
    std::copy(args.begin(), args.end(), record.args);
    return record;
}

constexpr uint64_t kIozoneLo = 0x2d656e6f7a6f69;  // "iozone-"

void feed_nap(NapCollector& collector, uint64_t begin_ns, uint64_t end_ns, uint64_t true_ns) {
    collector.on_event(
        event(begin_ns * 1000, hal::Event::NapBegin, {kRetrySite, 7, 20'000, 0, 0, 500}));
    collector.on_event(event(begin_ns * 1000, hal::Event::NapBegin2, {kRetrySite, 7, 120, 32}));
    collector.on_event(
        event(end_ns * 1000, hal::Event::NapEnd,
              {kRetrySite, 7, begin_ns, kTimerWaker, true_ns, (end_ns - begin_ns) / 1000}));
}

TEST(NapRow, CountsAsWastedWhatWasSleptAfterTheWishCameTrue) {
    NapRow nap;
    nap.begin_ns = 1000;
    nap.end_ns = 5000;
    nap.true_ns = 0;
    EXPECT_EQ(nap.wasted_ns(), 0u) << "it never came true";
    nap.true_ns = 500;
    EXPECT_EQ(nap.wasted_ns(), 4000u) << "true before it began: all of it";
    nap.true_ns = 4999;
    EXPECT_EQ(nap.wasted_ns(), 1u);
    nap.true_ns = 5000;
    EXPECT_EQ(nap.wasted_ns(), 0u);
}

TEST(NapCollector, JoinsTheEventsOfASleepAndKnowsTheTask) {
    NapCollector collector;
    collector.on_event(
        event(0, hal::Event::TaskCreated, {7, kIozoneLo | (uint64_t{'3'} << 56), 0, 0}));
    feed_nap(collector, 10'000, 20'010'000, 15'000);
    collector.on_event(event(30'000'000, hal::Event::NapBegin, {kRetrySite, 7, 20'000, 0, 1, 500}));
    ASSERT_EQ(collector.naps().size(), 1u);
    const NapRow& nap = collector.naps()[0];
    EXPECT_EQ(nap.site, "allocator_retry");
    EXPECT_EQ(nap.task, "iozone-3");
    EXPECT_EQ(nap.klass, "async");
    EXPECT_EQ(nap.waker, "timer");
    EXPECT_EQ(nap.pcp_frames, 120u);
    EXPECT_EQ(nap.reclaimed_before, 32u);
    EXPECT_EQ(nap.slept_ns(), 20'000'000u);
    EXPECT_EQ(nap.wasted_ns(), 19'995'000u);
    EXPECT_EQ(collector.open_count(), 1u);
}

TEST(Percentile, IsTheNearestRank) {
    const std::vector<uint64_t> sorted{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    EXPECT_EQ(percentile(sorted, 50), 5u);
    EXPECT_EQ(percentile(sorted, 95), 10u);
    EXPECT_EQ(percentile(sorted, 90), 9u);
    EXPECT_EQ(percentile({42}, 1), 42u);
}

TEST(NapsCsv, SurvivesARoundTripAndRefusesACutFile) {
    const fs::path folder = fresh_folder();
    NapCollector collector;
    for (uint64_t i = 0; i < 5; ++i)
        feed_nap(collector, i * 100'000'000, i * 100'000'000 + 20'000'000, 0);
    write_naps_csv(folder / "naps.csv", collector.naps());
    const auto naps = read_naps_csv(folder / "naps.csv");
    ASSERT_EQ(naps.size(), 5u);
    EXPECT_EQ(naps[4].begin_ns, 400'000'000u);
    EXPECT_EQ(analyse(naps).at("allocator_retry").total_ns, 100'000'000u);

    fs::resize_file(folder / "naps.csv", fs::file_size(folder / "naps.csv") - 9);
    try {
        read_naps_csv(folder / "naps.csv");
        FAIL() << "a cut file was read";
    } catch (const ReportError& error) {
        EXPECT_NE(std::string(error.what()).find("naps.csv:6: the file is cut off"),
                  std::string::npos)
            << error.what();
    }
    fs::remove_all(folder);
}

TEST(Stalls, PrintsSitesSharesAndAHistogramForEveryRunOfAFolder) {
    const fs::path folder = fresh_folder();
    fs::create_directories(folder / "2.6.32-threads4");
    NapCollector collector;
    feed_nap(collector, 0, 20'000'000, 5'000'000);
    feed_nap(collector, 100'000'000, 110'000'000, 0);
    write_naps_csv(folder / "2.6.32-threads4" / "naps.csv", collector.naps());
    const std::string report = stalls_report(folder);
    EXPECT_NE(report.find("2.6.32-threads4"), std::string::npos);
    EXPECT_TRUE(std::regex_search(
        report, std::regex("allocator_retry +2 +30\\.0 +10\\.00 +20\\.00 +20\\.00 +50\\.0 %")))
        << report;
    EXPECT_NE(report.find("timer 100.0 %"), std::string::npos);
    EXPECT_TRUE(std::regex_search(report, std::regex("16384 -> 32767 +: 1 "))) << report;
    EXPECT_THROW(stalls_report(folder / "no-such"), ReportError);
    fs::remove_all(folder);
}

TEST(Ftrace, LinesHaveTheShapeThatLinuxScriptsParse) {
    const fs::path folder = fresh_folder();
    FtraceWriter writer(folder / "ftrace.txt", {});
    writer.on_event(
        event(0, hal::Event::TaskCreated, {7, kIozoneLo | (uint64_t{'3'} << 56), 0, 0}));
    writer.on_event(event(1'234'567'000'000, hal::Event::DirectReclaimBegin, {0, 1, 0}));
    writer.on_event(event(1'234'667'000'000, hal::Event::DirectReclaimEnd, {32}));
    writer.on_event(
        event(1'234'767'000'000, hal::Event::BlockRqIssue, {2, 0, 524288, 1000, 1024, 7}));
    writer.on_end(0);
    std::istringstream in(slurp(folder / "ftrace.txt"));
    const std::regex shape(
        R"(^\s*([a-zA-Z0-9-]+)-(\d+)\s+\[(\d{3})\]\s+(\d+\.\d{6}):\s+(\w+):\s*(.*)$)");
    std::vector<std::smatch> lines;
    std::vector<std::string> kept;
    for (std::string line; std::getline(in, line);)
        if (line[0] != '#') kept.push_back(line);
    ASSERT_EQ(kept.size(), 4u);
    std::smatch match;
    for (const auto& line : kept) ASSERT_TRUE(std::regex_match(line, match, shape)) << line;
    EXPECT_NE(kept[1].find("iozone-3-7"), std::string::npos);
    EXPECT_NE(kept[1].find("1.234567: mm_vmscan_direct_reclaim_begin: order=0 may_writepage=1"),
              std::string::npos)
        << kept[1];
    EXPECT_NE(kept[2].find("nr_reclaimed=32"), std::string::npos);
    EXPECT_NE(kept[3].find("block_rq_issue: 8,32 R 524288 () 1000 + 1024 [iozone-3]"),
              std::string::npos)
        << kept[3];
    fs::remove_all(folder);
}

TEST(Vmstat, WritesSixteenColumnsWithRatesPerSecond) {
    const fs::path folder = fresh_folder();
    VmstatWriter writer(folder / "vmstat.txt");
    std::vector<uint64_t> counters(kernel::kVmCounterCount, 0);
    const auto set = [&](kernel::VmCounter counter, uint64_t value) {
        counters[static_cast<uint32_t>(counter)] = value;
    };
    set(kernel::VmCounter::NrFreePages, 100);
    set(kernel::VmCounter::PgPgIn, 5000);
    set(kernel::VmCounter::UserNs, 250);
    set(kernel::VmCounter::IdleNs, 750);
    writer.sample(2'000'000'000'000, counters);
    writer.close();
    std::istringstream in(slurp(folder / "vmstat.txt"));
    std::string line;
    std::getline(in, line);
    std::getline(in, line);
    std::getline(in, line);
    std::istringstream columns(line);
    std::vector<uint64_t> values;
    for (uint64_t value; columns >> value;) values.push_back(value);
    ASSERT_EQ(values.size(), 16u) << line;
    EXPECT_EQ(values[4], 400u);
    EXPECT_EQ(values[9], 2500u) << "bi: 5000 kB in two seconds";
    EXPECT_EQ(values[13], 25u);
    EXPECT_EQ(values[15], 75u);
    fs::remove_all(folder);
}

TEST(Throughput, OfChildrenIsTheSumOfTheirOwnRates) {
    const std::vector<TaskPhase> phase{{1, 1024 * 1000, 0, 1'000'000'000'000, 1'000'000'000},
                                       {2, 1024 * 1000, 0, 2'000'000'000'000, 2'000'000'000}};
    EXPECT_DOUBLE_EQ(children_kbytes_per_s(phase), 1500.0);
    EXPECT_DOUBLE_EQ(parent_kbytes_per_s(phase), 1000.0);
}

TEST(Summary, HasEverySiteAndOnlyHostFiguresDifferBetweenEqualRuns) {
    RunFacts facts;
    facts.scenario = "smoke";
    facts.policy = "2.6.32";
    facts.simulated_ps = 2'000'000'000'000;
    facts.counters.assign(kernel::kVmCounterCount, 3);
    facts.devices.push_back({});
    facts.host_s = 1;
    auto first = make_summary(facts, {}, {}, {});
    facts.host_s = 2;
    auto second = make_summary(facts, {}, {}, {});
    EXPECT_NE(first, second);
    for (auto* summary : {&first, &second}) {
        summary->erase("host_s");
        summary->erase("host_peak_rss_bytes");
    }
    EXPECT_EQ(first.dump(), second.dump());
    for (const char* site : kernel::kNapSiteNames)
        EXPECT_TRUE(first["naps"].contains(site)) << site;
    EXPECT_EQ(first["vmstat"].size(), kernel::kVmCounterCount);
}

TEST(Summary, FollowsItsSchemaAndTheSchemaNoticesWhatIsMissing) {
    std::ifstream in(WEIR_SOURCE_DIR "/docs/summary.schema.json");
    const auto schema = nlohmann::json::parse(in);
    RunFacts facts;
    facts.ending = "powered_off";
    facts.counters.assign(kernel::kVmCounterCount, 3);
    facts.devices.push_back({});
    NapCollector naps;
    feed_nap(naps, 0, 20'000'000, 0);
    nlohmann::json summary = nlohmann::json::parse(make_summary(facts, {}, naps, {}).dump());
    std::vector<std::string> violations;
    test::check_schema(summary, schema, "summary", violations);
    EXPECT_TRUE(violations.empty()) << violations.front();
    summary["naps"]["allocator_retry"].erase("wasted_us");
    summary["seed"] = "one";
    test::check_schema(summary, schema, "summary", violations);
    EXPECT_EQ(violations.size(), 2u);
}

TEST(Summary, CountsEveryWakerOfEverySiteAlsoAtZero) {
    const auto summary = make_summary({}, {}, {}, {});
    for (const char* site : kernel::kNapSiteNames)
        for (const char* waker : kernel::kWakerNames)
            EXPECT_EQ(summary["naps"][site]["woken_by"][waker], 0) << site << " " << waker;
}

TEST(Summary, OfTheExampleFollowsTheSchemaAndHasOneOfEverything) {
    std::ifstream in(WEIR_SOURCE_DIR "/docs/summary.schema.json");
    const auto schema = nlohmann::json::parse(in);
    auto example = nlohmann::json::parse(example_summary().dump());
    example["ending"]["kind"] = "powered_off";
    std::vector<std::string> violations;
    test::check_schema(example, schema, "summary", violations);
    EXPECT_TRUE(violations.empty()) << violations.front();
    for (const char* phase : {"write", "rewrite", "read", "reread"})
        EXPECT_TRUE(example["metrics"]["phases"].contains(phase)) << phase;
    EXPECT_TRUE(example["metrics"]["tasks"].contains(kExampleTask));
    for (const char* site : kernel::kNapSiteNames) EXPECT_EQ(example["naps"][site]["count"], 1);
    EXPECT_EQ(example["devices"][0]["name"], kExampleDisk);
    EXPECT_EQ(example["devices"][1]["name"], kExampleSwap);
    EXPECT_EQ(example["vmstat"].size(), kernel::kVmCounterCount);
}

TEST(Compare, ShowsAMissingFigureAsMissingAndNotAsZero) {
    const fs::path folder = fresh_folder();
    for (const char* name : {"a", "b"}) fs::create_directories(folder / name);
    std::ofstream(folder / "a" / "summary.json")
        << R"({"metrics": {"faults": 0, "throughput_kBps": 100}})";
    std::ofstream(folder / "b" / "summary.json") << R"({"metrics": {"pages_in": 7}})";
    const std::string report = compare_report(folder / "a", folder / "b");
    EXPECT_TRUE(std::regex_search(report, std::regex("metrics\\.throughput_kBps +100 +- +-\n")))
        << report;
    EXPECT_TRUE(std::regex_search(report, std::regex("metrics\\.faults +0 +- +-\n"))) << report;
    EXPECT_TRUE(std::regex_search(report, std::regex("metrics\\.pages_in +- +7 +-\n"))) << report;
    EXPECT_NE(report.find("3 figures are missing in one of them (-)."), std::string::npos);
    for (const char* text : {"{}", "[]", "null", "3", "{\"runs\": []}"}) {
        std::ofstream(folder / "b" / "summary.json") << text;
        EXPECT_THROW(compare_report(folder / "a", folder / "b"), ReportError) << text;
    }
    fs::remove_all(folder);
}

/// What RunOutputs warns of after a run of one second.
nlohmann::json warnings_of(const OutputOptions& options) {
    const fs::path folder = fresh_folder();
    probe::Recorder recorder;
    RunOutputs outputs(folder, options, recorder);
    recorder.define_signal({"machine.disk0.busy", "bool", 1, {}});
    recorder.finish(1'000'000'000'000);
    RunFacts facts;
    facts.simulated_ps = 1'000'000'000'000;
    outputs.finish(facts);
    const auto summary = nlohmann::json::parse(slurp(folder / "summary.json"));
    fs::remove_all(folder);
    return summary["record"]["warnings"];
}

TEST(RunOutputs, WarnOfARunThatEndsBeforeItsWindowBegins) {
    OutputOptions options;
    options.window_begin_ps = 2'000'000'000'000;
    ASSERT_EQ(warnings_of(options).size(), 1u);
    EXPECT_EQ(warnings_of(options)[0],
              "the run ended at 1.000000 s, before its record window begins "
              "(record.window_begin_ms = 2000): trace.fst and ftrace.txt are empty");
    options.ftrace = false;
    options.wave = WaveFormat::Vcd;
    EXPECT_NE(warnings_of(options)[0].get<std::string>().find(": trace.vcd is empty"),
              std::string::npos);
    options.wave = WaveFormat::None;
    EXPECT_TRUE(warnings_of(options).empty()) << "nothing was to be recorded";
    options = {};
    options.window_begin_ps = 1'000'000'000'000;
    EXPECT_TRUE(warnings_of(options).empty()) << "it ended at the begin";
}

TEST(RunOutputs, WarnOfAWavePathThatNoSignalHas) {
    OutputOptions options;
    options.wave_paths = {"machine.disk", "kernl."};
    ASSERT_EQ(warnings_of(options).size(), 1u);
    EXPECT_EQ(warnings_of(options)[0],
              "record.wave_paths: no signal begins with \"kernl.\": trace.fst has none of it");
}

TEST(Compare, OfAScenariosFolderNamesTheRunsInIt) {
    const fs::path folder = fresh_folder();
    fs::create_directories(folder / "2.6.32");
    std::ofstream(folder / "2.6.32" / "summary.json") << R"({"metrics": {}})";
    try {
        compare_report(folder, folder / "2.6.32");
        ADD_FAILURE() << "a scenario's folder was compared";
    } catch (const ReportError& error) {
        EXPECT_NE(std::string(error.what()).find("; runs there: " + (folder / "2.6.32").string()),
                  std::string::npos)
            << error.what();
    }
    fs::remove_all(folder);
}

TEST(Reports, NameTheFileIfAFolderStandsInItsPlace) {
    const fs::path folder = fresh_folder();
    for (const char* name : {"naps.csv", "summary.json"}) fs::create_directories(folder / name);
    const auto error_of = [](const std::function<void()>& report) -> std::string {
        try {
            report();
            return "";
        } catch (const ReportError& error) {
            return error.what();
        }
    };
    EXPECT_TRUE(error_of([&] {
                    stalls_report(folder);
                }).starts_with((folder / "naps.csv").string() + ": no such file"));
    EXPECT_TRUE(error_of([&] {
                    compare_report(folder, folder);
                }).starts_with((folder / "summary.json").string() + ": no such file"));
    EXPECT_TRUE(error_of([&] { stalls_report(""); }).starts_with("\"\": no such folder"));
    fs::remove_all(folder);
}

TEST(Compare, ListsWhatDiffersAndRefusesAFolderWithoutASummary) {
    const fs::path folder = fresh_folder();
    for (const char* name : {"a", "b"}) {
        fs::create_directories(folder / name);
        std::ofstream(folder / name / "summary.json")
            << R"({"same": 1, "metrics": {"throughput_kBps": )" << (name[0] == 'a' ? 100 : 150)
            << "}}";
    }
    const std::string report = compare_report(folder / "a", folder / "b");
    EXPECT_TRUE(
        std::regex_search(report, std::regex("metrics\\.throughput_kBps +100 +150 +1\\.500")))
        << report;
    EXPECT_NE(report.find("1 figures are the same"), std::string::npos);
    EXPECT_THROW(compare_report(folder, folder / "b"), ReportError);
    std::ofstream(folder / "a" / "summary.json") << "{\"cut";
    EXPECT_THROW(compare_report(folder / "a", folder / "b"), ReportError);
    fs::remove_all(folder);
}

}  // namespace
}  // namespace weir::waveforms
