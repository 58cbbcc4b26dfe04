// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Question: does SDRAM take the time its rules say, keep its bandwidth ceiling, and answer every
// kind of transaction correctly?
#include "sc_models/common/timing_hint.h"
#include "testbenches/unit/models_core/rig.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace weir::test {
namespace {

constexpr uint64_t kRow = 8192;
constexpr uint64_t kSameBank = kRow * 16;

/// The module's time for accesses of its own, in ps; loosely timed, without a bus before it.
class LooseTiming {
  public:
    LooseTiming() : rig_(rig_config(1)) { rig_.run(0); }
    uint64_t access(uint64_t time_ps, uint64_t offset, uint32_t bytes) {
        TimingHint hint;
        tlm::tlm_generic_payload trans;
        trans.set_command(tlm::TLM_IGNORE_COMMAND);
        trans.set_address(offset);
        trans.set_data_length(bytes);
        trans.set_streaming_width(bytes);
        trans.set_extension(&hint);
        sc_core::sc_time delay = from_ps(time_ps);
        rig_.bus.target_side[0]->b_transport(trans, delay);
        trans.clear_extension(&hint);
        EXPECT_EQ(trans.get_response_status(), tlm::TLM_OK_RESPONSE);
        return delay.value();
    }
    const dram::ChannelStats& stats() const { return rig_.memory.stats(); }
    uint64_t bytes() const { return 8 * (stats().read.requests + stats().write.requests); }

  private:
    Rig rig_;
};

TEST(LooseDram, ClosedBankRowHitAndConflict) {
    LooseTiming timing;
    EXPECT_EQ(timing.access(0, 0, 64), 30'000u + 8'000);
    EXPECT_EQ(timing.access(100'000, 64, 64), 100'000u + 15'000 + 8'000);
    EXPECT_EQ(timing.access(200'000, kSameBank, 64), 200'000u + 45'000 + 8'000);
    EXPECT_EQ(timing.access(300'000, kRow, 64), 300'000u + 30'000 + 8'000);  // the next bank
    EXPECT_EQ(timing.stats().row_misses, 2u);
    EXPECT_EQ(timing.stats().row_hits, 29u);  // of 32 bursts
    EXPECT_EQ(timing.stats().row_conflicts, 1u);
}

TEST(LooseDram, ABurstAcrossRowsOpensTheSecondBehindTheFirst) {
    LooseTiming timing;
    EXPECT_EQ(timing.access(0, kRow - 1024, 2048), 30'000u + 256'000);
    EXPECT_EQ(timing.stats().row_misses, 2u);
}

TEST(LooseDram, AShortFirstPieceLetsTheSecondRowBeWaitedFor) {
    LooseTiming timing;
    timing.access(0, kRow - 8, 8);               // row 0 open: hit
    timing.access(50'000, kRow + kSameBank, 8);  // bank 1 has another row: conflict
    // 8 bytes at 115..116 ns; the conflict is ready at 145 and takes 1 more.
    EXPECT_EQ(timing.access(100'000, kRow - 8, 16), 100'000u + 45'000 + 1'000);
}

TEST(LooseDram, CommandsWaitForRefreshAndFindRowsClosed) {
    LooseTiming timing;
    timing.access(7'700'000, 0, 64);
    // A clock before the refresh the row is open; at it the bank is busy for tRFC, then closed.
    EXPECT_EQ(timing.access(7'799'000, 0, 64), 7'799'000u + 15'000 + 8'000);
    const uint64_t after_ps = timing.access(7'801'000, 0, 64);
    EXPECT_GE(after_ps, 7'800'000u + 128'000 + 30'000 + 8'000);
    EXPECT_LE(after_ps, 7'800'000u + 130'000 + 30'000 + 8'000);  // PREA and REF take a slot each
    EXPECT_EQ(timing.access(15'600'000 + 200'000, 0, 64), 15'800'000u + 30'000 + 8'000);
}

TEST(LooseDram, NeverExceedsItsBandwidthHoweverArrivalsAreOrdered) {
    std::mt19937_64 random(seed());
    LooseTiming timing;
    uint64_t bytes = 0;
    uint64_t last_ps = 0;
    for (int i = 0; i < 20'000; ++i) {
        const uint64_t time_ps = uint64_t(i) * 100'000 + random() % 10'000'000;
        const uint64_t size = 64 << random() % 7;
        bytes += size;
        const uint64_t offset = random() % (1 << 24) & ~uint64_t{7};
        if (offset + size > Rig::kRamBytes) {
            bytes -= size;
            continue;
        }
        last_ps = std::max(last_ps, timing.access(time_ps, offset, static_cast<uint32_t>(size)));
    }
    EXPECT_GE(last_ps, bytes * 125);  // 125 ps a byte from time 0 on
    EXPECT_EQ(timing.bytes(), bytes);
}

TEST(BusyCalendar, BookingsNeverOverlapAndNeverStartEarly) {
    std::mt19937_64 random(seed());
    BusyCalendar calendar;
    std::vector<std::pair<uint64_t, uint64_t>> booked;
    for (int i = 0; i < 20'000; ++i) {
        const uint64_t wish = uint64_t(i) * 50 + random() % 5'000;
        const uint64_t duration = 1 + random() % 90;
        const uint64_t start = calendar.reserve(wish, duration);
        ASSERT_GE(start, wish);
        booked.push_back({start, start + duration});
    }
    std::sort(booked.begin(), booked.end());
    for (size_t i = 1; i < booked.size(); ++i) ASSERT_GE(booked[i].first, booked[i - 1].second);
}

TEST(BusyCalendar, ALateArrivalTakesAnEarlierGap) {
    BusyCalendar calendar;
    EXPECT_EQ(calendar.reserve(100, 10), 100u);
    EXPECT_EQ(calendar.reserve(200, 10), 200u);
    EXPECT_EQ(calendar.reserve(105, 10), 110u);  // behind the first
    EXPECT_EQ(calendar.reserve(50, 10), 50u);    // before it
    EXPECT_EQ(calendar.reserve(115, 90), 210u);  // the gap is 80 long
    EXPECT_EQ(calendar.reserve(115, 80), 120u);
}

// ---- the module ---------------------------------------------------------------------------------

/// Talks to RAM over the bus outside of simulated processes: b_transport never waits.
struct Request {
    tlm::tlm_generic_payload trans;
    Request(tlm::tlm_command command, uint64_t offset, void* bytes, uint32_t count) {
        trans.set_command(command);
        trans.set_address(hal::kRamBase.value + offset);
        trans.set_data_ptr(static_cast<unsigned char*>(bytes));
        trans.set_data_length(count);
        trans.set_streaming_width(count);
    }
    tlm::tlm_response_status send(Rig& rig) {
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        rig.dma_socket->b_transport(trans, delay);
        delay_ps = delay.value();
        return trans.get_response_status();
    }
    uint64_t delay_ps = 0;
};

class MemoryTest : public testing::Test {
  protected:
    MemoryTest() : rig(rig_config(1)) { rig.run(0); }
    Rig rig;
};

TEST_F(MemoryTest, ReadsBackWhatWasWritten) {
    uint64_t out = 0x1122334455667788, in = 0;
    Request write(tlm::TLM_WRITE_COMMAND, 64, &out, 8);
    EXPECT_EQ(write.send(rig), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(write.delay_ps, 33'000u);  // 2 arbitration, 30 closed, 1 data
    EXPECT_TRUE(write.trans.is_dmi_allowed());
    Request read(tlm::TLM_READ_COMMAND, 64, &in, 8);
    EXPECT_EQ(read.send(rig), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(in, out);
}

TEST_F(MemoryTest, HonoursByteEnables) {
    uint8_t out[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint8_t enables[2] = {0x00, 0xff};  // repeats: the odd bytes
    uint8_t in[8];
    Request write(tlm::TLM_WRITE_COMMAND, 0, out, 8);
    write.trans.set_byte_enable_ptr(enables);
    write.trans.set_byte_enable_length(2);
    EXPECT_EQ(write.send(rig), tlm::TLM_OK_RESPONSE);
    std::memset(in, 0xee, 8);
    Request all(tlm::TLM_READ_COMMAND, 0, in, 8);
    all.send(rig);
    const uint8_t wanted[8] = {0, 2, 0, 4, 0, 6, 0, 8};
    EXPECT_EQ(std::memcmp(in, wanted, 8), 0);
    std::memset(in, 0xee, 8);
    all.trans.set_byte_enable_ptr(enables);
    all.trans.set_byte_enable_length(2);
    all.send(rig);
    EXPECT_EQ(in[0], 0xee);
    EXPECT_EQ(in[1], 2);
}

TEST_F(MemoryTest, HonoursTheStreamingWidth) {
    uint8_t out[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint8_t in[8] = {};
    Request write(tlm::TLM_WRITE_COMMAND, 0, out, 8);
    write.trans.set_streaming_width(4);
    EXPECT_EQ(write.send(rig), tlm::TLM_OK_RESPONSE);
    Request(tlm::TLM_READ_COMMAND, 0, in, 8).send(rig);
    const uint8_t wanted[8] = {5, 6, 7, 8, 0, 0, 0, 0};
    EXPECT_EQ(std::memcmp(in, wanted, 8), 0);
}

TEST_F(MemoryTest, AnswersBadRequestsWithTheRightStatus) {
    uint8_t bytes[16] = {};
    const auto status = [&](uint64_t offset, uint32_t count, uint32_t width) {
        Request request(tlm::TLM_READ_COMMAND, offset, bytes, count);
        request.trans.set_streaming_width(width);
        return request.send(rig);
    };
    EXPECT_EQ(status(Rig::kRamBytes - 16, 16, 16), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(status(Rig::kRamBytes, 8, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(status(Rig::kRamBytes - 8, 16, 16), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(status(0, 0, 8), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(status(0, 8, 0), tlm::TLM_BURST_ERROR_RESPONSE);
    Request enables(tlm::TLM_READ_COMMAND, 0, bytes, 8);
    enables.trans.set_byte_enable_ptr(bytes);
    enables.trans.set_byte_enable_length(0);
    EXPECT_EQ(enables.send(rig), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
}

TEST_F(MemoryTest, AHintTakesTheTimeAndMovesNothing) {
    uint64_t out = 7;
    Request(tlm::TLM_WRITE_COMMAND, 0, &out, 8).send(rig);
    TimingHint hint;
    hint.access = hal::Access::Write;
    Request timing(tlm::TLM_IGNORE_COMMAND, 4096, nullptr, 256);
    timing.trans.set_extension(&hint);
    EXPECT_EQ(timing.send(rig), tlm::TLM_OK_RESPONSE);
    timing.trans.clear_extension(&hint);
    EXPECT_GE(timing.delay_ps, 32'000u);
    EXPECT_EQ(rig.dram_bytes(), 264u);
    Request nothing(tlm::TLM_IGNORE_COMMAND, 0, nullptr, 256);
    EXPECT_EQ(nothing.send(rig), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(rig.dram_bytes(), 264u);
}

TEST_F(MemoryTest, DebugAccessMovesBytesUpToTheEndAndTakesNoTime) {
    uint8_t bytes[16];
    std::memset(bytes, 9, sizeof bytes);
    Request write(tlm::TLM_WRITE_COMMAND, Rig::kRamBytes - 8, bytes, 8);
    EXPECT_EQ(rig.dma_socket->transport_dbg(write.trans), 8u);
    Request read(tlm::TLM_READ_COMMAND, Rig::kRamBytes - 8, bytes, 8);
    EXPECT_EQ(rig.dma_socket->transport_dbg(read.trans), 8u);
    Request beyond(tlm::TLM_READ_COMMAND, Rig::kRamBytes - 8, bytes, 16);
    EXPECT_EQ(rig.dma_socket->transport_dbg(beyond.trans), 8u);
    Request nowhere(tlm::TLM_READ_COMMAND, Rig::kRamBytes, bytes, 8);
    EXPECT_EQ(rig.dma_socket->transport_dbg(nowhere.trans), 0u);
    EXPECT_EQ(rig.dram_bytes(), 0u);
}

TEST_F(MemoryTest, GrantsDmiForAllOfRamInBusAddresses) {
    Request request(tlm::TLM_READ_COMMAND, 4096, nullptr, 8);
    tlm::tlm_dmi dmi;
    ASSERT_TRUE(rig.dma_socket->get_direct_mem_ptr(request.trans, dmi));
    EXPECT_EQ(dmi.get_start_address(), hal::kRamBase.value);
    EXPECT_EQ(dmi.get_end_address(), hal::kRamBase.value + Rig::kRamBytes - 1);
    EXPECT_TRUE(dmi.is_read_write_allowed());
    uint32_t word = 0xabcdef;
    Request(tlm::TLM_WRITE_COMMAND, 4096, &word, 4).send(rig);
    EXPECT_EQ(std::memcmp(dmi.get_dmi_ptr() + 4096, &word, 4), 0);
}

// ---- the bus ------------------------------------------------------------------------------------

TEST_F(MemoryTest, BusGivesAddressErrorsForHolesAndDoesNotForward) {
    uint64_t word = 0;
    EXPECT_EQ(rig.dma(tlm::TLM_READ_COMMAND, 0x4000'0000, &word, 8).status,
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(rig.dma(tlm::TLM_READ_COMMAND, hal::kRamBase.value - 8, &word, 8).status,
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(rig.bus.transaction_count(), 0u);
}

TEST_F(MemoryTest, BusServesOverlappingRequestsOneAfterAnother) {
    std::vector<uint8_t> bytes(256);
    // 256 bytes hold the bus 18 ns. First: 2 + 30 + 32.
    EXPECT_EQ(rig.bus.occupancy_ps(256), 18'000u);
    EXPECT_EQ(rig.dma(tlm::TLM_READ_COMMAND, hal::kRamBase.value, bytes.data(), 256).delay_ps,
              64'000u);
    // Second: bus at 18, command at 20, row hit 35, but the data bus is taken until 64.
    EXPECT_EQ(rig.dma(tlm::TLM_READ_COMMAND, hal::kRamBase.value, bytes.data(), 256).delay_ps,
              96'000u);
    EXPECT_EQ(rig.bus.busy_ps(), 36'000u);
}

TEST_F(MemoryTest, RegistersRefuseWrongWidthsDirectionsAndOffsets) {
    uint64_t word = 0;
    const uint64_t timer = hal::kTimerBase.value;
    EXPECT_EQ(rig.dma(tlm::TLM_READ_COMMAND, timer + hal::kTimerNowOffset, &word, 8).status,
              tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(rig.dma(tlm::TLM_READ_COMMAND, timer + hal::kTimerNowOffset, &word, 4).status,
              tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(rig.dma(tlm::TLM_WRITE_COMMAND, timer + hal::kTimerNowOffset, &word, 8).status,
              tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(rig.dma(tlm::TLM_READ_COMMAND, timer + 0x100, &word, 8).status,
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(rig.dma(tlm::TLM_READ_COMMAND, timer + hal::kTimerCompareOffset + 8, &word, 8).status,
              tlm::TLM_ADDRESS_ERROR_RESPONSE);  // there is one hart
}

}  // namespace
}  // namespace weir::test
