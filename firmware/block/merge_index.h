// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Finds the queued request that a bio can join: two hash tables, by first and by end sector.
// - Only requests of the same direction and class are found: a merge across classes would put a
//   write that someone waits for behind the writeback ring.
#pragma once

#include "firmware/block/param.h"
#include "firmware/block/request.h"

namespace weir::block {

class MergeIndex {
  public:
    void insert(Request& request);
    void remove(Request& request);
    bool contains(const Request& request) const { return request.end_link != nullptr; }
    Request* ending_at(hal::Sector sector, Direction direction, IoClass io_class) const;
    Request* starting_at(hal::Sector sector, Direction direction, IoClass io_class) const;

  private:
    Request* by_start_[kMergeBuckets] = {};
    Request* by_end_[kMergeBuckets] = {};
};

}  // namespace weir::block
