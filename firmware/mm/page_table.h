// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Sv39 page tables: three levels of 512 entries of 8 bytes, in frames.
// - find_pte / ensure_pte: the leaf entry of a user address.
// - Pte: one entry; a value with V clear and a slot number is a page that is swapped out.
//
//   63      54 53                10 9 8  7 6 5 4 3 2 1 0
//   | reserved | PPN (frame number) | RSW | D A G U X W R V |      valid
//   | 0        | swap slot          | 0                   0 |      swapped out (slot 0: nothing)
//
// Source: RISC-V privileged specification 1.12, 4.3 and 4.4. Leaves out: large pages, G.
#pragma once

#include "firmware/hal/types.h"
#include "firmware/mm/address_space.h"
#include "firmware/mm/swap.h"

namespace weir::mm {

inline constexpr uint64_t kPteValid = 1u << 0;
inline constexpr uint64_t kPteRead = 1u << 1;
inline constexpr uint64_t kPteWrite = 1u << 2;
inline constexpr uint64_t kPteExecute = 1u << 3;
inline constexpr uint64_t kPteUser = 1u << 4;
inline constexpr uint64_t kPteAccessed = 1u << 6;
inline constexpr uint64_t kPteDirty = 1u << 7;
inline constexpr uint32_t kPtePpnShift = 10;

inline constexpr uint32_t kPteIndexBits = 9;
inline constexpr uint32_t kPtesPerTable = 1u << kPteIndexBits;
inline constexpr uint32_t kPageTableLevels = 3;
/// User addresses: the lower half of Sv39.
inline constexpr uint64_t kUserEnd = 1ull << 38;
/// What one leaf table covers.
inline constexpr uint64_t kLeafTableBytes = static_cast<uint64_t>(kPtesPerTable) << hal::kPageShift;

struct Pte {
    uint64_t bits = 0;

    bool test(uint64_t mask) const { return (bits & mask) != 0; }
    bool valid() const { return test(kPteValid); }
    bool none() const { return bits == 0; }
    bool swapped() const { return !valid() && bits != 0; }
    hal::Pfn pfn() const { return hal::Pfn{static_cast<uint32_t>(bits >> kPtePpnShift)}; }
    SwapSlot slot() const { return SwapSlot{static_cast<uint32_t>(bits >> kPtePpnShift)}; }

    static Pte leaf(hal::Pfn pfn, uint64_t permissions) {
        return Pte{static_cast<uint64_t>(pfn.value) << kPtePpnShift | permissions | kPteValid |
                   kPteUser};
    }
    static Pte table(hal::Pfn pfn) {
        return Pte{static_cast<uint64_t>(pfn.value) << kPtePpnShift | kPteValid};
    }
    static Pte swap(SwapSlot slot) {
        return Pte{static_cast<uint64_t>(slot.value) << kPtePpnShift};
    }
    friend bool operator==(const Pte&, const Pte&) = default;
};
static_assert(sizeof(Pte) == 8);

/// A cleared frame for a table; kNoPfn if there is none. May sleep.
hal::Pfn alloc_table();
/// The leaf entry of an address, or null if its leaf table does not exist.
Pte* find_pte(const AddressSpace& space, hal::VirtAddr addr);
/// The same, making tables on the way. May sleep: the caller does not hold page_table_lock.
/// Errors: null if no memory is left for a table.
Pte* ensure_pte(AddressSpace& space, hal::VirtAddr addr);
/// Frees every table, the root included. No leaf entry may be left in use.
void free_tables(AddressSpace& space);

}  // namespace weir::mm
