// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Kinds of CPU work that the kernel charges for in host mode. The machine file gives each kind a
// price in CPU cycles (table [cpu.cost_cycles], key = the name below). On rv64 they vanish.
#pragma once

#include <cstdint>

namespace weir::hal {

// X(Enumerator, toml_key, what one unit is)
#define WEIR_OPS(X)                                                                       \
    X(SyscallEntry, syscall_entry, "entering and leaving the kernel by a system call")    \
    X(FaultEntry, fault_entry, "entering and leaving the kernel by a page fault")         \
    X(InterruptEntry, interrupt_entry, "taking and leaving an interrupt")                 \
    X(TimerTick, timer_tick, "the work of one periodic tick")                             \
    X(ContextSwitch, context_switch, "switching a hart from one task to another")         \
    X(SchedPick, sched_pick, "choosing the next task")                                    \
    X(WakeTask, wake_task, "making one sleeping task runnable")                           \
    X(InterHartKick, inter_hart_kick, "sending an inter-hart interrupt")                  \
    X(LockPair, lock_pair, "an uncontended lock and unlock")                              \
    X(WaitQueueOp, wait_queue_op, "joining or leaving a wait queue")                      \
    X(CopyLine, copy_line, "copying 256 bytes that hit the nearest cache")                \
    X(ClearLine, clear_line, "zeroing 256 bytes that hit the nearest cache")              \
    X(UserWorkPage, user_work_page, "the user program's own work on one page of data")    \
    X(AllocTest, alloc_test, "a try for a frame that ends at the watermark test")         \
    X(AllocFrame, alloc_frame, "taking a frame from a per-CPU list, tests included")      \
    X(FreeFrame, free_frame, "giving a frame to a per-CPU list")                          \
    X(BuddyFrame, buddy_frame, "moving one frame between a per-CPU list and the zone")    \
    X(CacheLookup, cache_lookup, "finding a page in the page cache")                      \
    X(CacheInsert, cache_insert, "inserting a page into the page cache")                  \
    X(CacheRemove, cache_remove, "removing a page from the page cache")                   \
    X(LruAdd, lru_add, "adding one frame to an LRU list")                                 \
    X(LruIsolate, lru_isolate, "taking one frame off an LRU list for reclaim")            \
    X(LruPutback, lru_putback, "putting one frame back on an LRU list")                   \
    X(ScanFrame, scan_frame, "deciding about one isolated frame")                         \
    X(ReclaimPass, reclaim_pass, "the fixed work of one pass over a zone")                \
    X(RmapStep, rmap_step, "visiting one mapping of a frame")                             \
    X(WalkPte, walk_pte, "reading or changing one page-table entry in software")          \
    X(TlbFlush, tlb_flush, "flushing a translation on every hart")                        \
    X(MarkAccessed, mark_accessed, "noting one use of a cached page")                     \
    X(DirtyPage, dirty_page, "accounting for a page that turns dirty")                    \
    X(ReadaheadPlan, readahead_plan, "deciding a readahead window")                       \
    X(BlockMap, block_map, "finding the device block of a file page")                     \
    X(BioPage, bio_page, "adding one page to an I/O")                                     \
    X(RequestQueue, request_queue, "allocating, merging or sorting one request")          \
    X(DriverSubmit, driver_submit, "building and issuing one device command")             \
    X(DriverSubmitPage, driver_submit_page, "one page-pointer entry of a device command") \
    X(PollPause, poll_pause, "one turn of a loop that waits for a device, about 1 us")    \
    X(DriverComplete, driver_complete, "handling one completion entry")                   \
    X(CompletePage, complete_page, "ending I/O on one page, wake-up test included")       \
    X(SwapSlot, swap_slot, "allocating or freeing one swap slot")

enum class Op : uint8_t {
#define WEIR_OP_ENUM(name, key, what) name,
    WEIR_OPS(WEIR_OP_ENUM)
#undef WEIR_OP_ENUM
};

inline constexpr uint32_t kOpCount = 0
#define WEIR_OP_COUNT(name, key, what) +1
    WEIR_OPS(WEIR_OP_COUNT)
#undef WEIR_OP_COUNT
    ;

struct OpInfo {
    const char* key;
    const char* what;
};

inline constexpr OpInfo kOpInfo[kOpCount] = {
#define WEIR_OP_INFO(name, key, what) {#key, what},
    WEIR_OPS(WEIR_OP_INFO)
#undef WEIR_OP_INFO
};

}  // namespace weir::hal
