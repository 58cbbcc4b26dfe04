// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Do the patterns send what their names say, within their footprint, and the same each time?
#include "testbenches/runner/dram/pattern.h"

#include "sc_models/dram/core/address_map.h"
#include "testbenches/runner/dram/dram_config.h"
#include "testbenches/unit/dram_command/scratch.h"

#include <algorithm>
#include <set>

namespace weir::runner {
namespace {

using dram::Direction;

constexpr uint64_t kMib = 1 << 20;

const dram::ControllerConfig& reference() {
    static const dram::ControllerConfig config =
        load_dram_config(kDramFolder / "ddr4-2400-reference.toml", {}, kDramFolder / "standards");
    return config;
}

PatternPlan plan_of(const std::string& pattern, uint64_t requests, uint64_t footprint_bytes) {
    return {parse_pattern({pattern}), requests, footprint_bytes, 1, 1};
}

std::vector<TrafficRequest> all_of(const PatternPlan& plan, uint32_t initiator = 0) {
    const auto source = make_pattern(plan, initiator, reference());
    std::vector<TrafficRequest> requests;
    for (TrafficRequest request; source->next(request);) requests.push_back(request);
    TrafficRequest more;
    EXPECT_FALSE(source->next(more));
    return requests;
}

TEST(PatternName, TakesTheStrideAsOneWordOrTwo) {
    EXPECT_EQ(parse_pattern({"stride", "4096"}).stride_bytes, 4096u);
    EXPECT_EQ(parse_pattern({"stride 4096"}).stride_bytes, 4096u);
    EXPECT_EQ(parse_pattern({"stride:4096"}).stride_bytes, 4096u);
    EXPECT_EQ(parse_pattern({"stride:4096"}).name, "stride 4096");
    EXPECT_EQ(parse_pattern({"bank-conflict"}).kind, PatternKind::BankConflict);
}

TEST(PatternName, RefusesWhatIsNone) {
    EXPECT_EQ(error_of([] { parse_pattern({"sequ"}); }),
              "--pattern sequ: no such pattern; did you mean seq?; known: rand, seq, mix, idle, "
              "stride N, bank-conflict");
    for (const char* bad : {"stride", "stride:", "stride 0", "stride x", "stride 4k", "stride -1",
                            "stride 99999999999999999999"}) {
        EXPECT_NE(error_of([&] { parse_pattern({bad}); }).find("a stride is a number"),
                  std::string::npos)
            << bad;
    }
    EXPECT_EQ(error_of([] {
                  parse_pattern({"rand", "7"});
              }),
              "--pattern rand 7: nothing may follow \"rand\"");
}

TEST(PatternRand, ReadsWholeBurstsAllOverTheFootprint) {
    constexpr uint64_t kFootprint = 64 * kMib;
    const auto requests = all_of(plan_of("rand", 20000, kFootprint));
    ASSERT_EQ(requests.size(), 20000u);
    std::set<uint64_t> sixteenths;
    for (const TrafficRequest& request : requests) {
        ASSERT_LT(request.address, kFootprint);
        ASSERT_EQ(request.address % 64, 0u);
        ASSERT_EQ(request.direction, Direction::Read);
        ASSERT_EQ(request.cycle, 0u);
        sixteenths.insert(request.address * 16 / kFootprint);
    }
    EXPECT_EQ(sixteenths.size(), 16u);
}

TEST(PatternRand, IsTheSameForASeedAndAnotherForAnother) {
    PatternPlan plan = plan_of("rand", 100, kMib);
    const auto address = [](const TrafficRequest& request) { return request.address; };
    const auto same = [&](const auto& a, const auto& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                          [&](const auto& x, const auto& y) { return address(x) == address(y); });
    };
    const auto first = all_of(plan);
    EXPECT_TRUE(same(first, all_of(plan)));
    plan.seed = 2;
    EXPECT_FALSE(same(first, all_of(plan)));
}

TEST(PatternMix, IsHalfWritesWhateverTheAddress) {
    const auto requests = all_of(plan_of("mix", 40000, kMib));
    uint64_t writes[2] = {0, 0};
    for (const TrafficRequest& request : requests)
        writes[request.address >= kMib / 2] += request.direction == Direction::Write;
    // Ten standard deviations of a binomial of 20000 about its mean of 10000.
    EXPECT_NEAR(static_cast<double>(writes[0]), 10000, 1000);
    EXPECT_NEAR(static_cast<double>(writes[1]), 10000, 1000);
}

TEST(PatternSeq, GoesRoundTheFootprint) {
    const auto requests = all_of(plan_of("seq", kMib / 64 + 3, kMib));
    for (uint64_t i = 0; i < requests.size(); ++i)
        ASSERT_EQ(requests[i].address, i * 64 % kMib) << i;
}

TEST(PatternStride, TakesTheBurstThatHoldsEachStep) {
    const auto requests = all_of(plan_of("stride 100", 30000, kMib));
    for (uint64_t i = 0; i < requests.size(); ++i)
        ASSERT_EQ(requests[i].address, i * 100 % kMib / 64 * 64) << i;
}

TEST(PatternStride, MustBeLessThanTheFootprint) {
    const PatternPlan plan = plan_of("stride 1048576", 10, kMib);
    EXPECT_NE(error_of([&] { all_of(plan); }).find("less than the footprint of 1048576 bytes"),
              std::string::npos);
}

TEST(PatternIdle, AsksOnceInTwoHundredClocks) {
    PatternPlan plan = plan_of("idle", 10, kMib);
    const auto requests = all_of(plan);
    for (uint64_t i = 0; i < requests.size(); ++i) EXPECT_EQ(requests[i].cycle, 200 * i);
    plan.initiators = 2;
    EXPECT_EQ(all_of(plan, 0)[1].cycle, 400u);
    EXPECT_EQ(all_of(plan, 1)[1].cycle, 600u);
}

TEST(PatternBankConflict, OpensAnotherRowOfTheSameBankEachTime) {
    for (const char* xors : {"xor=[]", "xor=[\"bankgroup0 ^ row0\", \"bank1 ^ row3\"]"}) {
        const auto config = load_dram_config(kDramFolder / "ddr4-2400-reference.toml", {xors},
                                             kDramFolder / "standards");
        const auto map = dram::AddressMap::create(config.spec.organization, config.mapping);
        const auto source = make_pattern(plan_of("bank-conflict", 20000, 1024 * kMib), 0, config);
        uint32_t last_row = ~0u;
        for (TrafficRequest request; source->next(request);) {
            ASSERT_LT(request.address, 1024 * kMib);
            const dram::Place place = map.place_of(request.address);
            ASSERT_EQ(place.flat_bank, 0u);
            ASSERT_NE(place.row, last_row);
            last_row = place.row;
        }
    }
}

TEST(PatternBankConflict, NeedsTwoRows) {
    const PatternPlan plan = plan_of("bank-conflict", 10, 64 * 1024);
    EXPECT_NE(error_of([&] { all_of(plan); }).find("holds 1 rows of one bank"), std::string::npos);
}

TEST(PatternShares, AddUpToAllRequests) {
    for (const char* pattern : {"rand", "seq", "mix", "idle", "stride 64", "bank-conflict"}) {
        PatternPlan plan = plan_of(pattern, 1003, 1024 * kMib);
        plan.initiators = 4;
        size_t count = 0;
        std::set<uint64_t> first;
        for (uint32_t i = 0; i < plan.initiators; ++i) {
            const auto requests = all_of(plan, i);
            count += requests.size();
            first.insert(requests.front().address);
        }
        EXPECT_EQ(count, 1003u) << pattern;
        EXPECT_EQ(first.size(), 4u) << pattern;
    }
}

}  // namespace
}  // namespace weir::runner
