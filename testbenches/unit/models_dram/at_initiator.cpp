// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "testbenches/unit/models_dram/at_initiator.h"

#include "sc_models/dram/checker_options.h"
#include "testbenches/runner/dram/dram_config.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace weir::test {

dram::ControllerConfig dram_config(const std::vector<std::string>& settings) {
    const auto folder = std::filesystem::path(WEIR_SOURCE_DIR) / "testbenches" / "dram";
    return runner::load_dram_config(folder / "ddr4-2400-reference.toml", settings,
                                    folder / "standards");
}

uint64_t dram_seed() {
    const char* text = std::getenv("WEIR_SEED");
    const uint64_t seed = text != nullptr ? std::strtoull(text, nullptr, 10) : 1;
    std::printf("seed %llu (WEIR_SEED sets it)\n", static_cast<unsigned long long>(seed));
    return seed;
}

AtInitiator::AtInitiator(sc_core::sc_module_name name, AnswerStyle style)
    : sc_module(name), socket("socket"), style_(style) {
    socket.register_nb_transport_bw(this, &AtInitiator::nb_transport_bw);
    SC_METHOD(end_later_method);
    sensitive << end_later_;
    dont_initialize();
}

void AtInitiator::end_request(Sent& sent, uint64_t time_ps) {
    EXPECT_FALSE(sent.accepted) << "END_REQ twice";
    sent.accepted = true;
    sent.end_req_ps = time_ps;
    waiting_ = nullptr;
}

Sent& AtInitiator::send(tlm::tlm_command command, uint64_t address, uint32_t bytes,
                        const void* source, uint64_t delay_ps) {
    EXPECT_EQ(waiting_, nullptr) << "the test breaks the request exclusion rule";
    Sent& sent = sent_.emplace_back();
    sent.bytes.resize(bytes);
    if (source != nullptr)
        std::copy_n(static_cast<const uint8_t*>(source), bytes, sent.bytes.begin());
    tlm::tlm_generic_payload& trans = *sent.trans;
    trans.set_command(command);
    trans.set_address(address);
    trans.set_data_ptr(sent.bytes.data());
    trans.set_data_length(bytes);
    trans.set_streaming_width(bytes);
    by_payload_[&trans] = &sent;
    sent.begin_ps = simulator_now_ps() + delay_ps;
    waiting_ = &sent;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = from_ps(delay_ps);
    const tlm::tlm_sync_enum answer = socket->nb_transport_fw(trans, phase, delay);
    if (answer == tlm::TLM_UPDATED) {
        EXPECT_EQ(phase, tlm::END_REQ);
        end_request(sent, simulator_now_ps() + delay.value());
    } else if (answer == tlm::TLM_COMPLETED) {
        waiting_ = nullptr;
        sent.accepted = true;
        ++sent.answers;
        ++answered_;
        sent.done_ps = simulator_now_ps();
    }
    return sent;
}

tlm::tlm_sync_enum AtInitiator::nb_transport_bw(tlm::tlm_generic_payload& trans,
                                                tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    Sent& sent = *by_payload_.at(&trans);
    const uint64_t time_ps = simulator_now_ps() + delay.value();
    if (phase == tlm::END_REQ) {
        end_request(sent, time_ps);
        if (on_end_req) on_end_req();
        return tlm::TLM_ACCEPTED;
    }
    EXPECT_EQ(phase, tlm::BEGIN_RESP);
    EXPECT_TRUE(sent.accepted) << "BEGIN_RESP before END_REQ";
    EXPECT_EQ(to_end_, nullptr) << "BEGIN_RESP before END_RESP of the last one";
    EXPECT_EQ(++sent.answers, 1u) << "answered twice";
    EXPECT_GE(time_ps, sent.begin_ps);
    ++answered_;
    sent.done_ps = time_ps;
    if (style_ == AnswerStyle::Completed) return tlm::TLM_COMPLETED;
    if (style_ == AnswerStyle::EndRespAtOnce) {
        phase = tlm::END_RESP;
        return tlm::TLM_UPDATED;
    }
    if (style_ == AnswerStyle::NeverAgain) return tlm::TLM_ACCEPTED;
    to_end_ = &sent;
    end_later_.notify(from_ps(delay.value() + 7'000));
    return tlm::TLM_ACCEPTED;
}

void AtInitiator::end_later_method() {
    Sent& sent = *to_end_;
    to_end_ = nullptr;
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->nb_transport_fw(*sent.trans, phase, delay);
}

DramTop::DramTop(sc_core::sc_module_name name, const dram::ControllerConfig& settings,
                 const std::vector<AnswerStyle>& styles, Listener listener)
    : sc_module(name),
      config(settings),
      controller("controller", config, 64 << 20),
      loose_socket("loose_socket"),
      checker(config.spec, dram::checker_options(config)) {
    for (size_t i = 0; i < styles.size(); ++i) {
        const std::string own_name = "initiator" + std::to_string(i);
        initiators.push_back(std::make_unique<AtInitiator>(own_name.c_str(), styles[i]));
        initiators.back()->socket.bind(controller.socket);
    }
    loose_socket.bind(controller.socket);
    if (listener == Listener::Checker) controller.add_observer(checker);
}

void DramTop::run_ns(uint64_t ns) {
    sc_core::sc_start(from_ps(ns * kPsPerNs));
}

bool DramTop::run_until_answered(uint64_t limit_ns) {
    for (uint64_t ns = 0; ns < limit_ns; ns += 1000) {
        bool all = true;
        for (const auto& initiator : initiators)
            all &= initiator->answered() == initiator->sent().size();
        if (all) return true;
        run_ns(1000);
    }
    return false;
}

DramTop::Loose DramTop::loose(tlm::tlm_command command, uint64_t address, void* bytes,
                              uint32_t count, uint64_t delay_ps) {
    tlm::tlm_generic_payload trans;
    trans.set_command(command);
    trans.set_address(address);
    trans.set_data_ptr(static_cast<unsigned char*>(bytes));
    trans.set_data_length(count);
    trans.set_streaming_width(count);
    sc_core::sc_time delay = from_ps(delay_ps);
    loose_socket->b_transport(trans, delay);
    return {trans.get_response_status(), delay.value()};
}

}  // namespace weir::test
