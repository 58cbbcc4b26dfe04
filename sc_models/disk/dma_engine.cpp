// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/disk/dma_engine.h"

namespace weir::disk {

DmaEngine::DmaEngine(tlm::tlm_initiator_socket<>& socket) : socket_(socket), hint_(new TimingHint) {
    timing_payload_.set_extension(hint_);
    timing_payload_.set_command(tlm::TLM_IGNORE_COMMAND);
}

// The payload's destructor frees the hint.
DmaEngine::~DmaEngine() = default;

bool DmaEngine::read(uint64_t address, void* bytes, uint32_t count, sc_core::sc_time& delay) {
    return transport(tlm::TLM_READ_COMMAND, address, static_cast<unsigned char*>(bytes), count,
                     delay);
}

bool DmaEngine::write(uint64_t address, const void* bytes, uint32_t count,
                      sc_core::sc_time& delay) {
    // The generic payload has one pointer type for both directions; a write does not store to it.
    auto* source = static_cast<unsigned char*>(const_cast<void*>(bytes));
    return transport(tlm::TLM_WRITE_COMMAND, address, source, count, delay);
}

bool DmaEngine::transport(tlm::tlm_command command, uint64_t address, unsigned char* bytes,
                          uint32_t count, sc_core::sc_time& delay) {
    tlm::tlm_generic_payload& payload = data_payload_;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(bytes);
    payload.set_data_length(count);
    payload.set_streaming_width(count);
    payload.set_byte_enable_ptr(nullptr);
    payload.set_dmi_allowed(false);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    socket_->b_transport(payload, delay);
    return payload.is_response_ok();
}

DmaEngine::Mapping DmaEngine::map(const DmaRun& run, hal::Access access, sc_core::sc_time& delay,
                                  std::byte*& bytes) {
    if (!find_direct(run, access)) return Mapping::NoDirectAccess;
    auto* where = direct_.get_dmi_ptr() + (run.address - direct_.get_start_address());
    tlm::tlm_generic_payload& payload = timing_payload_;
    hint_->access = access;
    payload.set_address(run.address);
    payload.set_data_ptr(where);
    payload.set_data_length(run.bytes);
    payload.set_streaming_width(run.bytes);
    payload.set_dmi_allowed(false);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    socket_->b_transport(payload, delay);
    if (!payload.is_response_ok()) return Mapping::Failed;
    bytes = reinterpret_cast<std::byte*>(where);
    return Mapping::Direct;
}

bool DmaEngine::find_direct(const DmaRun& run, hal::Access access) {
    const uint64_t last_address = run.address + run.bytes - 1;
    const auto covers = [&] {
        return has_direct_ && direct_.get_start_address() <= run.address &&
               last_address <= direct_.get_end_address() &&
               (access == hal::Access::Write ? direct_.is_write_allowed()
                                             : direct_.is_read_allowed());
    };
    if (covers()) return true;
    data_payload_.set_command(access == hal::Access::Write ? tlm::TLM_WRITE_COMMAND
                                                           : tlm::TLM_READ_COMMAND);
    data_payload_.set_address(run.address);
    data_payload_.set_data_length(run.bytes);
    tlm::tlm_dmi granted;
    granted.init();
    if (!socket_->get_direct_mem_ptr(data_payload_, granted)) return false;
    direct_ = granted;
    has_direct_ = true;
    return covers();
}

void DmaEngine::invalidate(uint64_t first_address, uint64_t last_address) {
    if (has_direct_ && first_address <= direct_.get_end_address() &&
        direct_.get_start_address() <= last_address)
        has_direct_ = false;
}

}  // namespace weir::disk
