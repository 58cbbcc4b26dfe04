// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: does the whole machine start, end and report in every way it can?
#include "sc_models/machine/machine.h"

#include "sc_models/disk/disk_image.h"
#include "sc_models/machine/boot_image.h"
#include "sc_models/machine/watchdog.h"
#include "testbenches/unit/models_core/rig.h"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace weir::test {
namespace {

using machine::Ending;
using machine::Machine;
using machine::RunConfig;
using machine::RunOutcome;

RunConfig run_config() {
    RunConfig config;
    config.machine = rig_config(2);
    config.machine.ram_mib = 16;
    config.machine.disk.size_mib = 64;
    config.machine.watchdog_ms = 5'000;
    config.workload.kind = hal::WorkloadKind::Iozone;
    config.workload.threads = 2;
    config.workload.one_disk_per_task = 1;
    config.workload.file_bytes = 1024 * 1024;
    config.policy = "2.6.32";
    config.seed = 77;
    return config;
}

/// A machine whose harts run the given programs.
struct Bench {
    explicit Bench(const RunConfig& config = run_config()) : programs(config.machine.cpu.count) {
        firmware_programs = &programs;
        machine.emplace(config, recorder);
    }
    ~Bench() { firmware_programs = nullptr; }
    RunOutcome run(const Machine::Hooks& hooks = {}) { return machine->run(hooks); }

    std::vector<std::function<void()>> programs;
    probe::Recorder recorder;
    std::optional<Machine> machine;
};

TEST(MachineRun, PowersOffWithTheKernelsExitCodeAndTime) {
    Bench bench;
    bench.programs[0] = [] {
        hal::spend(hal::Op::ScanFrame, 50);
        hal::power_off(3);
    };
    const RunOutcome outcome = bench.run();
    EXPECT_EQ(outcome.ending, Ending::PoweredOff);
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_EQ(outcome.simulated_ps, 5'000'000u);
}

TEST(MachineRun, TellsTheKernelWhatTheMachineIs) {
    RunConfig config = run_config();
    config.machine.has_swap = true;
    config.machine.swap.size_mib = 32;
    config.machine.disk.readahead_kib = 512;
    Bench bench(config);
    bench.programs[1] = [] {
        hal::BootInfo info;
        std::memcpy(&info, hal::ram_ptr(hal::kBootInfoAddr), sizeof info);
        EXPECT_EQ(info.magic, hal::BootInfo::kMagic);
        EXPECT_EQ(info.ram_bytes, 16u << 20);
        EXPECT_EQ(info.hart_count, 2u);
        EXPECT_EQ(info.seed, 77u);
        EXPECT_STREQ(info.policy, "2.6.32");
        EXPECT_EQ(info.disk_count, 3u);
        EXPECT_EQ(info.disks[0].readahead_pages, 128u);
        EXPECT_EQ(info.disks[1].mmio, hal::kDiskBase + hal::kDiskStrideBytes);
        EXPECT_EQ(info.disks[1].irq_source, 2u);
        EXPECT_EQ(info.disks[2].role, hal::DiskRole::Swap);
        EXPECT_EQ(info.disks[2].sectors, 65'536u);
        // Every controller answers at its place: VS of the reduced NVMe profile.
        for (uint32_t i = 0; i < 3; ++i)
            EXPECT_EQ(hal::mmio_read32(info.disks[i].mmio + 8), 0x0001'0400u);
        hal::power_off(0);
    };
    EXPECT_EQ(bench.run().ending, Ending::PoweredOff);
    ASSERT_EQ(bench.machine->device_stats().size(), 3u);
    EXPECT_EQ(bench.machine->device_stats()[2].name, "swap");
}

TEST(MachineRun, PanicCarriesTheMessage) {
    Bench bench;
    bench.programs[1] = [] { hal::panic("file.cpp", 12, "it broke", 1, 2); };
    const RunOutcome outcome = bench.run();
    EXPECT_EQ(outcome.ending, Ending::Panicked);
    EXPECT_NE(outcome.message.find("machine.cpu1: kernel panic: it broke"), std::string::npos)
        << outcome.message;
}

TEST(MachineRun, ABrokenModelRuleEndsLikeAPanic) {
    Bench bench;
    bench.programs[0] = [] { hal::kick(9); };
    const RunOutcome outcome = bench.run();
    EXPECT_EQ(outcome.ending, Ending::Panicked);
    EXPECT_NE(outcome.message.find("kick of a hart that is not there"), std::string::npos);
}

TEST(MachineRun, SaysSoWhenEveryHartSleepsForEver) {
    Bench bench;
    const RunOutcome outcome = bench.run();
    EXPECT_EQ(outcome.ending, Ending::NoProgress);
    EXPECT_NE(outcome.message.find("no event is to come"), std::string::npos) << outcome.message;
    EXPECT_LT(outcome.simulated_ps, 100 * kPsPerMs);
}

TEST(MachineRun, WatchdogEndsABusyRunThatGetsNowhereAndNamesTheTask) {
    Bench bench;
    bench.programs[0] = [] {
        uint64_t name[2] = {};
        std::memcpy(name, "stuck-task", 10);
        hal::trace(hal::Event::TaskCreated, 1, name[0], name[1]);
        for (;;) {  // sleeps and wakes up for ever
            hal::gauge(hal::Gauge::TaskState, 1, 3);
            hal::mmio_write64(hal::kTimerBase + hal::kTimerCompareOffset,
                              hal::now_ns() + 10'000'000);
            hal::wait_for_interrupt();
            hal::gauge(hal::Gauge::TaskState, 1, 1);
        }
    };
    const RunOutcome outcome = bench.run();
    EXPECT_EQ(outcome.ending, Ending::NoProgress);
    EXPECT_NE(outcome.message.find("stuck-task"), std::string::npos) << outcome.message;
    EXPECT_GE(outcome.simulated_ps, 5 * kPsPerSecond);
    EXPECT_LE(outcome.simulated_ps, 8 * kPsPerSecond);
}

TEST(MachineRun, HonoursTheTimeLimitAndCallsTheHooks) {
    Bench bench;
    bench.programs[0] = [] {
        for (;;) hal::spend(hal::Op::UserWorkPage, 1000);
    };
    std::vector<uint64_t> seconds;
    int progress_calls = 0;
    Machine::Hooks hooks;
    hooks.every_second = [&](uint64_t time_ps) { seconds.push_back(time_ps); };
    hooks.on_progress = [&](const machine::Progress&) { ++progress_calls; };
    hooks.progress_period_ps = 500 * kPsPerMs;
    hooks.time_limit_ps = 2'500 * kPsPerMs;
    const RunOutcome outcome = bench.run(hooks);
    EXPECT_EQ(outcome.ending, Ending::TimeLimit);
    EXPECT_EQ(outcome.simulated_ps, 2'500 * kPsPerMs);
    EXPECT_EQ(seconds, (std::vector<uint64_t>{kPsPerSecond, 2 * kPsPerSecond}));
    EXPECT_EQ(progress_calls, 5);
}

TEST(MachineRun, ReadsTheKernelsCountersOutOfRam) {
    Bench bench;
    bench.programs[0] = [] {
        auto* counters = static_cast<uint64_t*>(hal::ram_ptr(hal::PhysAddr{0x8010'0000}));
        hal::export_counters(counters, 3);
        counters[0] = 5;
        counters[2] = 9;
        hal::power_off(0);
    };
    EXPECT_TRUE(bench.machine->counters().empty());
    bench.run();
    EXPECT_EQ(bench.machine->counters(), (std::vector<uint64_t>{5, 0, 9}));
}

/// The hash of the record of one run in a process of its own.
uint64_t hash_of_run(uint64_t run_seed) {
    int ends[2];
    if (pipe(ends) != 0) return 0;
    const pid_t child = fork();
    if (child == 0) {
        RunConfig config = run_config();
        Bench bench(config);
        for (uint32_t hart = 0; hart < 2; ++hart)
            bench.programs[hart] = [hart, run_seed] {
                uint64_t state = run_seed + hart;
                for (int i = 0; i < 2'000; ++i) {
                    state = state * 6364136223846793005u + 1442695040888963407u;
                    hal::spend(hal::Op::ScanFrame, state >> 60);
                    hal::touch(ram(0x10'0000 + (state >> 44) % 0x8'0000), 64,
                               state >> 63 ? hal::Access::Write : hal::Access::Read);
                    hal::gauge(hal::Gauge::ZoneFree, 0, state >> 50);
                }
                if (hart == 0) hal::power_off(0);
            };
        bench.run();
        const uint64_t hash = bench.recorder.hash();
        const bool sent = write(ends[1], &hash, sizeof hash) == sizeof hash;
        _exit(sent ? 0 : 1);
    }
    uint64_t hash = 0;
    if (read(ends[0], &hash, sizeof hash) != sizeof hash) hash = 0;
    waitpid(child, nullptr, 0);
    close(ends[0]);
    close(ends[1]);
    return hash;
}

TEST(MachineRun, EqualInputsGiveEqualRecords) {
    const uint64_t first = hash_of_run(1);
    EXPECT_NE(first, 0u);
    EXPECT_EQ(first, hash_of_run(1));
    EXPECT_NE(first, hash_of_run(2));
}

// ---- configuration ------------------------------------------------------------------------------

std::string refusal(const RunConfig& config) {
    try {
        machine::make_boot_info(config);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

TEST(MachineConfigCheck, NamesTheKeyThatCannotBe) {
    RunConfig config = run_config();
    EXPECT_EQ(refusal(config), "");
    config.machine.data_disks = 1;
    EXPECT_NE(refusal(config).find("machine.data_disks: 1 given, but the workload needs 2"),
              std::string::npos);
    config = run_config();
    config.workload.threads = 65;
    EXPECT_NE(refusal(config).find("machine.data_disks"), std::string::npos);
    config = run_config();
    config.policy = std::string(48, 'x');
    EXPECT_NE(refusal(config).find("policy"), std::string::npos);
    config = run_config();
    config.machine.hz = 0;
    EXPECT_NE(refusal(config).find("machine.hz"), std::string::npos);
}

TEST(MachineConfigCheck, PutsFilesWhereTheWorkloadLooksForThem) {
    RunConfig config = run_config();
    EXPECT_EQ(machine::files_of_disks(config),
              (std::vector<std::vector<uint64_t>>{{1024 * 1024}, {1024 * 1024}}));
    config.workload.one_disk_per_task = 0;
    EXPECT_EQ(machine::files_of_disks(config),
              (std::vector<std::vector<uint64_t>>{{1024 * 1024, 1024 * 1024}}));
    config.workload.kind = hal::WorkloadKind::Memset;
    EXPECT_TRUE(machine::files_of_disks(config).empty());
}

TEST(Watchdog, BarksAtItsPatienceAndNotBefore) {
    machine::Watchdog dog(1'000);
    EXPECT_FALSE(dog.barks(100, 5));
    EXPECT_FALSE(dog.barks(1'099, 5));
    EXPECT_TRUE(dog.barks(1'100, 5));
    EXPECT_FALSE(dog.barks(1'101, 6));
    EXPECT_FALSE(dog.barks(2'100, 6));
    EXPECT_TRUE(dog.barks(2'101, 6));
}

}  // namespace
}  // namespace weir::test
