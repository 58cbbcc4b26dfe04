// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "firmware/workload/crew.h"

#include "firmware/hal/hal.h"
#include "firmware/kernel/object_cache.h"
#include "firmware/kernel/sched.h"
#include "firmware/kernel/timer.h"
#include "firmware/mm/address_space.h"

namespace weir::workload {

namespace {

constinit kernel::ObjectCache<Crew> crews;
constinit kernel::ObjectCache<Member> member_cache;

/// Writes `stem`-`number` into a task name.
void write_name(char (&out)[kernel::kTaskNameBytes], const char* stem, uint32_t number) {
    char digits[8];
    uint32_t digit_count = 0;
    do {
        digits[digit_count++] = static_cast<char>('0' + number % 10);
        number /= 10;
    } while (number != 0 && digit_count < sizeof(digits));
    uint32_t at = 0;
    while (*stem != '\0' && at + digit_count + 2 < kernel::kTaskNameBytes) out[at++] = *stem++;
    out[at++] = '-';
    while (digit_count > 0) out[at++] = digits[--digit_count];
    out[at] = '\0';
}

}  // namespace

void Crew::start(const char* name, const hal::WorkloadInfo& info, Outcome (*body)(Member& self)) {
    WEIR_ASSERT(member_count_ < kMaxMembers, "too many tasks in a workload", member_count_,
                kMaxMembers);
    Member* member = member_cache.create();
    mm::AddressSpace* space = mm::create_address_space();
    WEIR_ASSERT(member != nullptr && space != nullptr, "no memory for a workload task",
                member_count_, info.threads);
    member->crew = this;
    member->info = &info;
    member->index = member_count_;
    member->body = body;
    members_[member_count_++] = member;
    char full_name[kernel::kTaskNameBytes];
    write_name(full_name, name, member_count_);
    member->task =
        kernel::create_task(full_name, kernel::TaskKind::User, Crew::enter, member, space);
    WEIR_ASSERT(member->task != nullptr, "no memory for a workload task", member_count_,
                info.threads);
    member->pid = member->task->pid;
}

void Crew::open_gate() {
    gate_open_ = true;
    kernel::wake_all(queue_, kernel::Waker::Event);
}

int Crew::enter(void* argument) {
    Member& self = *static_cast<Member*>(argument);
    Crew& crew = *self.crew;
    {
        kernel::KernelMode mode;
        kernel::sleep_until(
            crew.queue_, [](void* c) { return static_cast<Crew*>(c)->gate_open_; }, &crew,
            kernel::SleepKind::Interruptible, kernel::IoWait::No);
    }
    const Outcome outcome = self.body(self);
    kernel::KernelMode mode;
    self.outcome = outcome;
    self.done = true;
    kernel::wake_all(crew.queue_, kernel::Waker::Event);
    return static_cast<int>(outcome);
}

bool Crew::all_here() const {
    for (uint32_t i = 0; i < member_count_; ++i) {
        const Member& member = *members_[i];
        if (member.done || member.meetings > meetings_held_) continue;
        const kernel::Task* task = kernel::task_by_pid(member.pid);
        if (task != nullptr && (task->flags & kernel::kTaskDying) == 0) return false;
    }
    return true;
}

bool Crew::meet(Member& self) {
    kernel::KernelMode mode;
    const uint32_t held_before = meetings_held_;
    ++self.meetings;
    while (meetings_held_ == held_before) {
        if (all_here()) {
            ++meetings_held_;
            kernel::wake_all(queue_, kernel::Waker::Event);
            return true;
        }
        // Once a second is often enough to see that someone who was expected has been killed.
        const kernel::SleepResult slept = kernel::sleep_for(
            queue_, kernel::tick_hz(), kernel::SleepKind::Interruptible, kernel::IoWait::No);
        if (slept.waker == kernel::Waker::Kill) return false;
    }
    return false;
}

Outcome Crew::join() {
    Outcome worst = Outcome::Ok;
    for (uint32_t i = 0; i < member_count_; ++i) {
        kernel::wait_for_task(*members_[i]->task);
        worst = worse(worst, members_[i]->outcome);
    }
    for (uint32_t i = 0; i < member_count_; ++i) member_cache.destroy(*members_[i]);
    member_count_ = 0;
    return worst;
}

Crew& create_crew() {
    Crew* crew = crews.create();
    WEIR_ASSERT(crew != nullptr, "no memory for a workload", 0, 0);
    return *crew;
}

void destroy_crew(Crew& crew) {
    crews.destroy(crew);
}

}  // namespace weir::workload
