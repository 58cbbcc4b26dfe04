// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// What a hart shows to the interrupt controller beside its input pin, so that a floating interrupt
// can go where it will be taken soonest.
#pragma once

namespace weir {

struct InterruptTarget {
    bool idle = false;  // in wait_for_interrupt
    bool interrupts_enabled = false;
};

}  // namespace weir
