// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The initiators of `weir dram`: each sends what its source gives, as fast as the memory takes it
// but not before its cycle.
// - AtTraffic, approximately timed: the next BEGIN_REQ follows in the call that brings END_REQ, a
//   future cycle is an annotated delay, BEGIN_RESP is answered by TLM_COMPLETED. No process runs
//   but the one that begins.
// - LtTraffic, loosely timed: b_transport in one thread, which keeps as many requests in flight as
//   it may by its own account of when each one ends, and synchronises each quantum.
// The initiator owns the payloads: they come from a pool and return to it by reference count.
// Only the time is asked for (TLM_IGNORE_COMMAND with a TimingHint), unless bytes are to move: then
// a word of every burst tells its address, so that data that went astray are found.
#pragma once

#include "testbenches/runner/dram/traffic_source.h"

#include <systemc>
#include <tlm>

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

namespace weir::runner {

/// Hears of requests that the memory has accepted.
class AcceptListener {
  public:
    virtual ~AcceptListener() = default;
    virtual void on_accept(dram::Direction direction, uint64_t time_ps) = 0;
};

/// What an initiator has done so far.
struct TrafficProgress {
    uint64_t offered = 0;
    uint64_t answered = 0;
    /// The arrival of what was last offered: before it nothing needs to happen.
    uint64_t last_arrival_ps = 0;
    uint64_t last_response_ps = 0;
    std::exception_ptr failure;  // of the source; it ends the simulation
};

/// What the requests carry. Bytes cost host memory as the footprint is touched.
enum class Cargo { TimeOnly, Bytes };

/// Payloads with room for one burst; grows to what is in flight at once and no further.
class PayloadPool final : public tlm::tlm_mm_interface {
  public:
    PayloadPool(uint32_t burst_bytes, Cargo cargo) : burst_bytes_(burst_bytes), cargo_(cargo) {}
    PayloadPool(const PayloadPool&) = delete;
    PayloadPool& operator=(const PayloadPool&) = delete;

    /// With one reference, which is the caller's.
    tlm::tlm_generic_payload& take() {
        if (free_.empty()) grow();
        tlm::tlm_generic_payload* payload = free_.back();
        free_.pop_back();
        payload->acquire();
        return *payload;
    }
    void free(tlm::tlm_generic_payload* payload) override { free_.push_back(payload); }

  private:
    void grow();

    uint32_t burst_bytes_;
    Cargo cargo_;
    std::vector<std::unique_ptr<tlm::tlm_generic_payload>> all_;
    std::vector<std::unique_ptr<uint8_t[]>> data_;
    std::vector<tlm::tlm_generic_payload*> free_;
};

struct TrafficSettings {
    uint32_t burst_bytes = 64;
    uint64_t tck_ps = 0;
    uint32_t in_flight_max = 1;  // LtTraffic
    Cargo cargo = Cargo::TimeOnly;
    AcceptListener* listener = nullptr;
};

class AtTraffic final : public sc_core::sc_module, public tlm::tlm_bw_transport_if<> {
  public:
    tlm::tlm_initiator_socket<> socket;

    /// The source is not owned, and may be shared.
    AtTraffic(sc_core::sc_module_name name, TrafficSource& source, const TrafficSettings& settings);
    SC_HAS_PROCESS(AtTraffic);
    const TrafficProgress& progress() const { return progress_; }

  private:
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    void begin_method() { offer_all(); }
    void offer_all();
    void offer_until_withheld();
    void take_response(tlm::tlm_generic_payload& payload, uint64_t time_ps);

    TrafficSource& source_;
    TrafficSettings settings_;
    PayloadPool pool_;
    TrafficProgress progress_;
    dram::Direction withheld_direction_ = dram::Direction::Read;
    uint64_t withheld_arrival_ps_ = 0;
    bool withheld_ = false;  // END_REQ of the last one
};

class LtTraffic final : public sc_core::sc_module, public tlm::tlm_bw_transport_if<> {
  public:
    tlm::tlm_initiator_socket<> socket;

    LtTraffic(sc_core::sc_module_name name, TrafficSource& source, const TrafficSettings& settings);
    SC_HAS_PROCESS(LtTraffic);
    const TrafficProgress& progress() const { return progress_; }

  private:
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    void send_thread();
    void send_all();

    TrafficSource& source_;
    TrafficSettings settings_;
    PayloadPool pool_;
    TrafficProgress progress_;
};

}  // namespace weir::runner
