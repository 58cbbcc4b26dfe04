// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/output_folder.h"

#include "testbenches/runner/config/document.h"

#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace weir::runner {

namespace fs = std::filesystem;

namespace {

void refuse(const fs::path& target, const std::string& reason) {
    throw ConfigError(
        fmt::format("--out {}: {}; choose another folder with --out", target.string(), reason));
}

void check_existing(const fs::path& target) {
    std::error_code code;
    if (!fs::exists(target, code)) {
        if (fs::is_symlink(target, code)) {
            refuse(target, "is a symbolic link to nothing");
        }
        return;
    }
    if (!fs::is_directory(target)) {
        refuse(target, "is a file");
    }
    if (!fs::is_empty(target) && !fs::exists(target / OutputFolder::kMarker)) {
        refuse(target, "is not empty and holds no earlier result of Weir (no table.json)");
    }
}

}  // namespace

OutputFolder::OutputFolder(fs::path target, fs::path partial)
    : target_(std::move(target)), partial_(std::move(partial)) {}

OutputFolder::OutputFolder(OutputFolder&& other) noexcept
    : target_(std::move(other.target_)), partial_(std::exchange(other.partial_, {})) {}

OutputFolder OutputFolder::create(const fs::path& target) {
    fs::path full = fs::absolute(target).lexically_normal();
    if (full.filename().empty()) {
        full = full.parent_path();  // a slash at the end
    }
    std::error_code code;
    check_existing(full);
    fs::create_directories(full.parent_path(), code);
    if (code) {
        refuse(target, "cannot be made: " + code.message());
    }
    const fs::path partial =
        full.parent_path() / fmt::format(".{}.partial-{}", full.filename().string(), getpid());
    fs::create_directory(partial, code);
    if (code) {
        refuse(target, "cannot be written: " + code.message());
    }
    return OutputFolder(full, partial);
}

OutputFolder::~OutputFolder() {
    if (!partial_.empty()) {
        std::error_code code;
        fs::remove_all(partial_, code);
    }
}

void OutputFolder::commit() {
    const fs::path old = partial_.string() + ".old";
    const bool replaces = fs::exists(target_);
    if (replaces) {
        fs::rename(target_, old);
    }
    fs::rename(partial_, target_);
    partial_.clear();
    if (replaces) {
        fs::remove_all(old);
    }
}

}  // namespace weir::runner
