// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The write-only port through which the kernel says what happens. Costs zero simulated time.
// - trace(): an event with up to six numbers; stamped with time, hart and current task.
// - gauge(): a named level (free frames, task state, queue depth); the recorder keeps changes only.
// - export_counters(): where the kernel's counters lie in RAM, for a debugger to read at any time.
#pragma once

#include "firmware/hal/types.h"

#include <cstdint>

namespace weir::hal {

// X(Enumerator, ftrace_name, "argument names in order"); an argument name carries its unit.
// Names that exist in Linux keep the Linux name; waveforms/ftrace_writer formats their fields.
#define WEIR_EVENTS(X)                                                                          \
    X(TaskCreated, "task_created", "pid name_lo name_hi kind")                                  \
    X(TaskExited, "task_exited", "pid exit_code user_ns system_ns iowait_ns")                   \
    X(TaskKilled, "task_killed", "pid reason")                                                  \
    X(SchedSwitch, "sched_switch", "prev_pid prev_state next_pid")                              \
    X(SchedWakeup, "sched_wakeup", "pid target_hart")                                           \
    X(NapBegin, "nap_begin", "site pid timeout_us klass congested free_frames")                 \
    X(NapBegin2, "nap_begin2", "site pid pcp_frames reclaimed_before")                          \
    X(NapEnd, "nap_end", "site pid begin_ns waker true_ns slept_us")                            \
    X(DirectReclaimBegin, "mm_vmscan_direct_reclaim_begin", "order may_writepage gfp")          \
    X(DirectReclaimEnd, "mm_vmscan_direct_reclaim_end", "nr_reclaimed")                         \
    X(KswapdWake, "mm_vmscan_kswapd_wake", "nid order")                                         \
    X(KswapdSleep, "mm_vmscan_kswapd_sleep", "nid")                                             \
    X(WakeupKswapd, "mm_vmscan_wakeup_kswapd", "nid zid order")                                 \
    X(LruIsolate, "mm_vmscan_lru_isolate",                                                      \
      "isolate_mode order nr_requested nr_scanned nr_taken file")                               \
    X(ShrinkInactive, "mm_vmscan_lru_shrink_inactive",                                          \
      "nid zid nr_scanned nr_reclaimed priority flags")                                         \
    X(VmscanWritepage, "mm_vmscan_writepage", "pfn flags")                                      \
    X(CongestionWait, "writeback_congestion_wait", "usec_timeout usec_delayed")                 \
    X(WaitIffCongested, "writeback_wait_iff_congested", "usec_timeout usec_delayed")            \
    X(BlockBioQueue, "block_bio_queue", "dev rwbs sector nr_sector pid")                        \
    X(BlockGetrq, "block_getrq", "dev rwbs sector nr_sector pid")                               \
    X(BlockSleeprq, "block_sleeprq", "dev rwbs sector nr_sector pid")                           \
    X(BlockBackmerge, "block_bio_backmerge", "dev rwbs sector nr_sector pid")                   \
    X(BlockFrontmerge, "block_bio_frontmerge", "dev rwbs sector nr_sector pid")                 \
    X(BlockRqInsert, "block_rq_insert", "dev rwbs bytes sector nr_sector pid")                  \
    X(BlockRqIssue, "block_rq_issue", "dev rwbs bytes sector nr_sector pid")                    \
    X(BlockRqComplete, "block_rq_complete", "dev rwbs sector nr_sector error")                  \
    X(BlockPlug, "block_plug", "dev pid")                                                       \
    X(BlockUnplugIo, "block_unplug_io", "dev pid count")                                        \
    X(BlockUnplugTimer, "block_unplug_timer", "dev pid count")                                  \
    X(PhaseBegin, "workload_phase_begin", "pid phase file_bytes")                               \
    X(PhaseEnd, "workload_phase_end", "pid phase bytes elapsed_ns")                             \
    X(DataMismatch, "workload_data_mismatch", "pid offset_bytes expected got device")           \
    X(IoErrorSeen, "workload_io_error", "pid offset_bytes")                                     \
    X(OomKill, "oom_kill", "pid rss_pages")                                                     \
    X(BufferIoError, "buffer_io_error", "dev sector error")                                     \
    X(RequestTimeout, "request_timeout", "dev sector retries")                                  \
    X(BalanceDirtyPages, "balance_dirty_pages", "dev limit bdi_limit dirty bdi_dirty pause_ms") \
    X(Readahead, "readahead", "pid file start_page size_pages async_size_pages")                \
    X(Booted, "booted", "ram_frames free_frames")

enum class Event : uint16_t {
#define WEIR_EVENT_ENUM(name, text, args) name,
    WEIR_EVENTS(WEIR_EVENT_ENUM)
#undef WEIR_EVENT_ENUM
};

inline constexpr uint32_t kEventCount = 0
#define WEIR_EVENT_COUNT(name, text, args) +1
    WEIR_EVENTS(WEIR_EVENT_COUNT)
#undef WEIR_EVENT_COUNT
    ;

struct EventInfo {
    const char* name;
    const char* arguments;
};

inline constexpr EventInfo kEventInfo[kEventCount] = {
#define WEIR_EVENT_INFO(name, text, args) {text, args},
    WEIR_EVENTS(WEIR_EVENT_INFO)
#undef WEIR_EVENT_INFO
};

// rwbs argument of the block events: bits, printed as in Linux (R or W, S, A, M, N).
inline constexpr uint32_t kRwbsWrite = 1u << 0;
inline constexpr uint32_t kRwbsSync = 1u << 1;
inline constexpr uint32_t kRwbsAhead = 1u << 2;
inline constexpr uint32_t kRwbsMeta = 1u << 3;
inline constexpr uint32_t kRwbsFlush = 1u << 4;

void trace(Event event, uint64_t a0 = 0, uint64_t a1 = 0, uint64_t a2 = 0, uint64_t a3 = 0,
           uint64_t a4 = 0, uint64_t a5 = 0);

// X(Enumerator, signal path with {} for the index, unit or enumeration)
#define WEIR_GAUGES(X)                                          \
    X(ZoneFree, "kernel.zone.free_frames", "frames")            \
    X(ZoneMin, "kernel.zone.mark_min", "frames")                \
    X(ZoneLow, "kernel.zone.mark_low", "frames")                \
    X(ZoneHigh, "kernel.zone.mark_high", "frames")              \
    X(ZonePcp, "kernel.zone.pcp_frames", "frames")              \
    X(InactiveAnon, "kernel.zone.inactive_anon", "frames")      \
    X(ActiveAnon, "kernel.zone.active_anon", "frames")          \
    X(InactiveFile, "kernel.zone.inactive_file", "frames")      \
    X(ActiveFile, "kernel.zone.active_file", "frames")          \
    X(IsolatedAnon, "kernel.zone.isolated_anon", "frames")      \
    X(IsolatedFile, "kernel.zone.isolated_file", "frames")      \
    X(Dirty, "kernel.zone.dirty", "frames")                     \
    X(Writeback, "kernel.zone.writeback", "frames")             \
    X(SwapUsed, "kernel.swap.used_slots", "slots")              \
    X(KswapdPriority, "kernel.kswapd.priority", "level")        \
    X(TaskState, "kernel.task.{}.state", "TaskState")           \
    X(TaskNap, "kernel.naps.{}.site", "NapSite")                \
    X(NapsAllocator, "kernel.naps.allocator_sleepers", "tasks") \
    X(NapsReclaim, "kernel.naps.reclaim_sleepers", "tasks")     \
    X(NapsKswapd, "kernel.naps.kswapd_sleepers", "tasks")       \
    X(NapsOther, "kernel.naps.other_sleepers", "tasks")         \
    X(QueueSync, "kernel.queue{}.sync_requests", "requests")    \
    X(QueueAsync, "kernel.queue{}.async_requests", "requests")  \
    X(CongestedSync, "kernel.queue{}.congested_sync", "bool")   \
    X(CongestedAsync, "kernel.queue{}.congested_async", "bool") \
    X(HartTask, "machine.cpu{}.task", "pid")                    \
    X(HartMode, "machine.cpu{}.mode", "Mode")

enum class Gauge : uint16_t {
#define WEIR_GAUGE_ENUM(name, path, unit) name,
    WEIR_GAUGES(WEIR_GAUGE_ENUM)
#undef WEIR_GAUGE_ENUM
};

inline constexpr uint32_t kGaugeCount = 0
#define WEIR_GAUGE_COUNT(name, path, unit) +1
    WEIR_GAUGES(WEIR_GAUGE_COUNT)
#undef WEIR_GAUGE_COUNT
    ;

struct GaugeInfo {
    const char* path;
    const char* unit;
};

inline constexpr GaugeInfo kGaugeInfo[kGaugeCount] = {
#define WEIR_GAUGE_INFO(name, path, unit) {path, unit},
    WEIR_GAUGES(WEIR_GAUGE_INFO)
#undef WEIR_GAUGE_INFO
};

// Names of the enumerated gauges, by value, for the viewer. The kernel checks that they agree with
// its own enumerations.
inline constexpr const char* kTaskStateNames[] = {"runnable", "running", "sleeping", "disk_sleep",
                                                  "exited"};
inline constexpr const char* kModeNames[] = {"kernel", "user", "idle"};
/// 0 is no nap; n + 1 is kernel::NapSite n.
inline constexpr const char* kNapSiteGaugeNames[] = {
    "none",
    "allocator_retry",
    "allocator_nofail",
    "oom_lock_busy",
    "direct_reclaim",
    "too_many_isolated",
    "lumpy_second_pass",
    "kswapd_balance",
    "kswapd_probation",
    "throttle_vm_writeout",
    "balance_dirty_pages",
    "request_slot",
    "flusher_idle",
};

/// index: task pid, queue or hart number where the path has {}; 0 otherwise.
void gauge(Gauge id, uint32_t index, uint64_t value);

/// Publishes where `count` 64-bit counters lie in RAM. The machine reads them through
/// transport_dbg; the kernel goes on counting. The names are those of kernel/counters.h.
void export_counters(const uint64_t* counters, uint32_t count);

}  // namespace weir::hal
