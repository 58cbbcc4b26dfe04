// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// memset: each task stores an anonymous region from end to end, several times over, and then reads
// it back. With a region larger than RAM this is the swap storm of the fact book, chapter 8.
// - Each pass is a phase: the first is "write", further ones "rewrite", the check is "read".
#include "firmware/hal/hal.h"
#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/task.h"
#include "firmware/workload/crew.h"
#include "firmware/workload/programs.h"
#include "firmware/workload/user_api.h"

namespace weir::workload {

namespace {

/// Regions are objects after all files: the page pattern never repeats.
constexpr uint64_t kFirstRegionObject = hal::kMaxDisks * 64ull;

struct Region {
    hal::VirtAddr begin;
    uint64_t pages;
    uint64_t object;
    uint32_t pid;
};

/// Stores every page. False on an address that could not be made good.
bool store_pass(const Region& region, uint64_t generation) {
    for (uint64_t page = 0; page < region.pages; ++page) {
        const hal::VirtAddr at = region.begin + page * hal::kPageBytes;
        if (!store_page(at, hal::stored_base(region.object, page, generation))) {
            hal::trace(hal::Event::IoErrorSeen, region.pid, page * hal::kPageBytes);
            return false;
        }
    }
    return true;
}

Outcome check_pass(const Region& region, uint64_t generation) {
    uint64_t verified = 0;
    uint64_t wrong = 0;
    bool readable = true;
    for (uint64_t page = 0; page < region.pages && readable; ++page) {
        const hal::VirtAddr at = region.begin + page * hal::kPageBytes;
        const PageCheck check = check_page(at, hal::stored_base(region.object, page, generation));
        readable = check.readable;
        if (!readable) {
            hal::trace(hal::Event::IoErrorSeen, region.pid, page * hal::kPageBytes);
            break;
        }
        ++verified;
        if (!check.ok) [[unlikely]] {
            ++wrong;
            hal::trace(hal::Event::DataMismatch, region.pid,
                       page * hal::kPageBytes + check.first_bad_word * 8ull, check.expected,
                       check.got, hal::kMaxDisks);
        }
    }
    kernel::count(kernel::VmCounter::PagesVerified, static_cast<int64_t>(verified));
    kernel::count(kernel::VmCounter::PagesWrong, static_cast<int64_t>(wrong));
    if (wrong != 0) return Outcome::DataMismatch;
    return readable ? Outcome::Ok : Outcome::IoError;
}

template <typename Pass>
Outcome timed_phase(const Region& region, uint32_t phase, Pass&& pass) {
    const uint64_t bytes = region.pages * hal::kPageBytes;
    hal::trace(hal::Event::PhaseBegin, region.pid, phase, bytes);
    const uint64_t begin_ns = clock_ns();
    const Outcome outcome = pass();
    hal::trace(hal::Event::PhaseEnd, region.pid, phase, bytes, clock_ns() - begin_ns);
    return outcome;
}

Outcome memset_task(Member& self) {
    const hal::WorkloadInfo& info = *self.info;
    const hal::Result<hal::VirtAddr> begin = map_anonymous(info.memset_bytes);
    if (!begin.ok()) return Outcome::IoError;
    const Region region{begin.value(), (info.memset_bytes + hal::kPageBytes - 1) / hal::kPageBytes,
                        kFirstRegionObject + self.index, self.pid};
    for (uint32_t pass = 1; pass <= info.memset_passes; ++pass) {
        self.crew->meet(self);
        const uint32_t phase = pass == 1 ? hal::kPhaseWrite : hal::kPhaseRewrite;
        const Outcome outcome = timed_phase(region, phase, [&] {
            return store_pass(region, pass) ? Outcome::Ok : Outcome::IoError;
        });
        if (outcome != Outcome::Ok) return outcome;
    }
    if (info.verify == 0 || info.memset_passes == 0) return Outcome::Ok;
    self.crew->meet(self);
    return timed_phase(region, hal::kPhaseRead,
                       [&] { return check_pass(region, info.memset_passes); });
}

}  // namespace

Outcome run_memset(const hal::WorkloadInfo& info) {
    WEIR_ASSERT(info.memset_bytes > 0, "memset needs a region", 0, 0);
    Crew& crew = create_crew();
    for (uint32_t i = 0; i < info.threads; ++i) crew.start("memset", info, memset_task);
    crew.open_gate();
    const Outcome outcome = crew.join();
    destroy_crew(crew);
    return outcome;
}

}  // namespace weir::workload
