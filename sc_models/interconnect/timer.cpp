// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Weir authors
#include "sc_models/interconnect/timer.h"

#include "firmware/hal/boot_info.h"
#include "sc_models/common/units.h"

namespace weir::interconnect {
namespace {
constexpr uint64_t kNever = ~uint64_t{0};
}

Timer::Timer(sc_core::sc_module_name name, uint32_t hart_count)
    : sc_module(name),
      register_socket("register_socket"),
      hart_irq_out("hart_irq_out", hart_count),
      registers_(*this),
      compare_ns_(hart_count, kNever) {
    registers_.add(
        {"mtimecmp", hal::kTimerCompareOffset, 8, 8, hart_count, RegisterAccess::ReadWrite},
        &Timer::read_compare, &Timer::write_compare);
    registers_.add({"mtime", hal::kTimerNowOffset, 8, 8, 1, RegisterAccess::ReadOnly},
                   &Timer::read_now, nullptr);
    register_socket.register_b_transport(this, &Timer::b_transport);
    register_socket.register_transport_dbg(this, &Timer::transport_dbg);
    SC_METHOD(drive_irq_method);
    sensitive << changed_;
}

void Timer::b_transport(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    access_ps_ = simulator_now_ps() + delay.value();
    registers_.transport(trans);
}

unsigned Timer::transport_dbg(tlm::tlm_generic_payload& trans) {
    access_ps_ = simulator_now_ps();
    return registers_.debug(trans);
}

uint64_t Timer::read_now(uint32_t) {
    return access_ps_ / kPsPerNs;
}
uint64_t Timer::read_compare(uint32_t hart) {
    return compare_ns_[hart];
}

void Timer::write_compare(uint32_t hart, uint64_t value_ns) {
    compare_ns_[hart] = value_ns;
    changed_.notify(sc_core::SC_ZERO_TIME);
}

void Timer::drive_irq_method() {
    const uint64_t now_ps = simulator_now_ps();
    uint64_t next_ps = kNever;
    for (size_t hart = 0; hart < compare_ns_.size(); ++hart) {
        // A compare value beyond the range of simulated time never comes.
        const uint64_t due_ps =
            compare_ns_[hart] > kNever / kPsPerNs ? kNever : compare_ns_[hart] * kPsPerNs;
        const bool due = due_ps <= now_ps;
        hart_irq_out[hart].write(due);
        if (!due && due_ps < next_ps) next_ps = due_ps;
    }
    if (next_ps != kNever) changed_.notify(from_ps(next_ps - now_ps));
}

}  // namespace weir::interconnect
