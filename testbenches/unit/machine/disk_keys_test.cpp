// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: does a disk that cannot be made name the key that the user can change?
#include "sc_models/machine/disk_unit.h"
#include "testbenches/unit/machine/small_machine.h"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

namespace weir::test {
namespace {

/// The message with which a machine is refused whose configuration `spoil` has changed.
std::string refusal(const std::function<void(machine::RunConfig&)>& spoil) {
    machine::RunConfig config = small_config();
    config.machine.has_swap = true;
    spoil(config);
    probe::Recorder recorder;
    try {
        machine::make_disks(config, recorder);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

TEST(DiskKeys, EachRefusalBeginsWithTheFullNameOfItsKey) {
    using Run = machine::RunConfig;
    using machine::MediumKind;
    EXPECT_TRUE(refusal([](Run& run) {
                    run.machine.disk.medium = MediumKind::Flash;
                    run.machine.disk.flash.pages_per_block = 1;
                }).starts_with("machine.disk.flash.pages_per_block: "));
    EXPECT_TRUE(refusal([](Run& run) {
                    run.machine.disk.medium = MediumKind::CachedLun;
                    run.machine.disk.lun.ports = 0;
                }).starts_with("machine.disk.lun.ports: "));
    EXPECT_TRUE(refusal([](Run& run) {
                    run.machine.disk.medium = MediumKind::CachedLun;
                    run.machine.disk.lun.miss_us = 0;
                }).starts_with("machine.disk.lun.miss_us: "));
    EXPECT_TRUE(refusal([](Run& run) {
                    run.machine.disk.size_mib = 0;
                }).starts_with("machine.disk.size_mib: "));
    EXPECT_TRUE(refusal([](Run& run) {
                    run.machine.disk.size_mib = 1;
                }).starts_with("machine.disk.size_mib: the files of disk 0 need "));
    EXPECT_TRUE(refusal([](Run& run) {
                    run.workload.file_bytes = 0;
                }).starts_with("machine.disk.size_mib: a file must not be empty"));
}

TEST(DiskKeys, OfTheSwapDiskAreThoseOfSwap) {
    EXPECT_TRUE(refusal([](machine::RunConfig& run) {
                    run.machine.swap.medium = machine::MediumKind::RotatingDisk;
                    run.machine.swap.rotating.rpm = 0;
                }).starts_with("machine.swap.rotating.rpm: "));
}

}  // namespace
}  // namespace weir::test
