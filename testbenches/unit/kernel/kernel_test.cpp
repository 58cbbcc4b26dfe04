// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Boot allocator, object caches, counters and interrupt dispatch.
#include "testbenches/unit/kernel/kernel_bench.h"

#include <cstring>
#include <set>
#include <vector>

namespace weir::kernel::test {
namespace {

std::string panic_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const fake_hal::Panic& panic) {
        return panic.reason;
    }
    return "";
}

// ---- boot allocator ---------------------------------------------------------------------------

TEST(BootAllocator, LeavesBootInfoAndReservedMemoryAlone) {
    fake_hal::Machine machine;
    machine.boot_info().kernel_reserved_bytes = 3 << 20;
    kernel::init();
    auto* memory = boot_alloc(100);
    EXPECT_GE(hal::ram_addr(memory).value, hal::kRamBase.value + 0x1'0000 + (3u << 20));
    EXPECT_EQ(boot_info().magic, hal::BootInfo::kMagic);
}

TEST(BootAllocator, GivesZeroedAlignedDisjointMemory) {
    fake_hal::Machine machine;
    std::memset(hal::ram_ptr(hal::kRamBase + (1u << 20)), 0xAA, 8u << 20);
    kernel::init();
    uint64_t last_end = 0;
    for (uint64_t align : {8u, 64u, 4096u, 16u}) {
        auto* bytes = static_cast<uint8_t*>(boot_alloc(1000, align));
        const uint64_t addr = hal::ram_addr(bytes).value;
        EXPECT_EQ(addr % align, 0u);
        EXPECT_GE(addr, last_end);
        last_end = addr + 1000;
        for (int i = 0; i < 1000; ++i) ASSERT_EQ(bytes[i], 0);
    }
    EXPECT_EQ(boot_alloc_end().value, (last_end + 4095) / 4096);
}

TEST(BootAllocator, PanicsWhenRamIsTooSmall) {
    fake_hal::Machine machine({.ram_bytes = 4u << 20});
    kernel::init();
    const uint64_t used = (uint64_t{boot_alloc_end().value} << 12) - hal::kRamBase.value;
    EXPECT_EQ(panic_of([&] { boot_alloc((4u << 20) - used, 4096); }), "");
    EXPECT_NE(panic_of([&] { boot_alloc(1, 1); }).find("RAM is too small to boot"),
              std::string::npos);
}

TEST(BootAllocator, PanicsWhenReservedMemoryDoesNotFit) {
    fake_hal::Machine machine({.ram_bytes = 2u << 20});
    machine.boot_info().kernel_reserved_bytes = 2u << 20;
    EXPECT_NE(panic_of([] { kernel::init(); }).find("RAM is too small to boot"), std::string::npos);
}

TEST(BootInfo, NonsenseIsRefusedWithTheReason) {
    fake_hal::Machine machine;
    machine.boot_info().tick_hz = 0;
    EXPECT_EQ(panic_of([] { kernel::init(); }), "BootInfo: tick_hz is not 1..10000");
    machine.boot_info().tick_hz = 100;
    machine.boot_info().hart_count = hal::kMaxHarts + 1;
    EXPECT_EQ(panic_of([] { kernel::init(); }), "BootInfo: hart_count is not 1..kMaxHarts");
    machine.boot_info().magic = 0;
    EXPECT_EQ(panic_of([] { kernel::init(); }), "BootInfo is missing");
}

TEST(Counters, AreExportedFromRam) {
    KernelBench bench;
    EXPECT_EQ(bench.machine.counters(), vm_counters);
    EXPECT_EQ(bench.machine.counter_count(), kVmCounterCount);
    EXPECT_NO_THROW(hal::ram_addr(vm_counters));
    const uint64_t before = counter_value(VmCounter::NrDirty);
    count(VmCounter::NrDirty, 3);
    count(VmCounter::NrDirty, -2);
    EXPECT_EQ(bench.machine.counters()[static_cast<uint32_t>(VmCounter::NrDirty)], before + 1);
}

TEST(Random, SameSeedSameStream) {
    auto stream = [](uint64_t seed) {
        KernelBench bench({.seed = seed});
        std::vector<uint64_t> values(8);
        for (uint64_t& value : values) value = random_u64();
        return values;
    };
    EXPECT_EQ(stream(5), stream(5));
    EXPECT_NE(stream(5), stream(6));
}

// ---- object cache -----------------------------------------------------------------------------

struct Thing {
    explicit Thing(int v) : value(v) {}
    ~Thing() { ++destroyed; }
    int value;
    uint64_t payload[5] = {};
    static inline int destroyed = 0;
};

TEST(ObjectCache, ConstructsDestroysAndReuses) {
    KernelBench bench;
    ObjectCache<Thing> cache;
    Thing::destroyed = 0;
    Thing* first = cache.create(7);
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(first->value, 7);
    EXPECT_NO_THROW(hal::ram_addr(first));
    EXPECT_EQ(cache.live_count(), 1u);
    cache.destroy(*first);
    EXPECT_EQ(Thing::destroyed, 1);
    EXPECT_EQ(cache.live_count(), 0u);
    EXPECT_EQ(cache.create(8), first);
}

TEST(ObjectCache, ObjectsAreDisjointAndFramesAreCounted) {
    KernelBench bench;
    ObjectCache<Thing> cache;
    const uint32_t per_frame = hal::kPageBytes / sizeof(Thing);
    const uint64_t slab_before = counter_value(VmCounter::NrSlab);
    std::set<Thing*> things;
    for (uint32_t i = 0; i < per_frame + 1; ++i) things.insert(cache.create(static_cast<int>(i)));
    EXPECT_EQ(things.size(), per_frame + 1);
    EXPECT_EQ(cache.frame_count(), 2u);
    EXPECT_EQ(counter_value(VmCounter::NrSlab), slab_before + 2);
    Thing* last = nullptr;
    for (Thing* thing : things) {
        EXPECT_TRUE(!last || thing >= last + 1);
        last = thing;
    }
}

TEST(ObjectCache, TakesFramesFromTheSourceOnceSetAndReportsItsEnd) {
    KernelBench bench;
    static uint32_t given;
    given = 0;
    set_frame_source([]() -> hal::Pfn {
        if (given == 1) return hal::kNoPfn;
        ++given;
        return hal::pfn_of(hal::kRamBase + (32u << 20));
    });
    ObjectCache<Thing> cache;
    Thing* first = cache.create(1);
    EXPECT_EQ(hal::ram_addr(first), hal::kRamBase + (32u << 20));
    const uint32_t per_frame = hal::kPageBytes / sizeof(Thing);
    for (uint32_t i = 1; i < per_frame; ++i) ASSERT_NE(cache.create(1), nullptr);
    EXPECT_EQ(cache.create(1), nullptr);
    EXPECT_EQ(panic_of([] { boot_alloc(8); }), "boot_alloc after the frame allocator took over");
}

// ---- interrupts -------------------------------------------------------------------------------

TEST(Interrupts, EachPendingSourceIsClaimedHandledAndCompleted) {
    KernelBench bench;
    static std::vector<uint64_t> handled;
    handled.clear();
    auto handler = [](void* name) {
        const auto source = reinterpret_cast<uint64_t>(name);
        EXPECT_TRUE(fake_hal::machine().irq_in_service(static_cast<uint32_t>(source)));
        handled.push_back(source);
    };
    for (uint64_t source : {3, 9}) {
        register_interrupt(static_cast<uint32_t>(source), handler, reinterpret_cast<void*>(source));
    }
    EXPECT_TRUE(bench.machine.irq_enabled(3));
    EXPECT_FALSE(bench.machine.irq_enabled(4));
    const uint64_t entries = bench.machine.op_count(hal::Op::InterruptEntry);
    const uint64_t counted = counter_value(VmCounter::Interrupts);
    bench.machine.raise(9);
    bench.machine.raise(3);
    bench.machine.raise(4);  // not enabled
    bench.run_for(100'000);
    EXPECT_EQ(handled, (std::vector<uint64_t>{3, 9}));
    EXPECT_FALSE(bench.machine.irq_in_service(3));
    EXPECT_FALSE(bench.machine.irq_in_service(9));
    EXPECT_EQ(bench.machine.op_count(hal::Op::InterruptEntry), entries + 1);
    EXPECT_EQ(counter_value(VmCounter::Interrupts), counted + 1);
}

TEST(Interrupts, RaisedDuringTheHandlerIsHandledAgain) {
    KernelBench bench;
    static int runs;
    runs = 0;
    register_interrupt(
        3,
        [](void*) {
            if (++runs == 1) fake_hal::machine().raise(3);
        },
        nullptr);
    bench.machine.raise(3);
    bench.run_for(100'000);
    EXPECT_EQ(runs, 2);
}

TEST(Interrupts, TimeInAHandlerIsSystemTimeOfTheInterruptedTask) {
    KernelBench bench;
    register_interrupt(
        3, [](void*) { hal::spend(hal::Op::DriverComplete, 20'000); }, nullptr);
    Task& hog = bench.spawn("hog", TaskKind::User, user_hog);
    bench.run_for(2 * kMs);
    bench.machine.raise(3);
    bench.run_for(5 * kMs);
    EXPECT_GE(hog.system_ns, 2 * kMs);
    EXPECT_LT(hog.system_ns, 2 * kMs + 100'000);
}

TEST(Interrupts, AreHeldBackWhileInterruptsAreOffOrALockIsHeld) {
    KernelBench bench;
    static bool handled;
    handled = false;
    register_interrupt(
        3, [](void*) { handled = true; }, nullptr);
    bool seen_irq_off = true, seen_locked = true, seen_after = false;
    SpinLock lock;
    bench.spawn("t", TaskKind::Kernel, [&] {
        {
            IrqGuard guard;
            fake_hal::machine().raise(3);
            hal::spend(hal::Op::ScanFrame);
            seen_irq_off = handled;
            SpinGuard locked(lock);
            hal::spend(hal::Op::ScanFrame);
            seen_locked = handled;
        }
        hal::spend(hal::Op::ScanFrame);
        seen_after = handled;
        return 0;
    });
    bench.run_for(kMs);
    EXPECT_FALSE(seen_irq_off);
    EXPECT_FALSE(seen_locked);
    EXPECT_TRUE(seen_after);
}

TEST(Interrupts, RegisteringASourceThatDoesNotExistPanics) {
    KernelBench bench;
    EXPECT_EQ(panic_of([] { register_interrupt(0, nullptr, nullptr); }),
              "no such interrupt source");
    EXPECT_EQ(panic_of([] { register_interrupt(4000, nullptr, nullptr); }),
              "no such interrupt source");
}

TEST(FakeHal, PanicInsideATaskReachesTheTest) {
    KernelBench bench;
    bench.spawn("t", TaskKind::Kernel, [] {
        WEIR_ASSERT(false, "broken on purpose", 1, 2);
        return 0;
    });
    EXPECT_EQ(panic_of([&] { bench.machine.run_for_ns(kMs); }), "broken on purpose");
}

TEST(FakeHal, PowerOffEndsTheRunWithItsCode) {
    KernelBench bench;
    bench.spawn("t", TaskKind::Kernel, [] {
        hal::power_off(4);
        return 0;
    });
    EXPECT_EQ(bench.machine.run_for_ns(kMs), fake_hal::Ending::PoweredOff);
    EXPECT_EQ(bench.machine.exit_code(), 4u);
}

}  // namespace
}  // namespace weir::kernel::test
