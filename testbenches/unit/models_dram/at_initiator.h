// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
//
// An initiator that follows the base protocol in every way it allows, and a bench around it.
// - send(): BEGIN_REQ; may be called from outside of processes. One request phase at a time.
// - Style: what it answers to BEGIN_RESP: END_RESP at once, TLM_COMPLETED, END_RESP later or never.
// - Every transaction is checked: END_REQ before BEGIN_RESP, each answered once, bytes as expected.
#pragma once

#include "sc_models/common/units.h"
#include "sc_models/dram/checker/checker.h"
#include "sc_models/dram/controller.h"

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace weir::test {

dram::ControllerConfig dram_config(const std::vector<std::string>& settings = {});
uint64_t dram_seed();

enum class AnswerStyle { Completed, EndRespAtOnce, EndRespLater, NeverAgain /* was reset */ };

/// None: b_transport is truly loosely timed; with a checker it goes through the queues.
enum class Listener { Checker, None };

struct Sent {
    std::unique_ptr<tlm::tlm_generic_payload> trans = std::make_unique<tlm::tlm_generic_payload>();
    std::vector<uint8_t> bytes;
    uint64_t begin_ps = 0;
    uint64_t end_req_ps = 0;
    uint64_t done_ps = 0;  // 0: not answered
    uint32_t answers = 0;
    bool accepted = false;
};

class AtInitiator : public sc_core::sc_module {
  public:
    tlm_utils::simple_initiator_socket<AtInitiator> socket;

    AtInitiator(sc_core::sc_module_name name, AnswerStyle style);
    SC_HAS_PROCESS(AtInitiator);

    bool request_phase_open() const { return waiting_ != nullptr; }
    Sent& send(tlm::tlm_command command, uint64_t address, uint32_t bytes,
               const void* source = nullptr, uint64_t delay_ps = 0);
    const std::deque<Sent>& sent() const { return sent_; }
    uint32_t answered() const { return answered_; }
    /// Called when a request phase has ended: the next may be sent.
    std::function<void()> on_end_req;

  private:
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& trans, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    void end_request(Sent& sent, uint64_t time_ps);
    void end_later_method();

    AnswerStyle style_;
    std::deque<Sent> sent_;
    std::map<tlm::tlm_generic_payload*, Sent*> by_payload_;
    Sent* waiting_ = nullptr;
    Sent* to_end_ = nullptr;
    sc_core::sc_event end_later_;
    uint32_t answered_ = 0;
};

/// One controller and some initiators, not yet elaborated.
class DramTop : public sc_core::sc_module {
  public:
    DramTop(sc_core::sc_module_name name, const dram::ControllerConfig& config,
            const std::vector<AnswerStyle>& styles, Listener listener);
    void run_ns(uint64_t ns);
    /// Runs until every transaction is answered; false if that takes longer than limit_ns.
    bool run_until_answered(uint64_t limit_ns);
    struct Loose {
        tlm::tlm_response_status status;
        uint64_t delay_ps;
    };
    Loose loose(tlm::tlm_command command, uint64_t address, void* bytes, uint32_t count,
                uint64_t delay_ps = 0);
    uint64_t clocks(uint64_t ps) const { return ps / config.spec.tck_ps; }

    dram::ControllerConfig config;
    dram::Controller controller;
    std::vector<std::unique_ptr<AtInitiator>> initiators;
    tlm_utils::simple_initiator_socket<DramTop> loose_socket;
    dram::Checker checker;
};

/// The same, ready at time 0; runs outside of processes.
class DramBench : public DramTop {
  public:
    explicit DramBench(const dram::ControllerConfig& settings,
                       const std::vector<AnswerStyle>& styles = {AnswerStyle::Completed},
                       Listener listener = Listener::Checker)
        : DramTop("bench", settings, styles, listener) {
        run_ns(0);
    }
};

}  // namespace weir::test
