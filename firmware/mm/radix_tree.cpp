// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "firmware/mm/radix_tree.h"

#include "firmware/hal/hal.h"
#include "firmware/kernel/object_cache.h"

namespace weir::mm {

namespace {

constexpr uint32_t kSlotBits = 6;
constexpr uint32_t kSlots = 1u << kSlotBits;
constexpr uint32_t kSlotMask = kSlots - 1;
constexpr uint32_t kMaxHeight = (64 + kSlotBits - 1) / kSlotBits;

constexpr uint32_t slot_of(uint64_t index, uint32_t level) {
    return static_cast<uint32_t>(index >> (level * kSlotBits)) & kSlotMask;
}

// Multiplying this sequence by 2^i brings a different 6-bit number to the top for each i.
constexpr uint64_t kDeBruijn = 0x03f7'9d71'b4cb'0a89ull;
constexpr uint8_t kBitOfTop[kSlots] = {
    0,  1,  48, 2,  57, 49, 28, 3,  61, 58, 50, 42, 38, 29, 17, 4,  62, 55, 59, 36, 53, 51,
    43, 22, 45, 39, 33, 30, 24, 18, 12, 5,  63, 47, 56, 27, 60, 41, 37, 16, 54, 35, 52, 21,
    44, 32, 23, 11, 46, 26, 40, 15, 34, 20, 31, 10, 25, 14, 19, 9,  13, 8,  7,  6};

/// Position of the lowest set bit. Not the compiler's builtin: RV64 without bit manipulation would
/// call a library for it, and the firmware links none.
constexpr uint32_t lowest_bit(uint64_t bits) {
    return kBitOfTop[(bits & (0 - bits)) * kDeBruijn >> 58];
}

/// True if a tree of this height covers the index.
constexpr bool covers(uint32_t height, uint64_t index) {
    return height >= kMaxHeight || (index >> (height * kSlotBits)) == 0;
}

}  // namespace

struct RadixNode {
    void* slots[kSlots] = {};       // RadixNode*, in leaves Frame*
    uint64_t present = 0;           // bit i: slot i is used
    uint64_t tags[kTagCount] = {};  // bit i: slot i, or something below it, has the tag
};

namespace {

kernel::ObjectCache<RadixNode> node_cache;

RadixNode* child(const RadixNode& node, uint32_t slot) {
    return static_cast<RadixNode*>(node.slots[slot]);
}

void link(RadixNode& node, uint32_t slot, void* item) {
    node.slots[slot] = item;
    node.present |= 1ull << slot;
}

/// Depth-first search for the first set bit at or after index, in the bitmaps that `bits` selects.
template <typename Bits>
Frame* search(RadixNode* root, uint32_t height, uint64_t index, uint64_t* found, Bits bits) {
    if (!root || !covers(height, index)) return nullptr;
    RadixNode* path[kMaxHeight];
    uint32_t level = height - 1;
    path[level] = root;
    while (true) {
        const uint32_t slot = slot_of(index, level);
        const uint64_t candidates = bits(*path[level]) >> slot;
        if (candidates != 0) {
            const uint32_t skipped = lowest_bit(candidates);
            if (skipped != 0) {
                // A later slot: everything below starts at its first index.
                const uint64_t step = 1ull << (level * kSlotBits);
                index = (index & ~(step - 1)) + skipped * step;
            }
            void* item = path[level]->slots[slot + skipped];
            if (level == 0) {
                *found = index;
                return static_cast<Frame*>(item);
            }
            path[--level] = static_cast<RadixNode*>(item);
            continue;
        }
        // Nothing more in this node: go on with the slot after its parent's, or further up where
        // that was the last one (the carry has already moved the index on there).
        if (++level == height) return nullptr;
        const uint64_t step = 1ull << (level * kSlotBits);
        index = (index & ~(step - 1)) + step;
        while (slot_of(index, level) == 0) {
            if (++level == height) return nullptr;
        }
    }
}

}  // namespace

uint32_t radix_node_count() {
    return node_cache.live_count();
}

RadixNode* RadixTree::find_leaf(uint64_t index) const {
    const uint64_t number = index >> kSlotBits;
    if (recent_leaf_ && recent_number_ == number) return recent_leaf_;
    if (!root_ || !covers(height_, index)) return nullptr;
    RadixNode* node = root_;
    for (uint32_t level = height_ - 1; level > 0; --level) {
        node = child(*node, slot_of(index, level));
        if (!node) return nullptr;
    }
    recent_leaf_ = node;
    recent_number_ = number;
    return node;
}

Frame* RadixTree::lookup(uint64_t index) const {
    const RadixNode* leaf = find_leaf(index);
    return leaf ? static_cast<Frame*>(leaf->slots[index & kSlotMask]) : nullptr;
}

/// Builds the way down to the leaf of an index. All nodes are taken before the tree is changed, so
/// that a shortage leaves it as it was.
bool RadixTree::add_nodes(uint64_t index) {
    uint32_t new_height = height_ ? height_ : 1;
    while (!covers(new_height, index)) ++new_height;
    const uint32_t grown = root_ ? new_height - height_ : 0;

    // Nodes that exist on the way down; after growing, the way leaves the old tree at the top.
    uint32_t existing = 0;
    if (root_ && grown == 0) {
        RadixNode* node = root_;
        for (uint32_t level = height_; level-- > 0 && node; ++existing) {
            node = level > 0 ? child(*node, slot_of(index, level)) : nullptr;
        }
    }
    // Growing puts `grown` nodes above the old root; the topmost of them is on the new way.
    const uint32_t fresh = grown > 0 ? grown + new_height - 1 : new_height - existing;
    RadixNode* stock[2 * kMaxHeight];
    for (uint32_t i = 0; i < fresh; ++i) {
        stock[i] = node_cache.create();
        if (stock[i]) continue;
        while (i-- > 0) node_cache.destroy(*stock[i]);
        return false;
    }

    uint32_t used = 0;
    if (!root_) root_ = stock[used++];
    for (uint32_t i = 0; i < grown; ++i) {
        RadixNode& top = *stock[used++];
        link(top, 0, root_);
        for (uint32_t tag = 0; tag < kTagCount; ++tag) top.tags[tag] = root_->tags[tag] ? 1 : 0;
        root_ = &top;
    }
    height_ = new_height;
    RadixNode* node = root_;
    for (uint32_t level = height_ - 1; level > 0; --level) {
        const uint32_t slot = slot_of(index, level);
        if (!node->slots[slot]) link(*node, slot, stock[used++]);
        node = child(*node, slot);
    }
    WEIR_ASSERT(used == fresh, "radix tree: node count", used, fresh);
    return true;
}

bool RadixTree::insert(uint64_t index, Frame& f) {
    RadixNode* leaf = find_leaf(index);
    if (!leaf) {
        if (!add_nodes(index)) return false;
        leaf = find_leaf(index);
    }
    const uint32_t slot = index & kSlotMask;
    if (leaf->slots[slot]) return false;
    link(*leaf, slot, &f);
    return true;
}

Frame* RadixTree::remove(uint64_t index) {
    if (!root_ || !covers(height_, index)) return nullptr;
    RadixNode* path[kMaxHeight];
    RadixNode* node = root_;
    for (uint32_t level = height_ - 1; level > 0; --level) {
        path[level] = node;
        node = child(*node, slot_of(index, level));
        if (!node) return nullptr;
    }
    path[0] = node;
    auto* item = static_cast<Frame*>(node->slots[index & kSlotMask]);
    if (!item) return nullptr;

    bool gone = true;  // what hangs on the slot is gone
    for (uint32_t level = 0; level < height_; ++level) {
        RadixNode& at = *path[level];
        const uint64_t bit = 1ull << slot_of(index, level);
        for (uint32_t tag = 0; tag < kTagCount; ++tag) {
            if (gone || path[level - 1]->tags[tag] == 0) at.tags[tag] &= ~bit;
        }
        if (gone) {
            at.slots[slot_of(index, level)] = nullptr;
            at.present &= ~bit;
        }
        if (gone && level > 0) {
            if (path[level - 1] == recent_leaf_) recent_leaf_ = nullptr;
            node_cache.destroy(*path[level - 1]);
        }
        gone = gone && at.present == 0;
    }
    if (gone) {
        if (root_ == recent_leaf_) recent_leaf_ = nullptr;
        node_cache.destroy(*root_);
        root_ = nullptr;
        height_ = 0;
    } else {
        shrink();
    }
    return item;
}

/// Drops levels that only lead to slot 0.
void RadixTree::shrink() {
    while (height_ > 1 && root_->present == 1) {
        RadixNode* old = root_;
        root_ = child(*old, 0);
        node_cache.destroy(*old);
        --height_;
    }
}

void RadixTree::set_tag(uint64_t index, Tag tag) {
    const auto t = static_cast<uint32_t>(tag);
    RadixNode* node = root_;
    for (uint32_t level = height_; level-- > 0;) {
        const uint32_t slot = slot_of(index, level);
        node->tags[t] |= 1ull << slot;
        node = level > 0 ? child(*node, slot) : nullptr;
    }
}

void RadixTree::clear_tag(uint64_t index, Tag tag) {
    const auto t = static_cast<uint32_t>(tag);
    if (!root_ || !covers(height_, index)) return;
    RadixNode* path[kMaxHeight];
    RadixNode* node = root_;
    for (uint32_t level = height_ - 1; level > 0; --level) {
        path[level] = node;
        node = child(*node, slot_of(index, level));
        if (!node) return;
    }
    path[0] = node;
    for (uint32_t level = 0; level < height_; ++level) {
        path[level]->tags[t] &= ~(1ull << slot_of(index, level));
        if (path[level]->tags[t] != 0) return;
    }
}

Frame* RadixTree::next(uint64_t index, uint64_t* found) const {
    return search(root_, height_, index, found, [](const RadixNode& n) { return n.present; });
}

Frame* RadixTree::next_tagged(uint64_t index, Tag tag, uint64_t* found) const {
    const auto t = static_cast<uint32_t>(tag);
    return search(root_, height_, index, found, [t](const RadixNode& n) { return n.tags[t]; });
}

bool RadixTree::any_tagged(Tag tag) const {
    return root_ && root_->tags[static_cast<uint32_t>(tag)] != 0;
}

}  // namespace weir::mm
