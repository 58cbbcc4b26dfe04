// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/interconnect/bus.h"

#include "sc_models/common/timing_hint.h"
#include "sc_models/common/units.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace weir::interconnect {
namespace {

bool overlaps(const Region& a, const Region& b) {
    return a.base.value < b.base.value + b.size_bytes && b.base.value < a.base.value + a.size_bytes;
}

hal::Access access_of(const tlm::tlm_generic_payload& trans) {
    if (const auto* hint = trans.get_extension<TimingHint>()) return hint->access;
    return trans.is_write() ? hal::Access::Write : hal::Access::Read;
}

}  // namespace

Bus::Bus(sc_core::sc_module_name name, const machine::BusConfig& config, uint32_t initiators,
         std::vector<Region> regions)
    : sc_module(name),
      initiator_side("initiator_side", initiators),
      target_side("target_side", regions.size()),
      regions_(std::move(regions)) {
    if (config.clock_hz == 0) throw std::invalid_argument("machine.bus.clock_hz: must not be 0");
    if (!std::has_single_bit(config.width_bytes))
        throw std::invalid_argument("machine.bus.width_bytes: must be a power of two");
    width_shift_ = static_cast<uint32_t>(std::countr_zero(config.width_bytes));
    cycle_ps_ = cycles_to_ps(1, config.clock_hz);
    arbitration_ps_ = cycle_ps_ * config.arbitration_cycles;
    for (size_t i = 0; i < regions_.size(); ++i)
        for (size_t j = 0; j < i; ++j)
            if (overlaps(regions_[i], regions_[j]))
                throw std::invalid_argument("bus: regions of the address map overlap");
    for (uint32_t i = 0; i < initiators; ++i) {
        const int tag = static_cast<int>(i);
        initiator_side[i].register_b_transport(this, &Bus::b_transport, tag);
        initiator_side[i].register_transport_dbg(this, &Bus::transport_dbg, tag);
        initiator_side[i].register_get_direct_mem_ptr(this, &Bus::get_direct_mem_ptr, tag);
    }
    for (size_t r = 0; r < regions_.size(); ++r)
        target_side[r].register_invalidate_direct_mem_ptr(this, &Bus::invalidate_direct_mem_ptr,
                                                          static_cast<int>(r));
}

void Bus::set_snooper(Snooper& snooper, uint32_t region, uint32_t first_dma_initiator) {
    snooper_ = &snooper;
    snooped_region_ = region;
    first_dma_initiator_ = first_dma_initiator;
}

uint64_t Bus::occupancy_ps(uint64_t bytes) const {
    const uint64_t width_bytes = uint64_t{1} << width_shift_;
    return arbitration_ps_ + ((bytes + width_bytes - 1) >> width_shift_) * cycle_ps_;
}

int Bus::decode(uint64_t addr) const {
    const Region& last = regions_[last_region_];
    if (addr - last.base.value < last.size_bytes) [[likely]]
        return static_cast<int>(last_region_);
    for (size_t r = 0; r < regions_.size(); ++r) {
        if (addr - regions_[r].base.value < regions_[r].size_bytes) {
            last_region_ = static_cast<uint32_t>(r);
            return static_cast<int>(r);
        }
    }
    return -1;
}

void Bus::b_transport(int initiator, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    const uint64_t addr = trans.get_address();
    const int region = decode(addr);
    if (region < 0) {
        trans.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    const Region& target = regions_[static_cast<size_t>(region)];
    const uint64_t offset = addr - target.base.value;
    const uint64_t bytes = std::min<uint64_t>(trans.get_data_length(), trans.get_streaming_width());
    if (bytes > target.size_bytes - offset) {
        trans.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return;
    }
    const uint64_t wanted_ps = simulator_now_ps() + delay.value();
    if (snooper_ && static_cast<uint32_t>(initiator) >= first_dma_initiator_ &&
        static_cast<uint32_t>(region) == snooped_region_)
        snooper_->on_dma(offset, bytes, access_of(trans), wanted_ps);
    const uint64_t occupancy = occupancy_ps(trans.get_data_length());
    const uint64_t start_ps = calendar_.reserve(wanted_ps, occupancy);
    ++transaction_count_;
    trans.set_address(offset);
    delay = from_ps(start_ps + arbitration_ps_ - simulator_now_ps());
    target_side[static_cast<size_t>(region)]->b_transport(trans, delay);
    trans.set_address(addr);
    const uint64_t now_ps = simulator_now_ps();
    const uint64_t bus_end_ps = start_ps + occupancy;
    if (now_ps + delay.value() < bus_end_ps) delay = from_ps(bus_end_ps - now_ps);
}

unsigned Bus::transport_dbg(int, tlm::tlm_generic_payload& trans) {
    const uint64_t addr = trans.get_address();
    const int region = decode(addr);
    if (region < 0) return 0;
    trans.set_address(addr - regions_[static_cast<size_t>(region)].base.value);
    const unsigned done = target_side[static_cast<size_t>(region)]->transport_dbg(trans);
    trans.set_address(addr);
    return done;
}

bool Bus::get_direct_mem_ptr(int, tlm::tlm_generic_payload& trans, tlm::tlm_dmi& dmi) {
    const uint64_t addr = trans.get_address();
    const int region = decode(addr);
    if (region < 0) return false;
    const Region& target = regions_[static_cast<size_t>(region)];
    trans.set_address(addr - target.base.value);
    const bool granted = target_side[static_cast<size_t>(region)]->get_direct_mem_ptr(trans, dmi);
    trans.set_address(addr);
    if (!granted) return false;
    const uint64_t last = std::min<uint64_t>(dmi.get_end_address(), target.size_bytes - 1);
    dmi.set_start_address(target.base.value + dmi.get_start_address());
    dmi.set_end_address(target.base.value + last);
    return true;
}

void Bus::invalidate_direct_mem_ptr(int region, sc_dt::uint64 start, sc_dt::uint64 end) {
    const Region& target = regions_[static_cast<size_t>(region)];
    const uint64_t last = std::min<uint64_t>(end, target.size_bytes - 1);
    for (auto& socket : initiator_side)
        socket->invalidate_direct_mem_ptr(target.base.value + start, target.base.value + last);
}

}  // namespace weir::interconnect
