// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/dram/trace_reader.h"

#include "testbenches/runner/config/document.h"
#include "testbenches/runner/config/text.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits>
#include <unistd.h>

namespace weir::runner {
namespace {

using dram::Direction;

/// Also the longest line; a request takes some 30 characters.
constexpr size_t kBufferBytes = size_t{1} << 18;
/// A later clock would not fit in simulated time, 2^64 ps: 2^50 clocks of 15 ns are 195 days.
constexpr uint64_t kLastCycle = uint64_t{1} << 50;

constexpr const char* kEveryForm =
    "expected one of \"120 R 0x4000\" (clock, R or W, address), \"0x4000 READ 120\" (DRAMsim3), "
    "\"0x4000 R\" or \"LD 0x4000\" (Ramulator)";

const char* form_of(TraceFormat format) {
    switch (format) {
        case TraceFormat::Plain:
            return "expected \"clock R|W address\", as in the lines before";
        case TraceFormat::DramSim3:
            return "expected \"address READ|WRITE clock\", as in the lines before";
        case TraceFormat::RamulatorMemory:
            return "expected \"address R|W\", as in the lines before";
        case TraceFormat::RamulatorLoadStore:
            return "expected \"LD|ST address\", as in the lines before";
        case TraceFormat::Unknown:
            break;
    }
    return kEveryForm;
}

bool same_letters(std::string_view word, std::string_view upper) {
    return word.size() == upper.size() &&
           std::equal(word.begin(), word.end(), upper.begin(), [](char a, char b) {
               return (a >= 'a' && a <= 'z' ? static_cast<char>(a - 'a' + 'A') : a) == b;
           });
}

bool is_one_of(std::string_view word, std::string_view a, std::string_view b) {
    return same_letters(word, a) || same_letters(word, b);
}

bool is_blank(char letter) {
    return letter == ' ' || letter == '\t' || letter == '\r';
}

}  // namespace

/// A line cut at its blanks. More than kMost words are counted but not kept.
struct TraceReader::Words {
    static constexpr size_t kMost = 3;
    explicit Words(std::string_view text) : line(text) {
        const char* here = text.data();
        const char* const end = here + text.size();
        for (;;) {
            while (here != end && is_blank(*here)) ++here;
            if (here == end) break;
            const char* const begin = here;
            while (here != end && !is_blank(*here)) ++here;
            if (count < kMost) word[count] = {begin, static_cast<size_t>(here - begin)};
            ++count;
        }
    }
    std::string_view line;
    std::string_view word[kMost];
    size_t count = 0;
};

TraceReader::TraceReader(const std::filesystem::path& file, const TraceLimits& limits)
    : name_(file.string()), limits_(limits), buffer_(kBufferBytes) {
    file_ = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (file_ < 0) {
        throw ConfigError(fmt::format("--trace {}: cannot be read: {}", name_, strerror(errno)));
    }
    try {
        first_pending_ = read_request(first_);
    } catch (...) {
        close(file_);
        throw;
    }
    if (!first_pending_) {
        close(file_);
        throw ConfigError(fmt::format("--trace {}: holds no request; {}", name_, kEveryForm));
    }
}

TraceReader::~TraceReader() {
    close(file_);
}

std::string_view TraceReader::name_of(TraceFormat format) {
    switch (format) {
        case TraceFormat::Plain:
            return "plain";
        case TraceFormat::DramSim3:
            return "DRAMsim3";
        case TraceFormat::RamulatorMemory:
            return "Ramulator memory";
        case TraceFormat::RamulatorLoadStore:
            return "Ramulator load/store";
        case TraceFormat::Unknown:
            break;
    }
    return "unknown";
}

void TraceReader::refuse(std::string_view value, const std::string& problem) const {
    std::string shown(shortened(value));
    for (char& letter : shown) {
        if (letter < ' ' || letter > '~') letter = '?';
    }
    throw ConfigError(fmt::format("{}:{}: \"{}\": {}", name_, line_, shown, problem));
}

void TraceReader::fill() {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    ssize_t got = 0;
    do {
        got = read(file_, buffer_.data() + end_, buffer_.size() - end_);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        throw ConfigError(fmt::format("--trace {}: cannot be read: {}", name_, strerror(errno)));
    }
    at_end_ = got == 0;
    end_ += static_cast<size_t>(got);
}

bool TraceReader::read_line(std::string_view& line) {
    for (size_t seen = 0;;) {
        char* const here = buffer_.data() + begin_;
        const size_t length = end_ - begin_;
        if (const void* newline = std::memchr(here + seen, '\n', length - seen)) {
            const size_t size = static_cast<size_t>(static_cast<const char*>(newline) - here);
            line = {here, size};
            begin_ += size + 1;
            ++line_;
            return true;
        }
        if (at_end_) {
            if (length == 0) return false;
            line = {here, length};
            begin_ = end_;
            ++line_;
            return true;
        }
        if (length == buffer_.size()) {
            ++line_;
            refuse({here, 80}, fmt::format("a line of more than {} bytes; {}", buffer_.size(),
                                           form_of(format_)));
        }
        seen = length;
        fill();
    }
}

TraceFormat TraceReader::detect(const Words& words) const {
    const std::string_view second = words.word[1];
    if (words.count == 3 && is_one_of(second, "R", "W")) return TraceFormat::Plain;
    if (words.count == 3 && is_one_of(second, "READ", "WRITE")) return TraceFormat::DramSim3;
    if (words.count == 2 && is_one_of(second, "R", "W")) return TraceFormat::RamulatorMemory;
    if (words.count == 2 && is_one_of(words.word[0], "LD", "ST"))
        return TraceFormat::RamulatorLoadStore;
    refuse(words.line, kEveryForm);
}

uint64_t TraceReader::parse_address(std::string_view word, int plain_base) const {
    const bool prefixed = word.starts_with("0x") || word.starts_with("0X");
    const std::string_view digits = prefixed ? word.substr(2) : word;
    uint64_t value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value,
                                             prefixed ? 16 : plain_base);
    if (code != std::errc() || end != digits.data() + digits.size()) {
        refuse(word, "no address; " + std::string(form_of(format_)));
    }
    if (value >= limits_.device_bytes) {
        refuse(word, fmt::format("beyond the device, which has {} MiB: the last address is {:#x}",
                                 limits_.device_bytes >> 20, limits_.device_bytes - 1));
    }
    return value & ~(uint64_t{limits_.burst_bytes} - 1);
}

uint64_t TraceReader::parse_cycle(std::string_view word) const {
    uint64_t value = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (code != std::errc() || end != word.data() + word.size() || value > kLastCycle) {
        refuse(word, "no memory clock from 0 to 2^50; " + std::string(form_of(format_)));
    }
    if (value < last_cycle_) {
        refuse(word, fmt::format("a clock before that of an earlier line, {}; requests must be in "
                                 "order of time",
                                 last_cycle_));
    }
    return value;
}

Direction TraceReader::parse_direction(std::string_view word, std::string_view read,
                                       std::string_view write) const {
    if (same_letters(word, read)) return Direction::Read;
    if (same_letters(word, write)) return Direction::Write;
    refuse(word, form_of(format_));
}

TrafficRequest TraceReader::parse(const Words& words) const {
    const bool timed = format_ == TraceFormat::Plain || format_ == TraceFormat::DramSim3;
    if (words.count != (timed ? 3u : 2u)) refuse(words.line, form_of(format_));
    constexpr int kDecimal = 10;
    constexpr int kHexadecimal = 16;
    const std::string_view* word = words.word;
    switch (format_) {
        case TraceFormat::Plain:
            return {parse_cycle(word[0]), parse_address(word[2], kDecimal),
                    parse_direction(word[1], "R", "W")};
        case TraceFormat::DramSim3:
            return {parse_cycle(word[2]), parse_address(word[0], kHexadecimal),
                    parse_direction(word[1], "READ", "WRITE")};
        case TraceFormat::RamulatorMemory:
            return {0, parse_address(word[0], kDecimal), parse_direction(word[1], "R", "W")};
        default:
            return {0, parse_address(word[1], kDecimal), parse_direction(word[0], "LD", "ST")};
    }
}

bool TraceReader::read_request(TrafficRequest& request) {
    for (std::string_view line; read_line(line);) {
        const Words words(line);
        if (words.count == 0 || words.word[0].front() == '#') continue;
        if (format_ == TraceFormat::Unknown) format_ = detect(words);
        request = parse(words);
        last_cycle_ = request.cycle;
        return true;
    }
    return false;
}

bool TraceReader::next(TrafficRequest& request) {
    if (given_ == limits_.requests_max) return false;
    if (first_pending_) {
        first_pending_ = false;
        request = first_;
    } else if (!read_request(request)) {
        return false;
    }
    ++given_;
    return true;
}

}  // namespace weir::runner
