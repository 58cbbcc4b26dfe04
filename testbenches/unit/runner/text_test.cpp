// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/config/text.h"

#include <gtest/gtest.h>

namespace weir::runner {

/// A run of the letter a and what comes behind it.
std::string followed(size_t count, const char* tail) {
    std::string text(count, 'a');
    text.append(tail);
    return text;
}

TEST(EditDistance, CountsChangesInsertionsAndSwappedNeighbours) {
    EXPECT_EQ(edit_distance("threads", "threads"), 0u);
    EXPECT_EQ(edit_distance("thread", "threads"), 1u);
    EXPECT_EQ(edit_distance("thraeds", "threads"), 1u);
    EXPECT_EQ(edit_distance("", "abc"), 3u);
    EXPECT_EQ(edit_distance("abc", "xyz"), 3u);
}

TEST(Nearest, NamesWhatIsCloseAndKeepsQuietOtherwise) {
    EXPECT_EQ(nearest("2.6.23", {"2.6.32", "2.6.34"}), "2.6.32");
    EXPECT_EQ(nearest("zebra", {"2.6.32", "2.6.33"}), "");
    EXPECT_EQ(did_you_mean("thread", {"threads", "file_mib"}), "; did you mean threads?");
    EXPECT_EQ(did_you_mean("qqqqqqq", {"threads"}), "");
}

TEST(Nearest, FindsANameWhosePrefixWasForgotten) {
    EXPECT_EQ(nearest("ram_mib", {"ram_mb", "machine.ram_mib"}), "machine.ram_mib");
    EXPECT_EQ(nearest("am_mib", {"machine.ram_mib"}), "");
}

TEST(Nearest, SuggestsNothingForMoreThanAHundredCharacters) {
    const std::string name(100, 'a');
    EXPECT_EQ(nearest(name, {name}), name);
    EXPECT_EQ(nearest(name + "a", {name}), "");
}

TEST(Shortened, KeepsSixtyCharactersAndCutsLongerTexts) {
    EXPECT_EQ(shortened(std::string(60, 'a')), std::string(60, 'a'));
    EXPECT_EQ(shortened(std::string(61, 'a')), followed(57, "..."));
    EXPECT_EQ(shortened(followed(56,
                                 "\xC3\xA4"
                                 "aaaaaaaaa")),
              followed(56, "..."));
}

}  // namespace weir::runner
