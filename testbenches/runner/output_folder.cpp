// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/runner/output_folder.h"

#include "testbenches/runner/config/document.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace weir::runner {

namespace fs = std::filesystem;

namespace {

void refuse(const fs::path& target, const std::string& reason) {
    throw ConfigError(
        fmt::format("--out {}: {}; choose another folder with --out", target.string(), reason));
}

/// A folder that the shell took from an unset variable is not the one that was meant.
void check_name(const fs::path& target) {
    if (target.string().find_first_not_of(' ') == std::string::npos) {
        throw ConfigError(fmt::format("--out \"{}\": is empty; name a folder, or leave --out away",
                                      target.string()));
    }
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

/// A folder locked for as long as its process lives; -1 if another one has it.
int lock_folder(const fs::path& folder) {
    const int lock = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0) {
        close(lock);
        return -1;
    }
    return lock;
}

/// Takes away what a run that was killed outright could not: its process is gone, here (by number)
/// and in any other container that sees the folder (by lock).
void remove_orphans(const fs::path& parent, const std::string& hidden) {
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(parent, code)) {
        const std::string name = entry.path().filename();
        const char* const end = name.data() + name.size();
        pid_t pid = 0;
        if (!name.starts_with(hidden) ||
            std::from_chars(name.data() + hidden.size(), end, pid).ptr != end || pid <= 0 ||
            kill(pid, 0) == 0 || errno != ESRCH) {
            continue;
        }
        const int lock = lock_folder(entry.path());
        if (lock >= 0) {
            fs::remove_all(entry.path(), code);
            close(lock);
        }
    }
}

}  // namespace

OutputFolder::OutputFolder(fs::path target, fs::path partial)
    : target_(std::move(target)), partial_(std::move(partial)), lock_(lock_folder(partial_)) {}

OutputFolder::OutputFolder(OutputFolder&& other) noexcept
    : target_(std::move(other.target_)),
      partial_(std::exchange(other.partial_, {})),
      lock_(std::exchange(other.lock_, -1)) {}

OutputFolder OutputFolder::create(const fs::path& target) {
    check_name(target);
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
    const std::string hidden = fmt::format(".{}.partial-", full.filename().string());
    remove_orphans(full.parent_path(), hidden);
    const fs::path partial = full.parent_path() / fmt::format("{}{}", hidden, getpid());
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
    if (lock_ >= 0) {
        close(lock_);
    }
}

void OutputFolder::commit() {
    check_existing(target_);  // it may have come while the runs went on
    const fs::path old = partial_.string() + ".old";
    // Another run may put its result there in between, but not for ever.
    constexpr int kTries = 100;
    std::error_code code;
    std::error_code ignored;
    for (int i = 0; i < kTries; ++i) {
        fs::rename(partial_, target_, code);
        if (code != std::errc::directory_not_empty && code != std::errc::file_exists) {
            break;
        }
        fs::remove_all(old, ignored);
        fs::rename(target_, old, ignored);
    }
    if (code) {
        fs::rename(old, target_, ignored);
        refuse(target_, "cannot be put in its place: " + code.message());
    }
    partial_.clear();
    fs::remove_all(old, ignored);
}

}  // namespace weir::runner
