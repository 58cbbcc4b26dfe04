// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Adaptive: each bank guesses open or closed from what its last guesses were worth. A counter a
// bank, 0..adaptive_max: a hit on a row that was left open, and a row closed too early (the next
// request wanted the same row), count up; a conflict and a row closed rightly count down. From the
// middle upwards rows are left open.
#include "sc_models/dram/core/page_policy.h"

namespace weir::dram {
namespace {

class Adaptive : public PagePolicy {
  public:
    explicit Adaptive(const PageConfig& config) : max_(config.adaptive_max) {}

    bool auto_precharge(uint32_t bank, bool more_hits) const override {
        return !more_hits && bank < guesses_.size() && guesses_[bank].value < (max_ + 1) / 2;
    }
    void on_turn(uint32_t bank, uint32_t row) override {
        if (bank >= guesses_.size()) guesses_.resize(bank + 1, {max_, kClosedRow});
        Guess& guess = guesses_[bank];
        const bool same_row = guess.last_row == row;
        if (same_row && guess.value < max_) ++guess.value;
        if (!same_row && guess.last_row != kClosedRow && guess.value > 0) --guess.value;
        guess.last_row = row;
    }

  private:
    struct Guess {
        uint32_t value;
        uint32_t last_row;
    };
    uint32_t max_;
    std::vector<Guess> guesses_;
};

}  // namespace

std::unique_ptr<PagePolicy> make_page_adaptive(const PageConfig& config) {
    return std::make_unique<Adaptive>(config);
}

}  // namespace weir::dram
