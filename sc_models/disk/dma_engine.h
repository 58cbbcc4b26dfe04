// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Moves bytes between a controller and RAM over its TLM socket.
// - read()/write(): plain transactions, for queue entries and pointer lists.
// - map(): for page data. Where RAM grants direct access, the bytes are moved by the caller through
//   the pointer, and one transaction without data (TLM_IGNORE_COMMAND, TimingHint) takes the time.
// Loosely timed; the target must not wait(). `delay` is the initiator's time ahead of the kernel.
#pragma once

#include "firmware/hal/types.h"
#include "sc_models/common/timing_hint.h"

#include <systemc>
#include <tlm>

#include <cstddef>
#include <cstdint>

namespace weir::disk {

/// Contiguous physical memory.
struct DmaRun {
    uint64_t address;
    uint32_t bytes;
};

class DmaEngine {
  public:
    explicit DmaEngine(tlm::tlm_initiator_socket<>& socket);
    ~DmaEngine();
    DmaEngine(const DmaEngine&) = delete;
    DmaEngine& operator=(const DmaEngine&) = delete;

    /// False: the memory answered with an error; nothing may be assumed about the bytes.
    [[nodiscard]] bool read(uint64_t address, void* bytes, uint32_t count, sc_core::sc_time& delay);
    [[nodiscard]] bool write(uint64_t address, const void* bytes, uint32_t count,
                             sc_core::sc_time& delay);

    enum class Mapping { Direct, NoDirectAccess, Failed };
    /// Direct: time has been taken and `bytes` is where the run lies. NoDirectAccess: nothing has
    /// happened, use read() or write(). `access` is what is done to memory.
    Mapping map(const DmaRun& run, hal::Access access, sc_core::sc_time& delay, std::byte*& bytes);

    /// For invalidate_direct_mem_ptr of the socket.
    void invalidate(uint64_t first_address, uint64_t last_address);

  private:
    bool transport(tlm::tlm_command command, uint64_t address, unsigned char* bytes, uint32_t count,
                   sc_core::sc_time& delay);
    bool find_direct(const DmaRun& run, hal::Access access);

    tlm::tlm_initiator_socket<>& socket_;
    tlm::tlm_generic_payload data_payload_;
    tlm::tlm_generic_payload timing_payload_;
    TimingHint* hint_;  // owned by timing_payload_
    tlm::tlm_dmi direct_;
    bool has_direct_ = false;
};

}  // namespace weir::disk
