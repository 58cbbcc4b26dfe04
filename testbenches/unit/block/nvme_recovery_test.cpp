// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Does every request come to a defined end whatever the controller does?
#include "firmware/block/nvme_driver.h"
#include "testbenches/unit/block/driver_rig.h"

#include <gtest/gtest.h>

namespace weir::block_test {
namespace {

TEST(NvmeError, ARetryableStatusIsTriedThreeTimesMoreAndThenReported) {
    for (const uint16_t status : {nvme::kStatusUnrecoveredRead, nvme::kStatusInternalError,
                                  nvme::kStatusDataTransferError}) {
        DriverRig rig;
        nvme::SubmissionEntry command = rig.issue_read(7, 1, 1);
        for (uint32_t attempt = 1; attempt <= 3; ++attempt) {
            rig.ring(1).post(command.command_id, status);
            rig.bus.expect_write(kCq1, attempt);
            rig.bus.expect_write(kSq1, attempt + 1);
            rig.interrupt();
            rig.bus.verify();
            EXPECT_EQ(ended_bios, kNothing);
            command = rig.ring(1).fetch();
            EXPECT_EQ(nvme::start_lba(command).value, 7u * kSectors);
        }
        rig.complete(1, command.command_id, 4, status);
        EXPECT_EQ(ended_bios, one_end(7, hal::Error::IoError));
        EXPECT_EQ(rig.counter(VmCounter::IoRetries), 3u);
        EXPECT_EQ(rig.counter(VmCounter::IoErrors), 1u);
    }
}

TEST(NvmeError, ASuccessfulRetryIsNoError) {
    DriverRig rig;
    nvme::SubmissionEntry command = rig.issue_read(7, 1, 1);
    rig.ring(1).post(command.command_id, nvme::kStatusUnrecoveredRead);
    rig.bus.expect_write(kCq1, 1);
    rig.bus.expect_write(kSq1, 2);
    rig.interrupt();
    command = rig.ring(1).fetch();
    rig.complete(1, command.command_id, 2);
    EXPECT_EQ(ended_bios, one_end(7, hal::Error::None));
    EXPECT_EQ(rig.counter(VmCounter::IoErrors), 0u);
}

TEST(NvmeError, AStatusThatARetryCannotHelpIsReportedAtOnce) {
    const uint16_t no_retry = nvme::kStatusUnrecoveredRead | nvme::kStatusDoNotRetry;
    for (const uint16_t status : {nvme::kStatusLbaOutOfRange, nvme::kStatusInvalidField,
                                  nvme::kStatusInvalidOpcode, no_retry}) {
        DriverRig rig;
        const nvme::SubmissionEntry command = rig.issue_read(7, 1, 1);
        rig.complete(1, command.command_id, 1, status);
        rig.bus.verify();
        EXPECT_EQ(ended_bios, one_end(7, hal::Error::IoError));
        EXPECT_EQ(rig.counter(VmCounter::IoRetries), 0u);
    }
}

TEST(NvmeError, ACompletionOfNoKnownCommandIsCountedAndNothingElse) {
    DriverRig rig;
    const nvme::SubmissionEntry command = rig.issue_read(7, 1, 1);
    rig.ring(1).post(30);
    rig.ring(1).post(0xffff);
    rig.bus.expect_write(kCq1, 2);
    rig.interrupt();
    EXPECT_EQ(rig.stats().stray_completions, 2u);
    EXPECT_EQ(ended_bios, kNothing);
    rig.complete(1, command.command_id, 3);
    EXPECT_EQ(ended_bios, one_end(7, hal::Error::None));
}

TEST(NvmeInterrupt, WithoutACauseIsCounted) {
    DriverRig rig;
    rig.bus.expect_read(kCong + nvme::kCongEvent, kEvents);
    rig.bus.expect_read(nvme::kRegCsts, nvme::kCstsReady);
    rig.interrupt();
    rig.bus.verify();
    EXPECT_EQ(rig.stats().spurious_interrupts, 1u);
}

TEST(NvmeInterrupt, OfTheCongestionBlockIsAcknowledgedWithItsEnablesKept) {
    DriverRig rig;
    rig.bus.expect_read(kCong + nvme::kCongEvent, kEvents | nvme::kEventOffWr);
    rig.bus.expect_write(kCong + nvme::kCongEvent, kEvents | nvme::kEventOffWr);
    rig.interrupt();
    rig.bus.verify();
    EXPECT_EQ(rig.stats().congestion_events, 1u);
    EXPECT_EQ(rig.stats().spurious_interrupts, 0u);
}

TEST(NvmeInterrupt, ThatIsLostIsMadeUpForAfterASecond) {
    DriverRig rig;
    const nvme::SubmissionEntry command = rig.issue_read(7, 1, 1);
    rig.ring(1).post(command.command_id);
    rig.machine.advance_ns(980 * kMs);
    EXPECT_EQ(ended_bios, kNothing);
    rig.bus.expect_write(kCq1, 1);
    rig.machine.advance_ns(600 * kMs);
    rig.bus.verify();
    EXPECT_EQ(ended_bios, one_end(7, hal::Error::None));
    EXPECT_EQ(rig.stats().lost_interrupts, 1u);
    EXPECT_EQ(rig.stats().resets, 0u);
}

TEST(NvmeTimeout, ResetsTheControllerAndIssuesTheCommandAgain) {
    DriverRig rig([](hal::DiskInfo& info) { info.request_timeout_ms = 2000; });
    rig.issue_read(7, 1, 1);
    rig.machine.advance_ns(1980 * kMs);
    rig.bus.verify();
    EXPECT_EQ(rig.stats().resets, 0u);
    rig.expect_reset();
    rig.bus.expect_write(kSq1, 1);
    rig.machine.advance_ns(520 * kMs);
    rig.bus.verify();
    EXPECT_EQ(rig.stats().resets, 1u);
    EXPECT_EQ(rig.counter(VmCounter::IoTimeouts), 1u);
    EXPECT_EQ(rig.machine.events(hal::Event::RequestTimeout).size(), 1u);
    EXPECT_EQ(ended_bios, kNothing);
    const nvme::SubmissionEntry again = rig.ring(1).fetch();
    EXPECT_EQ(nvme::start_lba(again).value, 7u * kSectors);
    rig.complete(1, again.command_id, 1);
    EXPECT_EQ(ended_bios, one_end(7, hal::Error::None));
}

TEST(NvmeTimeout, AfterThreeResetsTheRequestIsGivenUpAndOthersGoOn) {
    DriverRig rig([](hal::DiskInfo& info) { info.request_timeout_ms = 2000; });
    rig.issue_read(7, 1, 1);
    for (uint32_t reset = 1; reset <= 4; ++reset) {
        rig.expect_reset();
        if (reset <= 3) rig.bus.expect_write(kSq1, 1);
        rig.machine.advance_ns(2600 * kMs);
        rig.bus.verify();
        EXPECT_EQ(rig.stats().resets, reset);
    }
    EXPECT_EQ(ended_bios, one_end(7, hal::Error::TimedOut));
    EXPECT_EQ(rig.counter(VmCounter::IoErrors), 1u);
    const nvme::SubmissionEntry next = rig.issue_read(20, 1, 1);
    rig.complete(1, next.command_id, 1);
    EXPECT_EQ(ended_bios.size(), 2u);
    EXPECT_EQ(ended_bios.back().error, hal::Error::None);
}

TEST(NvmeTimeout, ACommandThatIsNotOverdueDoesNotPayForAnothersReset) {
    DriverRig rig([](hal::DiskInfo& info) { info.request_timeout_ms = 2000; });
    rig.issue_read(7, 1, 1);
    rig.machine.advance_ns(1000 * kMs);
    rig.issue_read(90, 1, 2);
    for (uint32_t reset = 1; reset <= 4; ++reset) {
        rig.expect_reset();
        rig.bus.expect_write(kSq1, reset < 4 ? 2 : 1);  // both again; at last the younger alone
        rig.machine.advance_ns((reset == 1 ? 1500 : 2600) * kMs);
        rig.bus.verify();
    }
    EXPECT_EQ(ended_bios, one_end(7, hal::Error::TimedOut));
    const nvme::SubmissionEntry young = rig.ring(1).fetch();
    EXPECT_EQ(nvme::start_lba(young).value, 90u * kSectors);
    rig.complete(1, young.command_id, 1);
    EXPECT_EQ(ended_bios.back(), (Ended{90 * kSectors, hal::Error::None}));
}

TEST(NvmeFatal, AStatusOfFatalResetsAtOnce) {
    DriverRig rig;
    rig.issue_read(7, 1, 1);
    rig.bus.expect_read(kCong + nvme::kCongEvent, kEvents);
    rig.bus.expect_read(nvme::kRegCsts, nvme::kCstsReady | nvme::kCstsFatal);
    rig.expect_reset();
    rig.bus.expect_write(kSq1, 1);
    rig.interrupt();
    rig.machine.advance_ns(kMs);
    rig.bus.verify();
    EXPECT_EQ(rig.stats().resets, 1u);
    const nvme::SubmissionEntry again = rig.ring(1).fetch();
    rig.complete(1, again.command_id, 1);
    EXPECT_EQ(ended_bios, one_end(7, hal::Error::None));
}

TEST(NvmeFatal, AControllerThatDoesNotComeBackEndsEveryBio) {
    DriverRig rig([](hal::DiskInfo& info) { info.ring_entries = 2; });
    rig.bus.expect_write(kSq1, 1);
    for (const uint64_t page : {10, 20, 30, 40}) rig.read(page);
    rig.bus.expect_read(kCong + nvme::kCongEvent, kEvents);
    rig.bus.expect_read(nvme::kRegCsts, nvme::kCstsReady | nvme::kCstsFatal);
    rig.bus.expect_write(nvme::kRegCc, 0);
    rig.bus.expect_write(nvme::kRegIntms, 0xffff'ffff);  // after 500 ms of CSTS.RDY = 1
    rig.interrupt();
    rig.bus.verify();
    ASSERT_EQ(ended_bios.size(), 4u);
    for (const Ended& one : ended_bios) EXPECT_EQ(one.error, hal::Error::TimedOut);
    rig.read(50);
    EXPECT_EQ(ended_bios.size(), 5u) << "a dead device answers at once";
    rig.machine.advance_ns(3000 * kMs);
    rig.bus.verify();
}

}  // namespace
}  // namespace weir::block_test
