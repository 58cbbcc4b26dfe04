// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "firmware/workload/workload.h"

#include "firmware/hal/hal.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/kernel.h"
#include "firmware/workload/disks.h"
#include "firmware/workload/programs.h"
#include "firmware/workload/system_task.h"

namespace weir::workload {

namespace {

constexpr Workload kWorkloads[] = {
#define WEIR_WORKLOAD(kind, name, run, story) {hal::WorkloadKind::kind, name, story, run},
#include "firmware/workload/workloads.inc"
#undef WEIR_WORKLOAD
};
constexpr uint32_t kWorkloadCount = sizeof(kWorkloads) / sizeof(kWorkloads[0]);

const Workload* find(hal::WorkloadKind kind) {
    for (const Workload& workload : kWorkloads) {
        if (workload.kind == kind) return &workload;
    }
    return nullptr;
}

}  // namespace

uint32_t workload_count() {
    return kWorkloadCount;
}

const Workload& workload_at(uint32_t index) {
    WEIR_ASSERT(index < kWorkloadCount, "workload index out of range", index, kWorkloadCount);
    return kWorkloads[index];
}

Outcome worse(Outcome a, Outcome b) {
    if (a == Outcome::Ok) return b;
    if (b == Outcome::Ok) return a;
    return a < b ? a : b;
}

uint32_t data_disk(uint32_t n) {
    const hal::BootInfo& info = kernel::boot_info();
    uint32_t seen = 0;
    for (uint32_t i = 0; i < info.disk_count; ++i) {
        if (info.disks[i].role == hal::DiskRole::Data && seen++ == n) return i;
    }
    WEIR_ASSERT(false, "the workload needs more data disks than there are", n, seen);
    return 0;
}

FilePlace file_place(const hal::WorkloadInfo& info, uint32_t task_index) {
    if (info.one_disk_per_task != 0) return {data_disk(task_index), 0};
    return {data_disk(0), task_index};
}

int run_from_boot_info() {
    const hal::BootInfo& info = kernel::boot_info();
    const Workload* workload = find(info.workload.kind);
    WEIR_ASSERT(workload != nullptr, "BootInfo names no known workload", info.workload.kind,
                kWorkloadCount);
    start_system_task(info.system_anon_bytes);
    Outcome outcome = workload->run(info.workload);
    outcome = worse(outcome, stop_system_task());
    // Every byte that a task stored in a file must be on a disk before the power goes.
    outcome = worse(outcome, sync_all_files());
    return static_cast<int>(outcome);
}

}  // namespace weir::workload
