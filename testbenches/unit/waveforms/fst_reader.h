// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What an FST file holds, read with the format's own reader.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstapi.h>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace weir::test {

struct Change {
    uint64_t time_ps;
    std::string path;
    uint64_t value;
    bool operator==(const Change&) const = default;
    auto operator<=>(const Change&) const = default;
};

/// Reads every change of an FST file, in the file's order. names: the paths of all signals.
inline std::vector<Change> read_fst(const std::filesystem::path& file,
                                    std::set<std::string>* names = nullptr) {
    void* reader = fstReaderOpen(file.c_str());
    EXPECT_NE(reader, nullptr);
    std::map<fstHandle, std::string> paths;
    std::vector<std::string> scopes;
    while (const fstHier* hier = fstReaderIterateHier(reader)) {
        if (hier->htyp == FST_HT_SCOPE) scopes.emplace_back(hier->u.scope.name);
        if (hier->htyp == FST_HT_UPSCOPE) scopes.pop_back();
        if (hier->htyp != FST_HT_VAR) continue;
        std::string path;
        for (const auto& scope : scopes) path += scope + ".";
        paths[hier->u.var.handle] = path + hier->u.var.name;
        if (names) names->insert(path + hier->u.var.name);
    }
    struct Context {
        std::map<fstHandle, std::string>* paths;
        std::vector<Change> changes;
    } context{&paths, {}};
    fstReaderSetFacProcessMaskAll(reader);
    fstReaderIterBlocks(
        reader,
        [](void* user, uint64_t time, fstHandle handle, const unsigned char* value) {
            auto* into = static_cast<Context*>(user);
            const auto* text = reinterpret_cast<const char*>(value);
            if (text[0] == 'x') return;  // before the first level
            into->changes.push_back(
                {time, into->paths->at(handle), std::strtoull(text, nullptr, 2)});
        },
        &context, nullptr);
    fstReaderClose(reader);
    return context.changes;
}

}  // namespace weir::test
