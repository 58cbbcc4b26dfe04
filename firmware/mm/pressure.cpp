// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "firmware/mm/pressure.h"

namespace weir::mm {

namespace {
Pressure the_pressure;
}  // namespace

Pressure& pressure() {
    return the_pressure;
}

}  // namespace weir::mm
