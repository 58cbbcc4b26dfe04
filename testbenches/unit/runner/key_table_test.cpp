// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/config/key_table.h"

#include "testbenches/runner/config/text.h"
#include "testbenches/runner/spec.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace weir::runner {

namespace {

void set(Settings& settings, const std::string& argument) {
    apply(parse_setting(argument), "", settings);
}

std::string refusal(const std::string& argument) {
    Settings settings;
    try {
        set(settings, argument);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST(KeyTable, EveryPathIsUniqueAndHasASentence) {
    std::set<std::string> paths;
    for (const Key& key : all_keys()) {
        EXPECT_TRUE(paths.insert(key.path).second) << key.path;
        EXPECT_TRUE(key.sentence.ends_with(".")) << key.path;
    }
}

TEST(KeyTable, HoldsEveryKeyThatTheIssueNames) {
    for (const char* path :
         {"machine.ram_mib", "machine.cpu.count", "machine.hz", "machine.disk.readahead_kib",
          "machine.disk.nr_requests", "workload.threads", "workload.file_mib",
          "workload.record_kib", "workload.direct", "workload.drop_caches"}) {
        EXPECT_NE(find_key(path), nullptr) << path;
    }
    for (const hal::OpInfo& op : hal::kOpInfo) {
        EXPECT_NE(find_key(std::string("machine.cpu.cost_cycles.") + op.key), nullptr) << op.key;
    }
}

TEST(KeyTable, StoresEachKindOfValueWhereItBelongs) {
    Settings settings;
    set(settings, "machine.ram_mib=512");
    set(settings, "machine.disk.medium=flash");
    set(settings, "machine.swap.elevator=noop");
    set(settings, "machine.cpu.cost_cycles.scan_frame=77");
    set(settings, "workload.file_mib=3");
    set(settings, "workload.phases=[\"write\", \"reread\"]");
    set(settings, "workload.direct=true");
    set(settings, "machine.disk.rotating.zones=[[0, 9, 100], [10, 19, 80]]");
    set(settings, "machine.disk.fault.unreadable_sectors=[8, 16]");
    set(settings, "policy.watermark_wait=false");
    set(settings, "record.window_end_ms=7");
    const machine::MachineConfig& machine = settings.run.machine;
    EXPECT_EQ(machine.ram_mib, 512u);
    EXPECT_EQ(machine.disk.medium, machine::MediumKind::Flash);
    EXPECT_EQ(machine.swap.elevator, hal::ElevatorKind::Noop);
    EXPECT_EQ(machine.disk.elevator, hal::ElevatorKind::Deadline);
    EXPECT_EQ(machine.cpu.cost_cycles[static_cast<size_t>(hal::Op::ScanFrame)], 77u);
    EXPECT_EQ(settings.run.workload.file_bytes, 3u << 20);
    EXPECT_EQ(settings.run.workload.phases, hal::kPhaseWrite | hal::kPhaseReread);
    EXPECT_EQ(settings.run.workload.direct, 1u);
    ASSERT_EQ(machine.disk.rotating.zones.size(), 2u);
    EXPECT_EQ(machine.disk.rotating.zones[1].sectors_per_track, 80u);
    EXPECT_EQ(machine.disk.fault.unreadable_sectors, (std::vector<uint64_t>{8, 16}));
    EXPECT_EQ(settings.run.overrides.watermark_wait, 0u);
    EXPECT_EQ(settings.run.overrides.evict_once, hal::kFromPolicy);
    EXPECT_EQ(settings.record.window_end_ps, 7'000'000'000u);
}

TEST(KeyTable, EveryKeySurvivesTheWayThroughASpec) {
    RunSpec spec;
    spec.plan.policy = "2.6.32";
    set(spec.plan.settings, "machine.disk.rotating.seek_points=[[1, 600], [100, 2000]]");
    set(spec.plan.settings, "machine.data_disks=3");
    set(spec.plan.settings, "policy.evict_once=true");
    set(spec.plan.settings, "record.wave_paths=[\"kernel.\", \"machine.disk0\"]");
    set(spec.plan.settings, "time_limit_ms=5");
    const RunSpec back = read_spec(write_spec(spec));
    for (const Key& key : all_keys()) {
        EXPECT_EQ(key.load(back.plan.settings), key.load(spec.plan.settings)) << key.path;
    }
    EXPECT_EQ(back.plan.settings.run.policy, "2.6.32");
}

TEST(KeyTable, RefusesAnUnknownKeyAndNamesTheNearest) {
    EXPECT_EQ(refusal("machine.ram_mb=64"),
              "--set: machine.ram_mb = 64: no such key; did you mean machine.ram_mib?");
    EXPECT_EQ(refusal("workload.thread=4"),
              "--set: workload.thread = 4: no such key; did you mean workload.threads?");
}

TEST(KeyTable, NamesTheKeyWhosePrefixWasForgotten) {
    EXPECT_EQ(refusal("ram_mib=64"),
              "--set: ram_mib = 64: no such key; did you mean machine.ram_mib?");
}

TEST(KeyTable, ShortensLongKeysAndValuesInMessages) {
    EXPECT_EQ(refusal(std::string(500, 'k') + "=1"),
              "--set: " + std::string(57, 'k') + "... = 1: no such key");
    EXPECT_EQ(refusal("machine.ram_mib=" + std::string(500, 'v')),
              "--set: machine.ram_mib = \"" + std::string(56, 'v') +
                  "...: is a text; write a whole number, without quotes; allowed: 8 to 65536 MiB");
}

TEST(KeyTable, SaysOfAWrongTypeWhatToWrite) {
    EXPECT_EQ(refusal("machine.ram_mib=\"64\""),
              "--set: machine.ram_mib = \"64\": is a text; write a whole number, without quotes; "
              "allowed: 8 to 65536 MiB");
    EXPECT_EQ(
        refusal("machine.ram_mib=64.5"),
        "--set: machine.ram_mib = 64.5: is a number with a point; write a whole number, without "
        "quotes; allowed: 8 to 65536 MiB");
    EXPECT_EQ(refusal("machine.has_swap=\"true\""),
              "--set: machine.has_swap = \"true\": is a text; write true or false, without quotes; "
              "allowed: true or false");
    EXPECT_EQ(refusal("machine.has_swap=1"),
              "--set: machine.has_swap = 1: is a whole number; write true or false, without "
              "quotes; allowed: true or false");
    EXPECT_EQ(refusal("record.wave=true"),
              "--set: record.wave = true: is true/false; write a text, in quotes; allowed: "
              "\"none\", \"fst\", \"vcd\"");
    EXPECT_EQ(refusal("workload.phases=\"read\""),
              "--set: workload.phases = \"read\": is a text; write a list of texts, as [\"one\", "
              "\"two\"]; allowed: a list out of \"write\", \"rewrite\", \"read\", \"reread\"");
    EXPECT_EQ(refusal("workload.threads=[1, 2]"),
              "--set: workload.threads = [1, 2]: is a list; write a whole number, without quotes; "
              "allowed: 1 to 64 tasks; values to sweep stand under [sweep]");
}

TEST(Value, WithAPointKeepsIt) {
    EXPECT_EQ(parse_setting("a=1e3").value.text(), "1000.0");
    EXPECT_EQ(parse_setting("a=-2.5").value.text(), "-2.5");
    EXPECT_EQ(parse_setting("a=-2").value.text(), "-2");
}

TEST(KeyTable, NamesTheNearestWordWhereOneMayStandForANumber) {
    EXPECT_EQ(refusal("machine.data_disks=atuo"),
              "--set: machine.data_disks = \"atuo\": is a text; write a whole number, without "
              "quotes; allowed: 1 to 63 or \"auto\"; did you mean auto?");
}

TEST(KeyTable, RefusesANumberThatNoWordHolds) {
    EXPECT_EQ(refusal("machine.ram_mib=99999999999999999999999"),
              "--set: machine.ram_mib = \"99999999999999999999999\": is no number: too large, or "
              "with a leading zero");
    EXPECT_EQ(refusal("machine.ram_mib=9223372036854775808").find("is a text"), std::string::npos);
    EXPECT_EQ(refusal("machine.ram_mib=64\nseed = 2"),
              "--set: machine.ram_mib = \"64 seed = 2\": a value stands on one line");
}

TEST(KeyTable, TakesThirtyTwoWaysOfACacheAndNoMore) {
    for (const std::string key : {"machine.cpu.l1.ways", "machine.cpu.l2.ways"}) {
        EXPECT_EQ(refusal(key + "=32"), "");
        EXPECT_EQ(refusal(key + "=33"), "--set: " + key + " = 33: allowed: 1 to 32");
    }
}

TEST(ParseSeed, TakesTheRangeOfTheKeyAndRefusesAnythingElse) {
    EXPECT_EQ(parse_seed("0"), 0u);
    EXPECT_EQ(parse_seed("4611686018427387904"), uint64_t{1} << 62);
    for (const std::string bad : {"-1", "4611686018427387905"}) {
        try {
            parse_seed(bad);
            ADD_FAILURE() << bad;
        } catch (const ConfigError& error) {
            EXPECT_EQ(error.what(),
                      "--seed: seed = " + bad + ": allowed: 0 to 4611686018427387904");
        }
    }
    EXPECT_THROW(parse_seed("x"), ConfigError);
    EXPECT_THROW(parse_seed(""), ConfigError);
}

TEST(KeyTable, RefusesValuesJustOutsideTheRangeAndTakesItsEnds) {
    EXPECT_EQ(refusal("machine.cpu.count=16"), "");
    EXPECT_EQ(refusal("machine.cpu.count=17"),
              "--set: machine.cpu.count = 17: allowed: 1 to 16 harts");
    EXPECT_EQ(refusal("machine.cpu.count=1"), "");
    EXPECT_NE(refusal("machine.cpu.count=0"), "");
    EXPECT_EQ(refusal("workload.record_kib=6"),
              "--set: workload.record_kib = 6: allowed: 4 to 16384 KiB, a multiple of 4");
}

TEST(KeyTable, RefusesAWordThatIsNoChoiceAndNamesTheNearest) {
    EXPECT_EQ(refusal("machine.disk.elevator=dedline"),
              "--set: machine.disk.elevator = \"dedline\": allowed: \"noop\", \"deadline\"; did "
              "you mean deadline?");
    EXPECT_NE(refusal("workload.phases=[\"raed\"]").find("\"reread\""), std::string::npos);
}

TEST(KeyTable, ZeroDisksAreRefusedAndAutoIsTaken) {
    EXPECT_EQ(refusal("machine.data_disks=0"),
              "--set: machine.data_disks = 0: allowed: 1 to 63 or \"auto\"");
    EXPECT_EQ(refusal("machine.data_disks=auto"), "");
}

TEST(KeyTable, RefusesASettingWithoutEquals) {
    EXPECT_EQ(refusal("workload.threads"),
              "--set workload.threads: wants path=value, for example --set workload.threads=8");
}

TEST(KeyTable, PrintsEveryKeyWithItsPlace) {
    Settings settings;
    set(settings, "machine.ram_mib=99");
    const std::string text = print(settings);
    EXPECT_NE(text.find("machine.ram_mib = 99  # --set\n"), std::string::npos);
    EXPECT_NE(text.find("machine.hz = 100  # default\n"), std::string::npos);
}

// docs/keys.md is what `weir list keys --markdown` prints, below its title.
TEST(KeyTable, TheDocumentListsTheKeysAsTheyAre) {
    std::stringstream content;
    content << std::ifstream(WEIR_SOURCE_DIR "/docs/keys.md").rdbuf();
    EXPECT_NE(content.str().find(list_keys(ListStyle::Markdown)), std::string::npos)
        << "docs/keys.md is out of date; its head says how to make it";
}

}  // namespace weir::runner
