// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Is a result file whole or not there at all, and does a line say what the command was?
#include "testbenches/runner/dram/command_writer.h"

#include "testbenches/unit/dram_command/scratch.h"

#include <fmt/format.h>
#include <sys/stat.h>

namespace weir::runner {
namespace {

using dram::Command;
using dram::CommandRecord;
using dram::kNoField;

using CommandFile = Scratch;
using ResultFile = Scratch;

TEST_F(CommandFile, HasOneLineACommand) {
    CommandWriter writer(folder_ / "c");
    writer.on_command({0, Command::Act, 0, 1, 2, 32767, kNoField});
    writer.on_command({16, Command::Rda, 0, 1, 2, 32767, 1016});
    writer.on_command({70, Command::Prea, 1});
    writer.on_command({18446744073709551615ull, Command::Ref, 0});
    writer.commit();
    EXPECT_EQ(content_of(folder_ / "c"),
              "0 ACT 0 1 2 32767 -\n16 RDA 0 1 2 32767 1016\n70 PREA 1 - - - -\n"
              "18446744073709551615 REF 0 - - - -\n");
    EXPECT_EQ(writer.line_count(), 4u);
}

TEST_F(CommandFile, IsWholeBeyondItsBuffer) {
    constexpr uint32_t kLines = 50000;
    CommandWriter writer(folder_ / "c");
    std::string expected;
    for (uint32_t i = 0; i < kLines; ++i) {
        writer.on_command({i, Command::Wr, 0, 0, 0, i, i});
        expected += fmt::format("{} WR 0 0 0 {} {}\n", i, i, i);
    }
    writer.commit();
    EXPECT_EQ(content_of(folder_ / "c"), expected);
}

TEST_F(CommandFile, AppearsOnlyAtTheEnd) {
    write("c", "an older one");
    {
        CommandWriter writer(folder_ / "c");
        writer.on_command({0, Command::Pre, 0, 0, 0});
        EXPECT_EQ(content_of(folder_ / "c"), "an older one");
    }
    EXPECT_EQ(content_of(folder_ / "c"), "an older one");
    EXPECT_EQ(names(), std::vector<std::string>{"c"});
}

TEST_F(CommandFile, SaysThatTheDiskIsFull) {
    CommandWriter writer("/dev/full");
    writer.on_command({0, Command::Pre, 0, 0, 0});
    EXPECT_EQ(error_of([&] { writer.commit(); }),
              "--commands /dev/full: cannot be written: No space left on device");
}

TEST_F(ResultFile, RefusesWhatCannotBeWritten) {
    const auto refusal = [](const std::filesystem::path& target) {
        return error_of([&] { PartialFile file("--wave", target); });
    };
    EXPECT_NE(refusal(folder_ / "no/such").find("No such file"), std::string::npos);
    EXPECT_NE(refusal(folder_).find("not the name of a file"), std::string::npos);
    EXPECT_NE(refusal("").find("not the name of a file"), std::string::npos);
    EXPECT_TRUE(names().empty());
}

TEST_F(ResultFile, LeavesDevicesWhatTheyAre) {
    {
        PartialFile file("--commands", "/dev/null");
        EXPECT_EQ(file.path(), "/dev/null");
        file.commit();
    }
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(ResultFile, FollowsALinkToWhatItReplaces) {
    write("real", "old");
    std::filesystem::create_symlink(folder_ / "real", folder_ / "link");
    PartialFile file("--commands", folder_ / "link");
    std::ofstream(file.path()) << "new";
    file.commit();
    EXPECT_EQ(content_of(folder_ / "real"), "new");
    EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
}

}  // namespace
}  // namespace weir::runner
