// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What the files of the address-space code share among themselves.
#pragma once

#include "firmware/mm/address_space.h"

namespace weir::mm {

inline hal::VirtAddr page_begin(hal::VirtAddr addr) {
    return hal::VirtAddr{addr.value & ~static_cast<uint64_t>(hal::kPageBytes - 1)};
}
inline uint32_t page_number(hal::VirtAddr addr) {
    return static_cast<uint32_t>(addr.value >> hal::kPageShift);
}
/// The page of its file that an address of the area shows.
inline uint64_t file_page_of(const Area& area, hal::VirtAddr addr) {
    return area.file_page + ((addr.value - area.begin.value) >> hal::kPageShift);
}
/// The area that holds an address, or null.
Area* area_at(AddressSpace& space, hal::VirtAddr addr);
/// Flushes one page's translation on every hart and charges for it.
void flush_page(const AddressSpace& space, hal::VirtAddr addr);
/// Removes the entries of [begin, end): frames and slots lose a user, dirty bits reach the frames.
void zap_range(AddressSpace& space, hal::VirtAddr begin, hal::VirtAddr end);
/// Boot.
void init_address_spaces();

}  // namespace weir::mm
