// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// When which refresh is due. The channel empties the banks and sends the command.
// Contract:
// - demand(rank, clk): what the rank needs at clk; clk never runs backwards.
//   Now: requests of what it covers wait until it is done. WhenIdle: done if no request waits.
// - next_clk(rank): the next clock at which demand() can change without a done().
// - done(rank): one refresh of the demanded kind has gone out.
// One implementation = one file = one line in refresh.cpp.
#pragma once

#include "sc_models/dram/core/config.h"
#include "sc_models/dram/core/timing_state.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weir::dram {

enum class Urgency : uint8_t { None, WhenIdle, Now };

struct RefreshDemand {
    Urgency urgency = Urgency::None;
    Command command = Command::Ref;
    uint32_t bank_in_rank = 0;  // Refpb
};

class RefreshPolicy {
  public:
    virtual ~RefreshPolicy() = default;
    virtual RefreshDemand demand(uint32_t rank, uint64_t clk) = 0;
    virtual uint64_t next_clk(uint32_t rank) const = 0;
    virtual void done(uint32_t rank) = 0;
    /// Counting begins at clk, when the power-up sequence is over. Before the first demand().
    virtual void begin(uint64_t clk) = 0;
};

std::vector<std::string> refresh_names();
/// Errors: std::invalid_argument naming the key; per_bank where the standard has none.
std::unique_ptr<RefreshPolicy> make_refresh(const ControllerConfig& config);

std::unique_ptr<RefreshPolicy> make_refresh_none(const ControllerConfig& config);
std::unique_ptr<RefreshPolicy> make_refresh_all_bank(const ControllerConfig& config);
std::unique_ptr<RefreshPolicy> make_refresh_per_bank(const ControllerConfig& config);

/// The account of one rank: how many refreshes are owed (negative: done ahead).
class RefreshDebt {
  public:
    /// `parts` of them are due each interval, evenly; no clock is lost to rounding.
    RefreshDebt(uint64_t first_due_clk, uint64_t interval_clocks, uint32_t parts = 1)
        : next_due_clk_(first_due_clk), interval_clocks_(interval_clocks), paid_at_(parts) {}
    void begin(uint64_t clk) { next_due_clk_ += clk; }
    void advance(uint64_t clk) {
        while (clk >= next_due_clk_) {
            ++owed_;
            ++dues_;
            rest_ += interval_clocks_;
            next_due_clk_ += rest_ / paid_at_.size();
            rest_ %= paid_at_.size();
        }
    }
    struct Limits {
        uint32_t postpone_max;
        uint32_t pull_in_max;
        // Dues that may pass between two refreshes of one part, however many were done ahead.
        uint32_t gap_max;
    };
    Urgency urgency(const Limits& limits) const {
        if (owed_ > static_cast<int64_t>(limits.postpone_max)) return Urgency::Now;
        if (dues_ - paid_at_[next_] >= limits.gap_max) return Urgency::Now;
        return owed_ > -static_cast<int64_t>(limits.pull_in_max) ? Urgency::WhenIdle
                                                                 : Urgency::None;
    }
    void paid() {
        --owed_;
        paid_at_[next_] = dues_;
        next_ = next_ + 1 == paid_at_.size() ? 0 : next_ + 1;
    }
    uint64_t next_due_clk() const { return next_due_clk_; }

  private:
    int64_t owed_ = 0;
    uint64_t dues_ = 0;
    uint64_t next_due_clk_;
    uint64_t interval_clocks_;
    uint64_t rest_ = 0;
    std::vector<uint64_t> paid_at_;  // by part, one after the other: the dues at its last refresh
    size_t next_ = 0;
};

}  // namespace weir::dram
