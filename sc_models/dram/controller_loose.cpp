// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// b_transport: loosely timed while it is alone, through the queues while command-level requests are
// under way or somebody listens to the commands.
#include "sc_models/common/check.h"
#include "sc_models/common/units.h"
#include "sc_models/dram/controller_parts.h"

#include <algorithm>

namespace weir::dram {

uint64_t Controller::Parts::loose_time(const Payload& trans, uint32_t initiator,
                                       uint64_t begin_clk) {
    const Direction direction = direction_of(trans);
    Initiator& one = initiators[initiator];
    DirectionStats& stats = direction == Direction::Write ? one.write : one.read;
    uint64_t burst = trans.get_address() >> burst_shift;
    const uint64_t last = burst + burst_count(trans) - 1;
    uint64_t end_clk = begin_clk;
    while (burst <= last) {
        const uint64_t run_last = std::min(last, burst | (row_run_bursts - 1));
        const Channel::LooseRun run{map.place_of(burst << burst_shift),
                                    static_cast<uint32_t>(run_last - burst + 1), direction,
                                    begin_clk};
        const Channel::LooseResult result = channel.serve_loosely(run);
        stats.requests += run.bursts;
        stats.latency.add(result.end_clk - begin_clk);
        stats.parts += result.parts;
        end_clk = std::max(end_clk, result.end_clk);
        burst = run_last + 1;
    }
    return end_clk;
}

/// At command level, at once: the channel runs ahead until the last burst is done.
uint64_t Controller::Parts::synchronous_time(Payload& trans, uint32_t initiator,
                                             uint64_t begin_ps) {
    const uint64_t now_ps = simulator_now_ps();
    Slot own = make_slot(trans, initiator, begin_ps);
    own.synchronous = true;
    const uint32_t index = take_slot();
    slots[index] = own;
    ++outstanding;
    // What is due before the call's own time goes first: requests of others, refreshes.
    const uint64_t begin_clk = clk_of_ps(begin_ps);
    while (begin_clk > channel.clk() && channel.run(begin_clk - 1)) deliver(now_ps);
    while (!admit(slots[index], index) || slots[index].to_finish != 0) {
        channel.run(kNever - 1);
        deliver(now_ps);
        admit_waiting(now_ps);  // others come to their places meanwhile
    }
    const uint64_t end_clk = slots[index].end_clk;
    free_slot(index);
    if (!pumping && outstanding != 0) schedule(channel.next_clk(), now_ps);
    return end_clk;
}

void Controller::Parts::transport(int id, Payload& trans, sc_core::sc_time& delay) {
    const tlm::tlm_response_status status = storage.check(trans);
    trans.set_response_status(status);
    if (status != tlm::TLM_OK_RESPONSE) return;
    trans.set_dmi_allowed(true);
    if (!time_only(trans))
        storage.move(trans);
    else if (!trans.get_extension<TimingHint>())
        return;
    const uint64_t now_ps = simulator_now_ps();
    const uint64_t begin_ps = now_ps + delay.value();
    WEIR_CHECK(!delivering, owner, "b_transport from inside nb_transport_bw (initiator, address)",
               id, trans.get_address());
    const bool alone = outstanding == 0 && !channel.has_observers();
    const uint64_t end_clk = alone
                                 ? loose_time(trans, static_cast<uint32_t>(id), clk_of_ps(begin_ps))
                                 : synchronous_time(trans, static_cast<uint32_t>(id), begin_ps);
    delay = from_ps(end_clk * tck_ps - now_ps);
    if (audit) [[unlikely]]
        note_for_audit(trans, clk_of_ps(begin_ps), end_clk);
}

void Controller::Parts::note_for_audit(const Payload& trans, uint64_t begin_clk, uint64_t end_clk) {
    constexpr uint32_t kNotesBetween = 1024;  // so that few accesses wait to be put in order
    const uint64_t first = trans.get_address() >> burst_shift;
    audit->note({begin_clk, first << burst_shift, burst_count(trans), direction_of(trans),
                 end_clk - begin_clk});
    if (++audit_notes % kNotesBetween == 0) owner.advance_audit();
}

}  // namespace weir::dram
