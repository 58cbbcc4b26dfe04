// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// iozone in throughput mode (-t): each task writes and reads a file of its own, record by record,
// and all tasks begin each phase together. Source: fact book chapter 8.
// - Phases in order: write, rewrite, read, reread, as WorkloadInfo::phases says.
// - Every page read is checked: what this run stored last, or the pristine content of the disk.
// - As without iozone's -e, the sync of written data is not part of a phase's time; workload.cpp
//   syncs every file at the end.
#include "firmware/hal/disk_image.h"
#include "firmware/hal/hal.h"
#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/task.h"
#include "firmware/mm/page_cache.h"
#include "firmware/workload/crew.h"
#include "firmware/workload/disks.h"
#include "firmware/workload/programs.h"
#include "firmware/workload/record.h"
#include "firmware/workload/user_api.h"

namespace weir::workload {

namespace {

struct Stream {
    const hal::WorkloadInfo& info;
    FileHandle file;
    FileContent content;
    hal::VirtAddr buffer;
    uint64_t file_bytes;
};

hal::Result<uint64_t> transfer(const Stream& s, bool writes, const Record& record) {
    if (writes) {
        return s.info.direct ? write_direct(s.file, record.file_offset, s.buffer, record.bytes)
                             : write(s.file, record.file_offset, s.buffer, record.bytes);
    }
    return s.info.direct ? read_direct(s.file, record.file_offset, s.buffer, record.bytes)
                         : read(s.file, record.file_offset, s.buffer, record.bytes);
}

/// Moves one record and stores or checks its pages.
Outcome one_record(const Stream& s, bool writes, const Record& record) {
    if (writes && !store_record(record, s.content)) return Outcome::IoError;
    const hal::Result<uint64_t> moved = transfer(s, writes, record);
    if (!moved.ok() || moved.value() != record.bytes) {
        hal::trace(hal::Event::IoErrorSeen, kernel::current().pid, record.file_offset);
        return Outcome::IoError;
    }
    if (writes || s.info.verify == 0) return Outcome::Ok;
    return check_record(record, s.content);
}

struct PhaseResult {
    Outcome worst = Outcome::Ok;
    bool finished = true;
};

/// One pass over the file. A wrong page is noted and the pass goes on; an I/O error ends it.
PhaseResult run_phase(const Stream& s, uint32_t phase) {
    const bool writes = (phase & kWritePhases) != 0;
    const uint32_t pid = kernel::current().pid;
    hal::trace(hal::Event::PhaseBegin, pid, phase, s.file_bytes);
    const uint64_t begin_ns = clock_ns();
    PhaseResult result;
    uint64_t done_bytes = 0;
    while (done_bytes < s.file_bytes && result.finished) {
        const uint64_t left = s.file_bytes - done_bytes;
        const uint64_t bytes = left < s.info.record_bytes ? left : s.info.record_bytes;
        const Outcome outcome = one_record(s, writes, {s.buffer, done_bytes, bytes});
        result.worst = worse(result.worst, outcome);
        result.finished = outcome != Outcome::IoError;
        if (result.finished) done_bytes += bytes;
    }
    hal::trace(hal::Event::PhaseEnd, pid, phase, done_bytes, clock_ns() - begin_ns);
    return result;
}

/// Brings all tasks to the start line of a phase, with cold caches if asked for.
bool line_up(Member& self, FileHandle file) {
    if (self.info->drop_caches != 0) {
        if (!fsync(file).ok()) return false;
        if (self.crew->meet(self)) drop_caches();
    }
    self.crew->meet(self);
    return true;
}

Outcome iozone_task(Member& self) {
    const hal::WorkloadInfo& info = *self.info;
    const FilePlace place = file_place(info, self.index);
    FileHandle file = open(place.disk, place.file_number);
    WEIR_ASSERT(file != nullptr && file->size_bytes >= info.file_bytes,
                "the disk holds no file as large as the workload wants", place.disk,
                info.file_bytes);
    const hal::Result<hal::VirtAddr> buffer = map_anonymous(info.record_bytes);
    if (!buffer.ok()) return Outcome::IoError;

    Stream stream{info, file, FileContent{place, file->first_block, 0}, buffer.value(),
                  info.file_bytes};
    Outcome worst = Outcome::Ok;
    for (uint32_t phase = hal::kPhaseWrite; phase <= hal::kPhaseReread; phase <<= 1) {
        if ((info.phases & phase) == 0) continue;
        if (!line_up(self, file)) return worse(worst, Outcome::IoError);
        if ((phase & kWritePhases) != 0) ++stream.content.generation;
        const PhaseResult result = run_phase(stream, phase);
        worst = worse(worst, result.worst);
        if (!result.finished) break;
    }
    return worst;
}

}  // namespace

Outcome run_iozone(const hal::WorkloadInfo& info) {
    WEIR_ASSERT(info.record_bytes > 0, "iozone needs a record size", info.record_bytes, 0);
    WEIR_ASSERT(info.direct == 0 || (info.record_bytes % hal::kPageBytes == 0 &&
                                     info.file_bytes % hal::kPageBytes == 0),
                "direct I/O needs whole pages", info.record_bytes, info.file_bytes);
    Crew& crew = create_crew();
    for (uint32_t i = 0; i < info.threads; ++i) crew.start("iozone", info, iozone_task);
    crew.open_gate();
    const Outcome outcome = crew.join();
    destroy_crew(crew);
    return outcome;
}

}  // namespace weir::workload
