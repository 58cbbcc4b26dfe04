// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/disk/media.h"

#include "sc_models/disk/flash.h"
#include "sc_models/disk/rotating_disk.h"

#include <stdexcept>
#include <string>
#include <utility>

namespace weir::disk {

std::unique_ptr<Medium> make_medium(const machine::DiskConfig& config,
                                    std::shared_ptr<ChannelPort> port) {
    const uint64_t sectors = sectors_of(config);
    if (sectors == 0) throw std::invalid_argument("size_mib: must be above 0");
    std::unique_ptr<Medium> medium;
    switch (config.medium) {
        case machine::MediumKind::RotatingDisk:
            medium = std::make_unique<RotatingDisk>(config.rotating);
            break;
        case machine::MediumKind::CachedLun:
            if (!port) port = std::make_shared<ChannelPort>(config.lun.channel_bytes_per_s);
            medium = std::make_unique<CachedLun>(config.lun, sectors, std::move(port));
            break;
        case machine::MediumKind::Flash:
            medium = std::make_unique<Flash>(config.flash, sectors);
            break;
    }
    if (medium->sector_count() < sectors)
        throw std::invalid_argument(
            "size_mib: " + std::to_string(config.size_mib) + " is more than the medium holds (" +
            std::to_string(medium->sector_count() * hal::kSectorBytes >> 20) + ")");
    return medium;
}

}  // namespace weir::disk
