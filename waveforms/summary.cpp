// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "waveforms/summary.h"

#include "firmware/kernel/counters.h"
#include "firmware/kernel/nap.h"
#include "waveforms/nap_analysis.h"

#include <fmt/format.h>

namespace weir::waveforms {

namespace {

using Json = nlohmann::ordered_json;

/// Rounded to a fixed number of decimals, so that the text is short and equal runs are equal.
double rounded(double value, double per_unit = 1e3) {
    return static_cast<double>(static_cast<int64_t>(value * per_unit + (value < 0 ? -0.5 : 0.5))) /
           per_unit;
}

double seconds(uint64_t ps) {
    return static_cast<double>(ps) * 1e-12;
}

double share_pct(uint64_t part, uint64_t whole) {
    return whole ? rounded(100.0 * static_cast<double>(part) / static_cast<double>(whole)) : 0;
}

const char* phase_name(uint64_t phase) {
    static constexpr const char* kNames[] = {"write", "rewrite", "read", "reread"};
    return phase < 4 ? kNames[phase] : nullptr;
}

Json phases_json(const PhaseCollector& work) {
    Json phases = Json::object();
    for (const auto& [phase, tasks] : work.phases()) {
        uint64_t bytes = 0;
        for (const auto& task : tasks) bytes += task.bytes;
        const char* name = phase_name(phase);
        phases[name ? name : fmt::format("phase{}", phase)] = {
            {"tasks", tasks.size()},
            {"bytes", bytes},
            {"throughput_kBps", rounded(children_kbytes_per_s(tasks))},
            {"parent_throughput_kBps", rounded(parent_kbytes_per_s(tasks))}};
    }
    return phases;
}

Json tasks_json(const PhaseCollector& work, uint64_t simulated_ps) {
    Json tasks = Json::object();
    for (const auto& [pid, task] : work.tasks()) {
        const uint64_t end_ps = task.exited ? task.exited_ps : simulated_ps;
        tasks[fmt::format("{}-{}", task.name, pid)] = {
            {"real_s", rounded(seconds(end_ps - std::min(end_ps, task.created_ps)), 1e6)},
            {"user_s", rounded(static_cast<double>(task.user_ns) * 1e-9, 1e6)},
            {"sys_s", rounded(static_cast<double>(task.system_ns) * 1e-9, 1e6)},
            {"iowait_s", rounded(static_cast<double>(task.iowait_ns) * 1e-9, 1e6)},
            {"exited", task.exited},
            {"killed", task.killed}};
    }
    return tasks;
}

class Counters {
  public:
    explicit Counters(const std::vector<uint64_t>& values) : values_(values) {}
    uint64_t operator()(kernel::VmCounter counter) const {
        const auto index = static_cast<size_t>(counter);
        return index < values_.size() ? values_[index] : 0;
    }

  private:
    const std::vector<uint64_t>& values_;
};

Json metrics_json(const RunFacts& facts, const PhaseCollector& work) {
    using kernel::VmCounter;
    const Counters counter(facts.counters);
    const double simulated_s = seconds(facts.simulated_ps);
    const auto kb_per_s = [&](VmCounter pages) {
        return simulated_s > 0 ? rounded(static_cast<double>(counter(pages)) * 4 / simulated_s) : 0;
    };
    Json metrics;
    metrics["throughput_kBps"] =
        work.phases().empty() ? 0.0
                              : rounded(children_kbytes_per_s(work.phases().rbegin()->second));
    metrics["phases"] = phases_json(work);
    metrics["faults"] = counter(VmCounter::PgFault);
    metrics["major_faults"] = counter(VmCounter::PgMajFault);
    metrics["pages_in"] = counter(VmCounter::PgPgIn) / 4;
    metrics["pages_out"] = counter(VmCounter::PgPgOut) / 4;
    metrics["swap_in_kBps"] = kb_per_s(VmCounter::PswpIn);
    metrics["swap_out_kBps"] = kb_per_s(VmCounter::PswpOut);
    metrics["scanned_pages"] = counter(VmCounter::PgScanDirect) + counter(VmCounter::PgScanKswapd);
    metrics["reclaimed_pages"] =
        counter(VmCounter::PgStealDirect) + counter(VmCounter::PgStealKswapd);
    metrics["killed_tasks"] = counter(VmCounter::OomKills);
    metrics["pages_verified"] = counter(VmCounter::PagesVerified);
    metrics["pages_wrong"] = counter(VmCounter::PagesWrong);
    metrics["io_errors"] = counter(VmCounter::IoErrors);
    metrics["io_retries"] = counter(VmCounter::IoRetries);
    metrics["io_timeouts"] = counter(VmCounter::IoTimeouts);
    metrics["lost_writes"] = counter(VmCounter::LostWrites);
    const uint64_t cpu_ns = counter(VmCounter::UserNs) + counter(VmCounter::SystemNs) +
                            counter(VmCounter::IdleNs) + counter(VmCounter::IoWaitNs);
    metrics["cpu_user_pct"] = share_pct(counter(VmCounter::UserNs), cpu_ns);
    metrics["cpu_system_pct"] = share_pct(counter(VmCounter::SystemNs), cpu_ns);
    metrics["cpu_iowait_pct"] = share_pct(counter(VmCounter::IoWaitNs), cpu_ns);
    metrics["cpu_idle_pct"] = share_pct(counter(VmCounter::IdleNs), cpu_ns);
    metrics["tasks"] = tasks_json(work, facts.simulated_ps);
    return metrics;
}

Json naps_json(const NapCollector& naps) {
    Json result = Json::object();
    const auto sites = analyse(naps.naps());
    for (const char* name : kernel::kNapSiteNames) {
        const auto found = sites.find(name);
        const SiteSummary site = found == sites.end() ? SiteSummary{} : found->second;
        Json woken = Json::object();
        for (const char* waker : kernel::kWakerNames) {
            const auto count = site.woken_by.find(waker);
            woken[waker] = count == site.woken_by.end() ? 0 : count->second;
        }
        const auto timer = site.woken_by.find("timer");
        result[name] = {{"count", site.count},
                        {"total_us", site.total_ns / 1000},
                        {"wasted_us", site.wasted_ns / 1000},
                        {"wasted_pct", share_pct(site.wasted_ns, site.total_ns)},
                        {"p50_us", site.p50_ns / 1000},
                        {"p95_us", site.p95_ns / 1000},
                        {"max_us", site.max_ns / 1000},
                        {"congested_at_entry", site.congested_at_entry_count},
                        {"timer_share_pct",
                         share_pct(timer == site.woken_by.end() ? 0 : timer->second, site.count)},
                        {"woken_by", woken}};
    }
    return result;
}

Json devices_json(const RunFacts& facts) {
    Json devices = Json::array();
    const double simulated_s = seconds(facts.simulated_ps);
    for (const auto& device : facts.devices) {
        const uint64_t commands = device.commands[0] + device.commands[1];
        const auto await_ms = [&](int direction) {
            return device.commands[direction]
                       ? rounded(seconds(device.service_ps[direction]) * 1e3 /
                                 static_cast<double>(device.commands[direction]))
                       : 0;
        };
        const auto mbytes_per_s = [&](int direction) {
            return simulated_s > 0
                       ? rounded(static_cast<double>(device.bytes[direction]) / 1e6 / simulated_s)
                       : 0;
        };
        Json phases;
        static constexpr const char* kPhases[] = {"idle",   "overhead", "seek",
                                                  "rotate", "media",    "bus"};
        for (int i = 0; i < 6; ++i) phases[kPhases[i]] = rounded(seconds(device.phase_ps[i]) * 1e3);
        devices.push_back(
            {{"name", device.name},
             {"util_pct", share_pct(device.busy_ps, facts.simulated_ps)},
             {"avg_queue", facts.simulated_ps
                               ? rounded(static_cast<double>(device.depth_integral_ps) /
                                         static_cast<double>(facts.simulated_ps))
                               : 0},
             {"read_await_ms", await_ms(0)},
             {"write_await_ms", await_ms(1)},
             {"request_kB", commands
                                ? rounded(static_cast<double>(device.bytes[0] + device.bytes[1]) /
                                          1024 / static_cast<double>(commands))
                                : 0},
             {"rMB_per_s", mbytes_per_s(0)},
             {"wMB_per_s", mbytes_per_s(1)},
             {"reads", device.commands[0]},
             {"writes", device.commands[1]},
             {"congested_ms",
              rounded(seconds(device.congested_ps[0] + device.congested_ps[1]) * 1e3)},
             {"idle_while_waited_ms", rounded(seconds(device.idle_while_congested_ps) * 1e3)},
             {"depth_max_read", device.depth_max[0]},
             {"depth_max_write", device.depth_max[1]},
             {"errors", device.errors},
             {"cache_hits", device.cache_hits},
             {"phase_ms", phases}});
    }
    return devices;
}

Json memory_json(const MemoryFacts& memory) {
    Json json = {{"standard", memory.standard},
                 {"reads", memory.reads},
                 {"writes", memory.writes},
                 {"row_hits", memory.row_hits},
                 {"row_misses", memory.row_misses},
                 {"row_conflicts", memory.row_conflicts},
                 {"refreshes", memory.refreshes},
                 {"bus_utilisation_pct", rounded(memory.bus_utilisation_pct)},
                 {"read_latency_ns", rounded(memory.read_latency_ns)},
                 {"write_latency_ns", rounded(memory.write_latency_ns)}};
    if (memory.audit)
        json["audit"] = {{"accesses", memory.audit->accesses},
                         {"commands", memory.audit->commands},
                         {"violations", memory.audit->violations},
                         {"loose_latency_ns", rounded(memory.audit->loose_latency_ns)},
                         {"command_level_latency_ns",
                          rounded(memory.audit->command_level_latency_ns)}};
    return json;
}

Json vmstat_json(const RunFacts& facts) {
    Json vmstat = Json::object();
    for (uint32_t i = 0; i < kernel::kVmCounterCount && i < facts.counters.size(); ++i)
        vmstat[kernel::kVmCounterNames[i]] = facts.counters[i];
    return vmstat;
}

}  // namespace

nlohmann::ordered_json make_summary(const RunFacts& facts, const PhaseCollector& work,
                                    const NapCollector& naps, const RecordFigures& record) {
    Json summary;
    summary["schema"] = 1;
    summary["scenario"] = facts.scenario;
    summary["machine"] = facts.machine;
    summary["policy"] = facts.policy;
    summary["variant"] = facts.variant;
    summary["params"] = Json::object();
    for (const auto& [key, value] : facts.params) summary["params"][key] = value;
    summary["seed"] = facts.seed;
    summary["ending"] = {
        {"kind", facts.ending}, {"exit_code", facts.exit_code}, {"message", facts.message}};
    summary["simulated_s"] = rounded(seconds(facts.simulated_ps), 1e9);
    summary["host_s"] = facts.host_s;
    summary["host_peak_rss_bytes"] = facts.peak_rss_bytes;
    summary["metrics"] = metrics_json(facts, work);
    summary["metrics"]["data_mismatches"] = work.data_mismatches();
    summary["metrics"]["io_errors_seen"] = work.io_errors_seen();
    summary["naps"] = naps_json(naps);
    summary["naps_open_at_end"] = naps.open_count();
    summary["devices"] = devices_json(facts);
    summary["memory"] = memory_json(facts.memory);
    summary["vmstat"] = vmstat_json(facts);
    summary["record"] = {
        {"hash", fmt::format("{:016x}", record.hash)},
        {"count", record.count},
        {"kernel_events", facts.kernel_events},
        {"wave_truncated_at_s", rounded(seconds(record.wave_truncated_at_ps), 1e6)},
        {"ftrace_truncated_at_s", rounded(seconds(record.ftrace_truncated_at_ps), 1e6)},
        {"warnings", record.warnings}};
    return summary;
}

nlohmann::ordered_json example_summary() {
    const auto event = [](hal::Event kind, std::initializer_list<uint64_t> args) {
        probe::EventRecord record{0, kind, 0, 0, {}};
        std::copy(args.begin(), args.end(), record.args);
        return record;
    };
    const std::string task = kExampleTask;
    const uint64_t pid = static_cast<uint64_t>(task.back() - '0');
    uint64_t name = 0;  // as the kernel packs it: first letter lowest
    for (size_t i = task.find('-'); i-- > 0;)
        name = name << 8 | static_cast<unsigned char>(task[i]);
    PhaseCollector work;
    work.on_event(event(hal::Event::TaskCreated, {pid, name, 0, 0}));
    for (uint64_t phase = 0; phase_name(phase) != nullptr; ++phase)
        work.on_event(event(hal::Event::PhaseEnd, {pid, phase, 0, 0}));
    NapCollector naps;
    for (uint64_t site = 0; site < kernel::kNapSiteCount; ++site) {
        naps.on_event(event(hal::Event::NapBegin, {site, pid, 0, 0, 0, 0}));
        naps.on_event(event(hal::Event::NapEnd, {site, pid, 0, 0, 0, 0}));
    }
    RunFacts facts;
    facts.counters.assign(kernel::kVmCounterCount, 1);
    for (const char* device : {kExampleDisk, kExampleSwap}) {
        facts.devices.emplace_back();
        facts.devices.back().name = device;
    }
    return make_summary(facts, work, naps, {});
}

}  // namespace weir::waveforms
