// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// FST through fstapi. Enumerations become FST enumeration tables, which GTKWave shows by name.
#include "waveforms/wave_writer.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <fstapi.h>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace weir::waveforms {

SplitPath split_path(const std::string& path) {
    SplitPath result;
    size_t begin = 0;
    for (size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', begin)) {
        result.scopes.push_back(path.substr(begin, dot - begin));
        begin = dot + 1;
    }
    result.leaf = path.substr(begin);
    return result;
}

uint32_t shown_width_bits(const probe::SignalInfo& info) {
    if (info.names.empty()) return info.width_bits;
    return std::max<uint32_t>(1, std::bit_width(info.names.size() - 1));
}

namespace {

class FstWriter final : public WaveWriter {
  public:
    explicit FstWriter(const std::filesystem::path& file)
        : context_(fstWriterCreate(file.c_str(), /*use_compressed_hier=*/1)) {
        if (!context_) throw std::runtime_error("cannot make the waveform file " + file.string());
        fstWriterSetTimescaleFromString(context_, "1ps");
        fstWriterSetVersion(context_, "Weir");
        // The default stamps the date of the host; equal runs must give equal files.
        fstWriterSetDate(context_, "");
        fstWriterSetPackType(context_, FST_WR_PT_LZ4);
    }
    ~FstWriter() override {
        if (context_) fstWriterClose(context_);
    }

    void define(probe::SignalId id, const probe::SignalInfo& info) override {
        const SplitPath split = split_path(info.path);
        for (const auto& scope : split.scopes)
            fstWriterSetScope(context_, FST_ST_VCD_MODULE, scope.c_str(), nullptr);
        const uint32_t width_bits = shown_width_bits(info);
        if (!info.names.empty()) fstWriterEmitEnumTableRef(context_, enum_table(info, width_bits));
        const fstHandle handle = fstWriterCreateVar(context_, FST_VT_VCD_WIRE, FST_VD_IMPLICIT,
                                                    width_bits, split.leaf.c_str(), 0);
        for (size_t i = 0; i < split.scopes.size(); ++i) fstWriterSetUpscope(context_);
        if (signals_.size() <= id.value) signals_.resize(id.value + 1);
        signals_[id.value] = {handle, width_bits};
    }

    void change(uint64_t time_ps, probe::SignalId id, uint64_t value) override {
        if (!started_ || time_ps != last_time_ps_) {
            fstWriterEmitTimeChange(context_, time_ps);
            last_time_ps_ = time_ps;
            started_ = true;
            bytes_ += 2;
        }
        const Signal& signal = signals_.at(id.value);
        fstWriterEmitValueChange64(context_, signal.handle, signal.width_bits, value);
        bytes_ += 3;
    }

    uint64_t bytes_written() const override { return bytes_; }

    void close(uint64_t time_ps) override {
        if (started_ && time_ps > last_time_ps_) fstWriterEmitTimeChange(context_, time_ps);
        fstWriterClose(context_);
        context_ = nullptr;
    }

  private:
    struct Signal {
        fstHandle handle = 0;
        uint32_t width_bits = 0;
    };

    fstEnumHandle enum_table(const probe::SignalInfo& info, uint32_t width_bits) {
        const auto found = tables_.find(info.names);
        if (found != tables_.end()) return found->second;
        std::vector<std::string> codes;
        for (size_t i = 0; i < info.names.size(); ++i)
            codes.push_back(fmt::format("{:0{}b}", i, width_bits));
        std::vector<const char*> name_pointers, code_pointers;
        for (const auto& name : info.names) name_pointers.push_back(name.c_str());
        for (const auto& code : codes) code_pointers.push_back(code.c_str());
        const std::string table_name =
            fmt::format("{}_{}", split_path(info.path).leaf, tables_.size());
        const fstEnumHandle handle = fstWriterCreateEnumTable(
            context_, table_name.c_str(), static_cast<uint32_t>(info.names.size()), width_bits,
            name_pointers.data(), code_pointers.data());
        tables_[info.names] = handle;
        return handle;
    }

    void* context_;
    std::vector<Signal> signals_;
    std::map<std::vector<std::string>, fstEnumHandle> tables_;
    uint64_t last_time_ps_ = 0;
    uint64_t bytes_ = 0;
    bool started_ = false;
};

}  // namespace

std::unique_ptr<WaveWriter> make_fst_writer(const std::filesystem::path& file) {
    return std::make_unique<FstWriter>(file);
}

}  // namespace weir::waveforms
