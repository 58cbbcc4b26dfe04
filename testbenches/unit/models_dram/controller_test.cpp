// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// Which question: does the controller keep the four-phase base protocol, its bytes and its times?
#include "testbenches/unit/models_dram/at_initiator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace weir::test {
namespace {

const std::vector<std::string> kNoRefresh{"refresh.name=none"};

TEST(ControllerAt, AClosedBankAnswersAfterActivateCasAndBurst) {
    DramBench bench(dram_config(kNoRefresh));
    const Sent& sent = bench.initiators[0]->send(tlm::TLM_READ_COMMAND, 0, 64);
    EXPECT_TRUE(sent.accepted);
    ASSERT_TRUE(bench.run_until_answered(10'000));
    EXPECT_EQ(bench.clocks(sent.done_ps - sent.begin_ps), 36u);
}

TEST(ControllerAt, ARequestBetweenTwoClocksBeginsAtTheNext) {
    DramBench bench(dram_config(kNoRefresh));
    const Sent& sent = bench.initiators[0]->send(tlm::TLM_READ_COMMAND, 0, 64, nullptr, 1);
    ASSERT_TRUE(bench.run_until_answered(10'000));
    EXPECT_EQ(sent.done_ps, 37u * 833);
}

TEST(ControllerAt, ATransactionOfManyBurstsIsAnsweredAfterTheLast) {
    DramBench bench(dram_config(kNoRefresh));
    const Sent& sent = bench.initiators[0]->send(tlm::TLM_READ_COMMAND, 0, 4096);
    EXPECT_FALSE(sent.accepted) << "64 bursts do not fit into 32 entries";
    ASSERT_TRUE(bench.run_until_answered(10'000));
    EXPECT_EQ(bench.clocks(sent.done_ps), 36u + 63 * 6);  // one bank group: tCCD_L
    EXPECT_EQ(bench.controller.stats().read.requests, 64u);
}

TEST(ControllerAt, WithholdsEndReqWhileTheQueueIsFullAndNoLonger) {
    DramBench bench(dram_config({"refresh.name=none", "scheduler.read_queue_entries=2"}));
    AtInitiator& initiator = *bench.initiators[0];
    EXPECT_TRUE(initiator.send(tlm::TLM_READ_COMMAND, 0, 64).accepted);
    EXPECT_TRUE(initiator.send(tlm::TLM_READ_COMMAND, 64, 64).accepted);
    const Sent& third = initiator.send(tlm::TLM_READ_COMMAND, 128, 64);
    EXPECT_FALSE(third.accepted);
    ASSERT_TRUE(bench.run_until_answered(10'000));
    // The first column command frees a place: tRCD after the activate at clock 0.
    EXPECT_EQ(bench.clocks(third.end_req_ps), 16u);
}

TEST(ControllerAt, ReadsBackWhatItWroteAtAnyAlignment) {
    DramBench bench(dram_config());
    AtInitiator& initiator = *bench.initiators[0];
    std::mt19937_64 random(dram_seed());
    std::vector<uint8_t> mirror(8192);
    for (int i = 0; i < 300; ++i) {
        const uint32_t length = 1 + random() % 300;
        const uint64_t address = random() % (mirror.size() - length);
        std::vector<uint8_t> bytes(length);
        for (auto& byte : bytes) byte = static_cast<uint8_t>(random());
        if (random() % 2) {
            std::copy(bytes.begin(), bytes.end(), mirror.begin() + static_cast<long>(address));
            initiator.send(tlm::TLM_WRITE_COMMAND, address, length, bytes.data());
        } else {
            const Sent& sent = initiator.send(tlm::TLM_READ_COMMAND, address, length);
            while (!sent.answers) bench.run_ns(10);
            ASSERT_EQ(std::memcmp(sent.bytes.data(), mirror.data() + address, length), 0) << i;
        }
        while (initiator.request_phase_open()) bench.run_ns(10);
    }
    ASSERT_TRUE(bench.run_until_answered(100'000));
    EXPECT_EQ(bench.checker.violation_count(), 0u);
}

TEST(ControllerAt, HonoursByteEnablesAndAnswersErrorsAtOnce) {
    DramBench bench(dram_config());
    AtInitiator& initiator = *bench.initiators[0];
    const Sent& beyond = initiator.send(tlm::TLM_READ_COMMAND, 64 << 20, 64);
    EXPECT_EQ(beyond.trans->get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(beyond.answers, 1u);
    const Sent& across = initiator.send(tlm::TLM_READ_COMMAND, (64 << 20) - 32, 64);
    EXPECT_EQ(across.trans->get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
    const Sent& nothing = initiator.send(tlm::TLM_IGNORE_COMMAND, 0, 64);
    EXPECT_EQ(nothing.trans->get_response_status(), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(bench.controller.outstanding(), 0u);
}

// The bound of docs/models/sdram_controller.md, for one transaction.
constexpr uint64_t kLatencyLimitClocks = 60'000;

/// Every style of answering, several initiators, random pauses: each request once, within a bound.
void storm(std::vector<AnswerStyle> styles, const std::vector<std::string>& settings) {
    DramBench bench(dram_config(settings), styles);
    std::mt19937_64 random(dram_seed());
    for (int i = 0; i < 3000; ++i) {
        AtInitiator& initiator = *bench.initiators[random() % bench.initiators.size()];
        if (!initiator.request_phase_open()) {
            const auto command = random() % 3 ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND;
            const uint32_t length = random() % 8 ? 64 : 1 + random() % 2000;
            const uint64_t delay_ps = random() % 4 ? 0 : random() % 50'000;
            initiator.send(command, random() % ((64 << 20) - 4096), length, nullptr, delay_ps);
        }
        if (random() % 3 == 0) bench.run_ns(random() % 60);
    }
    ASSERT_TRUE(bench.run_until_answered(10'000'000)) << bench.controller.describe_oldest();
    for (const auto& initiator : bench.initiators)
        for (const Sent& sent : initiator->sent()) {
            ASSERT_EQ(sent.answers, 1u);
            ASSERT_LE(bench.clocks(sent.done_ps - sent.begin_ps), kLatencyLimitClocks);
        }
    EXPECT_EQ(bench.controller.outstanding(), 0u);
    bench.controller.finish();
    EXPECT_EQ(bench.checker.violation_count(), 0u) << bench.checker.violations().front().text;
}

TEST(ControllerAt, AnswersEachRequestOnceWhateverTheInitiatorsDo) {
    storm({AnswerStyle::Completed, AnswerStyle::EndRespAtOnce, AnswerStyle::EndRespLater}, {});
}

TEST(ControllerAt, AnswersEachRequestOnceWithTheShortestQueuesAndPowerDown) {
    storm({AnswerStyle::EndRespLater, AnswerStyle::EndRespLater},
          {"scheduler.read_queue_entries=1", "scheduler.write_queue_entries=1",
           "power_down_after_clocks=20", "page.name=timeout", "page.timeout_clocks=50"});
}

TEST(ControllerAt, ServesInitiatorsThatWaitInTurn) {
    DramBench bench(dram_config({"scheduler.read_queue_entries=1"}),
                    {AnswerStyle::Completed, AnswerStyle::Completed, AnswerStyle::Completed});
    for (auto& one : bench.initiators) {
        AtInitiator* initiator = one.get();
        initiator->on_end_req = [initiator] {
            if (initiator->sent().size() < 1000)
                initiator->send(tlm::TLM_READ_COMMAND, initiator->sent().size() * 8192 * 16, 64);
        };
    }
    for (auto& one : bench.initiators)
        if (one->send(tlm::TLM_READ_COMMAND, 0, 64).accepted) one->on_end_req();
    bench.run_ns(20'000);
    const auto low = std::min({bench.initiators[0]->answered(), bench.initiators[1]->answered(),
                               bench.initiators[2]->answered()});
    const auto high = std::max({bench.initiators[0]->answered(), bench.initiators[1]->answered(),
                                bench.initiators[2]->answered()});
    EXPECT_GT(low, 20u);
    EXPECT_LE(high - low, 2u);
    EXPECT_GT(bench.controller.initiator_stats(2, false).requests, 20u);
}

TEST(ControllerAt, AnInitiatorThatWasResetHoldsNobodyElseUpAndIsNamed) {
    DramBench bench(dram_config(), {AnswerStyle::NeverAgain, AnswerStyle::Completed});
    AtInitiator& lost = *bench.initiators[0];
    AtInitiator& well = *bench.initiators[1];
    for (uint64_t i = 0; i < 3; ++i) lost.send(tlm::TLM_READ_COMMAND, i * 64, 64);
    for (uint64_t i = 0; i < 200; ++i) {
        if (!well.request_phase_open()) well.send(tlm::TLM_READ_COMMAND, i * 4096, 64);
        bench.run_ns(100);
    }
    EXPECT_EQ(well.answered(), well.sent().size());
    EXPECT_EQ(lost.answered(), 1u);
    EXPECT_EQ(bench.controller.describe_oldest(),
              "bench.controller: 2 responses to initiator 0 wait for its END_RESP");
}

TEST(ControllerLoose, TakesTheSameTimeAsCommandLevelWhenAlone) {
    DramBench bench(dram_config(kNoRefresh), {}, Listener::None);
    std::vector<uint8_t> bytes(16'384);
    const auto clocks = [&](uint64_t address, uint32_t count) {
        bench.run_ns(8'330);
        const uint64_t wait_ps = 833 - simulator_now_ps() % 833;  // to the next clock
        const auto reply =
            bench.loose(tlm::TLM_READ_COMMAND, address, bytes.data(), count, wait_ps);
        EXPECT_EQ(reply.status, tlm::TLM_OK_RESPONSE);
        return bench.clocks(reply.delay_ps - wait_ps);
    };
    EXPECT_EQ(clocks(0, 64), 36u);
    EXPECT_EQ(clocks(64, 64), 20u);
    EXPECT_EQ(clocks(60, 8), 20u + 6);         // two bursts, unaligned
    EXPECT_EQ(clocks(0, 4096), 20u + 63 * 6);  // one bank group: tCCD_L
    EXPECT_EQ(clocks(16 * 8192, 4096), 52u + 63 * 6);
    // Across the end of a row into the next bank group: it opens behind the first.
    EXPECT_LT(clocks(8192 - 2048, 4096), 52u + 63 * 6);
    EXPECT_EQ(bench.controller.initiator_stats(0, false).requests, 1u + 1 + 2 + 64 + 64 + 64);
}

TEST(ControllerLoose, PartsOfAnInitiatorsLatencyAddUp) {
    DramBench bench(dram_config(), {}, Listener::None);
    uint8_t bytes[64];
    uint64_t clocks = 0;
    for (uint64_t i = 0; i < 100; ++i)
        clocks += bench.clocks(bench.loose(tlm::TLM_READ_COMMAND, i * 8192, bytes, 64).delay_ps);
    const dram::DirectionStats& stats = bench.controller.initiator_stats(0, false);
    const dram::LatencyParts& parts = stats.parts;
    EXPECT_EQ(parts.queue + parts.bank + parts.bus + parts.refresh, clocks);
    EXPECT_EQ(stats.latency.count(), 100u);
}

TEST(ControllerLoose, AndAtCommandLevelAtOnceTheStreamStaysLegalAndBytesAgree) {
    DramBench bench(dram_config(), {AnswerStyle::Completed});
    AtInitiator& initiator = *bench.initiators[0];
    std::mt19937_64 random(dram_seed());
    for (int i = 0; i < 2000; ++i) {
        const uint64_t address = random() % 4096 * 4096;
        if (!initiator.request_phase_open())
            initiator.send(tlm::TLM_READ_COMMAND, random() % 100'000 * 64, 64);
        uint64_t out = random(), in = 0;
        ASSERT_EQ(bench.loose(tlm::TLM_WRITE_COMMAND, address, &out, 8).status,
                  tlm::TLM_OK_RESPONSE);
        const auto reply = bench.loose(tlm::TLM_READ_COMMAND, address, &in, 8, random() % 5000);
        ASSERT_EQ(in, out);
        ASSERT_GT(reply.delay_ps, 0u);
        if (random() % 2) bench.run_ns(random() % 100);
    }
    ASSERT_TRUE(bench.run_until_answered(1'000'000));
    EXPECT_EQ(bench.checker.violation_count(), 0u) << bench.checker.violations().front().text;
}

TEST(ControllerLoose, AheadOfTimeDoesNotMoveOthersIntoTheFuture) {
    DramBench bench(dram_config());
    const Sent& sent = bench.initiators[0]->send(tlm::TLM_READ_COMMAND, 0, 64);
    uint8_t bytes[8];
    bench.loose(tlm::TLM_READ_COMMAND, 1 << 20, bytes, 8, 60'000'000'000);  // 60 ms ahead
    ASSERT_TRUE(bench.run_until_answered(10'000));
    EXPECT_EQ(bench.clocks(sent.done_ps), 36u);
    EXPECT_EQ(bench.checker.violation_count(), 0u);
}

TEST(ControllerAt, AReadFromTheWriteQueueIsAnsweredAtOnce) {
    DramBench bench(dram_config());
    bench.run_ns(9'370 * 833 / 1000);  // a refresh runs
    AtInitiator& initiator = *bench.initiators[0];
    initiator.send(tlm::TLM_WRITE_COMMAND, 0, 64);
    const Sent& read = initiator.send(tlm::TLM_READ_COMMAND, 0, 64);
    bench.run_ns(20);
    EXPECT_EQ(read.answers, 1u);
    EXPECT_LE(bench.clocks(read.done_ps - read.begin_ps), 5u);
}

TEST(ControllerAt, WhoeversTurnItIsComesFirst) {
    DramBench bench(dram_config(), {AnswerStyle::Completed, AnswerStyle::Completed});
    const uint64_t at_ps = 100 * 833;
    const Sent& first = bench.initiators[0]->send(tlm::TLM_READ_COMMAND, 0, 64, nullptr, at_ps);
    const Sent& second = bench.initiators[1]->send(tlm::TLM_READ_COMMAND, 64, 64, nullptr, at_ps);
    ASSERT_TRUE(bench.run_until_answered(10'000));
    EXPECT_EQ(first.end_req_ps, at_ps);
    EXPECT_EQ(second.end_req_ps, at_ps);
    EXPECT_LT(first.done_ps, second.done_ps);
}

TEST(ControllerAt, IgnoresThePhasesOfExtendedProtocols) {
    DramBench bench(dram_config());
    const Sent& sent = bench.initiators[0]->send(tlm::TLM_READ_COMMAND, 0, 64);
    class Extended : public tlm::tlm_phase {
      public:
        Extended() : tlm::tlm_phase(typeid(Extended), "extended") {}
    } phase;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    EXPECT_EQ(bench.initiators[0]->socket->nb_transport_fw(*sent.trans, phase, delay),
              tlm::TLM_ACCEPTED);
    ASSERT_TRUE(bench.run_until_answered(10'000));
}

TEST(ControllerDebug, MovesBytesWithoutTimeAndGrantsAllForDirectAccess) {
    DramBench bench(dram_config());
    uint64_t out = 0x0123456789abcdef, in = 0;
    tlm::tlm_generic_payload trans;
    trans.set_command(tlm::TLM_WRITE_COMMAND);
    trans.set_address(4096);
    trans.set_data_ptr(reinterpret_cast<unsigned char*>(&out));
    trans.set_data_length(8);
    EXPECT_EQ(bench.loose_socket->transport_dbg(trans), 8u);
    tlm::tlm_dmi dmi;
    ASSERT_TRUE(bench.loose_socket->get_direct_mem_ptr(trans, dmi));
    std::memcpy(&in, dmi.get_dmi_ptr() + 4096, 8);
    EXPECT_EQ(in, out);
    EXPECT_EQ(dmi.get_end_address(), (64u << 20) - 1);
    EXPECT_EQ(bench.controller.stats().write.requests, 0u);
}

TEST(ControllerChecker, IsBoundByTheKeyAndCountsTheCommands) {
    DramBench bench(dram_config({"checker=true"}));
    bench.initiators[0]->send(tlm::TLM_READ_COMMAND, 0, 64);
    ASSERT_TRUE(bench.run_until_answered(10'000));
    ASSERT_NE(bench.controller.checker(), nullptr);
    EXPECT_EQ(bench.controller.checker()->command_count(), 2u);  // ACT, RD
}

TEST(ControllerDeterminism, TheSameTrafficGivesTheSameTimes) {
    DramBench bench(dram_config());
    AtInitiator& initiator = *bench.initiators[0];
    uint64_t i = 0;
    initiator.on_end_req = [&] {
        if (++i < 2000) initiator.send(tlm::TLM_READ_COMMAND, i * i % 1'000'000 * 64, 64);
    };
    while (!initiator.request_phase_open()) {
        ++i;
        initiator.send(tlm::TLM_READ_COMMAND, i * i % 1'000'000 * 64, 64);
    }
    ASSERT_TRUE(bench.run_until_answered(1'000'000));
    EXPECT_EQ(bench.controller.stats().last_data_clk, 13'357u);
    EXPECT_EQ(bench.controller.stats().read.requests, initiator.sent().size());
}

}  // namespace
}  // namespace weir::test
