// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The inside of the controller: transactions on their way, and the pump that moves them.
// - offer(): BEGIN_REQ. A transaction is cut into bursts, which enter the channel's queues as there
//   is room; then END_REQ. Initiators that wait are served in turn.
// - pump(): lets the channel send commands and hands out what is done. While every initiator waits
//   for END_REQ nothing new can come, so the channel runs ahead of simulated time until a place
//   in a queue is free; all that leaves carries its time as annotation.
#pragma once

#include "sc_models/common/timing_hint.h"
#include "sc_models/dram/audit.h"
#include "sc_models/dram/bank_recorder.h"
#include "sc_models/dram/checker/checker.h"
#include "sc_models/dram/controller.h"
#include "sc_models/dram/core/channel.h"
#include "sc_models/dram/storage.h"

#include <deque>
#include <optional>

namespace weir::dram {

/// No bytes move: the time of the access only.
inline bool time_only(const tlm::tlm_generic_payload& trans) {
    return trans.get_command() == tlm::TLM_IGNORE_COMMAND;
}

inline Direction direction_of(const tlm::tlm_generic_payload& trans) {
    if (const auto* hint = trans.get_extension<TimingHint>(); hint && time_only(trans))
        return hint->access == hal::Access::Write ? Direction::Write : Direction::Read;
    return trans.is_write() ? Direction::Write : Direction::Read;
}

struct Controller::Parts {
    Parts(Controller& owner, const ControllerConfig& config, uint64_t size_bytes);

    using Payload = tlm::tlm_generic_payload;
    static constexpr uint32_t kNone = ~0u;

    /// A transaction between BEGIN_REQ and its response.
    struct Slot {
        Payload* trans = nullptr;
        uint32_t initiator = 0;
        Direction direction = Direction::Read;
        uint64_t arrival_ps = 0;
        uint64_t next_address = 0;  // of the next burst to enter a queue
        uint32_t to_admit = 0;      // bursts that have no place yet
        uint32_t to_finish = 0;     // bursts whose data have not moved
        uint64_t end_clk = 0;       // of its last data
        uint32_t next_free = kNone;
        bool synchronous = false;  // of b_transport: nobody is called back
    };
    struct Initiator {
        uint32_t waiting = kNone;        // slot whose END_REQ is withheld
        uint64_t last_response_ps = 0;   // responses of one initiator do not overtake
        bool response_open = false;      // BEGIN_RESP sent, END_RESP outstanding
        Payload* open_trans = nullptr;   // the one that it was sent for
        std::deque<uint32_t> responses;  // slots that are done and wait for END_RESP of another
        DirectionStats read, write;
    };

    tlm::tlm_sync_enum forward(int id, Payload& trans, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay);
    tlm::tlm_sync_enum offer(int id, Payload& trans, tlm::tlm_phase& phase,
                             const sc_core::sc_time& delay);
    void end_response(int id);
    void transport(int id, Payload& trans, sc_core::sc_time& delay);
    void pump();

    uint32_t take_slot();
    void free_slot(uint32_t index);
    Slot make_slot(Payload& trans, uint32_t initiator, uint64_t arrival_ps) const;
    /// True if every burst of the slot has its place.
    bool admit(Slot& slot, uint32_t index);
    void admit_waiting(uint64_t now_ps);
    bool someone_can_enter() const;
    /// How far the channel may go: now, or further while nothing new can come.
    uint64_t horizon_clk(uint64_t now_ps) const;
    void deliver(uint64_t now_ps);
    void respond(uint32_t index, uint64_t now_ps);
    void schedule(uint64_t clk, uint64_t now_ps);
    uint32_t burst_count(const Payload& trans) const {
        const uint64_t first = trans.get_address() >> burst_shift;
        const uint64_t last = (trans.get_address() + Storage::span_bytes(trans) - 1) >> burst_shift;
        return static_cast<uint32_t>(last - first + 1);
    }
    void note_for_audit(const Payload& trans, uint64_t begin_clk, uint64_t end_clk);
    uint64_t loose_time(const Payload& trans, uint32_t initiator, uint64_t begin_clk);
    uint64_t synchronous_time(Payload& trans, uint32_t initiator, uint64_t begin_ps);
    uint64_t clk_of_ps(uint64_t ps) const { return (ps + tck_ps - 1) / tck_ps; }

    Controller& owner;
    ControllerConfig config;
    uint64_t tck_ps;
    uint32_t burst_shift;
    Storage storage;
    AddressMap map;
    Channel channel;
    std::optional<Checker> checker;
    std::optional<Audit> audit;
    std::optional<BankRecorder> bank_recorder;
    uint32_t audit_notes = 0;
    std::vector<Slot> slots;
    uint32_t free_head = kNone;
    std::vector<Initiator> initiators;
    uint32_t waiting_count = 0;
    uint32_t next_turn = 0;
    uint64_t outstanding = 0;
    bool pumping = false;
    bool delivering = false;
    sc_core::sc_event wake;
    uint32_t row_run_bursts;
};

}  // namespace weir::dram
