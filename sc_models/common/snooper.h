// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Who must hear of accesses to RAM by initiators that have no cache of their own.
#pragma once

#include "firmware/hal/types.h"

#include <cstdint>

namespace weir {

class Snooper {
  public:
    virtual ~Snooper() = default;
    /// Called by the bus for every DMA access to RAM before it is forwarded. Does not wait().
    /// ram_offset: from the start of RAM.
    virtual void on_dma(uint64_t ram_offset, uint64_t bytes, hal::Access access,
                        uint64_t time_ps) = 0;
};

}  // namespace weir
