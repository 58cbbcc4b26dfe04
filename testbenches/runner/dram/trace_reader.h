// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Reads requests from a text file, as it goes: memory does not grow with the length of the trace.
// The first line with a request says which of these the file is; every other line must agree.
//   120 R 0x4000          plain: memory clock, R or W, address
//   0x4000 READ 120       DRAMsim3: address in hexadecimal, READ or WRITE, memory clock
//   0x4000 R              Ramulator 1, memory trace: address, R or W; offered as fast as possible
//   LD 0x4000             Ramulator 2, load/store trace: LD or ST, address; the same
// Empty lines and lines that begin with # count only as lines. An address is hexadecimal after 0x,
// else decimal; the burst that holds it is what moves.
#pragma once

#include "testbenches/runner/dram/traffic_source.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace weir::runner {

enum class TraceFormat { Unknown, Plain, DramSim3, RamulatorMemory, RamulatorLoadStore };

struct TraceLimits {
    uint64_t device_bytes = 0;
    uint32_t burst_bytes = 64;
    uint64_t requests_max = ~uint64_t{0};  // the rest of the file is not read
};

class TraceReader final : public TrafficSource {
  public:
    /// Reads up to the first request, so that what is no trace at all is refused at once.
    /// Errors: ConfigError: file:line, the value, what is expected.
    TraceReader(const std::filesystem::path& file, const TraceLimits& limits);
    ~TraceReader() override;
    TraceReader(const TraceReader&) = delete;
    TraceReader& operator=(const TraceReader&) = delete;

    bool next(TrafficRequest& request) override;
    TraceFormat format() const { return format_; }
    /// "plain", "DRAMsim3", "Ramulator memory", "Ramulator load/store".
    static std::string_view name_of(TraceFormat format);

  private:
    struct Words;
    bool read_line(std::string_view& line);
    void fill();
    bool read_request(TrafficRequest& request);
    TraceFormat detect(const Words& words) const;
    TrafficRequest parse(const Words& words) const;
    uint64_t parse_address(std::string_view word, int plain_base) const;
    uint64_t parse_cycle(std::string_view word) const;
    dram::Direction parse_direction(std::string_view word, std::string_view read,
                                    std::string_view write) const;
    [[noreturn]] void refuse(std::string_view value, const std::string& problem) const;

    std::string name_;
    int file_ = -1;
    TraceLimits limits_;
    TraceFormat format_ = TraceFormat::Unknown;
    std::vector<char> buffer_;
    size_t begin_ = 0;  // of what is not read yet, in buffer_
    size_t end_ = 0;
    bool at_end_ = false;
    uint64_t line_ = 0;
    uint64_t given_ = 0;
    uint64_t last_cycle_ = 0;
    TrafficRequest first_;
    bool first_pending_ = false;
};

}  // namespace weir::runner
