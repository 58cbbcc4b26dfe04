// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The whole of `weir run` with a stand-in for the simulator: exit codes, folders, crashes.
#include "testbenches/runner/run_command.h"

#include "testbenches/runner/child_pool.h"
#include "testbenches/runner/list_command.h"
#include "testbenches/runner/output_folder.h"
#include "testbenches/unit/runner/runner_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace weir::runner::test {

namespace {

namespace fs = std::filesystem;

constexpr const char* kGain =
    "[[expect]]\nclaim = \"gains\"\nmetric = \"deviation_pct.throughput_kBps\"\n"
    "policy = \"2.6.32-watermark-wait\"\nmin = ";

RunRequest request_of(const Files& files, uint64_t seed = 1) {
    RunRequest request;
    request.scenario = "s";
    request.overrides.seed = seed;
    request.jobs = 2;
    request.out = files.root / "out";
    request.progress = ProgressStyle::Quiet;
    request.program = WEIR_FAKE_SIMULATOR;
    return request;
}

/// What lies beside the machine and scenario folders.
std::vector<std::string> left_behind(const Files& files) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(files.root)) {
        const std::string name = entry.path().filename();
        if (name != "machines" && name != "scenarios") {
            names.push_back(name);
        }
    }
    return names;
}

}  // namespace

TEST(RunCommand, WritesAFolderPerRunAndTheTable) {
    Files files;
    files.small_scenario("s", std::string("[sweep]\nworkload.threads = [1, 2]\n") + kGain + "50\n");
    const RunReport report = run_scenario(request_of(files), files.library);
    EXPECT_EQ(report.exit_code, kExitAsExpected);
    EXPECT_EQ(report.table.runs.size(), 4u);
    EXPECT_EQ(left_behind(files), std::vector<std::string>{"out"});
    for (const char* name :
         {"table.md", "table.json", "2.6.32-threads1/summary.json", "2.6.32-threads1/config.txt",
          "2.6.32-watermark-wait-threads2/spec.json", "2.6.32-threads2/log.txt"}) {
        EXPECT_TRUE(fs::exists(files.root / "out" / name)) << name;
    }
}

TEST(RunCommand, ReturnsOneIfAnExpectationFails) {
    Files files;
    files.small_scenario("s", std::string(kGain) + "50.1\n");
    EXPECT_EQ(run_scenario(request_of(files), files.library).exit_code, kExitExpectationFailed);
}

TEST(RunCommand, ReturnsThreeWithTheLogIfTheSimulatorCrashes) {
    Files files;
    files.small_scenario("s", "");
    const RunReport report = run_scenario(request_of(files, 13), files.library);
    EXPECT_EQ(report.exit_code, kExitMachineDied);
    EXPECT_THAT(report.table.endings[0].trouble, testing::HasSubstr("about to crash"));
    EXPECT_TRUE(fs::exists(files.root / "out" / "2.6.32" / "log.txt"));
}

TEST(RunCommand, ReturnsThreeIfTheMachineDiesOrLosesData) {
    Files files;
    files.small_scenario("s", "");
    EXPECT_EQ(run_scenario(request_of(files, 14), files.library).exit_code, kExitMachineDied);
    EXPECT_EQ(run_scenario(request_of(files, 15), files.library).exit_code, kExitMachineDied);
    EXPECT_EQ(run_scenario(request_of(files, 17), files.library).exit_code, kExitMachineDied);
}

TEST(RunCommand, LeavesNothingIfTheMachineCannotBeBuilt) {
    Files files;
    files.small_scenario("s", "");
    EXPECT_THAT(error_of(files, [&] { run_scenario(request_of(files, 16), files.library); }),
                testing::HasSubstr("machine.ram_mib: the model refuses it"));
    EXPECT_TRUE(left_behind(files).empty());
}

TEST(RunCommand, LeavesNothingIfTheInputIsWrong) {
    Files files;
    files.small_scenario("s", "[sweep]\nworkload.thread = [1]\n");
    EXPECT_NE(error_of(files, [&] { run_scenario(request_of(files), files.library); }), "");
    EXPECT_TRUE(left_behind(files).empty());
}

TEST(RunCommand, PassesOnTheWarningsOfARunAndIsStillAsExpected) {
    Files files;
    files.small_scenario("s", "");
    const RunReport report = run_scenario(request_of(files, 19), files.library);
    EXPECT_EQ(report.exit_code, kExitAsExpected);
    EXPECT_THAT(report.table.plain(), testing::HasSubstr("2.6.32: warning: trace.fst is empty\n"));
}

TEST(RunCommand, RefusesAnEmptyOutBeforeAnythingIsWritten) {
    Files files;
    files.small_scenario("s", "");
    for (const std::string out : {"", " "}) {
        RunRequest request = request_of(files);
        request.out = out;
        EXPECT_EQ(error_of(files, [&] { run_scenario(request, files.library); }),
                  "--out \"" + out + "\": is empty; name a folder, or leave --out away");
    }
    EXPECT_TRUE(left_behind(files).empty());
}

TEST(RunCommand, RefusesAFileAsOutBeforeAnythingIsWritten) {
    Files files;
    files.small_scenario("s", "");
    std::ofstream(files.root / "out") << "mine";
    EXPECT_EQ(error_of(files, [&] { run_scenario(request_of(files), files.library); }),
              "--out out: is a file; choose another folder with --out");
    EXPECT_EQ(left_behind(files), std::vector<std::string>{"out"});
    EXPECT_EQ(fs::file_size(files.root / "out"), 4u);
}

TEST(RunCommand, LeavesNothingIfItIsInterrupted) {
    Files files;
    files.small_scenario("s", "");
    std::thread interrupter([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        kill(getpid(), SIGINT);
    });
    const RunReport report = run_scenario(request_of(files, 18), files.library);
    interrupter.join();
    EXPECT_EQ(report.exit_code, kExitInterrupted);
    EXPECT_TRUE(left_behind(files).empty());
}

TEST(RunCommand, LeavesNothingIfItsTerminalIsClosed) {
    Files files;
    files.small_scenario("s", "");
    std::thread closer([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        kill(getpid(), SIGHUP);
    });
    const RunReport report = run_scenario(request_of(files, 18), files.library);
    closer.join();
    EXPECT_EQ(report.exit_code, kExitInterrupted);
    EXPECT_TRUE(left_behind(files).empty());
}

TEST(RunCommand, EqualRunsLeaveEqualTables) {
    Files files;
    files.small_scenario("s", "[sweep]\nworkload.threads = [1, 2]\n");
    const auto runs = [&] {
        return nlohmann::json::parse(
            run_scenario(request_of(files), files.library).table.json())["runs"];
    };
    EXPECT_EQ(runs(), runs());
}

TEST(OutputFolder, RefusesAFolderThatCannotBeWritten) {
    Files files;
    std::ofstream(files.root / "file") << "x";
    EXPECT_EQ(error_of(files, [&] { OutputFolder::create(files.root / "file"); }),
              "--out file: is a file; choose another folder with --out");
    EXPECT_THAT(error_of(files, [&] { OutputFolder::create(files.root / "file" / "deep"); }),
                testing::HasSubstr("--out file/deep: cannot be made"));
    EXPECT_THAT(error_of(files, [&] { OutputFolder::create("/proc/weir"); }),
                testing::HasSubstr("--out /proc/weir: cannot be written"));
}

TEST(OutputFolder, RefusesALinkToNothing) {
    Files files;
    fs::create_symlink(files.root / "gone", files.root / "link");
    EXPECT_EQ(error_of(files, [&] { OutputFolder::create(files.root / "link"); }),
              "--out link: is a symbolic link to nothing; choose another folder with --out");
    EXPECT_EQ(left_behind(files), std::vector<std::string>{"link"});
}

TEST(OutputFolder, RefusesToReplaceWhatIsNotAnEarlierResult) {
    Files files;
    fs::create_directories(files.root / "mine");
    std::ofstream(files.root / "mine" / "thesis.txt") << "x";
    EXPECT_THAT(error_of(files, [&] { OutputFolder::create(files.root / "mine"); }),
                testing::HasSubstr("holds no earlier result"));
    EXPECT_TRUE(fs::exists(files.root / "mine" / "thesis.txt"));
}

TEST(OutputFolder, ReplacesAnEarlierResultOnlyAtCommit) {
    Files files;
    fs::create_directories(files.root / "out");
    std::ofstream(files.root / "out" / OutputFolder::kMarker) << "old";
    {
        OutputFolder folder = OutputFolder::create(files.root / "out");
        std::ofstream(folder.path() / OutputFolder::kMarker) << "new";
    }
    std::string text;
    std::ifstream(files.root / "out" / OutputFolder::kMarker) >> text;
    EXPECT_EQ(text, "old");
    OutputFolder folder = OutputFolder::create(files.root / "out/");
    std::ofstream(folder.path() / OutputFolder::kMarker) << "new";
    folder.commit();
    std::ifstream(files.root / "out" / OutputFolder::kMarker) >> text;
    EXPECT_EQ(text, "new");
    EXPECT_EQ(left_behind(files), std::vector<std::string>{"out"});
}

TEST(OutputFolder, ReplacesAResultThatAnotherRunPutThereMeanwhile) {
    Files files;
    OutputFolder folder = OutputFolder::create(files.root / "out");
    std::ofstream(folder.path() / OutputFolder::kMarker) << "mine";
    fs::create_directories(files.root / "out");
    std::ofstream(files.root / "out" / OutputFolder::kMarker) << "theirs";
    folder.commit();
    std::string text;
    std::ifstream(files.root / "out" / OutputFolder::kMarker) >> text;
    EXPECT_EQ(text, "mine");
    EXPECT_EQ(left_behind(files), std::vector<std::string>{"out"});
}

TEST(OutputFolder, DoesNotReplaceWhatIsNoResultAndCameMeanwhile) {
    Files files;
    {
        OutputFolder folder = OutputFolder::create(files.root / "out");
        std::ofstream(folder.path() / OutputFolder::kMarker) << "mine";
        fs::create_directories(files.root / "out");
        std::ofstream(files.root / "out" / "thesis.txt") << "x";
        EXPECT_THAT(error_of(files, [&] { folder.commit(); }),
                    testing::HasSubstr("holds no earlier result"));
    }
    EXPECT_TRUE(fs::exists(files.root / "out" / "thesis.txt"));
    EXPECT_EQ(left_behind(files), std::vector<std::string>{"out"});
}

TEST(OutputFolder, TakesAwayWhatAKilledRunLeftAndNothingOfALivingOne) {
    Files files;
    const pid_t gone = fork();
    if (gone == 0) {
        _exit(0);
    }
    waitpid(gone, nullptr, 0);
    const std::string orphan = ".out.partial-" + std::to_string(gone);
    const std::string living = ".out.partial-" + std::to_string(getppid());
    const std::string other = ".other.partial-" + std::to_string(gone);
    for (const std::string& name : {orphan, living, other}) {
        fs::create_directories(files.root / name / "2.6.32");
    }
    OutputFolder::create(files.root / "out");
    EXPECT_FALSE(fs::exists(files.root / orphan));
    EXPECT_TRUE(fs::exists(files.root / living));
    EXPECT_TRUE(fs::exists(files.root / other));
}

TEST(ChildPool, RunsNoMoreThanAskedForAtOnce) {
    Files files;
    std::vector<ChildJob> jobs(5, {{"/bin/sleep", "0.05"}, files.root / "log"});
    size_t running = 0;
    size_t most = 0;
    ChildHooks hooks;
    hooks.on_start = [&](size_t) { most = std::max(most, ++running); };
    hooks.on_end = [&](size_t, const ChildEnd&) { --running; };
    run_children(jobs, 2, hooks);
    EXPECT_EQ(most, 2u);
    EXPECT_EQ(running, 0u);
}

TEST(ChildPool, TellsExitCodesFromSignals) {
    Files files;
    const std::vector<ChildJob> jobs{{{"/bin/sh", "-c", "exit 7"}, files.root / "a"},
                                     {{"/bin/sh", "-c", "kill -SEGV $$"}, files.root / "b"},
                                     {{"/nonexistent/program"}, files.root / "c"}};
    const PoolOutcome outcome = run_children(jobs, 3, {});
    EXPECT_EQ(outcome.ends[0].exit_code, 7);
    EXPECT_EQ(outcome.ends[1].signal, SIGSEGV);
    EXPECT_EQ(outcome.ends[2].exit_code, 127);
}

TEST(ChildPool, IsInterruptedIfTheLastChildDiesOfTheSameSignal) {
    Files files;
    const std::vector<ChildJob> jobs{
        {{"/bin/sh", "-c", "kill -TERM $PPID; kill -TERM $$"}, files.root / "a"}};
    EXPECT_TRUE(run_children(jobs, 1, {}).interrupted);
    const std::vector<ChildJob> alone{{{"/bin/sh", "-c", "kill -TERM $$"}, files.root / "b"}};
    const PoolOutcome outcome = run_children(alone, 1, {});
    EXPECT_FALSE(outcome.interrupted);
    EXPECT_EQ(outcome.ends[0].signal, SIGTERM);
}

TEST(ChildPool, DeliversWholeLines) {
    Files files;
    const std::vector<ChildJob> jobs{
        {{"/bin/sh", "-c", "printf 'a b\\nc' >&3; sleep 0.05; printf 'd\\n' >&3"},
         files.root / "log"}};
    std::vector<std::string> lines;
    ChildHooks hooks;
    hooks.on_line = [&](size_t, const std::string& line) { lines.push_back(line); };
    run_children(jobs, 1, hooks);
    EXPECT_EQ(lines, (std::vector<std::string>{"a b", "cd"}));
}

TEST(Progress, ShowsSimulatedTimeAmountAndAnEstimate) {
    Progress progress(ProgressStyle::Quiet, {{"a", 100 << 20}, {"b", 100 << 20}});
    progress.start(0);
    progress.update(0, 2'500'000'000'000, 50 << 20);
    const std::string line = progress.line();
    EXPECT_THAT(line, testing::HasSubstr("[0/2] 25 %, about "));
    EXPECT_THAT(line, testing::HasSubstr("a: 2.5 s simulated, 50/100 MiB"));
    EXPECT_EQ(duration_text(59.94), "59.9 s");
    EXPECT_EQ(duration_text(245), "4 min 05 s");
}

TEST(ListCommand, ShowsStoriesAndRefusesAnotherWord) {
    Files files;
    files.scenario("s", "schema = 1\nstory = \"Once upon a time.\"\n");
    EXPECT_THAT(list_text("scenarios", files.library, ListStyle::Plain),
                testing::HasSubstr("Once upon a time."));
    EXPECT_THAT(list_text("policies", files.library, ListStyle::Plain),
                testing::HasSubstr("2.6.32-watermark-wait    three patches"));
    EXPECT_THAT(error_of(files, [&] { list_text("policy", files.library, ListStyle::Plain); }),
                testing::HasSubstr("did you mean policies?"));
}

TEST(ViewCommand, FindsTheWaveOrNamesTheRunsThatHaveOne) {
    Files files;
    const fs::path run = files.root / "out" / "2.6.32";
    fs::create_directories(run);
    EXPECT_THAT(error_of(files, [&] { view_command(run); }),
                testing::HasSubstr("record one with --wave fst"));
    std::ofstream(run / "view.gtkw") << "x";
    std::ofstream(run / "trace.fst") << "x";
    EXPECT_EQ(view_command(run)[1], (run / "trace.fst").string());
    EXPECT_THAT(error_of(files, [&] { view_command(files.root / "out"); }),
                testing::HasSubstr("view one of: out/2.6.32"));
}

}  // namespace weir::runner::test
