// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/dram/traffic.h"

#include "sc_models/common/check.h"
#include "sc_models/common/timing_hint.h"
#include "sc_models/common/units.h"
#include "testbenches/runner/config/document.h"

#include <algorithm>
#include <cstring>

namespace weir::runner {
namespace {

/// Of LtTraffic. Smaller: more changes of thread; larger: several initiators meet less often.
constexpr uint64_t kQuantumPs = 10'000'000;

/// What a burst holds once it was written; never 0, which is what it holds before.
uint64_t content_of(uint64_t address) {
    return ~address;
}

void prepare(tlm::tlm_generic_payload& payload, const TrafficRequest& request, Cargo cargo) {
    payload.set_address(request.address);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    payload.set_dmi_allowed(false);
    const bool read = request.direction == dram::Direction::Read;
    if (cargo == Cargo::TimeOnly) {
        payload.get_extension<TimingHint>()->access = read ? hal::Access::Read : hal::Access::Write;
        return;
    }
    payload.set_command(read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
    if (read) return;
    const uint64_t content = content_of(request.address);
    std::memcpy(payload.get_data_ptr(), &content, sizeof content);
}

void check_answer(const sc_core::sc_object& module, const tlm::tlm_generic_payload& payload) {
    WEIR_CHECK(payload.is_response_ok(), module, "the memory answered an error (address, status)",
               payload.get_address(), payload.get_response_status());
    if (!payload.is_read()) return;
    uint64_t content = 0;
    std::memcpy(&content, payload.get_data_ptr(), sizeof content);
    WEIR_CHECK(content == 0 || content == content_of(payload.get_address()), module,
               "a read brought the data of another address (address, data)", payload.get_address(),
               content);
}

/// A heap of fixed size: the earliest of so many times.
class FirstEnds {
  public:
    explicit FirstEnds(uint32_t count) : ends_(count, 0) {}
    uint64_t first() const { return ends_[0]; }
    void replace_first(uint64_t end) {
        size_t hole = 0;
        for (size_t child = 1; child < ends_.size(); child = 2 * hole + 1) {
            if (child + 1 < ends_.size() && ends_[child + 1] < ends_[child]) ++child;
            if (end <= ends_[child]) break;
            ends_[hole] = ends_[child];
            hole = child;
        }
        ends_[hole] = end;
    }

  private:
    std::vector<uint64_t> ends_;
};

}  // namespace

void PayloadPool::grow() {
    // At least the word that tells the address, whatever the burst.
    data_.push_back(std::make_unique<uint8_t[]>(std::max<size_t>(burst_bytes_, sizeof(uint64_t))));
    all_.push_back(std::make_unique<tlm::tlm_generic_payload>(this));
    tlm::tlm_generic_payload* payload = all_.back().get();
    payload->set_data_ptr(data_.back().get());
    payload->set_data_length(burst_bytes_);
    payload->set_streaming_width(burst_bytes_);
    payload->set_byte_enable_ptr(nullptr);
    payload->set_command(tlm::TLM_IGNORE_COMMAND);
    if (cargo_ == Cargo::TimeOnly) payload->set_extension(new TimingHint);  // the payload frees it
    free_.push_back(payload);
}

AtTraffic::AtTraffic(sc_core::sc_module_name name, TrafficSource& source,
                     const TrafficSettings& settings)
    : sc_module(name),
      socket("socket"),
      source_(source),
      settings_(settings),
      pool_(settings.burst_bytes, settings.cargo) {
    socket.bind(*this);
    SC_METHOD(begin_method);
}

void AtTraffic::offer_all() {
    try {
        offer_until_withheld();
    } catch (...) {
        progress_.failure = std::current_exception();
        sc_core::sc_stop();
    }
}

void AtTraffic::offer_until_withheld() {
    const uint64_t now_ps = simulator_now_ps();
    TrafficRequest request;
    while (source_.next(request)) {
        tlm::tlm_generic_payload& payload = pool_.take();
        prepare(payload, request, settings_.cargo);
        const uint64_t arrival_ps = std::max(request.cycle * settings_.tck_ps, now_ps);
        ++progress_.offered;
        progress_.last_arrival_ps = arrival_ps;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = from_ps(arrival_ps - now_ps);
        switch (socket->nb_transport_fw(payload, phase, delay)) {
            case tlm::TLM_ACCEPTED:
                withheld_ = true;
                withheld_direction_ = request.direction;
                withheld_arrival_ps_ = arrival_ps;
                return;
            case tlm::TLM_UPDATED:
                WEIR_CHECK(phase == tlm::END_REQ, *this, "answer to BEGIN_REQ (phase, address)",
                           static_cast<unsigned>(phase), request.address);
                if (settings_.listener)
                    settings_.listener->on_accept(request.direction, arrival_ps);
                break;
            case tlm::TLM_COMPLETED:
                take_response(payload, now_ps + delay.value());
                break;
        }
    }
}

void AtTraffic::take_response(tlm::tlm_generic_payload& payload, uint64_t time_ps) {
    check_answer(*this, payload);
    ++progress_.answered;
    progress_.last_response_ps = std::max(progress_.last_response_ps, time_ps);
    payload.release();
}

tlm::tlm_sync_enum AtTraffic::nb_transport_bw(tlm::tlm_generic_payload& payload,
                                              tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::END_REQ) {
        withheld_ = false;
        if (settings_.listener)
            settings_.listener->on_accept(withheld_direction_, simulator_now_ps() + delay.value());
        offer_all();
        return tlm::TLM_ACCEPTED;
    }
    WEIR_CHECK(phase == tlm::BEGIN_RESP, *this, "phase that no target may send (phase, address)",
               static_cast<unsigned>(phase), payload.get_address());
    take_response(payload, simulator_now_ps() + delay.value());
    return tlm::TLM_COMPLETED;
}

LtTraffic::LtTraffic(sc_core::sc_module_name name, TrafficSource& source,
                     const TrafficSettings& settings)
    : sc_module(name),
      socket("socket"),
      source_(source),
      settings_(settings),
      pool_(settings.burst_bytes, settings.cargo) {
    socket.bind(*this);
    SC_THREAD(send_thread);
}

void LtTraffic::send_thread() {
    try {
        send_all();
    } catch (const ConfigError&) {
        progress_.failure = std::current_exception();
        sc_core::sc_stop();
    }
}

void LtTraffic::send_all() {
    tlm::tlm_generic_payload& payload = pool_.take();
    // When each of those in flight ends. The next one takes the place of the first to end.
    FirstEnds ends(settings_.in_flight_max);
    uint64_t arrival_ps = 0;
    uint64_t now_ps = 0;
    TrafficRequest request;
    while (source_.next(request)) {
        arrival_ps = std::max({arrival_ps, request.cycle * settings_.tck_ps, ends.first()});
        if (arrival_ps >= now_ps + kQuantumPs) {
            wait(from_ps(arrival_ps - now_ps));
            now_ps = arrival_ps;
        }
        prepare(payload, request, settings_.cargo);
        ++progress_.offered;
        progress_.last_arrival_ps = arrival_ps;
        if (settings_.listener) settings_.listener->on_accept(request.direction, arrival_ps);
        sc_core::sc_time delay = from_ps(arrival_ps - now_ps);
        socket->b_transport(payload, delay);
        check_answer(*this, payload);
        const uint64_t end_ps = now_ps + delay.value();
        ends.replace_first(end_ps);
        progress_.last_response_ps = std::max(progress_.last_response_ps, end_ps);
        ++progress_.answered;
    }
    payload.release();
    const uint64_t end_ps = progress_.last_response_ps;
    if (end_ps > now_ps) wait(from_ps(end_ps - now_ps));
}

tlm::tlm_sync_enum LtTraffic::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                              sc_core::sc_time&) {
    WEIR_CHECK(false, *this, "call to a loosely timed initiator (address)", payload.get_address(),
               0);
    return tlm::TLM_COMPLETED;
}

}  // namespace weir::runner
