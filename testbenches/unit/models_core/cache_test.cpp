// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: do the caches hit, miss, evict, write back and stay coherent as their rules say, and
// does each cost what it should?
// Closed forms with rig_config(): a 256-byte line takes 2 ns of arbitration, 30 ns (bank closed) or
// 15 ns (row open) and 32 ns of data; L1 hit 1 ns; L2 hit 10 ns.
#include "sc_models/cpu/cache.h"

#include "testbenches/unit/models_core/rig.h"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

namespace weir::test {
namespace {

using hal::Access;

constexpr uint64_t kData = 0x10'0000;  // offset in RAM of the tests' data

uint64_t cost_of_touch(uint64_t offset, uint32_t bytes, Access access) {
    const uint64_t before_ps = now_ps();
    hal::touch(ram(offset), bytes, access);
    return now_ps() - before_ps;
}
const cpu::MemoryStats& stats(uint32_t hart = 0) {
    return cpu::platform->harts[hart]->memory_stats();
}

/// Which harts hold lines of the tests' first frame, a bit each.
uint32_t rig_holders() {
    return cpu::platform->directory->others(15, kData >> hal::kPageShift);
}

TEST(MemoryPath, CostsMissRowHitL1HitAndL2Hit) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        EXPECT_EQ(cost_of_touch(kData, 8, Access::Read), 64'000u);
        EXPECT_EQ(cost_of_touch(kData + 248, 8, Access::Read), 1'000u);
        EXPECT_EQ(cost_of_touch(kData + 256, 8, Access::Read), 49'000u);
        // Four more lines of the first one's L1 set push it out of L1 but not out of L2.
        for (uint64_t i = 1; i <= 4; ++i) hal::touch(ram(kData + i * 1024), 8, Access::Read);
        EXPECT_EQ(cost_of_touch(kData, 8, Access::Read), 10'000u);
        EXPECT_EQ(cost_of_touch(kData, 8, Access::Read), 1'000u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(MemoryPath, FetchesConsecutiveMissingLinesAsOneBurst) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        EXPECT_EQ(cost_of_touch(kData, 4096, Access::Read), (2 + 30 + 512) * 1'000u);
        EXPECT_EQ(stats().misses, 16u);
        EXPECT_EQ(stats().fill_bursts, 1u);
        // A hole of one cached line makes two runs of the rest.
        hal::touch(ram(kData + 0x8000 + 5 * 256), 1, Access::Read);
        hal::touch(ram(kData + 0x8000), 4096, Access::Read);
        EXPECT_EQ(stats().fill_bursts, 1u + 1u + 2u);
        EXPECT_EQ(stats().misses, 32u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(MemoryPath, WritesEvictedDirtyLinesBackAsBurstsAndCleanOnesNot) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        for (uint64_t page = 0; page < 4; ++page)  // fills L2
            hal::touch(ram(kData + page * 4096), 4096, Access::Write);
        EXPECT_EQ(stats().write_back_lines, 0u);
        hal::touch(ram(kData + 4 * 4096), 4096, Access::Read);
        EXPECT_EQ(stats().write_back_lines, 16u);
        EXPECT_EQ(stats().write_back_bursts, 1u);
        for (uint64_t page = 5; page < 12; ++page)
            hal::touch(ram(kData + page * 4096), 4096, Access::Read);
        EXPECT_EQ(stats().write_back_lines, 64u);  // the four dirty pages and nothing else
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(MemoryPath, AHartDoesNotWaitForItsWriteBacksButTheyHoldTheMemory) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [&rig] {
        for (uint64_t page = 0; page < 4; ++page)
            hal::touch(ram(kData + page * 4096), 4096, Access::Write);
        const uint64_t before = rig.dram_bytes();
        const uint64_t cost_ps = cost_of_touch(kData + 4 * 4096, 4096, Access::Read);
        EXPECT_LE(cost_ps, (2 + 45 + 512) * 1'000u);
        EXPECT_EQ(rig.dram_bytes() - before, 8192u);
        // The next fill finds the data bus taken by the write-back.
        EXPECT_GE(cost_of_touch(kData + 0x8'0000, 256, Access::Read), 512'000u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(MemoryPath, LeavesL1WithL2SoThatAnEvictedLineMissesInBoth) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        hal::touch(ram(kData), 8, Access::Read);
        // Keep it hot in L1 while four others of its L2 set (16 sets) push it out of L2.
        for (uint64_t i = 1; i <= 4; ++i) hal::touch(ram(kData + i * 4096), 8, Access::Read);
        const uint64_t misses = stats().misses;
        hal::touch(ram(kData), 8, Access::Read);
        EXPECT_EQ(stats().misses, misses + 1);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(MemoryPath, WithoutCachesEveryAccessGoesToMemory) {
    machine::MachineConfig config = rig_config(1);
    config.cpu.l1.size_bytes = 0;
    config.cpu.l2.size_bytes = 0;
    Rig rig(config);
    rig.firmware[0] = [] {
        EXPECT_EQ(cost_of_touch(kData, 64, Access::Read), (2 + 30 + 8) * 1'000u);
        EXPECT_EQ(cost_of_touch(kData, 64, Access::Write), (2 + 15 + 8) * 1'000u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(MemoryPath, IgnoresHostMemory) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        int on_the_stack = 0;
        hal::touch(&on_the_stack, sizeof on_the_stack, Access::Write);
        EXPECT_EQ(now_ps(), 0u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(MemoryPath, CopyMovesBytesAndChargesReadWriteAndLines) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [] {
        std::memset(ram(kData), 0x5a, 4096);
        hal::copy_bytes(ram(kData + 0x4000), ram(kData), 4096);
        EXPECT_EQ(std::memcmp(ram(kData), ram(kData + 0x4000), 4096), 0);
        // Source: bank closed; destination: another bank, closed too. 16 lines of 100 cycles.
        EXPECT_EQ(now_ps(), (544 + 544 + 1600) * 1'000u);
        hal::clear_bytes(ram(kData), 4096);
        EXPECT_EQ(ram(kData)[4095], 0);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

// ---- coherence ----------------------------------------------------------------------------------

TEST(Coherence, ADmaWriteDropsTheCachedLines) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [&rig] {
        std::vector<uint8_t> page(4096, 7);
        hal::touch(ram(kData), 4096, Access::Write);
        rig.dma(tlm::TLM_WRITE_COMMAND, hal::kRamBase.value + kData, page.data(), 4096);
        EXPECT_EQ(stats().snooped_lines, 16u);
        EXPECT_EQ(stats().write_back_lines, 0u);  // the whole page was replaced
        const uint64_t misses = stats().misses;
        hal::touch(ram(kData), 4096, Access::Read);
        EXPECT_EQ(stats().misses, misses + 16);
        EXPECT_EQ(ram(kData)[0], 7);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(Coherence, APartialDmaWriteSavesWhatWasDirty) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [&rig] {
        uint64_t word = 1;
        hal::touch(ram(kData), 4096, Access::Write);
        rig.dma(tlm::TLM_WRITE_COMMAND, hal::kRamBase.value + kData + 8, &word, 8);
        EXPECT_EQ(stats().snooped_lines, 1u);
        EXPECT_EQ(stats().write_back_lines, 1u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(Coherence, ADmaReadCleansDirtyLinesAndLeavesThemCached) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [&rig] {
        std::vector<uint8_t> page(4096);
        hal::touch(ram(kData), 4096, Access::Write);
        rig.dma(tlm::TLM_READ_COMMAND, hal::kRamBase.value + kData, page.data(), 4096);
        EXPECT_EQ(stats().write_back_lines, 16u);
        const uint64_t misses = stats().misses;
        hal::touch(ram(kData), 4096, Access::Read);
        EXPECT_EQ(stats().misses, misses);
        rig.dma(tlm::TLM_READ_COMMAND, hal::kRamBase.value + kData, page.data(), 4096);
        EXPECT_EQ(stats().write_back_lines, 16u);  // clean by now
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(Coherence, DmaToAFrameThatLeftTheCachesTouchesNoCache) {
    Rig rig(rig_config(1));
    rig.firmware[0] = [&rig] {
        std::vector<uint8_t> page(4096);
        hal::touch(ram(kData), 4096, Access::Read);
        for (uint64_t i = 1; i <= 4; ++i) hal::touch(ram(kData + i * 4096), 4096, Access::Read);
        EXPECT_EQ(rig_holders(), 0u);
        rig.dma(tlm::TLM_WRITE_COMMAND, hal::kRamBase.value + kData, page.data(), 4096);
        EXPECT_EQ(stats().snooped_lines, 0u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

TEST(Coherence, AWriteTakesTheLineFromOtherHartsAndAReadCleansItThere) {
    Rig rig(rig_config(2));
    rig.firmware[0] = [] { hal::touch(ram(kData), 8, Access::Write); };
    rig.firmware[1] = [] {
        hal::touch(ram(kData), 8, Access::Read);  // dirty at hart 0
        EXPECT_EQ(stats(0).write_back_lines, 1u);
        EXPECT_EQ(rig_holders(), 3u);
        hal::touch(ram(kData), 8, Access::Write);  // shared until now
        EXPECT_EQ(rig_holders(), 2u);
        EXPECT_EQ(stats(1).misses, 1u);
        hal::power_off(0);
    };
    EXPECT_TRUE(rig.run()) << rig.failure;
}

// ---- tags ---------------------------------------------------------------------------------------

TEST(CacheTags, EvictTheWayThatWasNotUsedSinceTheOthers) {
    cpu::Cache cache({4 * 64, 4, 64, 0}, "test");  // one set
    for (uint32_t line = 0; line < 4; ++line) EXPECT_FALSE(cache.install(line, false).valid());
    cache.use(0, cache.find(0));
    const auto victim = cache.install(9, true);
    EXPECT_TRUE(victim.valid());
    EXPECT_EQ(victim.line, 1u);
    EXPECT_EQ(cache.find(1), cpu::Cache::kNoWay);
    EXPECT_NE(cache.find(0), cpu::Cache::kNoWay);
    EXPECT_TRUE(cache.dirty(9, cache.find(9)));
}

TEST(CacheTags, InvalidPlacesAreFilledFirst) {
    cpu::Cache cache({4 * 64, 4, 64, 0}, "test");
    for (uint32_t line = 0; line < 4; ++line) cache.install(line, true);
    cache.invalidate(2, cache.find(2));
    EXPECT_FALSE(cache.install(7, false).valid());
    EXPECT_FALSE(cache.dirty(7, cache.find(7)));
}

TEST(CacheTags, RefuseImpossibleShapesByName) {
    const auto message = [](machine::CacheConfig config) -> std::string {
        try {
            cpu::Cache cache(config, "machine.cpu.l1");
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(message({4096, 0, 64, 0}).find("machine.cpu.l1.ways"), std::string::npos);
    EXPECT_NE(message({4096, 4, 48, 0}).find("machine.cpu.l1.line_bytes"), std::string::npos);
    EXPECT_NE(message({5000, 4, 64, 0}).find("machine.cpu.l1.size_bytes"), std::string::npos);
    EXPECT_EQ(message({12 * 256 * 1024, 12, 256, 0}), "");
}

}  // namespace
}  // namespace weir::test
