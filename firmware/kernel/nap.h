// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A nap: one sleep of a stalled task, fully accounted. Every sleep of table 4.5 goes through here.
// - nap(site, queue, ...) sleeps once and leaves NapBegin/NapEnd records.
// - Each nap says what it waits for (NapWish). note_state() is called where such a thing may become
//   true and stamps the moment; wasted = end - max(begin, that moment).
#pragma once

#include "firmware/kernel/wait_queue.h"

namespace weir::kernel {

// X(Enumerator, json_name): call sites.
#define WEIR_NAP_SITES(X)                                                           \
    X(AllocatorRetry, allocator_retry)          /* HZ/50, no page after progress */ \
    X(AllocatorNoFail, allocator_nofail)        /* HZ/50, no frame at all */        \
    X(OomLockBusy, oom_lock_busy)               /* 1 jiffy */                       \
    X(DirectReclaim, direct_reclaim)            /* HZ/10, priority < 10 */          \
    X(TooManyIsolated, too_many_isolated)       /* HZ/10, loops */                  \
    X(LumpySecondPass, lumpy_second_pass)       /* HZ/10 */                         \
    X(KswapdBalance, kswapd_balance)            /* HZ/10 */                         \
    X(KswapdProbation, kswapd_probation)        /* HZ/10, 2.6.33 */                 \
    X(ThrottleVmWriteout, throttle_vm_writeout) /* HZ/10, loops */                  \
    X(BalanceDirtyPages, balance_dirty_pages)   /* 1 jiffy doubling */              \
    X(RequestSlot, request_slot)                /* get_request_wait */              \
    X(FlusherIdle, flusher_idle)

enum class NapSite : uint8_t {
#define WEIR_NAP_ENUM(name, text) name,
    WEIR_NAP_SITES(WEIR_NAP_ENUM)
#undef WEIR_NAP_ENUM
};
inline constexpr uint32_t kNapSiteCount = 0
#define WEIR_NAP_COUNT(name, text) +1
    WEIR_NAP_SITES(WEIR_NAP_COUNT)
#undef WEIR_NAP_COUNT
    ;
inline constexpr const char* kNapSiteNames[kNapSiteCount] = {
#define WEIR_NAP_NAME(name, text) #text,
    WEIR_NAP_SITES(WEIR_NAP_NAME)
#undef WEIR_NAP_NAME
};

/// Which queue a nap sleeps on, as congestion_wait's class argument.
enum class NapClass : uint8_t { Async, Sync, Watermark, Own };

/// What the napper waits for. A wish that already holds at entry makes the whole nap wasted.
enum class NapWish : uint8_t {
    FrameAvailable,   // the allocation it will retry would succeed (its mark is met)
    NotCongested,     // no device is congested for its class
    ZoneBalanced,     // free frames above the high mark or nothing congested: kswapd
    IsolationFell,    // isolated <= inactive
    WritebackFell,    // under 1.1 x the dirty limit
    DirtyFell,        // under the dirty limits
    RequestSlotFree,  // a slot of its class is free
    None,
};
inline constexpr uint32_t kNapWishCount = 8;

/// Tells whether a wish holds now; detail is the nap's own (a mark, a queue, a class).
/// Called with interrupts off and a lock held, perhaps in an interrupt: reads state, takes no lock.
using WishTest = bool (*)(uint64_t detail);
/// Called once at boot by the layer that owns the state behind the wish.
void set_wish_test(NapWish wish, WishTest test);
/// Called by the owner wherever the state behind the wish changed for the better. Cheap when no
/// napper has that wish.
void note_state(NapWish wish);

struct NapRequest {
    NapSite site;
    NapClass klass;
    uint32_t timeout_jiffies;
    SleepKind kind = SleepKind::Uninterruptible;
    NapWish wish = NapWish::None;
    uint64_t wish_detail = 0;
    Exclusive exclusive = Exclusive::No;
};

/// What the layers above know at entry; set at boot (mm, block), read by nap().
struct NapObserver {
    uint64_t (*free_frames)() = nullptr;
    uint64_t (*pcp_frames)() = nullptr;
    bool (*any_congested)(NapClass klass) = nullptr;
};
void set_nap_observer(const NapObserver& observer);

/// Sleeps once on the queue and records it. Emits writeback_congestion_wait too where klass is
/// Async or Sync.
SleepResult nap(const NapRequest& request, WaitQueue& queue);

}  // namespace weir::kernel
