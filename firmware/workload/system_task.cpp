// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "firmware/workload/system_task.h"

#include "firmware/block/block.h"
#include "firmware/hal/disk_image.h"
#include "firmware/hal/hal.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/object_cache.h"
#include "firmware/kernel/sched.h"
#include "firmware/kernel/timer.h"
#include "firmware/kernel/wait_queue.h"
#include "firmware/mm/address_space.h"
#include "firmware/mm/page_cache.h"
#include "firmware/workload/user_api.h"

namespace weir::workload {

namespace {

/// An object number that no file and no memset region has.
constexpr uint64_t kSystemObject = 0xffff;

struct SystemState {
    kernel::WaitQueue queue;
    kernel::Task* task = nullptr;
    uint32_t pid = 0;
    uint64_t anon_bytes = 0;
    bool stored = false;
    bool stop = false;
    bool ended = false;
};

constinit kernel::ObjectCache<SystemState> state_cache;
constinit SystemState* state = nullptr;

int system_main(void*) {
    const hal::Result<hal::VirtAddr> region = map_anonymous(state->anon_bytes);
    bool good = region.ok();
    for (uint64_t at = 0; good && at < state->anon_bytes; at += hal::kPageBytes) {
        good = store_page(region.value() + at,
                          hal::stored_base(kSystemObject, at / hal::kPageBytes, 1));
    }
    state->stored = true;
    kernel::KernelMode mode;
    kernel::wake_all(state->queue, kernel::Waker::Event);
    kernel::sleep_until(
        state->queue, [](void*) { return state->stop; }, nullptr, kernel::SleepKind::Interruptible,
        kernel::IoWait::No);
    state->ended = good && state->stop;
    return static_cast<int>(good ? Outcome::Ok : Outcome::IoError);
}

/// True once the task is there no more, however it went.
bool system_gone() {
    const kernel::Task* task = kernel::task_by_pid(state->pid);
    return task == nullptr || task->state == kernel::TaskState::Exited;
}

}  // namespace

void start_system_task(uint64_t anon_bytes) {
    if (anon_bytes == 0) return;
    state = state_cache.create();
    mm::AddressSpace* space = mm::create_address_space();
    WEIR_ASSERT(state != nullptr && space != nullptr, "no memory for the system task", anon_bytes,
                0);
    state->anon_bytes = anon_bytes;
    state->task =
        kernel::create_task("system", kernel::TaskKind::User, system_main, nullptr, space);
    WEIR_ASSERT(state->task != nullptr, "no memory for the system task", anon_bytes, 0);
    state->pid = state->task->pid;
    while (!state->stored && !system_gone()) {
        kernel::sleep_for(state->queue, kernel::tick_hz(), kernel::SleepKind::Interruptible,
                          kernel::IoWait::No);
    }
}

Outcome stop_system_task() {
    if (state == nullptr) return Outcome::Ok;
    state->stop = true;
    kernel::wake_all(state->queue, kernel::Waker::Event);
    kernel::wait_for_task(*state->task);
    const Outcome outcome = state->ended ? Outcome::Ok : Outcome::Killed;
    state_cache.destroy(*state);
    state = nullptr;
    return outcome;
}

Outcome sync_all_files() {
    Outcome outcome = Outcome::Ok;
    for (uint32_t d = 0; d < block::device_count(); ++d) {
        block::BlockDevice& device = block::device(d);
        if (block::disk_info(device).role != hal::DiskRole::Data) continue;
        for (uint32_t number = 0; number < hal::kMaxFiles; ++number) {
            mm::File* file = mm::open_file(device, number);
            if (file == nullptr) break;
            const uint64_t pages = (file->size_bytes + hal::kPageBytes - 1) / hal::kPageBytes;
            if (!mm::file_sync(*file, 0, pages).ok()) outcome = Outcome::IoError;
        }
    }
    if (outcome != Outcome::Ok) kernel::count(kernel::VmCounter::LostWrites);
    return outcome;
}

}  // namespace weir::workload
