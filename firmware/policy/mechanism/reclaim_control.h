// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// One reclaim call: who does it, what it may do, and what came of it.
// - Made by direct_reclaim and kswapd_loop, handed down through the scan.
#pragma once

#include "firmware/mm/allocator.h"
#include "firmware/mm/zone.h"

#include <cstdint>

namespace weir::policy {

enum class Reclaimer : uint8_t { DirectTask, Kswapd };

struct ReclaimControl {
    Reclaimer reclaimer = Reclaimer::DirectTask;
    uint32_t order = 0;
    uint32_t alloc_flags = mm::kAllocKernel;
    bool may_writepage = true;  // false only in Linux's laptop mode, which Weir leaves out
    uint32_t swappiness = 60;

    // What came of it. scanned_pages: of the pass (mapped pages count twice); reclaimed_pages: of
    // the whole call.
    uint64_t scanned_pages = 0;
    uint64_t reclaimed_pages = 0;

    /// Scan amounts saved up, where the policy does not share them through the zone (4.12.1).
    uint32_t private_carry[mm::kLruCount] = {};

    bool is_kswapd() const { return reclaimer == Reclaimer::Kswapd; }
    bool may_io() const { return (alloc_flags & mm::kAllocMayIo) != 0; }
    bool may_fs() const { return (alloc_flags & mm::kAllocMayFs) != 0; }
};

}  // namespace weir::policy
