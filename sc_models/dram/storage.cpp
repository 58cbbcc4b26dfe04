// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/dram/storage.h"

#include <cstring>
#include <stdexcept>
#include <sys/mman.h>

namespace weir::dram {

Storage::Storage(uint64_t size_bytes) : size_bytes_(size_bytes) {
    void* mapping = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED)
        throw std::invalid_argument("machine.ram_mib: the host cannot map that much memory");
    // Large pages of the host save it TLB misses; it works without them.
    madvise(mapping, size_bytes, MADV_HUGEPAGE);
    bytes_ = static_cast<uint8_t*>(mapping);
}

Storage::~Storage() {
    munmap(bytes_, size_bytes_);
}

tlm::tlm_response_status Storage::check(const tlm::tlm_generic_payload& trans) const {
    const uint64_t length = trans.get_data_length();
    const uint64_t width = trans.get_streaming_width();
    if (trans.get_address() >= size_bytes_) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    if (length == 0 || width == 0) return tlm::TLM_BURST_ERROR_RESPONSE;
    if (size_bytes_ - trans.get_address() < span_bytes(trans)) return tlm::TLM_BURST_ERROR_RESPONSE;
    if (trans.get_byte_enable_ptr() && trans.get_byte_enable_length() == 0)
        return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    return tlm::TLM_OK_RESPONSE;
}

void Storage::move_piecewise(tlm::tlm_generic_payload& trans) {
    uint8_t* here = bytes_ + trans.get_address();
    uint8_t* there = trans.get_data_ptr();
    const uint8_t* enables = trans.get_byte_enable_ptr();
    const uint64_t width = trans.get_streaming_width();
    const uint64_t enable_length = enables ? trans.get_byte_enable_length() : 1;
    for (uint64_t i = 0; i < trans.get_data_length(); ++i) {
        if (enables && enables[i % enable_length] != TLM_BYTE_ENABLED) continue;
        uint8_t& cell = here[i % width];
        if (trans.is_read())
            there[i] = cell;
        else
            cell = there[i];
    }
}

void Storage::move(tlm::tlm_generic_payload& trans) {
    const uint64_t length = trans.get_data_length();
    if (trans.get_byte_enable_ptr() || trans.get_streaming_width() < length)
        return move_piecewise(trans);
    uint8_t* here = bytes_ + trans.get_address();
    if (trans.is_read())
        std::memcpy(trans.get_data_ptr(), here, length);
    else
        std::memcpy(here, trans.get_data_ptr(), length);
}

unsigned Storage::debug(tlm::tlm_generic_payload& trans) {
    if (trans.get_address() >= size_bytes_) return 0;
    const uint64_t room = size_bytes_ - trans.get_address();
    const uint64_t length = trans.get_data_length() < room ? trans.get_data_length() : room;
    if (length == 0) return 0;
    uint8_t* here = bytes_ + trans.get_address();
    if (trans.is_read())
        std::memcpy(trans.get_data_ptr(), here, length);
    else if (trans.is_write())
        std::memcpy(here, trans.get_data_ptr(), length);
    else
        return 0;
    return static_cast<unsigned>(length);
}

}  // namespace weir::dram
