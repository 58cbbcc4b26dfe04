// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// The disks of a machine: a medium, its bytes and a controller each.
// - make_disks(): data disks with their files on them, then the swap disk if there is one.
// Constructed inside the module that is to be their parent; the caller binds the sockets.
#pragma once

#include "sc_models/disk/controller.h"
#include "sc_models/machine/config.h"
#include "sc_models/probe/recorder.h"

#include <memory>
#include <vector>

namespace weir::machine {

/// Errors: std::invalid_argument, naming the key, if a medium or an image cannot be made.
std::vector<std::unique_ptr<disk::Controller>> make_disks(const RunConfig& config,
                                                          probe::Recorder& recorder);

}  // namespace weir::machine
