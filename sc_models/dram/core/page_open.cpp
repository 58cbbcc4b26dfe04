// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Open page: a row stays open until another row of its bank is wanted.
#include "sc_models/dram/core/page_policy.h"

namespace weir::dram {
namespace {

class Open : public PagePolicy {
  public:
    bool auto_precharge(uint32_t, bool) const override { return false; }
};

}  // namespace

std::unique_ptr<PagePolicy> make_page_open(const PageConfig&) {
    return std::make_unique<Open>();
}

}  // namespace weir::dram
