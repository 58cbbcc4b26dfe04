// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: does the bare-metal walk mark an entry that another hart has changed since it was read?
#include "firmware/hal/rv64/page_table_entry.h"

#include <gtest/gtest.h>

namespace weir::hal::rv64 {
namespace {

constexpr uint64_t kValidUser = 0x11;
constexpr uint64_t kReadable = kValidUser | 0x2;
constexpr uint64_t kWritable = kReadable | 0x4;
constexpr uint64_t kAccessed = 0x40;
constexpr uint64_t kUsedForWriting = 0xC0;
constexpr uint64_t kFrameA = 0xA << 10;
constexpr uint64_t kFrameB = 0xB << 10;

TEST(Rv64PageTableEntry, IsMarkedAndKeepsItsOtherBits) {
    uint64_t entry = kFrameA | kWritable;
    uint64_t seen = entry;
    EXPECT_TRUE(mark_used(entry, seen, kWritable, kUsedForWriting));
    EXPECT_EQ(entry, kFrameA | kWritable | kUsedForWriting);
}

TEST(Rv64PageTableEntry, IsLeftAloneWhenItWasUnmappedAfterItWasRead) {
    uint64_t seen = kFrameA | kWritable;
    for (const uint64_t now : {uint64_t{0}, uint64_t{0x77 << 10} /* swapped out */}) {
        uint64_t entry = now;
        uint64_t read_before = seen;
        EXPECT_FALSE(mark_used(entry, read_before, kWritable, kUsedForWriting));
        EXPECT_EQ(entry, now);
    }
}

TEST(Rv64PageTableEntry, IsNotMadeDirtyOnceItIsWriteProtected) {
    uint64_t entry = kFrameA | kReadable | kAccessed;
    uint64_t seen = kFrameA | kWritable | kAccessed;
    EXPECT_FALSE(mark_used(entry, seen, kWritable, kUsedForWriting));
    EXPECT_EQ(entry, kFrameA | kReadable | kAccessed);
}

TEST(Rv64PageTableEntry, GivesTheFrameThatWasMarkedNotTheOneReadBefore) {
    uint64_t entry = kFrameB | kReadable;
    uint64_t seen = kFrameA | kReadable;
    EXPECT_TRUE(mark_used(entry, seen, kReadable, kAccessed));
    EXPECT_EQ(seen & ~kAccessed, kFrameB | kReadable);
    EXPECT_EQ(entry, kFrameB | kReadable | kAccessed);
}

}  // namespace
}  // namespace weir::hal::rv64
