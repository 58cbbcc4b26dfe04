// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// An ordered mock of the controller's registers: the driver must make exactly the expected accesses
// in the expected order. Reads of a register named in tolerate() may come in any number between.
#pragma once

#include "firmware/hal/nvme_regs.h"
#include "testbenches/unit/fake_hal/fake_hal.h"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <sstream>
#include <string>

namespace weir::block_test {

class MockBus : public fake_hal::MmioDevice {
  public:
    using Hook = std::function<void(uint64_t value)>;

    void expect_read(uint64_t offset, uint64_t value, uint32_t bytes = 4) {
        expected_.push_back({false, offset, value, bytes, false, nullptr});
    }
    void expect_write(uint64_t offset, uint64_t value, Hook then = nullptr, uint32_t bytes = 4) {
        expected_.push_back({true, offset, value, bytes, false, std::move(then)});
    }
    /// A write of whatever value; the hook gets it.
    void expect_any_write(uint64_t offset, Hook then, uint32_t bytes = 4) {
        expected_.push_back({true, offset, 0, bytes, true, std::move(then)});
    }
    void tolerate(uint64_t offset, uint64_t value) { tolerated_[offset] = value; }

    /// Fails the test if an expected access has not come.
    void verify() {
        if (!expected_.empty()) {
            ADD_FAILURE() << expected_.size()
                          << " accesses missing, next: " << text(expected_.front());
        }
        expected_.clear();
    }

    uint64_t read(uint64_t offset, uint32_t bytes) override {
        const bool next =
            !expected_.empty() && !expected_.front().is_write && expected_.front().offset == offset;
        if (!next && tolerated_.count(offset)) return tolerated_[offset];
        const Access access = pop({false, offset, 0, bytes, true, nullptr});
        return access.value;
    }
    void write(uint64_t offset, uint64_t value, uint32_t bytes) override {
        const Access access = pop({true, offset, value, bytes, false, nullptr});
        if (access.then) access.then(value);
    }

  private:
    struct Access {
        bool is_write;
        uint64_t offset;
        uint64_t value;
        uint32_t bytes;
        bool any_value;
        Hook then;
    };

    static std::string text(const Access& access) {
        std::ostringstream out;
        out << (access.is_write ? "write" : "read") << access.bytes * 8 << " at 0x" << std::hex
            << access.offset;
        if (access.any_value) {
            out << " any value";
        } else {
            out << " value 0x" << access.value;
        }
        return out.str();
    }

    Access pop(const Access& got) {
        if (expected_.empty()) {
            ADD_FAILURE() << "unexpected " << text(got);
            return {};
        }
        Access access = expected_.front();
        expected_.pop_front();
        const bool fits = access.is_write == got.is_write && access.offset == got.offset &&
                          access.bytes == got.bytes &&
                          (access.any_value || got.any_value || access.value == got.value);
        if (!fits) ADD_FAILURE() << "expected " << text(access) << ", got " << text(got);
        return access;
    }

    std::deque<Access> expected_;
    std::map<uint64_t, uint64_t> tolerated_;
};

/// The controller's side of the rings in RAM.
class RingSide {
  public:
    void place(uint64_t sq_base, uint64_t cq_base, uint32_t entries) {
        sq_ = static_cast<hal::nvme::SubmissionEntry*>(hal::ram_ptr(hal::PhysAddr{sq_base}));
        cq_ = static_cast<hal::nvme::CompletionEntry*>(hal::ram_ptr(hal::PhysAddr{cq_base}));
        entries_ = entries;
        head_ = cq_tail_ = 0;
        phase_ = true;
    }
    uint32_t entries() const { return entries_; }
    /// The next command in ring order.
    hal::nvme::SubmissionEntry fetch() {
        const hal::nvme::SubmissionEntry entry = sq_[head_];
        head_ = (head_ + 1) % entries_;
        return entry;
    }
    void post(uint16_t command_id, uint16_t status = 0) {
        hal::nvme::CompletionEntry& entry = cq_[cq_tail_];
        entry = {};
        entry.sq_head = static_cast<uint16_t>(head_);
        entry.command_id = command_id;
        entry.status_phase = hal::nvme::make_status_phase(status, phase_);
        cq_tail_ = (cq_tail_ + 1) % entries_;
        if (cq_tail_ == 0) phase_ = !phase_;
    }

  private:
    hal::nvme::SubmissionEntry* sq_ = nullptr;
    hal::nvme::CompletionEntry* cq_ = nullptr;
    uint32_t entries_ = 0;
    uint32_t head_ = 0;
    uint32_t cq_tail_ = 0;
    bool phase_ = true;
};

}  // namespace weir::block_test
