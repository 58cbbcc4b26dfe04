// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// VCD as text. Enumerations are written as strings, which GTKWave shows as they are. VCD wants
// every definition before the first change, so the body goes to a side file and is joined on close.
#include "waveforms/wave_writer.h"

#include <cstdio>
#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace weir::waveforms {

namespace {

/// Identifier of a VCD variable: base 94 over the printable characters.
std::string identifier(uint32_t number) {
    std::string text;
    do {
        text.push_back(static_cast<char>('!' + number % 94));
        number /= 94;
    } while (number != 0);
    return text;
}

class VcdWriter final : public WaveWriter {
  public:
    explicit VcdWriter(const std::filesystem::path& file)
        : file_(file),
          body_file_(file.string() + ".body"),
          body_(std::fopen(body_file_.c_str(), "w+")) {
        if (!body_) throw std::runtime_error("cannot make the waveform file " + file.string());
    }
    ~VcdWriter() override { drop_body(); }

    void define(probe::SignalId id, const probe::SignalInfo& info) override {
        if (signals_.size() <= id.value) signals_.resize(id.value + 1);
        signals_[id.value] = {info, identifier(id.value)};
    }

    void change(uint64_t time_ps, probe::SignalId id, uint64_t value) override {
        if (!started_ || time_ps != last_time_ps_) {
            emit(fmt::format("#{}\n", time_ps));
            last_time_ps_ = time_ps;
            started_ = true;
        }
        const Signal& signal = signals_.at(id.value);
        if (value < signal.info.names.size())
            emit(fmt::format("s{} {}\n", signal.info.names[value], signal.identifier));
        else if (shown_width_bits(signal.info) == 1 && signal.info.names.empty())
            emit(fmt::format("{}{}\n", value & 1, signal.identifier));
        else
            emit(fmt::format("b{:b} {}\n", value, signal.identifier));
    }

    uint64_t bytes_written() const override { return bytes_; }

    void close(uint64_t time_ps) override {
        if (started_ && time_ps > last_time_ps_) emit(fmt::format("#{}\n", time_ps));
        std::FILE* out = std::fopen(file_.c_str(), "w");
        if (!out) throw std::runtime_error("cannot make the waveform file " + file_.string());
        const std::string header = definitions();
        bool good = std::fwrite(header.data(), 1, header.size(), out) == header.size();
        std::rewind(body_);
        std::vector<char> buffer(1 << 20);
        for (size_t got; (got = std::fread(buffer.data(), 1, buffer.size(), body_)) > 0;)
            good = good && std::fwrite(buffer.data(), 1, got, out) == got;
        good = std::fclose(out) == 0 && good;
        drop_body();
        if (!good) throw std::runtime_error("cannot write all of " + file_.string());
    }

  private:
    struct Signal {
        probe::SignalInfo info;
        std::string identifier;
    };

    void emit(const std::string& text) {
        if (std::fwrite(text.data(), 1, text.size(), body_) != text.size())
            throw std::runtime_error("cannot write to " + body_file_);
        bytes_ += text.size();
    }

    std::string definitions() const {
        std::string text = "$version Weir $end\n$timescale 1ps $end\n";
        for (const auto& signal : signals_) {
            if (signal.identifier.empty()) continue;
            const SplitPath split = split_path(signal.info.path);
            for (const auto& scope : split.scopes)
                text += fmt::format("$scope module {} $end\n", scope);
            if (signal.info.names.empty())
                text += fmt::format("$var wire {} {} {} $end\n", shown_width_bits(signal.info),
                                    signal.identifier, split.leaf);
            else
                text += fmt::format("$var string 1 {} {} $end\n", signal.identifier, split.leaf);
            for (size_t i = 0; i < split.scopes.size(); ++i) text += "$upscope $end\n";
        }
        return text + "$enddefinitions $end\n";
    }

    void drop_body() {
        if (!body_) return;
        std::fclose(body_);
        body_ = nullptr;
        std::filesystem::remove(body_file_);
    }

    std::filesystem::path file_;
    std::string body_file_;
    std::FILE* body_;
    std::vector<Signal> signals_;
    uint64_t last_time_ps_ = 0;
    uint64_t bytes_ = 0;
    bool started_ = false;
};

}  // namespace

std::unique_ptr<WaveWriter> make_vcd_writer(const std::filesystem::path& file) {
    return std::make_unique<VcdWriter>(file);
}

}  // namespace weir::waveforms
