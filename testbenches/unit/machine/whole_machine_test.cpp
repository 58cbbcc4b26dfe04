// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: does the whole machine, from program to medium, keep its promises?
#include "firmware/kernel/nap.h"
#include "testbenches/unit/machine/small_machine.h"
#include "testbenches/unit/waveforms/fst_reader.h"
#include "testbenches/unit/waveforms/schema_check.h"
#include "waveforms/gtkw_layout.h"
#include "waveforms/nap_analysis.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace weir::test {
namespace {

std::string slurp(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

TEST(WholeMachine, ReadsEveryPageOfEveryFileRight) {
    const SmallRun run(small_config());
    EXPECT_EQ(run.outcome.ending, machine::Ending::PoweredOff) << run.outcome.message;
    EXPECT_EQ(run.outcome.exit_code, 0);
    EXPECT_EQ(run.counter("pages_verified"), 2u * 24 * 256);
    EXPECT_EQ(run.counter("pages_wrong"), 0u);
    EXPECT_GT(run.counter("pgscan_direct_normal") + run.counter("pgscan_kswapd_normal"), 0u)
        << "the files are larger than memory: something must have been reclaimed";
}

TEST(WholeMachine, WritesRewritesAndReadsBackWhatWasWrittenLast) {
    auto config = small_config();
    config.workload.phases =
        hal::kPhaseWrite | hal::kPhaseRewrite | hal::kPhaseRead | hal::kPhaseReread;
    const SmallRun run(config);
    EXPECT_EQ(run.outcome.ending, machine::Ending::PoweredOff) << run.outcome.message;
    EXPECT_EQ(run.counter("pages_verified"), 2u * 2 * 24 * 256);
    EXPECT_EQ(run.counter("pages_wrong"), 0u);
    EXPECT_EQ(run.counter("lost_writes"), 0u);
    EXPECT_GE(run.counter("pgpgout"), 2u * 24 * 1024) << "all that was written is on the disks";
}

TEST(WholeMachine, DirectReadsLeaveNoFilePagesBehind) {
    auto config = small_config();
    config.workload.direct = 1;
    const SmallRun run(config);
    EXPECT_EQ(run.outcome.exit_code, 0) << run.outcome.message;
    EXPECT_EQ(run.counter("pages_verified"), 2u * 24 * 256);
    EXPECT_LT(run.counter("nr_inactive_file") + run.counter("nr_active_file"), 64u);
}

TEST(WholeMachine, SharedDiskServesEveryTask) {
    auto config = small_config();
    config.workload.one_disk_per_task = 0;
    const SmallRun run(config);
    EXPECT_EQ(run.outcome.exit_code, 0) << run.outcome.message;
    EXPECT_EQ(run.counter("pages_verified"), 2u * 24 * 256);
}

TEST(WholeMachine, SwapsOutWhatDoesNotFitAndGetsItBackUnchanged) {
    const SmallRun run(swap_config());
    EXPECT_EQ(run.outcome.ending, machine::Ending::PoweredOff) << run.outcome.message;
    EXPECT_EQ(run.counter("pages_verified"), 64u * 256);
    EXPECT_EQ(run.counter("pages_wrong"), 0u);
    EXPECT_GT(run.counter("pswpout"), 32u * 256);
    EXPECT_GT(run.counter("pswpin"), 32u * 256);
}

TEST(WholeMachine, KillsATaskWhenSwapIsFullAndSaysSo) {
    auto config = swap_config();
    config.machine.swap.size_mib = 16;
    const SmallRun run(config);
    EXPECT_EQ(run.outcome.ending, machine::Ending::PoweredOff) << run.outcome.message;
    EXPECT_NE(run.outcome.exit_code, 0);
    EXPECT_EQ(run.count_events(hal::Event::OomKill), run.counter("oom_kill"));
    EXPECT_GT(run.counter("oom_kill"), 0u);
}

TEST(Determinism, SameSeedGivesTheSameSummaryAndRecord) {
    const auto config = small_config();
    const std::string first = summary_of_fresh_process(config);
    const std::string second = summary_of_fresh_process(config);
    EXPECT_GT(first.size(), 1000u) << first;
    EXPECT_EQ(first, second);
}

TEST(Summary, OfARealRunFollowsTheSchema) {
    const SmallRun run(small_config());
    const auto schema = nlohmann::json::parse(slurp(WEIR_SOURCE_DIR "/docs/summary.schema.json"));
    std::vector<std::string> violations;
    check_schema(run.summary, schema, "summary", violations);
    EXPECT_TRUE(violations.empty()) << violations.front();
}

TEST(Waveform, OfARealRunEqualsTheEventRecordAndTheLayoutNamesOnlyWhatIsThere) {
    const SmallRun run(small_config());
    // The level of each signal at each instant, from the file and from the record.
    using Levels = std::map<std::pair<std::string, uint64_t>, uint64_t>;
    std::set<std::string> in_file;
    Levels read;
    for (const auto& change : read_fst(run.folder / "trace.fst", &in_file))
        read[{change.path, change.time_ps}] = change.value;
    Levels recorded;
    for (const auto& change : run.changes) recorded[{change.path, change.time_ps}] = change.value;
    EXPECT_GT(recorded.size(), 10'000u);
    uint64_t differing = 0;
    for (const auto& [key, value] : recorded) {
        const auto found = read.find(key);
        differing += found == read.end() || found->second != value;
    }
    EXPECT_EQ(differing, 0u) << "of " << recorded.size();

    const auto named = waveforms::layout_paths(slurp(run.folder / "view.gtkw"));
    EXPECT_GT(named.size(), 15u);
    for (const auto& path : named) EXPECT_TRUE(in_file.contains(path)) << path;
}

TEST(Naps, OfARealRunAreInTheCsvAndAddUpInTheSummary) {
    const SmallRun run(small_config());
    const auto sites = waveforms::analyse(waveforms::read_naps_csv(run.folder / "naps.csv"));
    uint64_t in_record = run.count_events(hal::Event::NapEnd);
    uint64_t in_csv = 0, in_summary = 0;
    for (const auto& [name, site] : sites) in_csv += site.count;
    for (const auto& [name, site] : run.summary["naps"].items())
        in_summary += site["count"].get<uint64_t>();
    EXPECT_EQ(in_csv, in_record);
    EXPECT_EQ(in_summary, in_record);
}

TEST(Faults, ABadSectorIsAnErrorToTheReaderAndToNobodyElse) {
    auto config = small_config();
    // Disk 0 and disk 1 share the list; block 100 of the device is data of file 0 on both.
    config.machine.disk.fault.unreadable_sectors = {100 * 8 + 3};
    const SmallRun run(config);
    EXPECT_EQ(run.outcome.ending, machine::Ending::PoweredOff) << run.outcome.message;
    EXPECT_NE(run.outcome.exit_code, 0);
    EXPECT_GT(run.counter("io_errors"), 0u);
    EXPECT_GT(run.count_events(hal::Event::IoErrorSeen), 0u);
    EXPECT_EQ(run.counter("pages_wrong"), 0u);
}

TEST(Faults, ACommandThatFailsOnceIsRetriedAndNothingIsLost) {
    auto config = small_config();
    config.machine.disk.fault.error_every_commands = 17;
    const SmallRun run(config);
    EXPECT_EQ(run.outcome.exit_code, 0) << run.outcome.message;
    EXPECT_GT(run.counter("io_retries"), 0u);
    EXPECT_EQ(run.counter("pages_verified"), 2u * 24 * 256);
}

TEST(Faults, ALostInterruptDelaysButLosesNothing) {
    auto config = small_config();
    config.machine.disk.fault.drop_interrupt_every = 5;
    const SmallRun run(config);
    EXPECT_EQ(run.outcome.exit_code, 0) << run.outcome.message;
    EXPECT_EQ(run.counter("pages_verified"), 2u * 24 * 256);
}

TEST(Faults, ADeviceThatHangsTimesOutAndTheReaderLearnsOfIt) {
    auto config = small_config();
    config.machine.disk.fault.hang_after_commands = 40;
    config.machine.disk.request_timeout_ms = 500;
    config.machine.watchdog_ms = 60'000;
    const SmallRun run(config);
    EXPECT_EQ(run.outcome.ending, machine::Ending::PoweredOff) << run.outcome.message;
    EXPECT_NE(run.outcome.exit_code, 0);
    EXPECT_GT(run.counter("io_timeouts"), 0u);
}

TEST(Faults, ADeadDeviceLetsEveryTaskThatWaitsForASlotGo) {
    auto config = small_config();
    config.machine.disk.size_mib = 256;
    config.machine.disk.nr_requests = 4;
    config.machine.disk.readahead_kib = 16;
    config.machine.disk.fault.hang_after_commands = 60;
    config.machine.disk.request_timeout_ms = 300;
    config.machine.watchdog_ms = 60'000;
    config.workload.one_disk_per_task = 0;
    config.workload.threads = 12;
    config.workload.file_bytes = 8ull << 20;
    const SmallRun run(config);
    EXPECT_EQ(run.outcome.ending, machine::Ending::PoweredOff) << run.outcome.message;
    EXPECT_NE(run.outcome.exit_code, 0);
}

TEST(Watchdog, EndsARunThatHangsAndNamesWhoWaits) {
    auto config = small_config();
    config.machine.disk.fault.hang_after_commands = 40;
    config.machine.disk.request_timeout_ms = 600'000;
    config.machine.watchdog_ms = 2'000;
    const SmallRun run(config);
    EXPECT_EQ(run.outcome.ending, machine::Ending::NoProgress);
    EXPECT_NE(run.outcome.message.find("iozone-1"), std::string::npos) << run.outcome.message;
    EXPECT_NE(run.outcome.message.find("disk_sleep"), std::string::npos) << run.outcome.message;
}

TEST(Boot, TooLittleMemoryStopsWithTheReason) {
    auto config = small_config();
    config.machine.ram_mib = 2;
    config.machine.kernel.reserved_mib = 1;
    const SmallRun run(config);
    EXPECT_EQ(run.outcome.ending, machine::Ending::Panicked);
    EXPECT_NE(run.outcome.message.find("boot"), std::string::npos) << run.outcome.message;
}

}  // namespace
}  // namespace weir::test
