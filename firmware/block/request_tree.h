// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Requests sorted by sector: a treap, O(log n) on average for every operation.
// - Equal sectors are ordered by sequence, so any two requests differ.
// - Priorities are a hash of the sequence: the same inputs give the same tree.
#pragma once

#include "firmware/block/request.h"

namespace weir::block {

class RequestTree {
  public:
    bool empty() const { return root_ == nullptr; }
    void insert(Request& request);
    /// request must be in the tree, its sector and sequence unchanged since insert().
    void remove(Request& request);
    /// The next request in ascending order; null where request is the last.
    Request* after(const Request& request) const;

  private:
    Request* root_ = nullptr;
};

}  // namespace weir::block
