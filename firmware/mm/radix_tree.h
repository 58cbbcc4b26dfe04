// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A radix tree of frames by index, 64 slots a node, with the tags Dirty and Writeback.
// - Nodes are kernel objects in RAM. Changes: the caller holds the mapping's tree_lock.
// - lookup() and next() remember the leaf they ended in, so that a sequential reader descends once
//   in 64 pages.
#pragma once

#include <cstdint>

namespace weir::mm {

struct Frame;
struct RadixNode;

enum class Tag : uint8_t { Dirty, Writeback };
inline constexpr uint32_t kTagCount = 2;

class RadixTree {
  public:
    Frame* lookup(uint64_t index) const;
    /// False if a node could not be allocated or the index is taken.
    bool insert(uint64_t index, Frame& f);
    Frame* remove(uint64_t index);
    void set_tag(uint64_t index, Tag tag);
    void clear_tag(uint64_t index, Tag tag);
    /// First frame at or after index; null if none. *found is its index.
    Frame* next(uint64_t index, uint64_t* found) const;
    Frame* next_tagged(uint64_t index, Tag tag, uint64_t* found) const;
    bool any_tagged(Tag tag) const;
    bool empty() const { return root_ == nullptr; }

  private:
    RadixNode* find_leaf(uint64_t index) const;
    bool add_nodes(uint64_t index);
    void shrink();

    RadixNode* root_ = nullptr;
    uint32_t height_ = 0;  // levels; a tree of height h covers 64^h indices
    // The leaf found last and the number of its first index / 64. A guess that is dropped whenever
    // that leaf goes away.
    mutable RadixNode* recent_leaf_ = nullptr;
    mutable uint64_t recent_number_ = 0;
};

/// Nodes in use by all trees.
uint32_t radix_node_count();

}  // namespace weir::mm
