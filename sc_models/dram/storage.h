// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The bytes of a memory and what the base protocol says about reaching them. Takes no time.
// - check(): the response status that an access deserves.
// - move(): plain, streaming and byte-enabled accesses. debug(): what fits, up to the end.
#pragma once

#include <tlm>

#include <cstdint>

namespace weir::dram {

class Storage {
  public:
    /// Host memory is taken as it is touched; untouched bytes read as 0.
    /// Errors: std::invalid_argument if the host cannot map so much.
    explicit Storage(uint64_t size_bytes);
    ~Storage();
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    uint64_t size_bytes() const { return size_bytes_; }
    uint8_t* bytes() { return bytes_; }
    tlm::tlm_response_status check(const tlm::tlm_generic_payload& trans) const;
    /// Bytes that the access covers: its length, or the streaming width if that is less.
    static uint64_t span_bytes(const tlm::tlm_generic_payload& trans) {
        const uint64_t length = trans.get_data_length();
        const uint64_t width = trans.get_streaming_width();
        return width < length ? width : length;
    }
    /// Read or write; check() must have said OK.
    void move(tlm::tlm_generic_payload& trans);
    unsigned debug(tlm::tlm_generic_payload& trans);

  private:
    void move_piecewise(tlm::tlm_generic_payload& trans);

    uint64_t size_bytes_;
    uint8_t* bytes_;
};

}  // namespace weir::dram
