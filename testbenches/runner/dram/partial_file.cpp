// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/dram/partial_file.h"

#include "testbenches/runner/config/document.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace weir::runner {

namespace fs = std::filesystem;

PartialFile::PartialFile(const std::string& option, const fs::path& target) : target_(target) {
    const auto refuse = [&](const char* reason) {
        throw ConfigError(
            fmt::format("{} {}: cannot be written: {}", option, target.string(), reason));
    };
    std::error_code code;
    const fs::file_status status = fs::status(target_, code);
    if (target_.empty() || fs::is_directory(status)) refuse("it is not the name of a file");
    const bool special = fs::exists(status) && !fs::is_regular_file(status);
    if (fs::is_regular_file(status)) target_ = fs::canonical(target_);  // through links
    partial_ = target_;
    if (special) {
        pending_ = false;
        if (access(partial_.c_str(), W_OK) != 0) refuse(strerror(errno));
        return;
    }
    partial_ += fmt::format(".partial-{}", getpid());
    const int file = open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) refuse(strerror(errno));
    close(file);
}

PartialFile::~PartialFile() {
    std::error_code code;
    if (pending_) fs::remove(partial_, code);
}

void PartialFile::commit() {
    if (pending_) fs::rename(partial_, target_);
    pending_ = false;
}

}  // namespace weir::runner
