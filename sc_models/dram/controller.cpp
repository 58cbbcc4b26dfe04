// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/dram/controller.h"

#include "sc_models/common/check.h"
#include "sc_models/common/timing_hint.h"
#include "sc_models/common/units.h"
#include "sc_models/dram/checker_options.h"
#include "sc_models/dram/controller_parts.h"

#include <algorithm>
#include <bit>

namespace weir::dram {
Controller::Parts::Parts(Controller& module, const ControllerConfig& settings, uint64_t size_bytes)
    : owner(module),
      config(settings),
      tck_ps(settings.spec.tck_ps),
      burst_shift(
          static_cast<uint32_t>(std::countr_zero(settings.spec.organization.access_bytes()))),
      storage(size_bytes != 0 ? size_bytes : settings.spec.organization.bytes()),
      map(AddressMap::create(settings.spec.organization, settings.mapping)),
      channel(settings),
      row_run_bursts(static_cast<uint32_t>(map.same_row_run_bytes() >> burst_shift)) {
    if (config.checker) {
        checker.emplace(config.spec, checker_options(config));
        channel.add_observer(*checker);
    }
}

uint32_t Controller::Parts::take_slot() {
    if (free_head == kNone) {
        slots.emplace_back();
        return static_cast<uint32_t>(slots.size() - 1);
    }
    const uint32_t index = free_head;
    free_head = slots[index].next_free;
    return index;
}

void Controller::Parts::free_slot(uint32_t index) {
    slots[index].trans = nullptr;
    slots[index].next_free = free_head;
    free_head = index;
    --outstanding;
}

Controller::Parts::Slot Controller::Parts::make_slot(Payload& trans, uint32_t initiator,
                                                     uint64_t arrival_ps) const {
    const uint64_t first = trans.get_address() >> burst_shift;
    Slot slot;
    slot.trans = &trans;
    slot.initiator = initiator;
    slot.direction = direction_of(trans);
    slot.arrival_ps = arrival_ps;
    slot.next_address = first << burst_shift;
    slot.to_admit = slot.to_finish = burst_count(trans);
    return slot;
}

bool Controller::Parts::admit(Slot& slot, uint32_t index) {
    const uint64_t arrival_clk = clk_of_ps(slot.arrival_ps);
    const uint64_t clk = std::max(clk_of_ps(simulator_now_ps()), arrival_clk);
    while (slot.to_admit != 0 && channel.has_room(slot.direction)) {
        channel.push({map.place_of(slot.next_address), slot.direction, index, arrival_clk}, clk);
        slot.next_address += uint64_t{1} << burst_shift;
        --slot.to_admit;
    }
    return slot.to_admit == 0;
}

tlm::tlm_sync_enum Controller::Parts::forward(int id, Payload& trans, tlm::tlm_phase& phase,
                                              sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) return offer(id, trans, phase, delay);
    WEIR_CHECK(phase != tlm::END_REQ && phase != tlm::BEGIN_RESP, owner,
               "phase that no initiator may send (phase, initiator)", static_cast<unsigned>(phase),
               id);
    // Any other is of an extended protocol, and may be ignored.
    if (phase != tlm::END_RESP) return tlm::TLM_ACCEPTED;
    initiators[static_cast<size_t>(id)].last_response_ps = simulator_now_ps() + delay.value();
    end_response(id);
    return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum Controller::Parts::offer(int id, Payload& trans, tlm::tlm_phase& phase,
                                            const sc_core::sc_time& delay) {
    Initiator& initiator = initiators[static_cast<size_t>(id)];
    WEIR_CHECK(initiator.waiting == kNone, owner,
               "BEGIN_REQ before END_REQ of the last one (initiator, address)", id,
               trans.get_address());
    tlm::tlm_response_status status = storage.check(trans);
    if (status == tlm::TLM_OK_RESPONSE && time_only(trans) && !trans.get_extension<TimingHint>())
        status = tlm::TLM_COMMAND_ERROR_RESPONSE;
    trans.set_response_status(status);
    if (status != tlm::TLM_OK_RESPONSE) return tlm::TLM_COMPLETED;
    trans.set_dmi_allowed(true);
    if (trans.has_mm()) trans.acquire();
    const uint64_t now_ps = simulator_now_ps();
    const uint32_t index = take_slot();
    slots[index] = make_slot(trans, static_cast<uint32_t>(id), now_ps + delay.value());
    ++outstanding;
    const bool now = delay.value() == 0;
    if (now && admit(slots[index], index)) {
        if (!time_only(trans)) storage.move(trans);
        // A read that the write queue answered is done already.
        if (!pumping) schedule(channel.completions().empty() ? channel.next_clk() : 0, now_ps);
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    initiator.waiting = index;
    ++waiting_count;
    if (!pumping) schedule(now ? channel.next_clk() : clk_of_ps(slots[index].arrival_ps), now_ps);
    return tlm::TLM_ACCEPTED;
}

/// Gives those that wait their places, each in its turn.
void Controller::Parts::admit_waiting(uint64_t now_ps) {
    const auto count = static_cast<uint32_t>(initiators.size());
    for (uint32_t step = 0; step < count && waiting_count != 0;) {
        const uint32_t id = next_turn + step < count ? next_turn + step : next_turn + step - count;
        const uint32_t index = initiators[id].waiting;
        ++step;
        if (index == kNone || slots[index].arrival_ps > now_ps) continue;
        if (!admit(slots[index], index)) continue;
        Payload& trans = *slots[index].trans;
        if (!time_only(trans)) storage.move(trans);
        initiators[id].waiting = kNone;
        --waiting_count;
        next_turn = id + 1 == count ? 0 : id + 1;
        step = 0;
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        owner.socket[static_cast<int>(id)]->nb_transport_bw(trans, phase, delay);
    }
}

bool Controller::Parts::someone_can_enter() const {
    if (waiting_count == 0) return false;
    for (const Initiator& initiator : initiators)
        if (initiator.waiting != kNone && channel.has_room(slots[initiator.waiting].direction))
            return true;
    return false;
}

uint64_t Controller::Parts::horizon_clk(uint64_t now_ps) const {
    const uint64_t now_clk = now_ps / tck_ps;
    if (waiting_count != initiators.size()) return now_clk;
    uint64_t horizon = kNever - 1;
    for (const Initiator& initiator : initiators) {
        const uint64_t arrival_ps = slots[initiator.waiting].arrival_ps;
        if (arrival_ps > now_ps) horizon = std::min(horizon, clk_of_ps(arrival_ps));
    }
    return std::max(horizon, now_clk);
}

void Controller::Parts::schedule(uint64_t clk, uint64_t now_ps) {
    const uint64_t when_ps = clk * tck_ps;
    wake.notify(from_ps(when_ps > now_ps ? when_ps - now_ps : 0));
}

void Controller::Parts::pump() {
    pumping = true;
    const uint64_t now_ps = simulator_now_ps();
    for (;;) {
        admit_waiting(now_ps);
        const bool column = channel.run(horizon_clk(now_ps));
        deliver(now_ps);
        if (column) {
            if (channel.last_clk() * tck_ps <= now_ps || !someone_can_enter()) continue;
            schedule(channel.last_clk(), now_ps);
            break;
        }
        if (!channel.idle()) schedule(channel.next_clk(), now_ps);
        for (const Initiator& initiator : initiators)
            if (initiator.waiting != kNone && slots[initiator.waiting].arrival_ps > now_ps)
                schedule(clk_of_ps(slots[initiator.waiting].arrival_ps), now_ps);
        break;
    }
    pumping = false;
}

void Controller::Parts::deliver(uint64_t now_ps) {
    // Responses may bring requests that the write queue answers at once: the list may grow.
    std::vector<Completion>& done = channel.completions();
    delivering = true;
    for (size_t i = 0; i < done.size(); ++i) {
        const Completion completion = done[i];
        Slot& slot = slots[completion.token];
        Initiator& initiator = initiators[slot.initiator];
        DirectionStats& stats =
            completion.direction == Direction::Write ? initiator.write : initiator.read;
        ++stats.requests;
        stats.parts += completion.parts;
        stats.latency.add(completion.latency_clocks);
        slot.end_clk = std::max(slot.end_clk, completion.data_end_clk);
        if (--slot.to_finish == 0 && !slot.synchronous) respond(completion.token, now_ps);
    }
    done.clear();
    delivering = false;
}

void Controller::Parts::respond(uint32_t index, uint64_t now_ps) {
    Slot& slot = slots[index];
    const uint32_t id = slot.initiator;
    Initiator& initiator = initiators[id];
    if (initiator.response_open) {
        initiator.responses.push_back(index);
        return;
    }
    const uint64_t end_ps = std::max({slot.end_clk * tck_ps, initiator.last_response_ps, now_ps});
    initiator.last_response_ps = end_ps;
    Payload& trans = *slot.trans;
    free_slot(index);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = from_ps(end_ps - now_ps);
    // Before the call: END_RESP may come from inside it.
    initiator.response_open = true;
    initiator.open_trans = &trans;
    const tlm::tlm_sync_enum answer =
        owner.socket[static_cast<int>(id)]->nb_transport_bw(trans, phase, delay);
    if (answer == tlm::TLM_ACCEPTED || initiator.open_trans != &trans) return;
    initiator.response_open = false;
    initiator.open_trans = nullptr;
    initiator.last_response_ps =
        std::max<uint64_t>(initiator.last_response_ps, now_ps + delay.value());
    if (trans.has_mm()) trans.release();
}

void Controller::Parts::end_response(int id) {
    Initiator& initiator = initiators[static_cast<size_t>(id)];
    WEIR_CHECK(initiator.response_open, owner, "END_RESP without BEGIN_RESP (initiator)", id, 0);
    initiator.response_open = false;
    Payload* trans = initiator.open_trans;
    initiator.open_trans = nullptr;
    if (trans->has_mm()) trans->release();
    while (!initiator.responses.empty() && !initiator.response_open) {
        const uint32_t index = initiator.responses.front();
        initiator.responses.pop_front();
        respond(index, simulator_now_ps());
    }
}

Controller::Controller(sc_core::sc_module_name name, const ControllerConfig& config,
                       uint64_t size_bytes)
    : sc_module(name),
      socket("socket"),
      parts_(std::make_unique<Parts>(*this, config, size_bytes)) {
    socket.register_nb_transport_fw(this, &Controller::nb_transport_fw);
    socket.register_b_transport(this, &Controller::b_transport);
    socket.register_transport_dbg(this, &Controller::transport_dbg);
    socket.register_get_direct_mem_ptr(this, &Controller::get_direct_mem_ptr);
    SC_METHOD(pump_method);
    sensitive << parts_->wake;
    dont_initialize();
}

Controller::~Controller() = default;

void Controller::end_of_elaboration() {
    parts_->initiators.resize(socket.size());
}

tlm::tlm_sync_enum Controller::nb_transport_fw(int id, tlm::tlm_generic_payload& trans,
                                               tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    return parts_->forward(id, trans, phase, delay);
}

void Controller::b_transport(int id, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    parts_->transport(id, trans, delay);
}

unsigned Controller::transport_dbg(int, tlm::tlm_generic_payload& trans) {
    return parts_->storage.debug(trans);
}

bool Controller::get_direct_mem_ptr(int, tlm::tlm_generic_payload& trans, tlm::tlm_dmi& dmi) {
    dmi.init();
    if (trans.get_address() >= parts_->storage.size_bytes()) return false;
    dmi.set_dmi_ptr(parts_->storage.bytes());
    dmi.set_start_address(0);
    dmi.set_end_address(parts_->storage.size_bytes() - 1);
    dmi.allow_read_write();
    return true;
}

void Controller::pump_method() {
    parts_->pump();
}

uint64_t Controller::size_bytes() const {
    return parts_->storage.size_bytes();
}

const ControllerConfig& Controller::config() const {
    return parts_->config;
}

const ChannelStats& Controller::stats() const {
    return parts_->channel.stats();
}

const DirectionStats& Controller::initiator_stats(uint32_t initiator, bool write) const {
    const Parts::Initiator& one = parts_->initiators.at(initiator);
    return write ? one.write : one.read;
}

void Controller::add_observer(CommandObserver& observer) {
    parts_->channel.add_observer(observer);
}

void Controller::audit(probe::Recorder* recorder, const std::string& path) {
    Parts& parts = *parts_;
    parts.audit.emplace(parts.config);
    if (recorder == nullptr) return;
    parts.bank_recorder.emplace(*recorder, path, parts.config.spec);
    parts.audit->add_observer(*parts.bank_recorder);
}

void Controller::advance_audit() {
    if (parts_->audit) parts_->audit->advance(simulator_now_ps() / parts_->tck_ps);
}

const Audit* Controller::audit() const {
    return parts_->audit ? &*parts_->audit : nullptr;
}

const Checker* Controller::checker() const {
    return parts_->checker ? &*parts_->checker : nullptr;
}

void Controller::finish() {
    const uint64_t now_clk = parts_->clk_of_ps(simulator_now_ps());
    parts_->channel.settle(now_clk);
    parts_->channel.close_accounts(now_clk);
    if (parts_->checker) parts_->checker->finish(parts_->channel.clk());
    if (parts_->audit) parts_->audit->finish();
}

uint64_t Controller::outstanding() const {
    return parts_->outstanding;
}

std::string Controller::describe_oldest() const {
    const std::string oldest = parts_->channel.describe_oldest();
    if (!oldest.empty()) return std::string(name()) + ": " + oldest;
    for (size_t id = 0; id < parts_->initiators.size(); ++id) {
        if (parts_->initiators[id].waiting != Parts::kNone)
            return std::string(name()) + ": initiator " + std::to_string(id) + " waits for END_REQ";
        const size_t count = parts_->initiators[id].responses.size();
        if (count == 0) continue;
        return std::string(name()) + ": " + std::to_string(count) + " responses to initiator " +
               std::to_string(id) + " wait for its END_RESP";
    }
    return {};
}

}  // namespace weir::dram
