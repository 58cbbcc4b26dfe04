// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Does a controller file mean what it says, and is a wrong one refused with place and reason?
#include "sc_models/dram/core/address_map.h"
#include "sc_models/dram/core/check_config.h"
#include "testbenches/unit/dram_core/dram_files.h"

#include <gmock/gmock.h>

namespace weir::runner {
namespace {

using dram::ConfigProblem;
using dram::Field;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

const std::filesystem::path kReference = kDramFolder / "ddr4-2400-reference.toml";

dram::ControllerConfig reference(const std::vector<std::string>& settings = {}) {
    return load_dram_config(kReference, settings, kStandards);
}

std::string refusal_of(const std::vector<std::string>& settings) {
    return error_of([&] { reference(settings); });
}

class DramConfig : public DramFiles {};

TEST_F(DramConfig, TheReferenceMapsRowBankGroupColumnOffset) {
    const dram::ControllerConfig config = reference();
    const auto map = dram::AddressMap::create(config.spec.organization, config.mapping);
    const dram::Place place = map.place_of(uint64_t{5} << 17 | 3 << 15 | 2 << 13 | 77 << 6 | 63);
    EXPECT_EQ(place, (dram::Place{0, 2, 3, 2 * 4 + 3, 5, 77}));
    EXPECT_EQ(map.same_row_run_bytes(), 8192u);
    EXPECT_EQ(map.size_bytes(), config.spec.organization.bytes());
}

TEST_F(DramConfig, EveryFileOfTheFolderLoads) {
    uint32_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(kDramFolder)) {
        if (entry.path().extension() != ".toml") continue;
        EXPECT_NO_THROW(load_dram_config(entry.path(), {}, kStandards)) << entry.path();
        ++files;
    }
    EXPECT_GE(files, 4u);
}

TEST_F(DramConfig, SettingsWinOverTheFileAndTheLastOneWins) {
    const dram::ControllerConfig config = reference(
        {"scheduler.name=fcfs", "page.name=closed", "page.name=adaptive", "page.adaptive_max=3",
         "refresh.name=none", "checker=true", "power_up=true", "power_down_after_clocks=50",
         "organization.ranks=2", "mapping=rank row bank bankgroup column offset"});
    EXPECT_EQ(config.scheduler.name, "fcfs");
    EXPECT_EQ(config.page.name, "adaptive");
    EXPECT_EQ(config.page.adaptive_max, 3u);
    EXPECT_EQ(config.refresh.name, "none");
    EXPECT_TRUE(config.checker);
    EXPECT_TRUE(config.power_up);
    EXPECT_EQ(config.power_down_after_clocks, 50u);
    EXPECT_EQ(config.spec.organization.ranks, 2u);
}

TEST_F(DramConfig, EveryStandardTakesTheSameMappingText) {
    for (const std::string& name : standard_names(kStandards)) {
        EXPECT_NO_THROW(reference({"standard=" + name})) << name;
    }
}

TEST_F(DramConfig, AnUnknownKeyIsRefusedWithTheNearestOne) {
    const auto file =
        write("c.toml", replaced(content_of(kReference), "postpone_max", "postpone_maxx"));
    EXPECT_THAT(error_of([&] { load_dram_config(file, {}, kStandards); }),
                AllOf(ContainsRegex("c.toml:[0-9]+: refresh.postpone_maxx = 0"),
                      HasSubstr("no such key"), HasSubstr("did you mean refresh.postpone_max?")));
    EXPECT_THAT(
        refusal_of({"scheduler.nme=fcfs"}),
        AllOf(HasSubstr("--set: scheduler.nme"), HasSubstr("did you mean scheduler.name?")));
    EXPECT_THAT(refusal_of({"organization.rnks=2"}), HasSubstr("did you mean organization.ranks?"));
}

TEST_F(DramConfig, AnUnknownNameIsRefusedWithTheNearestOne) {
    EXPECT_THAT(refusal_of({"scheduler.name=frfcs"}),
                AllOf(HasSubstr("is none of fcfs, frfcfs, frfcfs_drain"),
                      HasSubstr("did you mean frfcfs?")));
    EXPECT_THAT(refusal_of({"page.name=opn"}), HasSubstr("did you mean open?"));
    EXPECT_THAT(refusal_of({"refresh.name=allbank"}), HasSubstr("did you mean all_bank?"));
    EXPECT_THAT(refusal_of({"standard=ddr4-2400r"}),
                AllOf(HasSubstr("no such file"), HasSubstr("did you mean ddr4-2400?")));
}

TEST_F(DramConfig, AWrongTypeIsRefused) {
    EXPECT_THAT(refusal_of({"scheduler.read_queue_entries=many"}),
                HasSubstr("allowed: whole numbers"));
    EXPECT_THAT(refusal_of({"power_down_after_clocks=-1"}), HasSubstr("whole numbers"));
    EXPECT_THAT(refusal_of({"checker=1"}), HasSubstr("true or false"));
    EXPECT_THAT(refusal_of({"xor=bank0 ^ row0"}), HasSubstr("a list of texts"));
    EXPECT_THAT(refusal_of({"mapping=7"}), HasSubstr("allowed: a text"));
}

TEST_F(DramConfig, MissingMappingBitsAreCounted) {
    EXPECT_THAT(refusal_of({"mapping=bank bankgroup column offset"}),
                HasSubstr("row has 15 bits, mapped are 0: 15 missing"));
    EXPECT_THAT(refusal_of({"mapping=row:14 bank bankgroup column offset"}),
                AllOf(HasSubstr("--set: mapping"), HasSubstr("mapped are 14: 1 missing")));
    EXPECT_THAT(refusal_of({"mapping=row bank bankgroup column"}),
                HasSubstr("offset has 6 bits, mapped are 0: 6 missing"));
    EXPECT_THAT(refusal_of({"organization.ranks=2"}),
                HasSubstr("rank has 1 bits, mapped are 0: 1 missing"));
}

TEST_F(DramConfig, DoubleMappingBitsAreCounted) {
    EXPECT_THAT(refusal_of({"mapping=row row bank bankgroup column offset"}),
                HasSubstr("row stands double: all of its 15 bits are mapped elsewhere"));
    EXPECT_THAT(refusal_of({"mapping=row:15 bank bankgroup:3 column offset"}),
                HasSubstr("bankgroup has 2 bits, mapped are 3: 1 too many (double)"));
    EXPECT_THAT(refusal_of({"mapping=rank:1 rank row bank bankgroup column offset"}),
                HasSubstr("rank has 0 bits, mapped are 1: 1 too many"));
}

TEST_F(DramConfig, BrokenMappingTextsAreRefused) {
    EXPECT_THAT(refusal_of({"mapping=row bank bankgrp column offset"}),
                AllOf(HasSubstr("no field \"bankgrp\""), HasSubstr("did you mean bankgroup?")));
    for (const std::string piece : {"row:", "row:0", "row:x", "row:-1", "row:99999999999"}) {
        EXPECT_THAT(refusal_of({"mapping=" + piece + " row bank bankgroup column offset"}),
                    HasSubstr("a number of bits must follow the colon"))
            << piece;
    }
    EXPECT_THAT(refusal_of({"mapping=row bank bankgroup offset column"}),
                HasSubstr("offset must come last"));
}

TEST_F(DramConfig, ABareFieldTakesWhatTheOthersLeave) {
    const dram::Mapping mapping =
        reference({"mapping=row column bank column:3 bankgroup offset"}).mapping;
    ASSERT_EQ(mapping.pieces.size(), 6u);
    EXPECT_EQ(mapping.pieces[1].bits, 4u);
    EXPECT_EQ(mapping.pieces[3].bits, 3u);
}

TEST_F(DramConfig, AnXorThatCouldMergeAddressesIsRefused) {
    EXPECT_THAT(refusal_of({"xor=['row0 ^ row1', 'bank0 ^ row0']"}),
                HasSubstr("row0 is XORed itself"));
    EXPECT_THAT(refusal_of({"xor=['row0 ^ row0']"}), HasSubstr("row0 is XORed itself"));
    EXPECT_THAT(refusal_of({"xor=['bank0 ^ bankgroup0']"}),
                HasSubstr("must be one of row or column"));
    EXPECT_THAT(refusal_of({"xor=['bank2 ^ row0']"}), HasSubstr("bank has 2 bits"));
    EXPECT_THAT(refusal_of({"xor=['bank0 ^ row15']"}), HasSubstr("row has 15 bits"));
    EXPECT_THAT(refusal_of({"xor=['bank0 ^ row0', 'bank0 ^ row0']"}), HasSubstr("stands twice"));
    for (const std::string text : {"bank0", "bank0 row0", "bank ^ row0", "bank0 ^ row0 x", "^"}) {
        EXPECT_THAT(refusal_of({"xor=['" + text + "']"}), HasSubstr("is not of the form")) << text;
    }
}

TEST_F(DramConfig, DrainMarksMustBeInOrder) {
    EXPECT_THAT(refusal_of({"scheduler.name=frfcfs_drain", "scheduler.drain_high_entries=33"}),
                AllOf(HasSubstr("--set: scheduler.drain_high_entries = 33"),
                      HasSubstr("more than write_queue_entries = 32")));
    EXPECT_THAT(refusal_of({"scheduler.name=frfcfs_drain", "scheduler.drain_low_entries=24"}),
                HasSubstr("must be below drain_high_entries = 24"));
    EXPECT_EQ(refusal_of({"scheduler.write_queue_entries=8"}), "");
}

TEST_F(DramConfig, WhatTheStandardLacksIsRefused) {
    EXPECT_THAT(refusal_of({"refresh.name=per_bank"}),
                HasSubstr("DDR4-2400R has no per-bank refresh"));
    EXPECT_EQ(refusal_of({"refresh.name=per_bank", "standard=lpddr4-3200"}), "");
    EXPECT_THAT(refusal_of({"refresh.postpone_max=9"}),
                HasSubstr("9 is more than the 8 that DDR4-2400R allows"));
    EXPECT_THAT(refusal_of({"refresh.pull_in_max=9"}), HasSubstr("refresh.pull_in_max = 9"));
}

TEST_F(DramConfig, EmptyQueuesAndPointlessLimitsAreRefused) {
    EXPECT_THAT(refusal_of({"scheduler.read_queue_entries=0"}), HasSubstr("1 to 4096"));
    EXPECT_THAT(refusal_of({"scheduler.write_queue_entries=5000"}), HasSubstr("1 to 4096"));
    EXPECT_THAT(refusal_of({"page.name=timeout", "page.timeout_clocks=0"}),
                HasSubstr("write name = \"closed\""));
    EXPECT_THAT(refusal_of({"page.name=adaptive", "page.adaptive_max=0"}),
                HasSubstr("write name = \"open\""));
}

TEST_F(DramConfig, AWrongOrganizationIsRefusedAtItsPlace) {
    EXPECT_THAT(refusal_of({"organization.banks_per_group=0"}),
                HasSubstr("--set: organization.banks_per_group: 0 is none"));
    EXPECT_THAT(refusal_of({"organization.rows=1000"}), HasSubstr("1000 is no power of two"));
}

TEST_F(DramConfig, AMissingFileOrKeyIsNamed) {
    EXPECT_THAT(error_of([] { load_dram_config("/nowhere.toml", {}, kStandards); }),
                HasSubstr("/nowhere.toml: cannot be read"));
    const auto file = write("c.toml", "schema = 1\n");
    EXPECT_THAT(error_of([&] { load_dram_config(file, {}, kStandards); }),
                HasSubstr("c.toml:1: standard is missing"));
}

/// The key of the ConfigProblem that check_config() ends with; empty if the configuration is good.
std::string key_of_problem(const dram::ControllerConfig& config) {
    try {
        check_config(config);
    } catch (const ConfigProblem& problem) {
        return problem.key();
    }
    return "";
}

TEST(CheckConfig, NamesTheKeyWhoeverMadeTheConfiguration) {
    const dram::ControllerConfig good = reference();
    EXPECT_EQ(key_of_problem(good), "");
    const auto key_after = [&](auto change) {
        dram::ControllerConfig config = good;
        change(config);
        return key_of_problem(config);
    };
    using Config = dram::ControllerConfig;
    EXPECT_EQ(key_after([](Config& c) { c.spec.tck_ps = 0; }), "tck_ps");
    EXPECT_EQ(key_after([](Config& c) { c.spec.cl_clocks = 0; }), "parameters.CL");
    EXPECT_EQ(key_after([](Config& c) { c.spec.tras_clocks = 56; }), "parameters.tRC");
    EXPECT_EQ(key_after([](Config& c) { c.spec.tcke_clocks = 0; }), "parameters.tXP");
    EXPECT_EQ(key_after([](Config& c) { c.spec.organization.devices = 3; }),
              "organization.devices");
    EXPECT_EQ(key_after([](Config& c) { c.spec.organization.burst_length = 1; }),
              "organization.burst_length");
    EXPECT_EQ(key_after([](Config& c) { c.spec.rules[0].clocks = 0; }), "rule");
    EXPECT_EQ(key_after([](Config& c) { c.spec.rules.resize(300, c.spec.rules[0]); }), "rule");
    EXPECT_EQ(key_after([](Config& c) { c.mapping.pieces.pop_back(); }), "mapping");
    EXPECT_EQ(key_after([](Config& c) { c.mapping.pieces[0].bits = ~0u; }), "mapping");
    EXPECT_EQ(key_after([](Config& c) {
                  c.mapping.xors = {{Field::Bank, 9, Field::Row, 0}};
              }),
              "xor");
    EXPECT_EQ(key_after([](Config& c) { c.page.name = ""; }), "page.name");
    EXPECT_EQ(key_after([](Config& c) {
                  c.spec.txp_clocks = c.spec.tcke_clocks = 0;
                  c.power_down_after_clocks = 1;
              }),
              "power_down_after_clocks");
    EXPECT_EQ(key_after([](Config& c) {
                  c.spec.power_up.clear();
                  c.power_up = true;
              }),
              "power_up");
}

TEST(CheckConfig, IsAnInvalidArgumentThatReadsAsKeyAndProblem) {
    dram::ControllerConfig config = reference();
    config.scheduler.read_queue_entries = 0;
    try {
        check_config(config);
        FAIL();
    } catch (const std::invalid_argument& error) {
        EXPECT_STREQ(error.what(), "scheduler.read_queue_entries: 0 entries; allowed: 1 to 4096");
    }
}

}  // namespace
}  // namespace weir::runner
