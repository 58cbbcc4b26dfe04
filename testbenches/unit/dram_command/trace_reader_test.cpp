// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Is every trace format read, and every wrong line refused with its place?
#include "testbenches/runner/dram/trace_reader.h"

#include "testbenches/unit/dram_command/scratch.h"

#include <fmt/format.h>

namespace weir::runner {
namespace {

using dram::Direction;

class Trace : public Scratch {
  protected:
    static constexpr TraceLimits kLimits{uint64_t{1} << 32, 64, ~uint64_t{0}};

    std::vector<TrafficRequest> read(const std::string& text, TraceFormat expected,
                                     const TraceLimits& limits = kLimits) const {
        TraceReader reader(write("t", text), limits);
        EXPECT_EQ(reader.format(), expected) << text;
        std::vector<TrafficRequest> requests;
        for (TrafficRequest request; reader.next(request);) requests.push_back(request);
        return requests;
    }
    /// The message without the folder.
    std::string complaint(const std::string& text) const {
        const auto file = write("t", text);
        std::string message = error_of([&] {
            TraceReader reader(file, kLimits);
            for (TrafficRequest request; reader.next(request);) {
            }
        });
        const size_t at = message.find(file.string());
        return at == std::string::npos ? message : message.replace(at, file.string().size(), "t");
    }
};

void expect_request(const TrafficRequest& request, uint64_t cycle, uint64_t address,
                    Direction direction) {
    EXPECT_EQ(request.cycle, cycle);
    EXPECT_EQ(request.address, address);
    EXPECT_EQ(request.direction, direction);
}

TEST_F(Trace, PlainIsClockDirectionAddress) {
    const auto requests =
        read("# a comment\n\n0 R 0x40\n7 w 129\n\t8   W 0XfFc0 \r\n8 r 0", TraceFormat::Plain);
    ASSERT_EQ(requests.size(), 4u);
    expect_request(requests[0], 0, 0x40, Direction::Read);
    expect_request(requests[1], 7, 128, Direction::Write);
    expect_request(requests[2], 8, 0xffc0, Direction::Write);
    expect_request(requests[3], 8, 0, Direction::Read);
}

TEST_F(Trace, DramSim3IsAddressWordClock) {
    const auto requests = read("0x1000 READ 3\nffc0 write 9\n", TraceFormat::DramSim3);
    ASSERT_EQ(requests.size(), 2u);
    expect_request(requests[0], 3, 0x1000, Direction::Read);
    expect_request(requests[1], 9, 0xffc0, Direction::Write);
}

TEST_F(Trace, RamulatorHasNoClocks) {
    const auto memory = read("0x1000 R\n4096 W\n", TraceFormat::RamulatorMemory);
    ASSERT_EQ(memory.size(), 2u);
    expect_request(memory[0], 0, 0x1000, Direction::Read);
    expect_request(memory[1], 0, 0x1000, Direction::Write);
    const auto load_store = read("LD 0x1000\nST 64\n", TraceFormat::RamulatorLoadStore);
    ASSERT_EQ(load_store.size(), 2u);
    expect_request(load_store[0], 0, 0x1000, Direction::Read);
    expect_request(load_store[1], 0, 64, Direction::Write);
}

TEST_F(Trace, NamesPlaceValueAndWhatIsExpected) {
    EXPECT_EQ(complaint("0 R 0x40\n5 Q 0x80\n"),
              "t:2: \"Q\": expected \"clock R|W address\", as in the lines before");
    EXPECT_EQ(complaint("0 R 0x40\n\n# x\n5 R\n"),
              "t:4: \"5 R\": expected \"clock R|W address\", as in the lines before");
    EXPECT_EQ(complaint("0 R 0x4g\n"),
              "t:1: \"0x4g\": no address; expected \"clock R|W address\", "
              "as in the lines before");
    EXPECT_EQ(complaint("-1 R 0x40\n"),
              "t:1: \"-1\": no memory clock from 0 to 2^50; expected "
              "\"clock R|W address\", as in the lines before");
    EXPECT_EQ(complaint("9 R 0\n8 R 0\n"),
              "t:2: \"8\": a clock before that of an earlier line, 9; "
              "requests must be in order of time");
    EXPECT_EQ(complaint("0 R 0x100000000\n"),
              "t:1: \"0x100000000\": beyond the device, which has "
              "4096 MiB: the last address is 0xffffffff");
    EXPECT_NE(complaint("0 R 0x40 7\n").find("expected one of"), std::string::npos);
    EXPECT_NE(complaint("LD 0x40\nXX 0x40\n").find("t:2: \"XX\": expected \"LD|ST address\""),
              std::string::npos);
    EXPECT_NE(complaint("0 R 18446744073709551616\n").find("no address"), std::string::npos);
    EXPECT_NE(complaint("0 R 0x\n").find("no address"), std::string::npos);
}

TEST_F(Trace, IsRefusedAtOnceIfItIsNone) {
    EXPECT_NE(complaint("").find("holds no request"), std::string::npos);
    EXPECT_NE(complaint("# only this\n").find("holds no request"), std::string::npos);
    EXPECT_NE(complaint(std::string(1'000'000, '\0')).find("a line of more than"),
              std::string::npos);
    EXPECT_NE(error_of([&] { TraceReader(folder_ / "none", kLimits); }).find("No such file"),
              std::string::npos);
    EXPECT_NE(error_of([&] { TraceReader(folder_, kLimits); }).find("Is a directory"),
              std::string::npos);
}

TEST_F(Trace, ShowsNoControlLettersOfABinaryFile) {
    const std::string message = complaint("\x1b[2J\x07 \xff\xfe\n");
    EXPECT_TRUE(std::all_of(message.begin(), message.end(), [](char letter) {
        return letter >= ' ' && letter <= '~';
    })) << message;
}

TEST_F(Trace, StopsAtTheCountThatWasAskedFor) {
    TraceLimits limits = kLimits;
    limits.requests_max = 2;
    EXPECT_EQ(read("0 R 0\n1 R 0\nnot read\n", TraceFormat::Plain, limits).size(), 2u);
}

TEST_F(Trace, LosesNothingWhereItsBufferEnds) {
    // Lines of changing length over several buffers of 256 KiB.
    std::string text;
    constexpr uint64_t kLines = 60000;
    for (uint64_t i = 0; i < kLines; ++i)
        text += fmt::format("{}{} {} {:#x}\n", std::string(i % 7, ' '), i * i, i % 3 ? "R" : "W",
                            i * 64);
    const auto requests = read(text, TraceFormat::Plain);
    ASSERT_EQ(requests.size(), kLines);
    for (uint64_t i = 0; i < kLines; ++i) {
        ASSERT_EQ(requests[i].cycle, i * i);
        ASSERT_EQ(requests[i].address, i * 64);
        ASSERT_EQ(requests[i].direction, i % 3 ? Direction::Read : Direction::Write);
    }
}

}  // namespace
}  // namespace weir::runner
