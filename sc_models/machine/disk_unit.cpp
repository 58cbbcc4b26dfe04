// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/machine/disk_unit.h"

#include "firmware/hal/page_content.h"
#include "sc_models/disk/disk_image.h"
#include "sc_models/disk/media.h"
#include "sc_models/machine/boot_image.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace weir::machine {
namespace {

/// Each LUN has its own stream of service times.
DiskConfig with_seed(DiskConfig config, uint64_t seed, uint32_t number) {
    config.lun.spread_seed = hal::mix64(seed ^ (uint64_t{number} + 1) << 32);
    return config;
}

// Which keys a disk is described by.
constexpr const char* kDataKeys = "machine.disk.";
constexpr const char* kSwapKeys = "machine.swap.";

/// Calls make(), and puts the keys' prefix before the name of the one that a model refuses.
template <typename Make>
auto with_key_prefix(const char* keys, Make make) {
    try {
        return make();
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument(std::string(keys) + error.what());
    }
}

std::unique_ptr<disk::Controller> make_disk(const std::string& name, uint64_t seed,
                                            const DiskConfig& config, uint32_t number,
                                            const std::vector<uint64_t>& files,
                                            std::shared_ptr<disk::ChannelPort> port,
                                            probe::Recorder& recorder) {
    auto store = std::make_unique<disk::BlockStore>(number, disk::sectors_of(config));
    if (!files.empty()) disk::write_image(*store, number, files);
    return std::make_unique<disk::Controller>(
        name.c_str(), disk::ControllerConfig{name, config},
        disk::make_medium(with_seed(config, seed, number), std::move(port)), std::move(store),
        recorder, "machine." + name);
}

using Ports = std::vector<std::shared_ptr<disk::ChannelPort>>;

/// The channels that LUNs share: LUN i is on port i mod ports, as one spreads them by hand.
Ports make_ports(const DiskConfig& config) {
    if (config.medium != MediumKind::CachedLun) return {nullptr};
    if (config.lun.ports == 0) throw std::invalid_argument("lun.ports: must not be 0");
    Ports ports(config.lun.ports);
    for (auto& port : ports)
        port = std::make_shared<disk::ChannelPort>(config.lun.channel_bytes_per_s);
    return ports;
}

}  // namespace

std::vector<std::unique_ptr<disk::Controller>> make_disks(const RunConfig& config,
                                                          probe::Recorder& recorder) {
    const MachineConfig& machine = config.machine;
    std::vector<std::unique_ptr<disk::Controller>> disks;
    const auto files = files_of_disks(config);
    with_key_prefix(kDataKeys, [&] {
        const Ports ports = make_ports(machine.disk);
        for (uint32_t i = 0; i < files.size(); ++i)
            disks.push_back(make_disk("disk" + std::to_string(i), config.seed, machine.disk, i,
                                      files[i], ports[i % ports.size()], recorder));
    });
    const auto number = static_cast<uint32_t>(disks.size());
    if (machine.has_swap)
        with_key_prefix(kSwapKeys, [&] {
            disks.push_back(make_disk("swap", config.seed, machine.swap, number, {},
                                      make_ports(machine.swap).front(), recorder));
        });
    return disks;
}

}  // namespace weir::machine
