// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The one step of a table walk that writes: marking a leaf entry as used, without any assembly, so
// that it is tested on the host.
#pragma once

#include <cstdint>

namespace weir::hal::rv64 {

/// Sets `marks` in a leaf entry, as a hart's own walk does: only while the entry still allows the
/// access. Other harts may change it at any time.
/// - seen: what the walk has read; becomes what the entry held when it was marked, so that the
///   frame is taken from there. Unchanged entries that carry the marks already are not written.
/// Returns false, the entry untouched, once the bits of `needed` are not all set.
/// Source: RISC-V privileged specification 1.12, 4.3.2 (check and update are one atomic step).
inline bool mark_used(uint64_t& entry, uint64_t& seen, uint64_t needed, uint64_t marks) {
    while ((seen & needed) == needed) {
        if ((seen & marks) == marks) return true;
        if (__atomic_compare_exchange_n(&entry, &seen, seen | marks, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            return true;
        }
    }
    return false;
}

}  // namespace weir::hal::rv64
