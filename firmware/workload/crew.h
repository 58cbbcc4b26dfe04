// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A crew: the user tasks of one workload, which start together and meet at barriers.
// - start(): makes a task with an address space of its own; its body gets its Member.
// - meet(): a barrier over the members that are still alive, so that a killed one hangs nobody.
// - join(): waits for all and says how it ended.
#pragma once

#include "firmware/kernel/task.h"
#include "firmware/kernel/wait_queue.h"
#include "firmware/workload/workload.h"

namespace weir::workload {

/// Members of a crew: as many as there may be disks.
inline constexpr uint32_t kMaxMembers = hal::kMaxDisks;

class Crew;

struct Member {
    Crew* crew = nullptr;
    const hal::WorkloadInfo* info = nullptr;
    uint32_t index = 0;
    uint32_t pid = 0;
    kernel::Task* task = nullptr;
    Outcome (*body)(Member& self) = nullptr;
    Outcome outcome = Outcome::Killed;  // until the body returns
    bool done = false;
    uint32_t meetings = 0;  // barriers it has come to
};

class Crew {
  public:
    Crew() = default;
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    /// Adds a task named `name`-N, N from 1. Members run only after open_gate().
    void start(const char* name, const hal::WorkloadInfo& info, Outcome (*body)(Member& self));
    /// Lets the members begin. Called once, after the last start().
    void open_gate();
    /// A barrier. Returns true in the member that came last.
    bool meet(Member& self);
    /// Sleeps until every member has ended. Returns the worst outcome.
    Outcome join();
    uint32_t size() const { return member_count_; }

  private:
    static int enter(void* argument);
    /// Whether every member that is still alive has come to the meeting in progress.
    bool all_here() const;

    Member* members_[kMaxMembers] = {};
    uint32_t member_count_ = 0;
    uint32_t meetings_held_ = 0;
    bool gate_open_ = false;
    kernel::WaitQueue queue_;
};

/// A crew in kernel memory. Panics if there is none.
Crew& create_crew();
void destroy_crew(Crew& crew);

}  // namespace weir::workload
