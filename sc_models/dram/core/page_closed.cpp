// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Closed page: the last queued access to a row closes it, by auto-precharge.
#include "sc_models/dram/core/page_policy.h"

namespace weir::dram {
namespace {

class Closed : public PagePolicy {
  public:
    bool auto_precharge(uint32_t, bool more_hits) const override { return !more_hits; }
};

}  // namespace

std::unique_ptr<PagePolicy> make_page_closed(const PageConfig&) {
    return std::make_unique<Closed>();
}

}  // namespace weir::dram
