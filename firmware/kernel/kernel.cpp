// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Start of the kernel layer: BootInfo, boot allocator, counters, random numbers, the idle loop.
#include "firmware/kernel/kernel.h"

#include "firmware/hal/hal.h"
#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/hart.h"
#include "firmware/kernel/sched.h"
#include "firmware/kernel/wait_queue.h"

namespace weir::kernel {

namespace {

// The kernel's image starts here (firmware/hal/rv64/link.ld); kernel_reserved_bytes lie behind it.
constexpr uint64_t kImageOffsetBytes = 0x1'0000;
static_assert(hal::kBootInfoAddr.value + sizeof(hal::BootInfo) <=
                  hal::kRamBase.value + kImageOffsetBytes,
              "BootInfo must end before the kernel's image");

uint64_t boot_next = 0;  // physical address of the next free byte
uint64_t random_state = 0;

uint64_t ram_end() {
    return hal::kRamBase.value + boot_info().ram_bytes;
}

constexpr uint64_t round_up(uint64_t value, uint64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

template <uint32_t kCount>
constexpr bool same_names(const char* const (&a)[kCount], const char* const (&b)[kCount]) {
    for (uint32_t i = 0; i < kCount; ++i) {
        for (uint32_t j = 0;; ++j) {
            if (a[i][j] != b[i][j]) return false;
            if (a[i][j] == '\0') break;
        }
    }
    return true;
}

// The viewer's names of task states, by value of TaskState.
constexpr const char* kStateNames[] = {"runnable", "running", "sleeping", "disk_sleep", "exited"};
static_assert(same_names(kStateNames, hal::kTaskStateNames));
static_assert(static_cast<int>(TaskState::Exited) == 4);

}  // namespace

uint64_t* vm_counters = nullptr;

const hal::BootInfo& boot_info() {
    return *static_cast<const hal::BootInfo*>(hal::ram_ptr(hal::kBootInfoAddr));
}

void check_boot_info() {
    const hal::BootInfo& info = boot_info();
    WEIR_ASSERT(info.magic == hal::BootInfo::kMagic, "BootInfo is missing", info.magic, 0);
    WEIR_ASSERT(info.hart_count >= 1 && info.hart_count <= hal::kMaxHarts,
                "BootInfo: hart_count is not 1..kMaxHarts", info.hart_count, hal::kMaxHarts);
    WEIR_ASSERT(info.tick_hz >= 1 && info.tick_hz <= 10'000, "BootInfo: tick_hz is not 1..10000",
                info.tick_hz, 0);
    WEIR_ASSERT(info.sched_latency_us >= 1, "BootInfo: sched_latency_us is 0", 0, 0);
    WEIR_ASSERT(info.kernel_reserved_bytes + kImageOffsetBytes < info.ram_bytes,
                "RAM is too small to boot: kernel_reserved_bytes does not fit",
                info.kernel_reserved_bytes, info.ram_bytes);
}

void* boot_alloc(uint64_t bytes, uint64_t align) {
    WEIR_ASSERT(!frame_source_is_set(), "boot_alloc after the frame allocator took over", bytes, 0);
    WEIR_ASSERT(align != 0 && (align & (align - 1)) == 0, "boot_alloc: bad alignment", align, 0);
    const uint64_t start = round_up(boot_next, align);
    WEIR_ASSERT(bytes <= ram_end() && start <= ram_end() - bytes,
                "RAM is too small to boot: bytes wanted, bytes of RAM", bytes,
                boot_info().ram_bytes);
    boot_next = start + bytes;
    auto* memory = static_cast<unsigned char*>(hal::ram_ptr(hal::PhysAddr{start}));
    __builtin_memset(memory, 0, bytes);
    return memory;
}

hal::Pfn boot_alloc_end() {
    return hal::pfn_of(hal::PhysAddr{round_up(boot_next, hal::kPageBytes)});
}

uint64_t random_u64() {
    random_state += 0x9E37'79B9'7F4A'7C15ull;
    uint64_t z = random_state;
    z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EBull;
    return z ^ (z >> 31);
}

void init() {
    check_boot_info();
    const hal::BootInfo& info = boot_info();
    boot_next = round_up(hal::kRamBase.value + kImageOffsetBytes + info.kernel_reserved_bytes,
                         hal::kPageBytes);
    random_state = info.seed;
    object_cache_init();
    vm_counters = static_cast<uint64_t*>(boot_alloc(sizeof(uint64_t) * kVmCounterCount));
    hal::export_counters(vm_counters, kVmCounterCount);
    sched_init();
    task_init();
    timer_init();
    nap_init();
    interrupt_init();
    sched_join();
    timer_join();
}

void idle_loop() {
    if (!this_hart().online) {
        sched_join();
        timer_join();
    }
    hal::irq_restore(true);
    while (true) {
        Hart& hart = this_hart();
        // An interrupt from here on runs the reschedule itself (after_interrupt), so that none is
        // lost between this test and the sleep.
        if (!hart.queue.empty() || (sched_tuning.idle_balance && pull_task(hart))) {
            schedule();
            continue;
        }
        change_mode(hal::Mode::Idle);
        if (hart.queue.empty()) hal::wait_for_interrupt();
        change_mode(hal::Mode::Kernel);
    }
}

}  // namespace weir::kernel
