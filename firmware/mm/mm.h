// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Start of the memory layer: call order at boot is kernel::init(),
// block::init(), init(), start(): boot memory, which the block layer takes, ends with init().
#pragma once

namespace weir::mm {

/// Frames, zones, object caches' frame source, fault handler, nap observer and wish tests.
void init();
/// Mounts data disks, turns swap on, starts flushers. Needs a running scheduler.
void start();

}  // namespace weir::mm
