// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What reclaim wants to know about the use of a page: is it in use, and was it used lately?
#pragma once

#include "firmware/mm/address_space.h"
#include "firmware/mm/page_cache.h"

namespace weir::policy {

/// Mapped, in the swap cache, or a page of a file that somebody has mapped. Source: 4.6.
inline bool in_use(const mm::Frame& f) {
    if (f.map_count > 0 || f.test(mm::kFrameSwapCache)) return true;
    return f.mapping != nullptr && !f.mapping->areas.empty();
}

struct PageReferences {
    uint32_t count = 0;
    bool executable_file = false;
};

/// Reads and clears the referenced bit and the accessed bits of all mappings.
inline PageReferences take_references(mm::Frame& f) {
    PageReferences result;
    if (f.test(mm::kFrameReferenced)) {
        f.clear(mm::kFrameReferenced);
        result.count = 1;
    }
    if (f.map_count > 0) {
        const mm::ReferenceCount mapped = mm::count_references(f);
        result.count += mapped.referenced;
        result.executable_file = mapped.executable_file;
    }
    return result;
}

}  // namespace weir::policy
