// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// A buffered text file that counts its bytes and never loses a write silently.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace weir::waveforms {

/// Errors: std::runtime_error if the file cannot be made or written.
class TextFile {
  public:
    explicit TextFile(const std::filesystem::path& file)
        : path_(file), handle_(std::fopen(file.c_str(), "w")) {
        if (!handle_) throw std::runtime_error("cannot make " + path_.string());
    }
    ~TextFile() {
        if (handle_) std::fclose(handle_);
    }
    TextFile(const TextFile&) = delete;
    TextFile& operator=(const TextFile&) = delete;

    void write(std::string_view text) {
        if (std::fwrite(text.data(), 1, text.size(), handle_) != text.size())
            throw std::runtime_error("cannot write to " + path_.string());
        bytes_ += text.size();
    }
    void close() {
        if (handle_ && std::fclose(handle_) != 0)
            throw std::runtime_error("cannot write all of " + path_.string());
        handle_ = nullptr;
    }
    uint64_t bytes_written() const { return bytes_; }

  private:
    std::filesystem::path path_;
    std::FILE* handle_;
    uint64_t bytes_ = 0;
};

}  // namespace weir::waveforms
