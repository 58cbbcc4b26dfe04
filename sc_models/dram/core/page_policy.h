// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// When an open row is closed though nobody asked for another.
// Contract:
// - auto_precharge(): asked as a column command goes out; true makes it RDA or WRA.
// - close_clk(): asked after each column command that left its row open; the clock at which the
//   row is closed if no request for the bank has come by then; kNever to leave it.
// - on_turn(): a request of this row has its turn, for policies that learn.
// One implementation = one file = one line in page_policy.cpp.
#pragma once

#include "sc_models/dram/core/config.h"
#include "sc_models/dram/core/timing_state.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weir::dram {

class PagePolicy {
  public:
    virtual ~PagePolicy() = default;
    /// more_hits: another request for the open row waits.
    virtual bool auto_precharge(uint32_t bank, bool more_hits) const = 0;
    virtual uint64_t close_clk(const BankState&) const { return kNever; }
    virtual void on_turn(uint32_t /*bank*/, uint32_t /*row*/) {}
};

std::vector<std::string> page_policy_names();
/// Errors: std::invalid_argument naming the key and the known names.
std::unique_ptr<PagePolicy> make_page_policy(const PageConfig& config);

std::unique_ptr<PagePolicy> make_page_open(const PageConfig& config);
std::unique_ptr<PagePolicy> make_page_closed(const PageConfig& config);
std::unique_ptr<PagePolicy> make_page_adaptive(const PageConfig& config);
std::unique_ptr<PagePolicy> make_page_timeout(const PageConfig& config);

}  // namespace weir::dram
