// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/interconnect/interrupt_controller.h"

#include "firmware/hal/boot_info.h"

namespace weir::interconnect {

InterruptController::InterruptController(sc_core::sc_module_name name, uint32_t source_count,
                                         machine::IrqRouting routing,
                                         std::vector<const InterruptTarget*> targets)
    : sc_module(name),
      register_socket("register_socket"),
      source_irq_in("source_irq_in", source_count),
      hart_irq_out("hart_irq_out", targets.size()),
      registers_(*this),
      routing_(routing),
      targets_(std::move(targets)),
      sources_(source_count) {
    registers_.add({"claim", hal::kIntcClaimOffset, 4, 8, static_cast<uint32_t>(targets_.size()),
                    RegisterAccess::ReadWrite, ReadEffect::ChangesState, 8},
                   &InterruptController::read_claim, &InterruptController::write_complete);
    registers_.add(
        {"enable", hal::kIntcEnableOffset, 4, 4, source_count + 1, RegisterAccess::ReadWrite},
        &InterruptController::read_enable, &InterruptController::write_enable);
    register_socket.register_b_transport(this, &InterruptController::b_transport);
    register_socket.register_transport_dbg(this, &InterruptController::transport_dbg);
    SC_METHOD(update_pending_method);
    sensitive << changed_;
    for (auto& input : source_irq_in) sensitive << input;
}

void InterruptController::b_transport(tlm::tlm_generic_payload& trans, sc_core::sc_time&) {
    registers_.transport(trans);
}

unsigned InterruptController::transport_dbg(tlm::tlm_generic_payload& trans) {
    return registers_.debug(trans);
}

uint32_t InterruptController::route(uint32_t source_index) {
    const auto hart_count = static_cast<uint32_t>(targets_.size());
    if (routing_ == machine::IrqRouting::FixedHart) return source_index % hart_count;
    for (uint32_t hart = 0; hart < hart_count; ++hart)
        if (targets_[hart]->idle && targets_[hart]->interrupts_enabled) return hart;
    for (uint32_t step = 0; step < hart_count; ++step) {
        const uint32_t hart = (next_hart_ + step) % hart_count;
        if (!targets_[hart]->interrupts_enabled) continue;
        next_hart_ = (hart + 1) % hart_count;
        return hart;
    }
    const uint32_t hart = next_hart_;
    next_hart_ = (hart + 1) % hart_count;
    return hart;
}

void InterruptController::update_pending_method() {
    for (uint32_t i = 0; i < sources_.size(); ++i) {
        Source& source = sources_[i];
        const bool pending = source.enabled && !source.in_service && source_irq_in[i].read();
        if (pending && !source.pending) source.hart = route(i);
        source.pending = pending;
    }
    for (uint32_t hart = 0; hart < targets_.size(); ++hart) {
        bool level = false;
        for (const Source& source : sources_) level |= source.pending && source.hart == hart;
        hart_irq_out[hart].write(level);
    }
}

uint64_t InterruptController::read_claim(uint32_t hart) {
    for (uint32_t i = 0; i < sources_.size(); ++i) {
        Source& source = sources_[i];
        if (!source.pending) continue;
        if (routing_ == machine::IrqRouting::FixedHart && source.hart != hart) continue;
        source.in_service = true;
        source.pending = false;
        changed_.notify(sc_core::SC_ZERO_TIME);
        return i + 1;
    }
    return 0;
}

void InterruptController::write_complete(uint32_t, uint64_t source) {
    if (source == 0 || source > sources_.size()) return;
    sources_[source - 1].in_service = false;
    changed_.notify(sc_core::SC_ZERO_TIME);
}

uint64_t InterruptController::read_enable(uint32_t source) {
    return source > 0 && sources_[source - 1].enabled;
}

void InterruptController::write_enable(uint32_t source, uint64_t value) {
    if (source == 0) return;  // source 0 means "none"
    sources_[source - 1].enabled = value & 1;
    changed_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace weir::interconnect
