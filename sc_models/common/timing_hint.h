// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Timing without bytes. RAM bytes are reached through a DMI pointer, but their timing is never
// skipped: a transaction with TLM_IGNORE_COMMAND and this ignorable extension asks the target for
// the time of an access and moves nothing. A target that does not know it ignores it, as the base
// protocol wants.
#pragma once

#include "firmware/hal/types.h"

#include <tlm>

namespace weir {

struct TimingHint : tlm::tlm_extension<TimingHint> {
    hal::Access access = hal::Access::Read;

    tlm::tlm_extension_base* clone() const override {
        auto* copy = new TimingHint;
        copy->access = access;
        return copy;
    }
    void copy_from(const tlm::tlm_extension_base& other) override {
        access = static_cast<const TimingHint&>(other).access;
    }
};

}  // namespace weir
