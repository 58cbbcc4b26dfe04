// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Reading machine and scenario files: what they come to, and what each mistake is told.
#include "testbenches/runner/config/scenario.h"

#include "testbenches/unit/runner/runner_files.h"

#include <gtest/gtest.h>

namespace weir::runner::test {

namespace {

std::string scenario_error(const Files& files, const std::string& name,
                           const Overrides& overrides = {}) {
    return error_of(files, [&] { expand(files.load(name, overrides)); });
}

}  // namespace

TEST(MachineFile, TakesItsBaseFirstAndThenItsOwnKeys) {
    Files files;
    files.machine("large", "schema = 1\nbase = \"small.toml\"\nram_mib = 128\n");
    Settings settings;
    load_machine(files.library.machines / "large.toml", settings);
    EXPECT_EQ(settings.run.machine.ram_mib, 128u);
    EXPECT_EQ(settings.run.machine.disk.size_mib, 128u);
    EXPECT_EQ(settings.run.machine.name, "large");
}

TEST(MachineFile, RefusesASecondLevelOfBases) {
    Files files;
    files.machine("middle", "schema = 1\nbase = \"small.toml\"\n");
    files.machine("top", "schema = 1\nbase = \"middle.toml\"\n");
    Settings settings;
    EXPECT_EQ(error_of(files, [&] { load_machine(files.library.machines / "top.toml", settings); }),
              "machines/middle.toml:2: base = \"small.toml\": a base may not have a base itself");
}

TEST(MachineFile, NamesPlaceValueAndNearestKeyOfAMisspeltOne) {
    Files files;
    files.machine("typo", "schema = 1\n\n[disk]\nnr_request = 64\n");
    Settings settings;
    EXPECT_EQ(
        error_of(files, [&] { load_machine(files.library.machines / "typo.toml", settings); }),
        "machines/typo.toml:4: disk.nr_request = 64: no such key; did you mean "
        "disk.nr_requests?");
}

TEST(MachineFile, MustBeginWithItsSchema) {
    Files files;
    Settings settings;
    const auto load = [&] { load_machine(files.library.machines / "m.toml", settings); };
    files.machine("m", "ram_mib = 64\n");
    EXPECT_EQ(error_of(files, load),
              "machines/m.toml:1: schema = 1 is missing; it must be the first key");
    files.machine("m", "ram_mib = 64\nschema = 1\n");
    EXPECT_EQ(error_of(files, load), "machines/m.toml:1: ram_mib = 64: schema = 1 must come first");
    files.machine("m", "schema = 2\n");
    EXPECT_EQ(error_of(files, load), "machines/m.toml:1: schema = 2: allowed: 1");
}

TEST(MachineFile, SaysWhereATruncatedFileBreaksOff) {
    Files files;
    files.machine("cut", "schema = 1\nram_mib = 64\n[disk\n");
    Settings settings;
    const std::string error =
        error_of(files, [&] { load_machine(files.library.machines / "cut.toml", settings); });
    EXPECT_TRUE(error.starts_with("machines/cut.toml:3: not valid TOML (is the file complete?)"))
        << error;
}

TEST(ScenarioFile, ExpandsRowsAndSweepsInTheOrderOfTheTable) {
    Files files;
    files.small_scenario("s", "[sweep]\nworkload.threads = [1, 2]\n");
    const auto plans = expand(files.load("s"));
    ASSERT_EQ(plans.size(), 4u);
    EXPECT_EQ(plans[0].folder, "2.6.32-threads1");
    EXPECT_EQ(plans[1].folder, "2.6.32-threads2");
    EXPECT_EQ(plans[3].folder, "2.6.32-watermark-wait-threads2");
    EXPECT_EQ(plans[3].settings.run.workload.threads, 2u);
    EXPECT_EQ(plans[3].settings.run.policy, "2.6.32-watermark-wait");
    EXPECT_EQ(plans[2].params.at("workload.threads"), "1");
}

TEST(ScenarioFile, TakesVariantsAsRowsWithTheirOwnKeys) {
    Files files;
    files.small_scenario("s",
                         "[[variant]]\nname = \"no-patch-2\"\npolicy = \"2.6.33\"\n"
                         "set = { policy.wake_on_bulk_free = false }\n");
    const auto plans = expand(files.load("s"));
    ASSERT_EQ(plans.size(), 3u);
    EXPECT_EQ(plans[2].folder, "no-patch-2");
    EXPECT_EQ(plans[2].settings.run.overrides.wake_on_bulk_free, 0u);
    EXPECT_EQ(plans[1].settings.run.overrides.wake_on_bulk_free, hal::kFromPolicy);
}

TEST(ScenarioFile, SetReplacesTheFilesValueAndItsSweep) {
    Files files;
    files.small_scenario("s", "[sweep]\nworkload.threads = [1, 2]\n");
    Overrides overrides;
    overrides.settings = {"workload.threads=3", "machine.ram_mib=80"};
    overrides.seed = 7;
    const auto plans = expand(files.load("s", overrides));
    ASSERT_EQ(plans.size(), 2u);
    EXPECT_EQ(plans[0].settings.run.workload.threads, 3u);
    EXPECT_EQ(plans[0].settings.run.machine.ram_mib, 80u);
    EXPECT_EQ(plans[0].settings.run.seed, 7u);
    EXPECT_EQ(plans[0].params.at("workload.threads"), "3");
    EXPECT_EQ(plans[0].folder, "2.6.32");
}

TEST(ScenarioFile, PolicyChoosesRowsAndMayAddAnyKnownPolicy) {
    Files files;
    files.small_scenario("s", "");
    Overrides overrides;
    overrides.policies = {"2.6.33", "2.6.32"};
    const Scenario scenario = files.load("s", overrides);
    ASSERT_EQ(scenario.rows.size(), 2u);
    EXPECT_EQ(scenario.rows[0].name, "2.6.33");
    EXPECT_EQ(scenario.base_row, "2.6.32");
    overrides.policies = {"2.6.23"};
    EXPECT_EQ(scenario_error(files, "s", overrides),
              "--policy: policy = \"2.6.23\": no such policy; did you mean 2.6.32?; known: 2.6.32, "
              "2.6.32-watermark-wait, 2.6.33");
}

TEST(ScenarioFile, RefusesAPolicyThatDoesNotExist) {
    Files files;
    files.scenario("s", "schema = 1\npolicies = [\"2.6.34\"]\n[machine]\nfile = \"small\"\n");
    EXPECT_EQ(scenario_error(files, "s"),
              "scenarios/s.toml:2: policies = \"2.6.34\": no such policy; did you mean 2.6.32?; "
              "known: 2.6.32, 2.6.32-watermark-wait, 2.6.33");
}

TEST(ScenarioFile, RefusesAMachineThatDoesNotExist) {
    Files files;
    files.scenario("s", "schema = 1\npolicies = [\"2.6.32\"]\n[machine]\nfile = \"smal\"\n");
    EXPECT_EQ(scenario_error(files, "s"),
              "scenarios/s.toml:4: machine.file = \"smal\": smal: no such machine; did you mean "
              "small?; known: small");
}

TEST(ScenarioFile, RefusesAScenarioThatDoesNotExist) {
    Files files;
    files.small_scenario("iozone", "");
    EXPECT_EQ(scenario_error(files, "iozon"),
              "iozon: no such scenario; did you mean iozone?; known: iozone");
}

TEST(ScenarioFile, RefusesMisspeltKeysAndTables) {
    Files files;
    files.small_scenario("s", "[sweeps]\nworkload.threads = [1]\n");
    EXPECT_EQ(scenario_error(files, "s"),
              "scenarios/s.toml:8: [sweeps]: no such table; did you mean [sweep]?");
    files.small_scenario("s", "[sweep]\nworkload.thread = [1]\n");
    EXPECT_EQ(scenario_error(files, "s"),
              "scenarios/s.toml:9: sweep.workload.thread = [1]: no such key; did you mean "
              "sweep.workload.threads?");
    files.small_scenario("s", "[[expects]]\nclaim = \"x\"\n");
    EXPECT_EQ(scenario_error(files, "s"),
              "scenarios/s.toml:8: [[expects]]: no such list of tables; did you mean expect?");
}

TEST(Names, AMisspeltTableIsToldBeforeWhatFollowsFromIt) {
    Files files;
    files.scenario("s", "schema = 1\npolicies = [\"2.6.32\"]\n[machin]\nfile = \"small\"\n");
    EXPECT_EQ(scenario_error(files, "s"),
              "scenarios/s.toml:3: [machin]: no such table; did you mean [machine]?");
    files.scenario("s",
                   "schema = 1\npolicies = [\"none\"]\n[machine]\nfile = \"none\"\n"
                   "[workloadd]\nthreads = 2\n");
    EXPECT_EQ(scenario_error(files, "s"),
              "scenarios/s.toml:5: [workloadd]: no such table; did you mean [workload]?");
    files.scenario("s", "schema = 1\npolicis = [\"2.6.32\"]\n[machine]\nfile = \"small\"\n");
    EXPECT_EQ(scenario_error(files, "s"),
              "scenarios/s.toml:2: policis = [\"2.6.32\"]: no such key; did you mean policies?");
    files.scenario("s", "schema = 1\npolicies = [\"2.6.32\"]\n[machine]\nfil = \"small\"\n");
    EXPECT_EQ(scenario_error(files, "s"),
              "scenarios/s.toml:4: machine.fil = \"small\": no such key; did you mean "
              "machine.file?");
}

TEST(Names, AMisspeltTableIsToldEvenIfItIsEmptyOrNested) {
    Files files;
    files.small_scenario("s", "[recrod]\n");
    EXPECT_EQ(scenario_error(files, "s"),
              "scenarios/s.toml:8: [recrod]: no such table; did you mean [record]?");
    files.small_scenario("s", "[machine.disk.rotatng]\nrpm = 10000\n");
    EXPECT_EQ(scenario_error(files, "s"),
              "scenarios/s.toml:8: [machine.disk.rotatng]: no such table; did you mean "
              "[machine.disk.rotating]?");
    files.machine("m", "schema = 1\nbase = \"none.toml\"\n[dissk]\nsize_mib = 1\n");
    Settings settings;
    EXPECT_EQ(error_of(files, [&] { load_machine(files.library.machines / "m.toml", settings); }),
              "machines/m.toml:3: [dissk]: no such table; did you mean [disk]?");
}

TEST(Names, ATableAListAndAKeyAreToldFromEachOther) {
    Files files;
    const auto error_with = [&](const std::string& more) {
        files.small_scenario("s", more);
        return scenario_error(files, "s").substr(std::string("scenarios/s.toml:8: ").size());
    };
    EXPECT_EQ(error_with("[expect]\nclaim = \"c\"\n"),
              "[expect]: is a list of tables; write [[expect]]");
    EXPECT_EQ(error_with("[seed]\nvalue = 1\n"), "[seed]: is a key, no table; write seed = ...");
    EXPECT_EQ(error_with("[[record]]\nwave = \"none\"\n"),
              "[[record]]: is a single table; write [record]");
    files.scenario("s", "schema = 1\nrecord = \"fst\"\n");
    EXPECT_EQ(
        scenario_error(files, "s"),
        "scenarios/s.toml:2: record = \"fst\": is a table; write [record] and its keys below");
}

TEST(ScenarioFile, RefusesAFileWithoutPoliciesOrMachine) {
    Files files;
    files.scenario("s", "schema = 1\n[machine]\nfile = \"small\"\n");
    EXPECT_EQ(scenario_error(files, "s"),
              "scenarios/s.toml:1: policies = [...] is missing: nothing to run");
    files.scenario("s", "schema = 1\npolicies = [\"2.6.32\"]\n");
    EXPECT_EQ(scenario_error(files, "s"),
              "scenarios/s.toml:1: machine.file is missing: which machine?");
}

TEST(ScenarioFile, RefusesTwoRunsInOneFolder) {
    Files files;
    files.small_scenario("s", "[sweep]\nworkload.threads = [1, 2, 1]\n");
    EXPECT_EQ(scenario_error(files, "s"),
              "scenarios/s.toml:9: sweep.workload.threads = [1, 2, 1]: 1 stands there twice");
    files.small_scenario("s", "[sweep]\nrecord.wave_paths = [[\"a/b\"], [\"a_b\"]]\n");
    EXPECT_EQ(scenario_error(files, "s"),
              "two runs would write into the folder 2.6.32-wave_paths[\"a_b\"]: rename a "
              "[[variant]], or sweep over values whose names differ");
    files.small_scenario("s", "");
    Overrides overrides;
    overrides.policies = {"2.6.33", "2.6.33"};
    EXPECT_EQ(scenario_error(files, "s", overrides), "--policy 2.6.33: is given twice");
    files.small_scenario("s", "[[variant]]\nname = \"..\"\npolicy = \"2.6.33\"\n");
    EXPECT_EQ(scenario_error(files, "s"),
              "scenarios/s.toml:9: name = \"..\": a name may not hold a slash or begin with a dot");
}

TEST(ScenarioFile, RefusesASweepOfMoreRunsThanAnyoneWants) {
    Files files;
    std::string values = "1";
    for (int i = 2; i <= 64; ++i) {
        values += ", " + std::to_string(i);
    }
    files.small_scenario("s", "[sweep]\nworkload.threads = [" + values +
                                  "]\nworkload.memset_mib = [" + values +
                                  "]\nworkload.memset_passes = [" + values + "]\n");
    EXPECT_EQ(scenario_error(files, "s"),
              "scenarios/s.toml:11: [sweep]: more than 10000 runs, with the lists up to "
              "workload.memset_passes");
}

TEST(ScenarioFile, SaysOfWhatSetCannotChangeThatOnlyAFileSaysIt) {
    Files files;
    files.small_scenario("s", "");
    Overrides overrides;
    overrides.settings = {"machine.file=other"};
    EXPECT_EQ(scenario_error(files, "s", overrides),
              "--set: machine.file = \"other\": only a scenario file says this");
    overrides.settings = {"policies=[\"2.6.33\"]"};
    EXPECT_EQ(scenario_error(files, "s", overrides),
              "--set: policies = [\"2.6.33\"]: only a file says this; choose rows with --policy");
}

TEST(CrossChecks, SayTheSmallestRamThatBoots) {
    Files files;
    files.small_scenario("s", "");
    Overrides overrides;
    overrides.settings = {"machine.ram_mib=20"};
    EXPECT_EQ(scenario_error(files, "s", overrides), "");
    overrides.settings = {"machine.ram_mib=19"};
    EXPECT_EQ(scenario_error(files, "s", overrides),
              "--set: machine.ram_mib = 19: too small to boot; at least 20 MiB: 4 reserved + 8 of "
              "the rest of the system + 8 to work in");
}

TEST(CrossChecks, RefuseFilesThatDoNotFitTheDisk) {
    Files files;
    files.small_scenario("s", "");
    Overrides overrides;
    overrides.settings = {"workload.file_mib=128"};
    EXPECT_EQ(
        scenario_error(files, "s", overrides),
        "machines/small.toml:7: machine.disk.size_mib = 128: 1 file(s) of 128 MiB a disk need "
        "129 MiB with their metadata");
    overrides.settings = {"workload.one_disk_per_task=false", "workload.file_mib=64"};
    EXPECT_NE(scenario_error(files, "s", overrides).find("2 file(s)"), std::string::npos);
}

TEST(CrossChecks, RefuseFewerDisksThanTasks) {
    Files files;
    files.small_scenario("s", "");
    Overrides overrides;
    overrides.settings = {"machine.data_disks=1"};
    EXPECT_EQ(
        scenario_error(files, "s", overrides),
        "--set: machine.data_disks = 1: one disk a task needs 2 data disks; \"auto\" gives as "
        "many");
}

TEST(CrossChecks, RefuseARotatingDiskWithoutZones) {
    Files files;
    files.small_scenario("s", "");
    Overrides overrides;
    overrides.settings = {"machine.disk.medium=rotating_disk"};
    EXPECT_EQ(scenario_error(files, "s", overrides),
              "default: machine.disk.rotating.zones = []: a rotating disk needs at least one zone");
    overrides.settings = {"machine.disk.medium=rotating_disk",
                          "machine.disk.rotating.zones=[[0, 9, 100]]",
                          "machine.disk.rotating.seek_points=[[1, 600]]"};
    EXPECT_NE(scenario_error(files, "s", overrides).find("more than its zones hold"),
              std::string::npos);
}

TEST(CrossChecks, RefuseACacheThatIsNoPowerOfTwoOfSets) {
    Files files;
    files.small_scenario("s", "");
    Overrides overrides;
    overrides.settings = {"machine.cpu.l1.size_bytes=6144"};
    EXPECT_EQ(scenario_error(files, "s", overrides),
              "--set: machine.cpu.l1.size_bytes = 6144: must be a power of two times ways x "
              "line_bytes = 2048");
}

TEST(ShippedFiles, EveryScenarioCanBeBuilt) {
    Library library;
    library.machines = WEIR_SOURCE_DIR "/testbenches/machines";
    library.scenarios = WEIR_SOURCE_DIR "/testbenches/scenarios";
    for (const char* name : {"2.6.32", "2.6.32-revertevict", "2.6.32-watermark-wait", "2.6.33",
                             "2.6.33-revertevict"}) {
        library.policies.push_back({name, ""});
    }
    const auto scenarios = file_names(library.scenarios);
    EXPECT_GE(scenarios.size(), 3u);
    for (const std::string& name : scenarios) {
        const Scenario scenario = load_scenario(name, library, {});
        EXPECT_FALSE(scenario.story.empty()) << name;
        EXPECT_FALSE(scenario.expectations.empty()) << name;
        EXPECT_GE(expand(scenario).size(), 1u) << name;
    }
    for (const std::string& name : file_names(library.machines)) {
        Settings settings;
        load_machine(library.machines / (name + ".toml"), settings);
    }
}

TEST(ShippedFiles, TheExperimentOfTheMailHasItsFiveRowsAndThreeColumns) {
    Library library;
    library.machines = WEIR_SOURCE_DIR "/testbenches/machines";
    library.scenarios = WEIR_SOURCE_DIR "/testbenches/scenarios";
    for (const char* name : {"2.6.32", "2.6.32-revertevict", "2.6.32-watermark-wait", "2.6.33",
                             "2.6.33-revertevict"}) {
        library.policies.push_back({name, ""});
    }
    const auto plans = expand(load_scenario("iozone-2010", library, {}));
    ASSERT_EQ(plans.size(), 15u);
    const machine::RunConfig& run = plans[2].settings.run;
    EXPECT_EQ(run.workload.threads, 16u);
    EXPECT_EQ(run.workload.file_bytes, 2048ull << 20);
    EXPECT_EQ(run.workload.record_bytes, 64u << 10);
    EXPECT_EQ(run.machine.ram_mib, 256u);
    EXPECT_EQ(run.machine.cpu.count, 4u);
    EXPECT_EQ(run.machine.hz, 100u);
    EXPECT_EQ(run.machine.cpu.l1.line_bytes, 256u);
}

}  // namespace weir::runner::test
