// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Do the congestion flags turn at their thresholds, one command before and exactly at them?
#include "sc_models/disk/congestion_monitor.h"

#include "testbenches/unit/models_disk/controller_bench.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace weir::disk {
namespace {

using test::ControllerBench;
namespace nvme = hal::nvme;
using nvme::IoOpcode;

struct Monitor {
    explicit Monitor(uint32_t nr_requests) : monitor(recorder, "d", nr_requests) {}
    uint32_t read(uint64_t offset) {
        uint32_t value = 0;
        EXPECT_EQ(monitor.read_register(offset, now_ps, value), CongestionMonitor::Outcome::Done);
        return value;
    }
    void write(uint64_t offset, uint32_t value) {
        EXPECT_EQ(monitor.write_register(offset, now_ps, value), CongestionMonitor::Outcome::Done);
    }
    probe::Recorder recorder;
    CongestionMonitor monitor;
    uint64_t now_ps = 0;
};

TEST(CongestionThresholds, AreThoseOfTheKernelsTable) {
    EXPECT_EQ(congestion_on_threshold(64), 57u);
    EXPECT_EQ(congestion_off_threshold(64), 51u);
    EXPECT_EQ(congestion_on_threshold(128), 113u);
    EXPECT_EQ(congestion_off_threshold(128), 103u);
    EXPECT_EQ(congestion_on_threshold(256), 225u);
    EXPECT_EQ(congestion_off_threshold(256), 207u);
    EXPECT_EQ(congestion_on_threshold(1), 1u);
    EXPECT_EQ(congestion_off_threshold(1), 1u);
}

TEST(CongestionMonitorEdges, OnAtTheThresholdAndNotOneCommandBefore) {
    Monitor m(128);
    m.monitor.set_depth(QueueClass::Async, 112, 10);
    EXPECT_FALSE(m.monitor.congested(QueueClass::Async));
    m.monitor.set_depth(QueueClass::Async, 113, 20);
    EXPECT_TRUE(m.monitor.congested(QueueClass::Async));
    EXPECT_FALSE(m.monitor.congested(QueueClass::Sync));
    EXPECT_EQ(m.read(nvme::kCongStatus), nvme::kCongStatusWr);
    EXPECT_EQ(m.read(nvme::kCongEvent), nvme::kEventOnWr);
}

TEST(CongestionMonitorEdges, OffBelowTheLowerThresholdAndNotAtIt) {
    Monitor m(128);
    m.monitor.set_depth(QueueClass::Sync, 113, 10);
    m.monitor.set_depth(QueueClass::Sync, 103, 20);
    EXPECT_TRUE(m.monitor.congested(QueueClass::Sync));
    m.monitor.set_depth(QueueClass::Sync, 102, 30);
    EXPECT_FALSE(m.monitor.congested(QueueClass::Sync));
    EXPECT_EQ(m.read(nvme::kCongEvent), nvme::kEventOnRd | nvme::kEventOffRd);
}

TEST(CongestionMonitorEdges, EventRaisesOnlyWhileEnabledAndUntilCleared) {
    Monitor m(128);
    m.monitor.set_depth(QueueClass::Async, 113, 10);
    m.monitor.set_depth(QueueClass::Async, 100, 20);
    EXPECT_FALSE(m.monitor.event_raised());
    m.write(nvme::kCongEvent, nvme::kEventOffWr << nvme::kEventEnableShift);
    EXPECT_TRUE(m.monitor.event_raised());
    m.write(nvme::kCongEvent, nvme::kEventOffWr | nvme::kEventOffWr << nvme::kEventEnableShift);
    EXPECT_FALSE(m.monitor.event_raised());
    EXPECT_EQ(m.read(nvme::kCongEvent) & nvme::kEventMask, nvme::kEventOnWr);
}

TEST(CongestionMonitorRegisters, ThresholdsMayBeSetAndZeroMeansNever) {
    Monitor m(128);
    EXPECT_EQ(m.read(nvme::kCongOn), 113u);
    EXPECT_EQ(m.read(nvme::kCongOff), 103u);
    EXPECT_EQ(m.read(nvme::kCongNrRequests), 128u);
    m.monitor.set_depth(QueueClass::Sync, 5, 10);
    m.write(nvme::kCongOn, 5);  // takes effect at once
    EXPECT_TRUE(m.monitor.congested(QueueClass::Sync));
    m.write(nvme::kCongOn, 0);
    EXPECT_FALSE(m.monitor.congested(QueueClass::Sync));
    m.monitor.set_depth(QueueClass::Sync, 1000, 20);
    EXPECT_FALSE(m.monitor.congested(QueueClass::Sync));
}

TEST(CongestionMonitorRegisters, HighWaterMarkIsClearedToThePresentDepth) {
    Monitor m(128);
    m.monitor.set_depth(QueueClass::Sync, 7, 10);
    m.monitor.set_depth(QueueClass::Sync, 3, 20);
    EXPECT_EQ(m.read(nvme::kCongDepthMaxRd), 7u);
    m.write(nvme::kCongDepthMaxRd, 0xdead);
    EXPECT_EQ(m.read(nvme::kCongDepthMaxRd), 3u);
    EXPECT_EQ(m.read(nvme::kCongDepthMaxWr), 0u);
    DeviceStats stats;
    m.monitor.report(stats, 20);
    EXPECT_EQ(stats.depth_max[0], 7u);  // the run's own figure stays
}

TEST(CongestionMonitorRegisters, CyclesCountMicrosecondsOfBusyAndOfIdleWhileCongested) {
    Monitor m(128);
    m.write(nvme::kCongOn, 2);
    m.write(nvme::kCongOff, 2);
    m.monitor.set_depth(QueueClass::Async, 2, 1'000'000);
    m.monitor.set_serving(true, 3'000'000);
    m.monitor.set_serving(false, 10'000'000);
    m.now_ps = 14'000'000;
    EXPECT_EQ(m.read(nvme::kCongBusyCycles), 13u);
    EXPECT_EQ(m.read(nvme::kCongIdleCycles), 2u + 4u);
    m.monitor.set_depth(QueueClass::Async, 0, 14'000'000);
    m.now_ps = 20'000'000;
    EXPECT_EQ(m.read(nvme::kCongBusyCycles), 13u);
    EXPECT_EQ(m.read(nvme::kCongIdleCycles), 6u);
    uint32_t value = 0;
    EXPECT_EQ(m.monitor.read_register(nvme::kCongBlockBytes, 0, value),
              CongestionMonitor::Outcome::NoSuchRegister);
    EXPECT_EQ(m.monitor.write_register(nvme::kCongDepthRd, 0, 1),
              CongestionMonitor::Outcome::ReadOnly);
}

class SignalLog : public probe::Sink {
  public:
    void on_define(probe::SignalId id, const probe::SignalInfo& info) override {
        names_[id.value] = info.path;
    }
    void on_signal(uint64_t time_ps, probe::SignalId id, uint64_t value) override {
        changes[names_[id.value]].push_back({time_ps, value});
    }
    struct Change {
        uint64_t time_ps;
        uint64_t value;
    };
    std::map<std::string, std::vector<Change>> changes;

  private:
    std::map<uint32_t, std::string> names_;
};

TEST(CongestionOnTheController, DoorbellsAndCompletionsMoveDepthFlagsInterruptAndSignals) {
    ControllerConfig config = ControllerBench::small_disk();
    config.disk.device_queue_depth = 1;
    ControllerBench bench(config);
    SignalLog log;
    bench.recorder.add_sink(log);
    bench.run([&] {
        bench.bring_up();
        bench.write32(nvme::kRegCongestion + nvme::kCongOn, 6);
        bench.write32(nvme::kRegCongestion + nvme::kCongOff, 3);
        bench.write32(nvme::kRegCongestion + nvme::kCongEvent,
                      nvme::kEventOffWr << nvme::kEventEnableShift);
        bench.write32(nvme::kRegIntms, nvme::vector_bit(2));  // events only
        for (uint32_t i = 0; i < 5; ++i)
            bench.submit(2, ControllerBench::io(IoOpcode::Write, i * 8, 8, ControllerBench::kData));
        bench.ring(2);
        EXPECT_EQ(bench.cong(nvme::kCongDepthWr), 5u);
        EXPECT_EQ(bench.cong(nvme::kCongStatus), 0u);
        bench.submit(2, ControllerBench::io(IoOpcode::Write, 0, 8, ControllerBench::kData));
        bench.ring(2);
        EXPECT_EQ(bench.cong(nvme::kCongDepthWr), 6u);
        EXPECT_EQ(bench.cong(nvme::kCongStatus), nvme::kCongStatusWr);
        while (bench.cong(nvme::kCongDepthWr) > 3) bench.wait_us(1);
        EXPECT_EQ(bench.cong(nvme::kCongStatus), nvme::kCongStatusWr);
        EXPECT_FALSE(bench.irq.read());
        while (bench.cong(nvme::kCongDepthWr) > 2) bench.wait_us(1);
        EXPECT_EQ(bench.cong(nvme::kCongStatus), 0u);
        bench.wait_us(1);
        EXPECT_TRUE(bench.irq.read());
        bench.write32(nvme::kRegCongestion + nvme::kCongEvent,
                      nvme::kEventOffWr | nvme::kEventOffWr << nvme::kEventEnableShift);
        bench.wait_us(1);
        EXPECT_FALSE(bench.irq.read());
        bench.wait_us(10'000);
        EXPECT_EQ(bench.cong(nvme::kCongDepthMaxWr), 6u);
        EXPECT_GT(bench.stats().congested_ps[1], 0u);
    });
    bench.recorder.finish(bench.now_ps());
    const auto values = [&](const char* name) {
        std::vector<uint64_t> list;
        for (const auto& change : log.changes[std::string("machine.disk0.") + name])
            list.push_back(change.value);
        return list;
    };
    EXPECT_EQ(values("q_depth_wr"), (std::vector<uint64_t>{0, 5, 6, 5, 4, 3, 2, 1, 0}));
    EXPECT_EQ(values("cong_wr"), (std::vector<uint64_t>{0, 1, 0}));
    EXPECT_EQ(values("cong_wake"), (std::vector<uint64_t>{0, 1, 0}));
    EXPECT_EQ(values("cong_rd"), (std::vector<uint64_t>{0}));
    EXPECT_EQ(values("busy"), (std::vector<uint64_t>{0, 1, 0}));
    EXPECT_EQ(log.changes["machine.disk0.cong_wr"][2].time_ps,
              log.changes["machine.disk0.cong_wake"][1].time_ps);
    const std::vector<uint64_t> phases = values("phase");
    EXPECT_EQ(phases.front(), 0u);
    EXPECT_EQ(phases.back(), 0u);
    EXPECT_NE(std::find(phases.begin(), phases.end(), static_cast<uint64_t>(Phase::Bus)),
              phases.end());
}

}  // namespace
}  // namespace weir::disk
