// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "firmware/policy/mechanism/oom.h"

#include "firmware/hal/hal.h"
#include "firmware/hal/trace.h"
#include "firmware/kernel/counters.h"
#include "firmware/kernel/task.h"
#include "firmware/mm/address_space.h"
#include "firmware/policy/mechanism/congestion_nap.h"

namespace weir::policy {

namespace {

constexpr uint64_t kKillReasonOutOfMemory = 1;

constinit uint32_t oom_busy = 0;

struct Choice {
    kernel::Task* victim = nullptr;
    uint64_t rss_pages = 0;
    bool someone_is_dying = false;
};

void consider(kernel::Task& task, void* context) {
    auto& choice = *static_cast<Choice*>(context);
    if (task.state == kernel::TaskState::Exited) return;
    // A victim gives its space up before all of its frames are back.
    if ((task.flags & kernel::kTaskDying) != 0) {
        choice.someone_is_dying = true;
        return;
    }
    if (task.space == nullptr) return;
    if (choice.victim == nullptr || task.space->resident_pages > choice.rss_pages) {
        choice.victim = &task;
        choice.rss_pages = task.space->resident_pages;
    }
}

/// A dying task's memory is about to come back: nobody else is killed meanwhile.
void kill_largest() {
    Choice choice;
    kernel::for_each_task(consider, &choice);
    if (choice.someone_is_dying) return;
    WEIR_ASSERT(choice.victim != nullptr, "out of memory and no task to kill", 0, 0);
    hal::trace(hal::Event::OomKill, choice.victim->pid, choice.rss_pages);
    kernel::count(kernel::VmCounter::OomKills);
    kernel::kill_task(*choice.victim, kKillReasonOutOfMemory);
}

void nap_one_jiffy() {
    kernel::WaitQueue nobody_wakes;
    kernel::nap({.site = kernel::NapSite::OomLockBusy,
                 .klass = kernel::NapClass::Own,
                 .timeout_jiffies = 1,
                 .wish = kernel::NapWish::None},
                nobody_wakes);
}

bool current_is_dying() {
    return (kernel::current().flags & kernel::kTaskDying) != 0;
}

bool try_oom_lock() {
    return __atomic_exchange_n(&oom_busy, 1u, __ATOMIC_ACQUIRE) == 0;
}
void oom_unlock() {
    __atomic_store_n(&oom_busy, 0u, __ATOMIC_RELEASE);
}

}  // namespace

OomOutcome allocate_or_kill(mm::Zone& zone, const mm::AllocRequest& request) {
    if (!try_oom_lock()) {
        nap_one_jiffy();
        return {};
    }
    OomOutcome outcome;
    // A high mark on purpose: this try is only to notice that someone else's kill has helped.
    outcome.frame = mm::try_alloc(zone, request, zone.mark.high_frames, mm::Marks::Respect);
    if (outcome.frame == nullptr) {
        outcome.may_retry = request.order <= kCostlyOrder;
        if (outcome.may_retry || (request.flags & mm::kAllocNoFail) != 0) kill_largest();
    }
    oom_unlock();
    // Gives the victim a tick to die in before the caller goes round again.
    if (outcome.frame == nullptr && outcome.may_retry && !current_is_dying()) nap_one_jiffy();
    return outcome;
}

bool kill_for_page_fault(uint32_t) {
    if (current_is_dying()) return false;
    if (try_oom_lock()) {
        kill_largest();
        oom_unlock();
    }
    if (current_is_dying()) return false;
    nap_one_jiffy();
    return !current_is_dying();
}

}  // namespace weir::policy
