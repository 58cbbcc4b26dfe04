// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Linux 2.6.32 and the two patch sets that the mail of 23 March 2010 tried on it.
#include "firmware/policy/linux_2_6.h"

namespace weir::policy {

constexpr Policy kLinux2632{
    .name = "2.6.32",
    .story = "stalled allocators nap HZ/50 on the congestion queue, which reads never wake",
    .switches = linux_2_6_32(),
};

constexpr Policy kLinux2632RevertEvict{
    .name = "2.6.32-revertevict",
    .story = "2.6.32 with evict-once reverted: the active file list always ages",
    .switches = revert_evict_once(linux_2_6_32()),
};

constexpr Policy kLinux2632WatermarkWait{
    .name = "2.6.32-watermark-wait",
    .story = "2.6.32 with the three patches of March 2010: allocators wait for the low watermark",
    .switches = watermark_wait(linux_2_6_32()),
};

}  // namespace weir::policy
