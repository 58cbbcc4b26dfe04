// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/dram/memory.h"

#include "sc_models/common/timing_hint.h"
#include "sc_models/common/units.h"

#include <cstring>
#include <stdexcept>
#include <sys/mman.h>

namespace weir::dram {

Memory::Memory(sc_core::sc_module_name name, const machine::DramConfig& config, uint64_t size_bytes)
    : sc_module(name),
      socket("socket"),
      size_bytes_(size_bytes),
      bank_count_(config.banks),
      timing_(config) {
    void* mapping = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED)
        throw std::invalid_argument("machine.ram_mib: the host cannot map that much memory");
    // Large pages of the host save it TLB misses; it works without them.
    madvise(mapping, size_bytes, MADV_HUGEPAGE);
    bytes_ = static_cast<uint8_t*>(mapping);
    socket.register_b_transport(this, &Memory::b_transport);
    socket.register_transport_dbg(this, &Memory::transport_dbg);
    socket.register_get_direct_mem_ptr(this, &Memory::get_direct_mem_ptr);
}

Memory::~Memory() {
    munmap(bytes_, size_bytes_);
}

tlm::tlm_response_status Memory::check(const tlm::tlm_generic_payload& trans) const {
    const uint64_t length = trans.get_data_length();
    const uint64_t width = trans.get_streaming_width();
    if (trans.get_address() >= size_bytes_) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    if (length == 0 || width == 0) return tlm::TLM_BURST_ERROR_RESPONSE;
    const uint64_t span = width < length ? width : length;
    if (size_bytes_ - trans.get_address() < span) return tlm::TLM_BURST_ERROR_RESPONSE;
    if (trans.get_byte_enable_ptr() && trans.get_byte_enable_length() == 0)
        return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    return tlm::TLM_OK_RESPONSE;
}

void Memory::move_bytes(tlm::tlm_generic_payload& trans) {
    uint8_t* here = bytes_ + trans.get_address();
    uint8_t* there = trans.get_data_ptr();
    const uint64_t length = trans.get_data_length();
    const uint64_t width = trans.get_streaming_width();
    const uint8_t* enables = trans.get_byte_enable_ptr();
    if (!enables && width >= length) {
        if (trans.is_read())
            std::memcpy(there, here, length);
        else
            std::memcpy(here, there, length);
        return;
    }
    const uint64_t enable_length = enables ? trans.get_byte_enable_length() : 1;
    for (uint64_t i = 0; i < length; ++i) {
        if (enables && enables[i % enable_length] != TLM_BYTE_ENABLED) continue;
        uint8_t& cell = here[i % width];
        if (trans.is_read())
            there[i] = cell;
        else
            cell = there[i];
    }
}

void Memory::b_transport(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    const tlm::tlm_response_status status = check(trans);
    trans.set_response_status(status);
    if (status != tlm::TLM_OK_RESPONSE) return;
    trans.set_dmi_allowed(true);
    if (trans.get_command() == tlm::TLM_IGNORE_COMMAND) {
        if (!trans.get_extension<TimingHint>()) return;
    } else {
        move_bytes(trans);
    }
    const uint64_t length = trans.get_data_length();
    const uint64_t width = trans.get_streaming_width();
    const uint64_t now_ps = simulator_now_ps();
    const uint64_t done_ps = timing_.access(now_ps + delay.value(), trans.get_address(),
                                            width < length ? width : length);
    delay = from_ps(done_ps - now_ps);
}

unsigned Memory::transport_dbg(tlm::tlm_generic_payload& trans) {
    if (trans.get_address() >= size_bytes_) return 0;
    const uint64_t room = size_bytes_ - trans.get_address();
    const uint64_t length = trans.get_data_length() < room ? trans.get_data_length() : room;
    uint8_t* here = bytes_ + trans.get_address();
    if (trans.is_read())
        std::memcpy(trans.get_data_ptr(), here, length);
    else if (trans.is_write())
        std::memcpy(here, trans.get_data_ptr(), length);
    else
        return 0;
    return static_cast<unsigned>(length);
}

bool Memory::get_direct_mem_ptr(tlm::tlm_generic_payload& trans, tlm::tlm_dmi& dmi) {
    dmi.init();
    if (trans.get_address() >= size_bytes_) return false;
    dmi.set_dmi_ptr(bytes_);
    dmi.set_start_address(0);
    dmi.set_end_address(size_bytes_ - 1);
    dmi.allow_read_write();
    return true;
}

void Memory::record_rows(probe::Recorder& recorder, const std::string& path) {
    recorder_ = &recorder;
    for (uint32_t bank = 0; bank < bank_count_; ++bank)
        row_signals_.push_back(recorder.define_signal(
            {path + ".bank" + std::to_string(bank) + ".row", "row", 32, {}}));
    timing_.set_observer(this);
}

void Memory::on_row_opened(uint32_t bank, uint64_t row, uint64_t time_ps) {
    recorder_->set(row_signals_[bank], row, time_ps);
}

}  // namespace weir::dram
