// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// `weir dram` as a user runs it: do the reference streams take the published time, do the files
// say what happened, and is bad usage refused without a trace?
#include "testbenches/unit/dram_command/scratch.h"
#include "testbenches/unit/waveforms/fst_reader.h"
#include "waveforms/gtkw_layout.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/wait.h>

namespace weir::runner {
namespace {

using nlohmann::json;
using testing::HasSubstr;

struct Said {
    int exit_code = -1;
    std::string out;
    std::string err;
};

class DramProgram : public Scratch {
  protected:
    /// Runs in the test's folder.
    Said run(const std::string& arguments) const {
        const auto err = folder_.string() + ".err";
        const std::string line = "cd '" + folder_.string() + "' && '" WEIR_PROGRAM "' dram " +
                                 arguments + " 2>'" + err + "'";
        std::FILE* pipe = popen(line.c_str(), "r");
        Said said;
        char buffer[4096];
        for (size_t got; (got = fread(buffer, 1, sizeof buffer, pipe)) != 0;)
            said.out.append(buffer, got);
        const int status = pclose(pipe);
        said.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        said.err = content_of(err);
        std::filesystem::remove(err);
        return said;
    }
    json figures(const std::string& arguments) const {
        const Said said = run("--json " + arguments);
        EXPECT_EQ(said.exit_code, 0) << said.err;
        EXPECT_EQ(said.err, "");
        return json::parse(said.out);
    }
};

double mean(const json& figures, const char* direction) {
    return figures.at(direction).at("mean").get<double>();
}

TEST_F(DramProgram, TakesThePublishedTimeForRandomReads) {
    const json rand = figures("--pattern rand --requests 100000");
    // 6.76 clocks a read; the floor is 26/4 clocks over the share that refresh leaves.
    EXPECT_NEAR(rand["clocks"].get<double>(), 676'000, 6'760);
    EXPECT_GT(rand["clocks"].get<double>(), 100'000 * 6.5);
    EXPECT_THAT(rand["bound"].get<std::string>(), HasSubstr("tFAW"));
    EXPECT_EQ(rand["requests"], 100'000);
}

TEST_F(DramProgram, TakesThePublishedLatencyForLonelyReads) {
    for (const char* mode : {"at", "lt"}) {
        const json idle = figures("--pattern idle --requests 50000 --mode " + std::string(mode));
        EXPECT_NEAR(idle["clocks"].get<double>(), 10'000'000, 1000) << mode;
        EXPECT_GE(mean(idle, "read_latency_clocks"), 52) << mode;
        EXPECT_LE(mean(idle, "read_latency_clocks"), 55.5 * 1.02) << mode;
    }
    const json idle = figures("--pattern idle --requests 50000");
    EXPECT_GE(mean(idle, "read_latency_clocks"), 54.4 * 0.98);
    EXPECT_THAT(idle["bound"].get<std::string>(), HasSubstr("Not bound"));
}

TEST_F(DramProgram, AnswersEveryRequestOfEveryPattern) {
    for (const char* pattern : {"rand", "seq", "mix", "idle", "stride 4096", "bank-conflict"}) {
        for (const char* more : {"", " --mode lt", " --initiators 3", " --bytes",
                                 " --mode lt --initiators 3 --bytes", " --check"}) {
            const json one = figures("--requests 2001 --pattern " + std::string(pattern) + more);
            EXPECT_EQ(one["requests"], 2001) << pattern << more;
            const auto parts = one["read_latency_clocks"]["parts"];
            double sum = 0;
            for (const auto& [name, value] : parts.items()) sum += value.get<double>();
            EXPECT_NEAR(sum, mean(one, "read_latency_clocks"), 1e-6) << pattern << more;
        }
    }
}

TEST_F(DramProgram, GivesTheSameAnswerTwice) {
    json first = figures("--pattern mix --requests 3000 --seed 7");
    json second = figures("--pattern mix --requests 3000 --seed 7");
    first.erase("requests_per_cpu_s");
    second.erase("requests_per_cpu_s");
    EXPECT_EQ(first, second);
    EXPECT_NE(first["clocks"], figures("--pattern mix --requests 3000 --seed 8")["clocks"]);
}

TEST_F(DramProgram, KeepsToTheClocksOfATrace) {
    write("t", "0 R 0x0\n1000 R 0x40\n5000 W 0x80\n");
    const json one = figures("--trace t --commands c --set refresh.name=none");
    EXPECT_EQ(one["requests"], 3);
    // Closed row: tRCD 16; then hits. The write's data end CWL 12 + 4 after it.
    EXPECT_EQ(one["clocks"], 5016);
    EXPECT_EQ(content_of(folder_ / "c"),
              "0 ACT 0 0 0 0 -\n16 RD 0 0 0 0 0\n1000 RD 0 0 0 0 8\n5000 WR 0 0 0 0 16\n");
    EXPECT_EQ(one["read_latency_clocks"]["p50"], 20);
}

TEST_F(DramProgram, WaitsThroughALongSilenceOfATrace) {
    write("t", "0 R 0x0\n100000000 R 0x40\n");  // 83 ms: longer than the watchdog's patience
    for (const char* mode : {"at", "lt"})
        EXPECT_EQ(figures("--trace t --mode " + std::string(mode))["requests"], 2) << mode;
}

TEST_F(DramProgram, WritesOneLineACommand) {
    const json one = figures("--pattern mix --requests 20000 --commands c --check");
    std::istringstream lines(content_of(folder_ / "c"));
    std::map<std::string, uint64_t> counts;
    uint64_t last_clk = 0;
    uint64_t number = 0;
    for (std::string line; std::getline(lines, line); ++number) {
        std::istringstream words(line);
        uint64_t clk = 0;
        std::string command;
        std::vector<std::string> fields;
        words >> clk >> command;
        for (std::string field; words >> field;) fields.push_back(field);
        ASSERT_EQ(fields.size(), 5u) << line;
        ASSERT_TRUE(number == 0 || clk > last_clk) << line;
        last_clk = clk;
        ++counts[command];
    }
    EXPECT_EQ(counts["RD"] + counts["WR"], 20'000u);
    EXPECT_GT(counts["REF"], 10u);
    EXPECT_EQ(one["checker"]["violations"], 0);
    EXPECT_GT(one["checker"]["exercised"]["tFAW"], 100);
}

TEST_F(DramProgram, DrawsBanksQueuesBusAndRefresh) {
    EXPECT_EQ(run("--pattern mix --requests 5000 --wave w.fst").exit_code, 0);
    std::set<std::string> paths;
    const auto changes = test::read_fst(folder_ / "w.fst", &paths);
    EXPECT_EQ(paths.size(), 16u * 2 + 4);
    std::map<std::string, uint64_t> last;
    uint64_t deepest = 0;
    uint64_t refreshes = 0;
    for (const auto& change : changes) {
        last[change.path] = change.value;
        if (change.path == "dram.queue.reads") deepest = std::max(deepest, change.value);
        refreshes += change.path == "dram.rank0.refresh" && change.value == 1;
    }
    EXPECT_EQ(deepest, 32u);
    EXPECT_EQ(last["dram.queue.reads"], 0u);
    EXPECT_EQ(last["dram.queue.writes"], 0u);
    EXPECT_EQ(last["dram.bus.data"], 0u);
    EXPECT_GE(refreshes, 3u);
    const auto shown = waveforms::layout_paths(content_of(folder_ / "w.gtkw"));
    EXPECT_THAT(shown, testing::Contains("dram.bank15.state"));
    EXPECT_THAT(shown, testing::Contains("dram.bus.data"));
    for (const auto& path : shown) EXPECT_TRUE(paths.contains(path)) << path;
}

TEST_F(DramProgram, RefusesBadUsageAndLeavesNothing) {
    const std::filesystem::path trace = write("bad", "0 R 0x40\n1 R 0x80\n2 Q 0xc0\n");
    const std::pair<const char*, const char*> cases[] = {
        {"", "--pattern"},
        {"--pattern wild", "no such pattern"},
        {"--pattern rand --trace bad", "only one of the two"},
        {"--trace none", "No such file"},
        {"--trace bad", "bad:3: \"Q\""},
        {"--trace bad --seed 3", "no meaning with --trace"},
        {"--trace bad --footprint-mib 3", "no meaning with --trace"},
        {"--pattern rand --requests 0", "--requests 0: must be"},
        {"--pattern rand --requests 1x", "--requests 1x: must be"},
        {"--pattern rand --footprint-mib 0", "--footprint-mib 0: must be"},
        {"--pattern rand --footprint-mib 4097", "from 1 to 4096"},
        {"--pattern rand --mode both", "must be at"},
        {"--pattern rand --initiators 65", "from 1 to 64"},
        {"--pattern rand --config none", "known: "},
        {"--pattern rand --set scheduler.nam=fcfs", "did you mean scheduler.name?"},
        {"--pattern rand --commands no/such", "--commands no/such: cannot be written"},
        {"--pattern rand --wave w.vcd", "must end in .fst"},
        {"--pattern rand --wave no/such.fst", "--wave no/such.fst: cannot be written"},
        {"--pattern rand --commands x.fst --wave x.fst", "also the name of --wave x.fst"},
        {"--pattern rand --commands x.gtkw --wave x.fst", "also the name of --wave x.fst"},
    };
    for (const auto& [arguments, reason] : cases) {
        const std::string files = std::string(arguments).find("--commands") == std::string::npos
                                      ? " --commands out.txt"
                                      : "";
        const Said said = run(arguments + files);
        EXPECT_EQ(said.exit_code, 2) << arguments;
        EXPECT_THAT(said.err, HasSubstr(reason)) << arguments;
        EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
        EXPECT_EQ(said.out, "") << arguments;
        EXPECT_EQ(names(), std::vector<std::string>{"bad"}) << arguments;
    }
}

}  // namespace
}  // namespace weir::runner
