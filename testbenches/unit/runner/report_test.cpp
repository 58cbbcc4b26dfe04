// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Metrics, expectations and the table.
#include "testbenches/runner/report/figures.h"
#include "testbenches/runner/report/result_table.h"
#include "testbenches/runner/report/text_table.h"
#include "testbenches/runner/run_command.h"
#include "testbenches/unit/runner/runner_files.h"
#include "waveforms/summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace weir::runner::test {

namespace {

constexpr const char* kSummary = R"({
  "ending": {"kind": "powered_off", "exit_code": 0},
  "metrics": {"throughput_kBps": 2000, "pages_wrong": 0},
  "naps": {"allocator_retry": {"count": 4, "total_us": 80000, "timer_share_pct": 0,
                               "woken_by": {"timer": 3, "watermark": 1}},
           "kswapd_balance": {"count": 0, "total_us": 0, "woken_by": {}}},
  "devices": [{"name": "disk0", "util_pct": 10}, {"name": "disk1", "util_pct": 30}],
  "vmstat": {"cpu_user_ns": 1000000, "cpu_system_ns": 3000000, "pgpgin": 2000, "pgpgout": 0}
})";

RunResult run_of(const std::string& row, uint32_t threads, double throughput) {
    nlohmann::json json;
    json["metrics"]["throughput_kBps"] = throughput;
    RunResult run{row, "threads" + std::to_string(threads), {}, Metrics::parse(json.dump())};
    run.params["workload.threads"] = std::to_string(threads);
    return run;
}

Expectation gain(double min) {
    Expectation expectation;
    expectation.claim = "it gains";
    expectation.metric = "deviation_pct.throughput_kBps";
    expectation.policy = "new";
    expectation.min = min;
    return expectation;
}

std::string expectation_error(const std::string& text) {
    Files files;
    files.small_scenario("s", "[sweep]\nworkload.threads = [1, 2]\n[[expect]]\n" + text);
    return error_of(files, [&] { files.load("s"); });
}

}  // namespace

TEST(Metrics, FindFiguresByPathWithAndWithoutTheirHead) {
    const Metrics metrics = Metrics::parse(kSummary);
    EXPECT_EQ(metrics.number("metrics.throughput_kBps"), 2000);
    EXPECT_EQ(metrics.number("throughput_kBps"), 2000);
    EXPECT_EQ(std::get<std::string>(*metrics.find("ending.kind")), "powered_off");
    EXPECT_EQ(metrics.number("devices.disk1.util_pct"), 30);
    EXPECT_FALSE(metrics.find("metrics.nothing"));
    EXPECT_FALSE(metrics.number("ending.kind"));
}

TEST(Metrics, DeriveSharesMeansAndPrices) {
    const Metrics metrics = Metrics::parse(kSummary);
    EXPECT_EQ(metrics.number("naps.allocator_retry.timer_share_pct"), 75);
    EXPECT_EQ(metrics.number("naps.allocator_retry.watermark_share_pct"), 25);
    EXPECT_EQ(metrics.number("naps.allocator_retry.kswapd_share_pct"), 0);
    EXPECT_EQ(metrics.number("naps.allocator_retry.mean_us"), 20'000);
    EXPECT_EQ(metrics.number("devices.mean.util_pct"), 20);
    EXPECT_EQ(metrics.number("devices.max.util_pct"), 30);
    EXPECT_EQ(metrics.number("devices.sum.util_pct"), 40);
    EXPECT_EQ(metrics.number("cpu_us_per_page"), 8);
}

TEST(Metrics, AShareOfNothingIsNoFigure) {
    EXPECT_FALSE(Metrics::parse(kSummary).find("naps.kswapd_balance.timer_share_pct"));
    EXPECT_FALSE(Metrics::parse(kSummary).find("naps.kswapd_balance.mean_us"));
}

TEST(Metrics, RefuseATruncatedSummary) {
    EXPECT_THROW(Metrics::parse("{\"metrics\": {"), std::runtime_error);
}

TEST(Expectations, PassAtTheBoundAndFailJustBelowIt) {
    const std::vector<RunResult> runs{run_of("old", 4, 1000), run_of("new", 4, 1300)};
    const std::vector<Expectation> expectations{gain(30), gain(30.01)};
    const auto judgements = judge(expectations, runs, "old");
    ASSERT_EQ(judgements.size(), 2u);
    EXPECT_EQ(judgements[0].verdict, Verdict::Pass);
    EXPECT_EQ(judgements[1].verdict, Verdict::Fail);
    EXPECT_EQ(judgements[0].got, "30");
}

TEST(Expectations, SpeakOnlyOfTheirColumn) {
    const std::vector<RunResult> runs{run_of("old", 4, 1000), run_of("old", 8, 1000),
                                      run_of("new", 4, 1000), run_of("new", 8, 1500)};
    Expectation expectation = gain(40);
    expectation.at["workload.threads"] = "8";
    const auto judgements = judge({expectation}, runs, "old");
    ASSERT_EQ(judgements.size(), 1u);
    EXPECT_EQ(judgements[0].variant, "threads8");
    EXPECT_EQ(judgements[0].verdict, Verdict::Pass);
}

TEST(Expectations, OnAMissingFigureFail) {
    Expectation expectation = gain(0);
    expectation.metric = "naps.allocator_retry.timer_share_pct";
    const auto judgements = judge({expectation}, {run_of("new", 4, 1)}, "new");
    ASSERT_EQ(judgements.size(), 1u);
    EXPECT_EQ(judgements[0].verdict, Verdict::Fail);
    EXPECT_EQ(judgements[0].got, "no such figure");
}

TEST(Expectations, OnADeviationFromARowThatWasNotRunAreNotJudged) {
    const auto judgements = judge({gain(10)}, {run_of("new", 4, 1)}, "old");
    ASSERT_EQ(judgements.size(), 1u);
    EXPECT_EQ(judgements[0].verdict, Verdict::NotRun);
}

TEST(Expectations, CompareTextsForEquality) {
    RunResult run{"old", "", {}, Metrics::parse(kSummary)};
    Expectation expectation;
    expectation.metric = "ending.kind";
    expectation.equals = "powered_off";
    EXPECT_EQ(judge({expectation}, {run}, "old")[0].verdict, Verdict::Pass);
    expectation.equals = "panicked";
    EXPECT_EQ(judge({expectation}, {run}, "old")[0].verdict, Verdict::Fail);
}

TEST(Expectations, WrongOnesAreRefusedWithPlaceAndNearest) {
    EXPECT_EQ(expectation_error("claim = \"c\"\nmetric = \"faults\"\n"),
              "scenarios/s.toml:10: [[expect]]: a bound is needed: min, max or equals");
    EXPECT_EQ(expectation_error("claim = \"c\"\nmetrik = \"m\"\nmin = 1\n"),
              "scenarios/s.toml:12: metrik = \"m\": no such key; did you mean metric?");
    EXPECT_EQ(
        expectation_error("claim = \"c\"\nmetric = \"faults\"\nmin = 1\npolicy = \"2.6.31\"\n"),
        "scenarios/s.toml:14: policy = \"2.6.31\": no such row of this scenario; did you mean "
        "2.6.32?; rows: 2.6.32, 2.6.32-watermark-wait");
    EXPECT_EQ(expectation_error("claim = \"c\"\nmetric = \"faults\"\nmin = 1\n"
                                "at = { workload.thread = 1 }\n"),
              "scenarios/s.toml:14: at.workload.thread = 1: this key is not swept; did you mean "
              "workload.threads?; swept: workload.threads");
    EXPECT_EQ(expectation_error("claim = \"c\"\nmetric = \"faults\"\nmin = \"30\"\n"),
              "scenarios/s.toml:13: min = \"30\": is a text; write a number, without quotes");
    EXPECT_EQ(expectation_error("claim = 5\nmetric = \"faults\"\nmin = 1\n"),
              "scenarios/s.toml:11: claim = 5: is a whole number; write a text, in quotes");
    EXPECT_EQ(expectation_error("claim = \"c\"\nmetric = \"faults\"\nmax = nan\n"),
              "scenarios/s.toml:13: max = nan: write a finite number");
    EXPECT_EQ(expectation_error("claim = \"c\"\nmetric = \"faults\"\nmin = 2\nmax = 1\n"),
              "scenarios/s.toml:10: [[expect]]: min = 2 is above max = 1");
}

TEST(Expectations, OnAColumnThatIsNotSweptAreRefused) {
    EXPECT_EQ(expectation_error("claim = \"c\"\nmetric = \"faults\"\nmin = 1\n"
                                "at = { workload.threads = 3 }\n"),
              "scenarios/s.toml:14: at.workload.threads = 3: no such column; workload.threads is "
              "swept over 1, 2");
    EXPECT_EQ(expectation_error("claim = \"c\"\nmetric = \"faults\"\nmin = 1\n"
                                "at = { workload.threads = 2 }\n"),
              "");
}

TEST(Expectations, OnAFigureThatNoSummaryHasAreRefused) {
    EXPECT_EQ(
        expectation_error("claim = \"c\"\nmetric = \"nap.x\"\nmin = 1\n"),
        "scenarios/s.toml:12: metric = \"nap.x\": no figure is named nap; did you mean naps?");
    EXPECT_EQ(expectation_error("claim = \"c\"\nmetric = \"metrics.page_wrong\"\nmin = 1\n"),
              "scenarios/s.toml:12: metric = \"metrics.page_wrong\": no figure is named "
              "page_wrong; did you mean pages_wrong?");
    for (const std::string metric :
         {"faults", "metrics.faults", "deviation_pct.throughput_kBps", "vmstat.pswpout"}) {
        EXPECT_EQ(expectation_error("claim = \"c\"\nmetric = \"" + metric + "\"\nmin = 1\n"), "");
    }
}

TEST(Expectations, OnACounterOrSiteOrDeviceFigureThatDoesNotExistAreRefused) {
    const auto problem = [](const std::string& metric) {
        const std::string error =
            expectation_error("claim = \"c\"\nmetric = \"" + metric + "\"\nmin = 1\n");
        const std::string head = "scenarios/s.toml:12: metric = \"" + metric + "\": ";
        return error.starts_with(head) ? error.substr(head.size()) : error;
    };
    EXPECT_EQ(problem("vmstat.pswpot"), "no figure is named pswpot; did you mean pswpout?");
    EXPECT_EQ(problem("naps.alocator_retry.count"),
              "no figure is named alocator_retry; did you mean allocator_retry?");
    EXPECT_EQ(problem("naps.allocator_retry.tiemr_share_pct"),
              "no figure is named tiemr_share_pct; did you mean timer_share_pct?");
    EXPECT_EQ(problem("devices.disc0.util_pct"), "no figure is named disc0; did you mean disk0?");
    EXPECT_EQ(problem("devices.max.utl_pct"), "no figure is named utl_pct; did you mean util_pct?");
    EXPECT_EQ(problem("phases.red.throughput_kBps"), "no figure is named red; did you mean read?");
    EXPECT_EQ(problem("pgpgin"), "no figure is named pgpgin; did you mean vmstat.pgpgin?");
    EXPECT_EQ(problem("faults.minor"), "no figure is named minor");
    EXPECT_EQ(problem("naps.allocator_retry.woken_by"),
              "is a group of figures; one of it is "
              "naps.allocator_retry.woken_by.async_completion");
    EXPECT_EQ(problem("deviation_pct.ending.kind"), "is a text: it has no deviation");
    EXPECT_EQ(problem("ending.kind"),
              "scenarios/s.toml:10: [[expect]]: ending.kind is a text: compare it with equals");
    for (const std::string metric :
         {"devices.disk17.util_pct", "devices.swap.reads", "tasks.iozone-3-7.real_s",
          "metrics.tasks.kswapd-2.iowait_s", "naps.direct_reclaim.woken_by.async_completion",
          "metrics.cpu_us_per_page", "record.wave_truncated_at_s"}) {
        EXPECT_EQ(problem(metric), "");
    }
}

// The list is made of the example that waveforms writes: whatever it holds can be looked up.
TEST(Figures, EachThatIsOfferedIsFoundInASummary) {
    const Metrics example = Metrics::parse(waveforms::example_summary().dump());
    const auto paths = figure_paths();
    EXPECT_GT(paths.size(), 200u);
    for (const std::string& path : paths) {
        EXPECT_TRUE(example.find(path)) << path;
        EXPECT_EQ(figure_problem(path), "") << path;
    }
    for (const char* path : {"metrics.killed_tasks", "vmstat.lost_writes", "host_s",
                             "naps.kswapd_balance.mean_us", "devices.sum.errors"}) {
        EXPECT_TRUE(std::find(paths.begin(), paths.end(), path) != paths.end()) << path;
    }
}

TEST(Endings, OfADeadMachineOrLostDataAreTroubleUnlessExpected) {
    const auto ending = [](const std::string& json, const std::vector<Expectation>& expectations) {
        return unexpected_ending({"old", "", {}, Metrics::parse(json)}, expectations);
    };
    const std::string panicked =
        R"({"ending": {"kind": "panicked", "exit_code": 0, "message": "no frame"}})";
    const std::string lossy = R"({"ending": {"kind": "powered_off", "exit_code": 0},
                                  "metrics": {"lost_writes": 2}})";
    EXPECT_EQ(ending(kSummary, {}), "");
    EXPECT_EQ(ending(panicked, {}), "the machine ended with panicked: no frame");
    EXPECT_EQ(
        ending(R"({"ending": {"kind": "powered_off", "exit_code": 3, "message": "why"}})", {}),
        "the machine ended with exit code 3: why");
    EXPECT_EQ(ending(lossy, {}), "data was lost: lost_writes = 2");
    Expectation death;
    death.metric = "ending.kind";
    Expectation loss;
    loss.metric = "metrics.lost_writes";
    EXPECT_EQ(ending(panicked, {death}), "");
    EXPECT_EQ(ending(lossy, {loss}), "");
    EXPECT_NE(ending(lossy, {death}), "");
}

TEST(TextTable, AlignsItsColumns) {
    TextTable table({"name", "n"});
    table.add({"a", "1"});
    table.add({"long name", "100"});
    EXPECT_EQ(table.plain(), "name         n\na            1\nlong name  100\n");
    EXPECT_EQ(table.markdown(), "| name | n |\n|---|---:|\n| a | 1 |\n| long name | 100 |\n");
}

TEST(ResultTable, HasTheFormOfTheMail) {
    ResultTable table;
    table.base_row = "2.6.32";
    table.runs = {run_of("2.6.32", 4, 1000), run_of("2.6.32", 16, 2000),
                  run_of("2.6.32-watermark-wait", 4, 1400),
                  run_of("2.6.32-watermark-wait", 16, 1780)};
    table.endings.resize(4);
    EXPECT_TRUE(
        table.plain().starts_with("percentage                       4thr    16thr\n"
                                  "2.6.32                          0.00%    0.00%\n"
                                  "2.6.32-watermark-wait          40.00%  -11.00%\n"))
        << table.plain();
    const auto json = nlohmann::json::parse(table.json());
    EXPECT_EQ(json["runs"][2]["deviation_pct"], 40.0);
    EXPECT_EQ(json["runs"][0]["throughput_kBps"], 1000);
}

TEST(ResultTable, ShowsTheWarningsOfARun) {
    ResultTable table;
    table.base_row = "old";
    table.runs = {run_of("old", 4, 1000)};
    table.endings = {{"old-threads4", "", {"trace.fst is empty"}}};
    EXPECT_NE(table.plain().find("old-threads4: warning: trace.fst is empty\n"), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(table.json())["runs"][0]["warnings"][0], "trace.fst is empty");
}

TEST(ResultTable, ShowsARunThatDied) {
    ResultTable table;
    table.base_row = "old";
    table.runs = {run_of("old", 4, 1000), run_of("new", 4, 0)};
    table.runs[1].metrics = Metrics();
    table.endings = {{"old-threads4", ""}, {"new-threads4", "crashed"}};
    EXPECT_NE(table.plain().find("died"), std::string::npos);
    EXPECT_NE(table.plain().find("new-threads4: crashed\n"), std::string::npos);
}

}  // namespace weir::runner::test
