// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Told of every run of sectors that crosses a controller, with its bytes as they are in RAM.
// Contract: called after the bytes have moved; must not change them; costs no simulated time.
#pragma once

#include "firmware/hal/types.h"

#include <cstdint>

namespace weir::disk {

class ContentObserver {
  public:
    virtual ~ContentObserver() = default;
    virtual void on_written(hal::Sector first, uint32_t sector_count, const void* bytes,
                            uint64_t now_ps) = 0;
    virtual void on_read(hal::Sector first, uint32_t sector_count, const void* bytes,
                         uint64_t now_ps) = 0;
};

}  // namespace weir::disk
