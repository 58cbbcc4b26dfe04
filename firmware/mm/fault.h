// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The page-fault trap. The work of one fault is handle_fault (address_space.h); this is what stands
// around it: cost, counts, out of memory, killing.
#pragma once

#include "firmware/hal/types.h"

namespace weir::mm {

/// Called by the kernel layer's trap, in kernel mode, interrupts on. True: the access may be
/// retried. Errors: false for an address outside every area (the caller reports it), and after
/// killing the task when its page cannot be read back (reason Error::IoError) or no memory can be
/// had (Error::NoMemory).
bool on_page_fault(hal::VirtAddr addr, hal::Access access);

}  // namespace weir::mm
