// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The system bus: decodes addresses, arbitrates, takes transfer time.
// - initiator_side[i]: one socket an initiator; target_side[r]: one a region of the address map.
// - Targets see offsets from the base of their region.
// - A transaction holds the bus for arbitration_cycles plus one cycle for width_bytes of data,
//   first come first served in simulated time. The transfer overlaps the target's own time
//   (cut-through): the transaction ends when both have ended.
// - No region: address error. Across the end of a region: burst error, nothing is forwarded.
// - DMI and transport_dbg are forwarded; DMI ranges and invalidations are mapped back.
// - Initiators from first_dma_initiator on have no cache: the snooper hears of their accesses to
//   the snooped region first, before the target answers: an access that RAM then refuses has
//   cost the caches a write-back, and lost nothing.
// Coding style: loosely timed; waits only if the target does. The initiator owns the payload.
#pragma once

#include "firmware/hal/types.h"
#include "sc_models/common/busy_calendar.h"
#include "sc_models/common/snooper.h"
#include "sc_models/machine/config.h"

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <vector>

namespace weir::interconnect {

struct Region {
    hal::PhysAddr base;
    uint64_t size_bytes;
};

class Bus : public sc_core::sc_module {
  public:
    using InitiatorSide = tlm_utils::simple_target_socket_tagged<Bus>;
    using TargetSide = tlm_utils::simple_initiator_socket_tagged<Bus>;
    sc_core::sc_vector<InitiatorSide> initiator_side;
    sc_core::sc_vector<TargetSide> target_side;

    /// Errors: std::invalid_argument if regions overlap or the clock or width is 0.
    Bus(sc_core::sc_module_name name, const machine::BusConfig& config, uint32_t initiators,
        std::vector<Region> regions);
    void set_snooper(Snooper& snooper, uint32_t region, uint32_t first_dma_initiator);

    uint64_t busy_ps() const { return calendar_.booked_ps(); }
    uint64_t transaction_count() const { return transaction_count_; }
    /// How long a transfer of so many bytes holds the bus.
    uint64_t occupancy_ps(uint64_t bytes) const;

  private:
    void b_transport(int initiator, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay);
    unsigned transport_dbg(int initiator, tlm::tlm_generic_payload& trans);
    bool get_direct_mem_ptr(int initiator, tlm::tlm_generic_payload& trans, tlm::tlm_dmi& dmi);
    void invalidate_direct_mem_ptr(int region, sc_dt::uint64 start, sc_dt::uint64 end);
    int decode(uint64_t addr) const;

    std::vector<Region> regions_;
    uint32_t width_shift_;
    uint64_t cycle_ps_;
    uint64_t arbitration_ps_;
    mutable uint32_t last_region_ = 0;  // most accesses go where the last one went
    BusyCalendar calendar_;
    uint64_t transaction_count_ = 0;
    Snooper* snooper_ = nullptr;
    uint32_t snooped_region_ = 0;
    uint32_t first_dma_initiator_ = 0;
};

}  // namespace weir::interconnect
