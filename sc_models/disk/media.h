// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Makes the medium that a machine file asks for. A new medium is one line in media.cpp.
#pragma once

#include "sc_models/disk/cached_lun.h"
#include "sc_models/disk/medium.h"
#include "sc_models/machine/config.h"

#include <memory>

namespace weir::disk {

/// Sectors that the controller offers: size_mib in sectors of 512 bytes.
constexpr uint64_t sectors_of(const machine::DiskConfig& config) {
    return config.size_mib * (1024 * 1024 / hal::kSectorBytes);
}

/// `port`: the channel that cached LUNs share; null: one of its own. Other media ignore it.
/// Errors: throws std::invalid_argument naming the key that cannot be, for example a size_mib that
/// the zones of a rotating disk do not hold. As everywhere in this folder the name lacks what
/// stands before it, machine.disk. or machine.swap.: who makes the disk knows which, and adds it.
std::unique_ptr<Medium> make_medium(const machine::DiskConfig& config,
                                    std::shared_ptr<ChannelPort> port = nullptr);

}  // namespace weir::disk
