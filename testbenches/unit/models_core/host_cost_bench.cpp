// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What each primitive of host mode costs the host, in ns a call. Not a test: it prints a table.
#include "testbenches/unit/models_core/rig.h"

#include <cstdio>
#include <ctime>

namespace weir::test {
namespace {

/// Processor time of this process: other load of the host does not count.
double processor_ns() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

template <typename Body>
void measure(const char* what, uint64_t count, Body body) {
    const double begin_ns = processor_ns();
    for (uint64_t i = 0; i < count; ++i) body(i);
    std::printf("%-58s %8.1f ns\n", what, (processor_ns() - begin_ns) / static_cast<double>(count));
}

machine::MachineConfig big_config() {
    machine::MachineConfig config = rig_config(2);
    config.cpu.quantum_ns = 10'000;
    config.cpu.tlb_entries = 512;
    config.cpu.l1 = {128 * 1024, 8, 256, 1};
    config.cpu.l2 = {3 * 1024 * 1024, 12, 256, 10};
    for (auto& cost : config.cpu.cost_cycles) cost = 1;
    return config;
}

hal::Context* first;
hal::Context* second;

void measure_time_and_caches() {
    constexpr uint64_t kPages = 3000;  // 12 MiB: more than L2 holds
    measure("spend, no synchronisation due (1 in 10000 is)", 20'000'000,
            [](uint64_t) { hal::spend(hal::Op::ScanFrame); });
    measure("touch of 8 bytes that hit L1", 20'000'000,
            [](uint64_t i) { hal::touch(ram(0x10'0000 + i % 64 * 8), 8, hal::Access::Read); });
    measure("lock_acquire + lock_release, free", 10'000'000, [](uint64_t) {
        static hal::LockWord lock;
        hal::lock_acquire(lock);
        hal::lock_release(lock);
    });
    measure("irq_save + irq_restore", 10'000'000,
            [](uint64_t) { hal::irq_restore(hal::irq_save()); });
    const auto page = [](uint64_t i) { return ram(0x10'0000 + i % kPages * 4096); };
    measure("touch of 4096 bytes, read, all miss (syncs included)", 300'000,
            [&](uint64_t i) { hal::touch(page(i), 4096, hal::Access::Read); });
    measure("touch of 4096 bytes, write, all miss and evict dirty", 300'000,
            [&](uint64_t i) { hal::touch(page(i), 4096, hal::Access::Write); });
    measure("touch 4 KiB read + 4 KiB write, all miss, half dirty", 300'000, [&](uint64_t i) {
        hal::touch(page(2 * i), 4096, hal::Access::Read);
        hal::touch(page(2 * i + 1), 4096, hal::Access::Write);
    });
    measure("touch 4 KiB read miss + 4 KiB write that hits L2", 300'000, [&](uint64_t i) {
        hal::touch(page(16 + i % (kPages - 16)), 4096, hal::Access::Read);
        hal::touch(page(i % 16), 4096, hal::Access::Write);
    });
    measure("copy_bytes of 4 KiB as in the line above", 300'000,
            [&](uint64_t i) { hal::copy_bytes(page(i % 16), page(16 + i % (kPages - 16)), 4096); });
}

void measure_control() {
    measure("gauge that changes, advance included", 3'000'000, [](uint64_t i) {
        hal::gauge(hal::Gauge::ZoneFree, 0, i);
        hal::spend(hal::Op::ScanFrame, 100);
        if (i % 4096 == 0) cpu::platform->trace->recorder().advance(simulator_now_ps());
    });
    measure("trace, advance included", 1'000'000, [](uint64_t i) {
        hal::trace(hal::Event::SchedWakeup, i, 1);
        hal::spend(hal::Op::ScanFrame, 100);
        if (i % 4096 == 0) cpu::platform->trace->recorder().advance(simulator_now_ps());
    });
    measure("synchronisation (timed wait)", 1'000'000, [](uint64_t) {
        cpu::current_hart->charge(1000);
        cpu::current_hart->wait_until_local();
    });
    measure("mmio_read64 (a wait before and after)", 500'000, [](uint64_t) {
        hal::spend(hal::Op::ScanFrame);
        hal::mmio_read64(hal::kTimerBase + hal::kTimerNowOffset);
    });
    first = hal::context_current();
    second = hal::context_create(
        "second",
        [](void*) {
            for (;;) hal::context_switch(second, first);
        },
        nullptr);
    measure("context_switch there and back", 1'000'000,
            [](uint64_t) { hal::context_switch(first, second); });
}

int run() {
    Rig rig(big_config());
    rig.firmware[0] = [] {
        measure_time_and_caches();
        measure_control();
        hal::power_off(0);
    };
    if (rig.run(1'000'000 * kPsPerSecond)) return 0;
    std::fprintf(stderr, "%s\n", rig.failure.c_str());
    return 1;
}

}  // namespace
}  // namespace weir::test

int main() {
    return weir::test::run();
}
