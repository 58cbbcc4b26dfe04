// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: does the radix tree behave as a sorted map with two tags?
#include "firmware/kernel/kernel.h"
#include "firmware/kernel/object_cache.h"
#include "firmware/mm/frame.h"
#include "firmware/mm/radix_tree.h"
#include "testbenches/unit/fake_hal/fake_hal.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace weir::mm {
namespace {

class RadixTreeProperty : public ::testing::Test {
  protected:
    struct Entry {
        Frame* frame;
        bool tags[kTagCount];
    };

    RadixTreeProperty() : machine_({.ram_bytes = 64ull << 20}) { kernel::init(); }

    Frame& any_frame() { return frames_[next_frame_++ % frames_.size()]; }

    void insert(uint64_t index) {
        Frame& f = any_frame();
        const bool fresh = !model_.contains(index);
        ASSERT_EQ(tree_.insert(index, f), fresh) << index;
        if (fresh) model_[index] = {&f, {false, false}};
    }
    void remove(uint64_t index) {
        const auto found = model_.find(index);
        ASSERT_EQ(tree_.remove(index), found == model_.end() ? nullptr : found->second.frame);
        if (found != model_.end()) model_.erase(found);
    }
    void change_tag(uint64_t index, uint32_t tag, bool set) {
        const auto found = model_.find(index);
        if (found == model_.end()) return;
        found->second.tags[tag] = set;
        set ? tree_.set_tag(index, Tag{static_cast<uint8_t>(tag)})
            : tree_.clear_tag(index, Tag{static_cast<uint8_t>(tag)});
    }
    void check_at(uint64_t index) {
        const auto exact = model_.find(index);
        ASSERT_EQ(tree_.lookup(index), exact == model_.end() ? nullptr : exact->second.frame);
        auto at = model_.lower_bound(index);
        uint64_t found = 0;
        Frame* f = tree_.next(index, &found);
        ASSERT_EQ(f, at == model_.end() ? nullptr : at->second.frame) << index;
        if (f) {
            ASSERT_EQ(found, at->first);
        }
        for (uint32_t tag = 0; tag < kTagCount; ++tag) {
            auto tagged = at;
            while (tagged != model_.end() && !tagged->second.tags[tag]) ++tagged;
            f = tree_.next_tagged(index, Tag{static_cast<uint8_t>(tag)}, &found);
            ASSERT_EQ(f, tagged == model_.end() ? nullptr : tagged->second.frame) << index;
            if (f) {
                ASSERT_EQ(found, tagged->first);
            }
        }
    }

    fake_hal::Machine machine_;
    std::vector<Frame> frames_{64};
    size_t next_frame_ = 0;
    RadixTree tree_;
    std::map<uint64_t, Entry> model_;
};

TEST_F(RadixTreeProperty, BehavesAsASortedMapWithTags) {
    std::mt19937_64 random(fake_hal::test_seed());
    for (uint32_t step = 0; step < 60'000; ++step) {
        // Indices cluster below powers of two, where nodes and levels begin and end.
        const uint64_t span = 1ull << (3 + random() % 24);
        const uint64_t index = (random() % 4 == 0 ? span : random() % span) + random() % 3;
        const auto tag = static_cast<uint32_t>(random() % kTagCount);
        switch (random() % 8) {
            case 0:
            case 1:
            case 2:
                insert(index);
                break;
            case 3:
            case 4: {
                const auto near = model_.lower_bound(index);
                remove(near == model_.end() ? index : near->first);
                break;
            }
            case 5:
            case 6: {
                const auto near = model_.lower_bound(index);
                if (near != model_.end()) change_tag(near->first, tag, random() % 2 == 0);
                break;
            }
            default:
                break;
        }
        check_at(index);
        if (HasFatalFailure()) return;
    }
    for (uint32_t tag = 0; tag < kTagCount; ++tag) {
        bool any = false;
        for (const auto& [index, entry] : model_) any |= entry.tags[tag];
        EXPECT_EQ(tree_.any_tagged(Tag{static_cast<uint8_t>(tag)}), any);
    }
    while (!model_.empty()) remove(model_.begin()->first);
    EXPECT_TRUE(tree_.empty());
    EXPECT_EQ(radix_node_count(), 0u);
}

TEST_F(RadixTreeProperty, HoldsTheLargestIndex) {
    insert(0);
    insert(~0ull);
    check_at(0);
    check_at(1);
    check_at(~0ull);
    remove(~0ull);
    check_at(1);
    remove(0);
    EXPECT_TRUE(tree_.empty());
    EXPECT_EQ(radix_node_count(), 0u);
}

TEST_F(RadixTreeProperty, SequentialPagesShareLeavesOf64) {
    for (uint64_t i = 0; i < 64; ++i) insert(i);
    EXPECT_EQ(radix_node_count(), 1u);
    insert(64);
    EXPECT_EQ(radix_node_count(), 3u);
    remove(64);
    EXPECT_EQ(radix_node_count(), 1u);
    while (!model_.empty()) remove(model_.begin()->first);
}

TEST_F(RadixTreeProperty, RemovedFrameLosesItsTags) {
    insert(70);
    change_tag(70, 0, true);
    remove(70);
    insert(70);
    EXPECT_FALSE(tree_.any_tagged(Tag::Dirty));
    remove(70);
}

kernel::FrameSource no_frames() {
    return [] { return hal::kNoPfn; };
}

TEST_F(RadixTreeProperty, ShortageOfNodesLeavesTheTreeAsItWas) {
    insert(5);
    const uint32_t nodes = radix_node_count();
    kernel::set_frame_source(no_frames());
    // Use up what the node cache still holds, then ask for a deep tree.
    bool failed = false;
    for (uint32_t i = 1; i < 64 && !failed; ++i) {
        const uint64_t index = uint64_t{i} << 40;
        const uint32_t before = radix_node_count();
        if (tree_.insert(index, any_frame())) {
            model_[index] = {tree_.lookup(index), {false, false}};
        } else {
            failed = true;
            EXPECT_EQ(radix_node_count(), before);
            EXPECT_EQ(tree_.lookup(index), nullptr);
        }
    }
    EXPECT_TRUE(failed);
    EXPECT_GE(radix_node_count(), nodes);
    check_at(0);
    while (!model_.empty()) remove(model_.begin()->first);
    EXPECT_TRUE(tree_.empty());
}

}  // namespace
}  // namespace weir::mm
