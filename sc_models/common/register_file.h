// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The registers of a memory-mapped block, as a table of typed rows.
// - add(block, read, write): one row; an array of registers is one row with a count and a stride.
// - transport(): serves one base-protocol transaction by the rules below. Takes no time.
// - debug(): the same for transport_dbg; registers whose read has a side effect are left alone.
// Rules: an offset that is in no row: address error. A length other than the register's width, or
// a streaming width below it: burst error. Byte enables: byte enable error. A read of a write-only
// register or the reverse: command error. TLM_IGNORE_COMMAND: accepted, nothing happens.
#pragma once

#include <tlm>

#include <cstdint>
#include <cstring>
#include <vector>

namespace weir {

enum class RegisterAccess : uint8_t { ReadOnly, WriteOnly, ReadWrite };
enum class ReadEffect : uint8_t { None, ChangesState };

struct RegisterBlock {
    const char* name;
    uint64_t first_offset;
    uint32_t width_bytes;  // 4 or 8
    uint32_t stride_bytes;
    uint32_t count;
    RegisterAccess access;
    ReadEffect read_effect = ReadEffect::None;
    uint32_t other_width_bytes = 0;  // also allowed; the upper half reads as 0
};

template <typename Owner>
class RegisterFile {
  public:
    using Read = uint64_t (Owner::*)(uint32_t index);
    using Write = void (Owner::*)(uint32_t index, uint64_t value);

    explicit RegisterFile(Owner& owner) : owner_(owner) {}
    void add(const RegisterBlock& block, Read read, Write write) {
        rows_.push_back({block, read, write});
    }

    void transport(tlm::tlm_generic_payload& trans) {
        uint32_t index = 0;
        const Row* row = find(trans.get_address(), index);
        trans.set_response_status(check(trans, row));
        if (trans.get_response_status() != tlm::TLM_OK_RESPONSE) return;
        uint64_t value = 0;
        if (trans.is_read()) {
            value = (owner_.*row->read)(index);
            std::memcpy(trans.get_data_ptr(), &value, trans.get_data_length());
        } else if (trans.is_write()) {
            std::memcpy(&value, trans.get_data_ptr(), trans.get_data_length());
            (owner_.*row->write)(index, value);
        }
    }

    unsigned debug(tlm::tlm_generic_payload& trans) {
        uint32_t index = 0;
        const Row* row = find(trans.get_address(), index);
        if (trans.is_read() && row && row->block.read_effect == ReadEffect::ChangesState) return 0;
        if (check(trans, row) != tlm::TLM_OK_RESPONSE) return 0;
        transport(trans);
        return trans.get_data_length();
    }

  private:
    struct Row {
        RegisterBlock block;
        Read read;
        Write write;
    };

    const Row* find(uint64_t offset, uint32_t& index) const {
        for (const Row& row : rows_) {
            if (offset < row.block.first_offset) continue;
            const uint64_t distance = offset - row.block.first_offset;
            index = static_cast<uint32_t>(distance / row.block.stride_bytes);
            if (distance % row.block.stride_bytes == 0 &&
                distance / row.block.stride_bytes < row.block.count)
                return &row;
        }
        return nullptr;
    }

    static tlm::tlm_response_status check(const tlm::tlm_generic_payload& trans, const Row* row) {
        if (!row) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
        if (trans.get_byte_enable_ptr()) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
        const uint32_t length = trans.get_data_length();
        if (length == 0 ||
            (length != row->block.width_bytes && length != row->block.other_width_bytes) ||
            trans.get_streaming_width() < length)
            return tlm::TLM_BURST_ERROR_RESPONSE;
        if (trans.is_read() && row->block.access == RegisterAccess::WriteOnly)
            return tlm::TLM_COMMAND_ERROR_RESPONSE;
        if (trans.is_write() && row->block.access == RegisterAccess::ReadOnly)
            return tlm::TLM_COMMAND_ERROR_RESPONSE;
        return tlm::TLM_OK_RESPONSE;
    }

    Owner& owner_;
    std::vector<Row> rows_;
};

}  // namespace weir
