// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: does what is read back from a waveform file equal what was recorded?
#include "testbenches/unit/waveforms/fst_reader.h"
#include "waveforms/gtkw_layout.h"
#include "waveforms/wave_sink.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstapi.h>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

namespace weir::waveforms {
namespace {

namespace fs = std::filesystem;
using test::Change;
using test::read_fst;

class TempFolder {
  public:
    TempFolder() {
        std::string pattern = (fs::temp_directory_path() / "weir-wave-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
    }
    ~TempFolder() { fs::remove_all(folder_); }
    fs::path operator/(const char* name) const { return folder_ / name; }

  private:
    fs::path folder_;
};

uint64_t seed_from_environment() {
    const char* text = std::getenv("WEIR_SEED");
    const uint64_t seed = text ? std::strtoull(text, nullptr, 0) : 20100323;
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    return seed;
}

std::vector<Change> without_repeats(const std::vector<Change>& changes) {
    std::map<std::string, uint64_t> last;
    std::vector<Change> result;
    for (const Change& change : changes) {
        const auto found = last.find(change.path);
        if (found != last.end() && found->second == change.value) continue;
        last[change.path] = change.value;
        result.push_back(change);
    }
    std::sort(result.begin(), result.end());
    return result;
}

TEST(FstFile, ReadsBackEveryRecordedChangeWithSignalsDefinedAtAnyTime) {
    TempFolder folder;
    std::mt19937_64 random(seed_from_environment());
    WaveSink sink(make_fst_writer(folder / "t.fst"), {});
    std::vector<Change> recorded;
    std::vector<probe::SignalInfo> signals;
    std::map<uint32_t, uint64_t> last_change_ps;
    uint64_t time_ps = 0;
    for (int step = 0; step < 20'000; ++step) {
        if (signals.size() < 40 && random() % 100 == 0) {
            probe::SignalInfo info{"machine.block" + std::to_string(random() % 5) + ".s" +
                                       std::to_string(signals.size()),
                                   "count",
                                   1 + static_cast<uint32_t>(random() % 48),
                                   {}};
            sink.on_define(probe::SignalId{static_cast<uint32_t>(signals.size())}, info);
            signals.push_back(info);
        }
        if (signals.empty()) continue;
        time_ps += random() % 3 * 1000;
        const auto id = static_cast<uint32_t>(random() % signals.size());
        const uint64_t value = random() & ((1ull << signals[id].width_bits) - 1);
        // One level of a signal at an instant: what comes first is not what a viewer shows.
        if (last_change_ps.contains(id) && last_change_ps[id] == time_ps) continue;
        last_change_ps[id] = time_ps;
        sink.on_signal(time_ps, probe::SignalId{id}, value);
        recorded.push_back({time_ps, signals[id].path, value});
    }
    sink.on_end(time_ps + 1000);
    EXPECT_GT(recorded.size(), 10'000u);
    EXPECT_TRUE(without_repeats(read_fst(folder / "t.fst")) == without_repeats(recorded));
}

TEST(FstFile, KeepsEnumerationNamesInTheFile) {
    TempFolder folder;
    WaveSink sink(make_fst_writer(folder / "t.fst"), {});
    sink.on_define({0}, {"machine.disk0.phase",
                         "phase",
                         3,
                         {"idle", "overhead", "seek", "rotate", "media", "bus"}});
    sink.on_signal(0, {0}, 0);
    sink.on_signal(5000, {0}, 4);
    sink.on_end(9000);
    void* reader = fstReaderOpen((folder / "t.fst").c_str());
    ASSERT_NE(reader, nullptr);
    std::string table;
    while (const fstHier* hier = fstReaderIterateHier(reader))
        if (hier->htyp == FST_HT_ATTRBEGIN && hier->u.attr.subtype == FST_MT_ENUMTABLE &&
            hier->u.attr.name_length)
            table = hier->u.attr.name;
    fstReaderClose(reader);
    EXPECT_NE(table.find("rotate"), std::string::npos) << table;
    EXPECT_NE(table.find("100"), std::string::npos) << table;
}

TEST(WaveWindow, KeepsTheLastLevelBeforeItsBeginAndNothingAfterItsEnd) {
    TempFolder folder;
    WaveSink sink(make_fst_writer(folder / "t.fst"),
                  {.begin_ps = 10'000, .end_ps = 20'000, .paths = {}});
    sink.on_define({0}, {"a.b", "count", 8, {}});
    sink.on_signal(1'000, {0}, 1);
    sink.on_signal(9'999, {0}, 2);
    sink.on_signal(20'000, {0}, 3);
    sink.on_signal(20'001, {0}, 4);
    sink.on_end(30'000);
    const std::vector<Change> expected{{10'000, "a.b", 2}, {20'000, "a.b", 3}};
    EXPECT_EQ(without_repeats(read_fst(folder / "t.fst")), expected);
}

TEST(WaveWindow, StopsAtItsByteBudgetAndSaysWhen) {
    TempFolder folder;
    WaveSink sink(make_fst_writer(folder / "t.fst"), {.max_bytes = 100, .paths = {}});
    sink.on_define({0}, {"a.b", "count", 8, {}});
    for (uint64_t i = 0; i < 1000; ++i) sink.on_signal(i * 1000, {0}, i & 255);
    sink.on_end(1'000'000);
    EXPECT_GT(sink.truncated_at_ps(), 0u);
    EXPECT_LT(sink.truncated_at_ps(), 100'000u);
}

TEST(WavePaths, RecordOnlyTheWantedPrefixes) {
    TempFolder folder;
    WaveSink sink(make_fst_writer(folder / "t.fst"), {.paths = {"machine.disk"}});
    sink.on_define({0}, {"machine.disk0.busy", "bool", 1, {}});
    sink.on_define({1}, {"kernel.zone.free_frames", "frames", 32, {}});
    sink.on_signal(0, {1}, 5);
    sink.on_signal(1000, {0}, 1);
    sink.on_end(2000);
    ASSERT_EQ(sink.signals().size(), 1u);
    EXPECT_EQ(sink.signals()[0].path, "machine.disk0.busy");
    const std::vector<Change> expected{{1000, "machine.disk0.busy", 1}};
    EXPECT_EQ(without_repeats(read_fst(folder / "t.fst")), expected);
}

TEST(VcdFile, DefinesBeforeItChangesAndNamesEnumerations) {
    TempFolder folder;
    auto writer = make_vcd_writer(folder / "t.vcd");
    writer->define({0}, {"machine.disk0.busy", "bool", 1, {}});
    writer->change(1000, {0}, 1);
    writer->define({1}, {"machine.disk0.phase", "phase", 2, {"idle", "seek", "media"}});
    writer->change(1000, {1}, 2);
    writer->define({2}, {"kernel.zone.free_frames", "frames", 16, {}});
    writer->change(2500, {2}, 5);
    writer->close(3000);
    std::ifstream in(folder / "t.vcd");
    std::stringstream text;
    text << in.rdbuf();
    const std::string body = text.str();
    EXPECT_LT(body.find("$enddefinitions"), body.find("#1000"));
    EXPECT_NE(body.find("$var wire 16"), std::string::npos);
    EXPECT_NE(body.find("smedia "), std::string::npos);
    EXPECT_NE(body.find("#2500\nb101 "), std::string::npos);
    EXPECT_NE(body.find("#3000"), std::string::npos);
    EXPECT_FALSE(fs::exists(folder / "t.vcd.body"));
}

TEST(WaveFile, RefusesAFolderThatIsNotThere) {
    EXPECT_THROW(make_fst_writer("/nonexistent-folder/t.fst"), std::runtime_error);
    EXPECT_THROW(make_vcd_writer("/nonexistent-folder/t.vcd"), std::runtime_error);
}

TEST(Layout, NamesOnlySignalsThatAreRecordedAndKeepsTheReadingOrder) {
    const std::vector<probe::SignalInfo> signals{
        {"machine.cpu0.mode", "Mode", 2, {"kernel", "user", "idle"}},
        {"machine.disk0.phase", "phase", 3, {"idle", "overhead", "seek", "rotate", "media", "bus"}},
        {"machine.disk0.q_depth_rd", "requests", 16, {}},
        {"kernel.zone.free_frames", "frames", 32, {}},
        {"kernel.zone.mark_min", "frames", 32, {}},
        {"kernel.task.iozone-0.state",
         "TaskState",
         3,
         {"runnable", "running", "sleeping", "disk_sleep", "exited"}},
        {"kernel.naps.iozone-0.site", "NapSite", 4, {"none", "allocator_retry"}},
        {"machine.dram.bank0.row", "row", 16, {}},
        {"machine.dram.unheard_of", "things", 16, {}}};
    const std::string layout = gtkw_layout(signals, {"trace.fst", 0, 1'000'000});
    const auto paths = layout_paths(layout);
    ASSERT_EQ(paths.size(), signals.size() - 1) << layout;
    for (const auto& path : paths)
        EXPECT_TRUE(std::any_of(signals.begin(), signals.end(), [&](const auto& signal) {
            return signal.path == path;
        })) << path;
    EXPECT_EQ(paths.front(), "kernel.naps.iozone-0.site");
    EXPECT_EQ(paths.back(), "machine.cpu0.mode");
}

}  // namespace
}  // namespace weir::waveforms
