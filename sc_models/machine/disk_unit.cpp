// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/machine/disk_unit.h"

#include <stdexcept>
#include <string>

#include "sc_models/disk/disk_image.h"
#include "sc_models/disk/media.h"
#include "sc_models/machine/boot_image.h"

namespace weir::machine {
namespace {

std::unique_ptr<disk::Controller> make_disk(const std::string& name, const DiskConfig& config,
                                            uint32_t number, const std::vector<uint64_t>& files,
                                            std::shared_ptr<disk::ChannelPort> port,
                                            probe::Recorder& recorder) {
    auto store = std::make_unique<disk::BlockStore>(number, disk::sectors_of(config));
    if (!files.empty()) disk::write_image(*store, number, files);
    return std::make_unique<disk::Controller>(
        name.c_str(), disk::ControllerConfig{name, config},
        disk::make_medium(config, std::move(port)), std::move(store), recorder, "machine." + name);
}

/// LUNs share the channel of their port, luns_per_port at a time.
std::shared_ptr<disk::ChannelPort> next_port(const DiskConfig& config, uint32_t index,
                                             std::shared_ptr<disk::ChannelPort> last) {
    if (config.medium != MediumKind::CachedLun) return nullptr;
    const uint32_t luns = config.lun.luns_per_port;
    if (luns == 0)
        throw std::invalid_argument("machine.disk.lun.luns_per_port: must not be 0");
    if (index % luns != 0) return last;
    return std::make_shared<disk::ChannelPort>(config.lun.channel_bytes_per_s);
}

}  // namespace

std::vector<std::unique_ptr<disk::Controller>> make_disks(const RunConfig& config,
                                                          probe::Recorder& recorder) {
    const MachineConfig& machine = config.machine;
    std::vector<std::unique_ptr<disk::Controller>> disks;
    const auto files = files_of_disks(config);
    std::shared_ptr<disk::ChannelPort> port;
    for (uint32_t i = 0; i < files.size(); ++i) {
        port = next_port(machine.disk, i, port);
        disks.push_back(make_disk("disk" + std::to_string(i), machine.disk, i, files[i], port,
                                  recorder));
    }
    const auto number = static_cast<uint32_t>(disks.size());
    if (machine.has_swap)
        disks.push_back(make_disk("swap", machine.swap, number, {},
                                  next_port(machine.swap, 0, nullptr), recorder));
    return disks;
}

}  // namespace weir::machine
