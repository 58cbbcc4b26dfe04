// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The kernel's event and state counters, under their Linux names where Linux has them
// (/proc/vmstat of 2.6.33). One flat array in RAM, exported to the machine.
// - count(VmCounter::X) adds; a state counter (nr_*) may also fall.
#pragma once

#include <cstdint>

namespace weir::kernel {

// X(Enumerator, linux_name)
#define WEIR_VM_COUNTERS(X)                                     \
    X(NrFreePages, nr_free_pages)                               \
    X(NrInactiveAnon, nr_inactive_anon)                         \
    X(NrActiveAnon, nr_active_anon)                             \
    X(NrInactiveFile, nr_inactive_file)                         \
    X(NrActiveFile, nr_active_file)                             \
    X(NrAnonPages, nr_anon_pages)                               \
    X(NrMapped, nr_mapped)                                      \
    X(NrFilePages, nr_file_pages)                               \
    X(NrBufferPages, nr_buffer_pages)                           \
    X(NrDirty, nr_dirty)                                        \
    X(NrWriteback, nr_writeback)                                \
    X(NrPageTablePages, nr_page_table_pages)                    \
    X(NrSlab, nr_slab)                                          \
    X(NrVmscanWrite, nr_vmscan_write)                           \
    X(NrIsolatedAnon, nr_isolated_anon)                         \
    X(NrIsolatedFile, nr_isolated_file)                         \
    X(NrPcpPages, nr_pcp_pages)                                 \
    X(NrSwapUsed, nr_swap_used)                                 \
    X(NrSwapCached, nr_swap_cached)                             \
    X(PgPgIn, pgpgin)                                           \
    X(PgPgOut, pgpgout)                                         \
    X(PswpIn, pswpin)                                           \
    X(PswpOut, pswpout)                                         \
    X(PgAlloc, pgalloc_normal)                                  \
    X(PgFree, pgfree)                                           \
    X(PgActivate, pgactivate)                                   \
    X(PgDeactivate, pgdeactivate)                               \
    X(PgFault, pgfault)                                         \
    X(PgMajFault, pgmajfault)                                   \
    X(PgRefill, pgrefill_normal)                                \
    X(PgStealKswapd, pgsteal_kswapd_normal)                     \
    X(PgStealDirect, pgsteal_direct_normal)                     \
    X(PgScanKswapd, pgscan_kswapd_normal)                       \
    X(PgScanDirect, pgscan_direct_normal)                       \
    X(SlabsScanned, slabs_scanned)                              \
    X(KswapdSteal, kswapd_steal)                                \
    X(KswapdLowWmarkHitQuickly, kswapd_low_wmark_hit_quickly)   \
    X(KswapdHighWmarkHitQuickly, kswapd_high_wmark_hit_quickly) \
    X(KswapdSkipCongestionWait, kswapd_skip_congestion_wait)    \
    X(PageOutRun, pageoutrun)                                   \
    X(AllocStall, allocstall)                                   \
    X(PgRotated, pgrotated)                                     \
    X(OomKills, oom_kill)                                       \
    X(Interrupts, interrupts)                                   \
    X(ContextSwitches, context_switches)                        \
    X(RunQueueLength, procs_running)                            \
    X(BlockedTasks, procs_blocked)                              \
    X(UserNs, cpu_user_ns)                                      \
    X(SystemNs, cpu_system_ns)                                  \
    X(IoWaitNs, cpu_iowait_ns)                                  \
    X(IdleNs, cpu_idle_ns)                                      \
    X(IoErrors, io_errors)                                      \
    X(IoRetries, io_retries)                                    \
    X(IoTimeouts, io_timeouts)                                  \
    X(PagesVerified, pages_verified)                            \
    X(PagesWrong, pages_wrong)                                  \
    X(ReadaheadPages, readahead_pages)                          \
    X(ReadaheadHits, readahead_hits)                            \
    X(LostWrites, lost_writes)

enum class VmCounter : uint16_t {
#define WEIR_VM_ENUM(name, text) name,
    WEIR_VM_COUNTERS(WEIR_VM_ENUM)
#undef WEIR_VM_ENUM
};

inline constexpr uint32_t kVmCounterCount = 0
#define WEIR_VM_COUNT(name, text) +1
    WEIR_VM_COUNTERS(WEIR_VM_COUNT)
#undef WEIR_VM_COUNT
    ;

inline constexpr const char* kVmCounterNames[kVmCounterCount] = {
#define WEIR_VM_NAME(name, text) #text,
    WEIR_VM_COUNTERS(WEIR_VM_NAME)
#undef WEIR_VM_NAME
};

/// The array itself, in RAM after boot. Set by kernel::init.
extern uint64_t* vm_counters;

inline void count(VmCounter counter, int64_t delta = 1) {
    vm_counters[static_cast<uint32_t>(counter)] += static_cast<uint64_t>(delta);
}
inline uint64_t counter_value(VmCounter counter) {
    return vm_counters[static_cast<uint32_t>(counter)];
}

}  // namespace weir::kernel
