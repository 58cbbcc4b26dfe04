// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Is the sorted tree a sorted set, whatever comes and goes?
#include "firmware/block/request_tree.h"

#include "firmware/block/merge_index.h"
#include "testbenches/unit/fake_hal/fake_hal.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <vector>

namespace weir::block {
namespace {

using Key = std::pair<uint64_t, uint64_t>;

TEST(RequestTree, AgreesWithASortedSetUnderRandomInsertsAndRemoves) {
    std::mt19937_64 random(fake_hal::test_seed(7));
    std::vector<std::unique_ptr<Request>> members;
    std::set<Key> model;
    RequestTree tree;
    for (uint64_t step = 0; step < 20'000; ++step) {
        if (members.empty() || (members.size() < 300 && random() % 2 == 0)) {
            members.push_back(std::make_unique<Request>());
            members.back()->sector = hal::Sector{random() % 200};  // equal sectors happen
            members.back()->sequence = step;
            tree.insert(*members.back());
            model.insert({members.back()->sector.value, step});
        } else {
            const size_t victim = random() % members.size();
            tree.remove(*members[victim]);
            model.erase({members[victim]->sector.value, members[victim]->sequence});
            members.erase(members.begin() + static_cast<long>(victim));
        }
        ASSERT_EQ(tree.empty(), model.empty());
        Request probe;
        probe.sector = hal::Sector{random() % 200};
        probe.sequence = random() % 20'000;
        const auto expected = model.upper_bound({probe.sector.value, probe.sequence});
        const Request* found = tree.after(probe);
        ASSERT_EQ(found != nullptr, expected != model.end());
        if (found) {
            ASSERT_EQ(Key(found->sector.value, found->sequence), *expected);
        }
    }
}

TEST(RequestTree, StaysShallowWhenSectorsArriveInOrder) {
    std::vector<std::unique_ptr<Request>> members;
    RequestTree tree;
    for (uint64_t i = 0; i < 384; ++i) {
        members.push_back(std::make_unique<Request>());
        members.back()->sector = hal::Sector{i * 8};
        members.back()->sequence = i;
        tree.insert(*members.back());
    }
    // Depth of the tree, from links: the root is whoever is nobody's child.
    std::set<const Request*> children;
    for (const auto& one : members) {
        children.insert(one->tree_left);
        children.insert(one->tree_right);
    }
    std::vector<std::pair<const Request*, int>> open;
    for (const auto& one : members) {
        if (!children.count(one.get())) open.push_back({one.get(), 1});
    }
    ASSERT_EQ(open.size(), 1u);
    int depth_max = 0;
    while (!open.empty()) {
        const auto [node, depth] = open.back();
        open.pop_back();
        depth_max = std::max(depth_max, depth);
        if (node->tree_left) open.push_back({node->tree_left, depth + 1});
        if (node->tree_right) open.push_back({node->tree_right, depth + 1});
    }
    EXPECT_LE(depth_max, 30);
}

TEST(MergeIndex, FindsByBothEndsAndOnlyTheSameKind) {
    Request request;
    request.sector = hal::Sector{80};
    request.page_count = 4;
    request.direction = Direction::Write;
    request.io_class = IoClass::Async;
    auto index = std::make_unique<MergeIndex>();
    EXPECT_FALSE(index->contains(request));
    index->insert(request);
    EXPECT_TRUE(index->contains(request));
    EXPECT_EQ(index->starting_at(hal::Sector{80}, Direction::Write, IoClass::Async), &request);
    EXPECT_EQ(index->ending_at(hal::Sector{112}, Direction::Write, IoClass::Async), &request);
    EXPECT_EQ(index->ending_at(hal::Sector{104}, Direction::Write, IoClass::Async), nullptr);
    EXPECT_EQ(index->ending_at(hal::Sector{112}, Direction::Write, IoClass::Sync), nullptr);
    EXPECT_EQ(index->ending_at(hal::Sector{112}, Direction::Read, IoClass::Async), nullptr);
    index->remove(request);
    EXPECT_EQ(index->starting_at(hal::Sector{80}, Direction::Write, IoClass::Async), nullptr);
    EXPECT_EQ(index->ending_at(hal::Sector{112}, Direction::Write, IoClass::Async), nullptr);
    EXPECT_FALSE(index->contains(request));
}

TEST(MergeIndex, KeepsChainsWholeWhenManyRequestsShareBuckets) {
    auto index = std::make_unique<MergeIndex>();
    std::vector<std::unique_ptr<Request>> members;
    for (uint64_t i = 0; i < 2000; ++i) {
        members.push_back(std::make_unique<Request>());
        members.back()->sector = hal::Sector{i * 80};
        members.back()->page_count = 1;
        index->insert(*members.back());
    }
    for (uint64_t i = 0; i < 2000; i += 2) index->remove(*members[i]);
    for (uint64_t i = 0; i < 2000; ++i) {
        Request* expected = i % 2 ? members[i].get() : nullptr;
        ASSERT_EQ(index->starting_at(hal::Sector{i * 80}, Direction::Read, IoClass::Sync),
                  expected);
        ASSERT_EQ(index->ending_at(hal::Sector{i * 80 + 8}, Direction::Read, IoClass::Sync),
                  expected);
    }
}

}  // namespace
}  // namespace weir::block
