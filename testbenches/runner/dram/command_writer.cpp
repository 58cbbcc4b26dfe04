// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/dram/command_writer.h"

#include "testbenches/runner/config/document.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace weir::runner {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 18;
/// Six numbers of at most 20 digits, a name and the blanks.
constexpr size_t kLineBytesMax = 160;

char* put_field(char* here, char* end, uint32_t field) {
    *here++ = ' ';
    if (field == dram::kNoField) {
        *here++ = '-';
        return here;
    }
    return std::to_chars(here, end, field).ptr;
}

}  // namespace

CommandWriter::CommandWriter(const std::filesystem::path& target)
    : place_("--commands", target),
      file_(open(place_.path().c_str(), O_WRONLY | O_CLOEXEC)),
      buffer_(kBufferBytes) {
    if (file_ < 0) {
        throw ConfigError(
            fmt::format("--commands {}: cannot be written: {}", target.string(), strerror(errno)));
    }
}

CommandWriter::~CommandWriter() {
    if (file_ >= 0) close(file_);
}

void CommandWriter::on_command(const dram::CommandRecord& record) {
    if (buffer_.size() - used_ < kLineBytesMax) flush();
    char* here = buffer_.data() + used_;
    char* const end = buffer_.data() + buffer_.size();
    here = std::to_chars(here, end, record.clk).ptr;
    *here++ = ' ';
    const std::string_view name = dram::command_name(record.command);
    here = static_cast<char*>(std::memcpy(here, name.data(), name.size())) + name.size();
    for (const uint32_t field :
         {record.rank, record.bank_group, record.bank, record.row, record.column})
        here = put_field(here, end, field);
    *here++ = '\n';
    used_ = static_cast<size_t>(here - buffer_.data());
    ++line_count_;
}

void CommandWriter::flush() {
    const char* here = buffer_.data();
    while (used_ != 0 && error_ == 0) {
        const ssize_t written = write(file_, here, used_);
        if (written < 0 && errno != EINTR) error_ = errno;
        if (written <= 0) continue;
        here += written;
        used_ -= static_cast<size_t>(written);
    }
    used_ = 0;
}

void CommandWriter::commit() {
    flush();
    if (close(file_) != 0 && error_ == 0) error_ = errno;
    file_ = -1;
    if (error_ != 0) {
        throw ConfigError(fmt::format("--commands {}: cannot be written: {}",
                                      place_.target().string(), strerror(error_)));
    }
    place_.commit();
}

}  // namespace weir::runner
